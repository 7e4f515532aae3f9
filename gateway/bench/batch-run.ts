import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { csvText } from '#core/csv-text.ts';
import { type InEach, inEach, verbatim } from '#core/each-language.ts';
import type { Language } from '#core/notifying.ts';
import { type BenchJobInput, type JobContext, type JobResult, sentence } from './job.ts';
import { badInput, type Point } from './provision-gateway.ts';
import { type PointWish, type PointWork, provisionPoint } from './provision-options.ts';
import { BenchTrouble } from './trouble.ts';

/** One board at the bench and what became of it. */
type BatchRow = {
  at: string;
  control_point: string;
  device_id: string;
  mac: string;
  chip: string;
  firmware_version: string;
  result: string;
  message: string;
  motor_current_ma: number | null;
  seconds: number;
};

const COLUMNS = [
  'at',
  'control_point',
  'device_id',
  'mac',
  'chip',
  'firmware_version',
  'result',
  'message',
  'motor_current_ma',
  'seconds',
] as const satisfies readonly (keyof BatchRow)[];

const BATCH_FILE = 'results.csv';
const OK = 'ok';
const MOST_BYTES = 16 * 2 ** 20;

export type BatchRecord = {
  /** Boards that are done: their MAC. */
  macByDevice: Map<string, string>;
  add: (row: BatchRow) => Promise<void>;
};

/** Opens the results of a batch, or begins them. A line that a power cut left half is passed over. */
export async function openBatchRecord(folder: string): Promise<BatchRecord> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, BATCH_FILE);
  const csv = csvText({ separator: 'comma', bom: '0' });
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text !== null && text.length > MOST_BYTES)
    throw badInput(
      inEach(
        `${file} é grande demais para os resultados de um lote`,
        `${file} is too large for the results of a batch`,
        `${file} es demasiado grande para los resultados de un lote`,
      ),
      inEach('use outra pasta com --to', 'take another folder with --to', 'use otra carpeta con --to'),
    );
  const macByDevice = new Map<string, string>();
  for (const cells of readRows(text ?? '')) {
    const at = (name: (typeof COLUMNS)[number]) => cells[COLUMNS.indexOf(name)] ?? '';
    if (cells.length === COLUMNS.length && at('result') === OK) macByDevice.set(at('device_id'), at('mac'));
  }
  if (text === null) await appendFile(file, csv.head(COLUMNS));
  else if (text !== '' && !text.endsWith('\n')) await appendFile(file, '\r\n');
  return {
    macByDevice,
    async add(row) {
      await appendFile(file, csv.row(COLUMNS.map((name) => row[name])));
      if (row.result === OK) macByDevice.set(row.device_id, row.mac);
    },
  };
}

/** RFC 4180, without the apostrophe that keeps a spreadsheet from running a cell. */
export function readRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    const cell = quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"');
    row.push(cell.replace(/^'(?=[=+\-@\t\r])/, ''));
    if (end === ',') continue;
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
  }
  return rows;
}

export type BatchWork = PointWork & {
  /** Ports with a board in them that nobody else uses. */
  freePorts: () => Promise<string[]>;
  record: BatchRecord;
  /** Renews the labels of all that are done. */
  label: (point: Point) => Promise<void>;
  now: () => number;
  /** Of the reasons in the record. */
  language: Language;
};

export type BatchWish = Omit<PointWish, 'port'> & {
  /** null: the boards have their firmware already. */
  bundle: string | null;
  /** Whose firmware is taken. */
  trust: { firmware_keys: string | null; allow_unsigned: boolean };
  baud: number | undefined;
  /** Ends after so many boards, done or not. */
  most: number;
};

type BatchOutcome = { done: number; failed: number; left: number };

const LOOK_EVERY_MS = 500;

/**
 * Board after board: plug in → detect → flash → identity → Wi-Fi → first report → relay → label → unplug. What is done is
 * in the record, so that a batch that was broken off goes on where it stood; a board that failed is recorded, and its
 * control point is the next one again.
 */
export async function runBatch(
  work: BatchWork,
  points: readonly Point[],
  wish: BatchWish,
  context: JobContext,
): Promise<BatchOutcome> {
  const outcome = { done: 0, failed: 0, left: 0 };
  const isOpen = ({ device_id }: Point) => !work.record.macByDevice.has(device_id);
  while (outcome.done + outcome.failed < wish.most) {
    const point = points.find(isOpen);
    if (point === undefined) break;
    context.tell(
      sentence(
        'plug',
        inEach(
          `ligue a placa para ${point.cod} (${point.device_id})`,
          `plug in the board for ${point.cod} (${point.device_id})`,
          `conecte la placa para ${point.cod} (${point.device_id})`,
        ),
      ),
    );
    const port = await untilPlugged(work, context.signal);
    const row = await oneBoard(work, { point, port, wish }, context);
    if (row !== null) {
      await work.record.add(row);
      if (row.result === OK) await work.label(point);
      outcome[row.result === OK ? 'done' : 'failed'] += 1;
      context.tell(sentence('record', said(row), row.result === OK ? 'info' : 'alarm'));
    }
    context.tell(
      sentence(
        'unplug',
        inEach(`puxe a placa em ${port}`, `pull the board at ${port}`, `retire la placa de ${port}`),
      ),
    );
    await untilUnplugged(work, port, context.signal);
  }
  return { ...outcome, left: points.filter(isOpen).length };
}

type OneBoard = { point: Point; port: string; wish: BatchWish };

/** Null for a board that was done before: it is not made another one by mistake. */
async function oneBoard(
  work: BatchWork,
  { point, port, wish }: OneBoard,
  context: JobContext,
): Promise<BatchRow | null> {
  const startedAt = work.monotonic();
  let facts: JobResult = {};
  const rowOf = (result: string, message: string): BatchRow => ({
    at: new Date(work.now()).toISOString(),
    control_point: point.cod,
    device_id: point.device_id,
    mac: textIn(facts, 'mac'),
    chip: textIn(facts, 'chip'),
    firmware_version: textIn(facts, 'firmware_version'),
    result,
    message,
    motor_current_ma: typeof facts['motor_current_ma'] === 'number' ? facts['motor_current_ma'] : null,
    seconds: Math.round((work.monotonic() - startedAt) / 1_000),
  });
  try {
    facts = await work.run(firstJob(port, wish), context);
    const before = doneBefore(work.record, textIn(facts, 'mac'));
    if (before !== null) {
      context.tell(
        sentence(
          'plug',
          inEach(
            `esta placa já é ${before}; pegue a próxima`,
            `this board is ${before} already; take the next one`,
            `esta placa ya es ${before}; tome la siguiente`,
          ),
          'warning',
        ),
      );
      return null;
    }
    if (wish.bundle !== null)
      facts = { ...facts, ...(await work.run(flashJob(port, wish, wish.bundle), context)) };
    facts = { ...facts, ...(await provisionPoint(work, point, { ...wish, port }, context)) };
    return rowOf(OK, '');
  } catch (error) {
    if (!(error instanceof BenchTrouble) || error.code === 'CANCELLED') throw error;
    // what is refused to one board is refused to the next
    if (error.code === 'BAD_INPUT' || error.code === 'UNSIGNED') throw error;
    const { message, next } = error.said;
    const { language } = work;
    const then = { 'pt-BR': 'A fazer', en: 'Next', es: 'Por hacer' }[language];
    return rowOf(error.code, `${message[language]}. ${then}: ${next[language]}`);
  }
}

const firstJob = (port: string, { baud }: BatchWish): BenchJobInput => ({
  kind: 'detect',
  port,
  ...baudOf(baud),
});

const flashJob = (port: string, { baud, trust }: BatchWish, bundle: string): BenchJobInput => ({
  kind: 'flash',
  port,
  ...baudOf(baud),
  ...trust,
  firmware: { bundle },
});

/** What a person typed; the job says whether it is a rate that boards know. */
const baudOf = (baud: number | undefined) => (baud === undefined ? {} : { baud: baud as 115_200 });

function doneBefore({ macByDevice }: BatchRecord, mac: string): string | null {
  if (mac === '') return null;
  return [...macByDevice].find(([, known]) => known === mac)?.[0] ?? null;
}

async function untilPlugged(work: BatchWork, signal: AbortSignal): Promise<string> {
  for (;;) {
    const [port] = await work.freePorts();
    if (port !== undefined) return port;
    await work.pause(LOOK_EVERY_MS, signal);
  }
}

async function untilUnplugged(work: BatchWork, port: string, signal: AbortSignal): Promise<void> {
  while ((await work.freePorts()).includes(port)) await work.pause(LOOK_EVERY_MS, signal);
}

const said = ({ control_point, result, message, seconds }: BatchRow): InEach =>
  result === OK
    ? inEach(
        `${control_point} está pronto em ${seconds} s`,
        `${control_point} is done in ${seconds} s`,
        `${control_point} está listo en ${seconds} s`,
      )
    : verbatim(`${control_point}: ${result}: ${message}`);

function textIn(facts: JobResult, name: string): string {
  const value = facts[name];
  return typeof value === 'string' ? value : '';
}
