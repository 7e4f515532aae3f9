import { answerCalls } from '../remote.ts';

// Somebody who saves one export after another, as fast as it comes.

export type Export = { base: string; path: string; token: string };
export type Saved = { rows: number; bytes: number; ms: number };

const NEW_LINE = 10;
const state = { stop: null as AbortController | null, done: Promise.resolve() };

const handlers = {
  /** Some other page, once. */
  async read({ base, path, token }: Export): Promise<void> {
    const answer = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
  },

  /** One export, whole. */
  save: (wanted: Export): Promise<Saved> => save(wanted, new AbortController().signal),

  async start(wanted: Export): Promise<void> {
    const stop = new AbortController();
    state.stop = stop;
    state.done = saveOn(wanted, stop.signal);
  },

  /** Breaks off what is being saved, as a closed browser does. */
  async pause(): Promise<void> {
    state.stop?.abort();
    await state.done;
  },
};
export type ExportReader = typeof handlers;
answerCalls(handlers);

async function saveOn(wanted: Export, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await save(wanted, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function save({ base, path, token }: Export, signal: AbortSignal): Promise<Saved> {
  const startedAt = performance.now();
  const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` }, signal });
  if (response.status !== 200 || response.body === null)
    throw new Error(`the export was answered ${response.status}`);
  const saved = { rows: -1, bytes: 0, ms: 0 };
  for await (const piece of response.body) {
    saved.bytes += piece.length;
    for (let at = piece.indexOf(NEW_LINE); at !== -1; at = piece.indexOf(NEW_LINE, at + 1)) saved.rows += 1;
  }
  return { ...saved, ms: performance.now() - startedAt };
}
