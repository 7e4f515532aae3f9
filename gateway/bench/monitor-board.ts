import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openPort, type SerialLink } from '#adapters/serial/open-port.ts';
import { type InEach, inEach, verbatim } from '#core/each-language.ts';
import { explainLine, isGibberish } from './boot-words.ts';
import { type JobContext, type JobOf, type JobResult, type Progress, sentence } from './job.ts';
import { asBenchTrouble } from './port-faults.ts';
import { BenchTrouble } from './trouble.ts';

/** A board that never ends its line gets it ended. */
const MAX_LINE = 1_024;
/** A day of a board that talks without pause would fill a card. */
const MAX_SAVED = 64 * 2 ** 20;
const RESET_MS = 100;

/**
 * Tells what the board says, line by line with the time it came, and what its boot messages and crashes mean. Ends when
 * the time is over or the job is taken back: both are a good end. Throws BenchTrouble.
 */
export async function monitorBoard(
  job: JobOf<'monitor'>,
  context: JobContext,
  now: () => number = Date.now,
): Promise<JobResult> {
  const told = { lines: 0, alarms: 0, hasSaidBaud: false };
  const log = job.save === null ? null : await openLog(job.save);
  let link: SerialLink | null = null;
  const take = (line: string) => {
    const stamped = `${new Date(now()).toISOString()} ${printable(line)}`;
    const { level, meaning } = explainLine(line);
    told.lines += 1;
    if (level === 'alarm') told.alarms += 1;
    log?.write(stamped);
    context.tell(monitorLine(told.lines, verbatim(stamped), level));
    if (meaning !== null) context.tell(monitorLine(told.lines, explained(meaning), level));
    if (told.hasSaidBaud || !isGibberish(line)) return;
    told.hasSaidBaud = true;
    context.tell(monitorLine(told.lines, explained(NOT_READABLE), 'warning'));
  };
  try {
    link = await openPort(job.port, job.baud);
    const lines = createLineReader(take);
    link.onData(lines.feed);
    context.tell(
      sentence(
        'monitor',
        inEach(
          `ouvindo ${job.port} a ${job.baud} baud`,
          `listening to ${job.port} at ${job.baud} baud`,
          `oyendo ${job.port} a ${job.baud} baudios`,
        ),
      ),
    );
    if (job.reset) await reset(link, context);
    await untilEnd(link.lost, AbortSignal.any([context.signal, AbortSignal.timeout(job.for_s * 1_000)]));
    lines.end();
    return { lines: told.lines, alarms: told.alarms, saved: job.save };
  } catch (error) {
    throw asBenchTrouble(error);
  } finally {
    await link?.close();
    await log?.close();
  }
}

const NOT_READABLE = inEach(
  'ilegível: tente outra velocidade, como 74880 ou 9600',
  'not readable: try another baud, such as 74880 or 9600',
  'ilegible: pruebe otra velocidad, como 74880 o 9600',
);

/** Set apart from the lines of the board. */
const explained = (meaning: InEach) =>
  inEach(`  = ${meaning['pt-BR']}`, `  = ${meaning.en}`, `  = ${meaning.es}`);

function monitorLine(count: number, message: InEach, level: Progress['level']): Progress {
  return { step: 'monitor', done: count, total: 0, bytes_per_s: null, eta_s: null, message, level };
}

/** Cuts a stream into lines; what is left without an end counts as one when `end` is called. */
export function createLineReader(take: (line: string) => void): {
  feed: (bytes: Uint8Array) => void;
  end: () => void;
} {
  const decoder = new TextDecoder();
  let rest = '';
  const cut = (text: string) => {
    const lines = (rest + text).split(/\r*\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) take(line.slice(0, MAX_LINE));
    while (rest.length > MAX_LINE) {
      take(rest.slice(0, MAX_LINE));
      rest = rest.slice(MAX_LINE);
    }
  };
  return {
    feed: (bytes) => cut(decoder.decode(bytes, { stream: true })),
    end() {
      if (rest !== '') take(rest);
      rest = '';
    },
  };
}

/** Colours and whatever else would move a terminal's cursor are left out. */
export function printable(line: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
  return line.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '·');
}

async function reset(link: SerialLink, context: JobContext): Promise<void> {
  const hasLines = await link.setLines({ dtr: false, rts: true });
  await pause(RESET_MS);
  await link.setLines({ dtr: false, rts: false });
  if (!hasLines)
    context.tell(
      sentence(
        'monitor',
        inEach(
          'esta porta não consegue reiniciar a placa: aperte EN ou RST nela',
          'this port cannot reset the board: press EN or RST on it',
          'este puerto no puede reiniciar la placa: presione EN o RST en ella',
        ),
        'warning',
      ),
    );
}

/** Resolves at the end; rejects when the cable is pulled first. */
function untilEnd(lost: AbortSignal, end: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const lose = () => reject(lost.reason);
    if (lost.aborted) lose();
    if (end.aborted) resolve();
    lost.addEventListener('abort', lose, { once: true });
    end.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function openLog(file: string) {
  const out = createWriteStream(file, { flags: 'a', mode: 0o600 });
  await once(out, 'open').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    const said = {
      message: inEach(
        `${file} não pode ser gravado: ${why}`,
        `${file} cannot be written: ${why}`,
        `${file} no se puede grabar: ${why}`,
      ),
      next: inEach(
        'diga um arquivo numa pasta sua',
        'name a file in a folder of yours',
        'indique un archivo en una carpeta suya',
      ),
    };
    throw new BenchTrouble('BAD_INPUT', said, cause);
  });
  let saved = 0;
  // a full disk must not end the monitor
  out.on('error', () => undefined);
  return {
    write(line: string) {
      saved += line.length + 1;
      if (saved <= MAX_SAVED) out.write(`${line}\n`);
    },
    async close() {
      if (out.destroyed) return;
      out.end();
      await once(out, 'close').catch(() => undefined);
    },
  };
}
