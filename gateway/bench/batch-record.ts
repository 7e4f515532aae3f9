import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inBoth } from '#core/both-languages.ts';
import { csvText } from '#core/csv-text.ts';
import { badInput } from './provision-gateway.ts';

/** One board at the bench and what became of it. */
export type BatchRow = {
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

export const BATCH_FILE = 'results.csv';
export const OK = 'ok';
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
      inBoth(
        `${file} é grande demais para os resultados de um lote`,
        `${file} is too large for the results of a batch`,
      ),
      inBoth('use outra pasta com --to', 'take another folder with --to'),
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
