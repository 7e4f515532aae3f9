import type { Log } from '#core/kernel.ts';

const MINUTE_MS = 60_000;
/** Lines of one sentence within a minute. */
const LINES_A_MINUTE = 20;
/** Sentences are written in the program; this is a net under one that is put together from what a caller sent. */
const MAX_SENTENCES = 1_000;

type Level = keyof Log;
type Said = { since: number; lines: number; unsaid: number };

/**
 * A log in which no fault can drown the others, nor the disk: a sentence is said so often a minute, and the first line
 * of it after that tells how many were left out.
 */
export function sparingLog(log: Log, monotonic: () => number): Log {
  const saidBySentence = new Map<string, Said>();

  function say(level: Level, fields: Record<string, unknown>, sentence: string): void {
    const now = monotonic();
    const said = saidBySentence.get(sentence) ?? { since: now, lines: 0, unsaid: 0 };
    if (saidBySentence.size < MAX_SENTENCES) saidBySentence.set(sentence, said);
    if (now - said.since >= MINUTE_MS || now < said.since) Object.assign(said, { since: now, lines: 0 });
    said.lines += 1;
    if (said.lines > LINES_A_MINUTE) {
      said.unsaid += 1;
      return;
    }
    const unsaid = said.unsaid === 0 ? {} : { unsaid: said.unsaid };
    said.unsaid = 0;
    log[level]({ ...fields, ...unsaid }, sentence);
  }

  return {
    debug: log.debug,
    info: (fields, sentence) => say('info', fields, sentence),
    warn: (fields, sentence) => say('warn', fields, sentence),
    error: (fields, sentence) => say('error', fields, sentence),
  };
}
