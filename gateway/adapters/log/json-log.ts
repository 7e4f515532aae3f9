import { type LoggerOptions, pino } from 'pino';
import { plainLine } from '#contract/plain-number.ts';
import type { Log } from '#core/kernel.ts';

/**
 * One JSON object a line on standard output. Secrets that slip into fields are struck out by name. `keep` hears each line
 * as it is written.
 */
export function createJsonLog(
  level: 'debug' | 'info' | 'warn' | 'error',
  keep: (line: string) => void = () => undefined,
): Log {
  // last words must be out before the process ends
  const output = pino.destination({ fd: 1, sync: true });
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: [
      'password',
      'key',
      'token',
      'authorization',
      '*.password',
      '*.key',
      '*.token',
      '*.authorization',
    ],
  };
  const logger = pino(options, {
    write(written: string) {
      const line = plainLine(written);
      keep(line);
      output.write(line);
    },
  });
  return {
    debug: (fields, sentence) => logger.debug(fields, sentence),
    info: (fields, sentence) => logger.info(fields, sentence),
    warn: (fields, sentence) => logger.warn(fields, sentence),
    error: (fields, sentence) => logger.error(fields, sentence),
  };
}

const LINES = 1_000;
const LINE_CHARACTERS = 4_000;
const CHARACTERS = 512 * 1024;

type RecentLines = { add: (line: string) => void; all: () => string[] };

/** The last lines of the log, for a support bundle; bounded, whatever is written. */
export function createRecentLines(): RecentLines {
  const lines: string[] = [];
  let characters = 0;
  return {
    add(line) {
      const kept = line.length <= LINE_CHARACTERS ? line.trimEnd() : cut(line);
      lines.push(kept);
      characters += kept.length;
      while (lines.length > LINES || characters > CHARACTERS) characters -= lines.shift()?.length ?? 0;
    },
    all: () => [...lines],
  };
}

/** No half of a word: that of a secret would not be known as one. */
const cut = (line: string): string => `${line.slice(0, LINE_CHARACTERS).replace(/\S{0,300}$/, '')}…`;

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
