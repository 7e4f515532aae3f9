import { STREAM_EVENTS, type StreamEventName } from '#contract/events/stream.ts';

export type Heard = { id: string; name: StreamEventName; data: Record<string, unknown> };

/** A viewer of GET /events, as a console is one: reads the stream as it comes and checks every event's shape. */
export async function watch(address: string, token?: string) {
  const abort = new AbortController();
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(address, { headers, signal: abort.signal });
  const heard: Heard[] = [];
  const state = { comments: 0, ended: false };
  const waiting = new Set<() => void>();
  const news = () => {
    for (const look of waiting) look();
  };

  async function read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
      news();
    }
  }

  function take(block: string): void {
    if (block.startsWith(':')) state.comments += 1;
    const fields = new Map(
      block.split('\n').map((line) => [line.split(': ')[0] ?? '', line.replace(/^\w+: /, '')]),
    );
    const name = fields.get('event');
    if (name === undefined) return;
    const known = name as StreamEventName;
    const data = JSON.parse(fields.get('data') ?? '');
    STREAM_EVENTS[known].parse(data);
    heard.push({ id: fields.get('id') ?? '', name: known, data });
  }

  if (response.ok && response.body) {
    read(response.body)
      .catch(() => undefined)
      .finally(() => {
        state.ended = true;
        news();
      });
  }

  /** Resolves when `isTrue` is; the test's own time limit is the bound. */
  async function until(isTrue: () => boolean): Promise<void> {
    if (!response.ok) throw new Error(`the stream was refused with ${response.status}`);
    return new Promise((resolve) => {
      const look = () => {
        if (!isTrue()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  }

  return {
    status: response.status,
    headers: response.headers,
    body: () => response.json() as Promise<{ detail: string; code: string }>,
    heard,
    state,
    names: () => heard.map((event) => event.name),
    /** The first event of that name after `skip` others of it. */
    async next(name: StreamEventName, skip = 0): Promise<Heard> {
      const found = () => heard.filter((event) => event.name === name)[skip];
      await until(() => found() !== undefined);
      const event = found();
      if (event === undefined) throw new Error('unreachable');
      return event;
    },
    end: () => until(() => state.ended),
    close: () => abort.abort(),
  };
}
