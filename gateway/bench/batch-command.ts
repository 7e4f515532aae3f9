import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inEach } from '#core/each-language.ts';
import type { Language } from '#core/notifying.ts';
import { type BatchRecord, type BatchWork, openBatchRecord, runBatch } from './batch-run.ts';
import { type BenchCommand, text, textOf, type Values } from './command.ts';
import { readJob, runJob } from './job.ts';
import { labelPage } from './label-sheet.ts';
import { GATEWAY_HELP, GATEWAY_OPTIONS, type Gateway, openGateway, type Point } from './provision-gateway.ts';
import {
  needed,
  numberOf,
  pausing,
  pointNamed,
  TRUST_HELP,
  TRUST_OPTIONS,
  trustOf,
  WISH_HELP,
  WISH_OPTIONS,
  wishOf,
} from './provision-options.ts';

const NO_END = 100_000;
export const LABEL_FILE = 'labels.html';

export const BATCH_COMMAND: BenchCommand = {
  summary: 'board after board: plug in, flash, identity, Wi-Fi, first report, relay, label, unplug',
  help: `  --to DIR           results.csv and labels.html; the same folder goes on where it stopped
  --points A,B,C     codes of control points in the order of the boards [all without a key in use]
  --bundle DIR       the firmware to flash; without it the boards have theirs
  --port P           only this port [whatever is plugged in]
  --baud B           for flashing [460800]
  --most N           end after so many boards
${TRUST_HELP}${WISH_HELP}${GATEWAY_HELP}`,
  options: {
    to: text,
    points: text,
    bundle: text,
    port: text,
    baud: text,
    most: text,
    ...TRUST_OPTIONS,
    ...WISH_OPTIONS,
    ...GATEWAY_OPTIONS,
  },
  async run(values, terminal) {
    const folder = needed(values, 'to');
    const wish = {
      ...(await wishOf(values, terminal.environment)),
      bundle: textOf(values, 'bundle') ?? null,
      trust: trustOf(values, terminal.environment),
      baud: numberOf(values, 'baud', { min: 9_600, max: 1_500_000 }),
      most: numberOf(values, 'most', { min: 1, max: NO_END }) ?? NO_END,
    };
    const gateway = await openGateway(values, terminal);
    const record = await openBatchRecord(folder);
    const points = await pointsOf(values, gateway, record);
    const work: BatchWork = {
      gateway,
      run: (job, context) => runJob(readJob(job), context),
      pause: pausing,
      monotonic: () => performance.now(),
      now: terminal.now,
      language: terminal.language,
      freePorts: () => freePorts(textOf(values, 'port')),
      record,
      label: () =>
        writeLabels(
          { gateway, language: terminal.language },
          path.join(folder, LABEL_FILE),
          points.filter(({ device_id }) => record.macByDevice.has(device_id)),
        ),
    };
    const outcome = await runBatch(work, points, wish, terminal);
    return {
      sentence: inEach(
        `${outcome.done} prontas, ${outcome.failed} falharam, ${outcome.left} restam; veja ${folder}`,
        `${outcome.done} done, ${outcome.failed} failed, ${outcome.left} left; see ${folder}`,
        `${outcome.done} listas, ${outcome.failed} fallaron, ${outcome.left} quedan; vea ${folder}`,
      ),
      value: { ...outcome, folder },
    };
  },
};

async function pointsOf(values: Values, gateway: Gateway, { macByDevice }: BatchRecord): Promise<Point[]> {
  const all = await gateway.points();
  const named = textOf(values, 'points');
  if (named !== undefined) return named.split(',').map((name) => pointNamed(all, name.trim()));
  const open: Point[] = [];
  for (const point of all.toSorted((a, b) => a.cod.localeCompare(b.cod, 'en', { numeric: true })))
    if (macByDevice.has(point.device_id) || !(await gateway.hasKey(point))) open.push(point);
  return open;
}

async function freePorts(only: string | undefined): Promise<string[]> {
  if (only !== undefined) {
    const isThere = await access(only).then(
      () => true,
      () => false,
    );
    return isThere ? [only] : [];
  }
  const { listPorts } = await import('#adapters/serial/list-ports.ts');
  const ports = await listPorts();
  return ports.filter(({ in_use_by }) => in_use_by.length === 0).map(({ path: name }) => name);
}

async function writeLabels(
  { gateway, language }: { gateway: Gateway; language: Language },
  file: string,
  points: readonly Point[],
): Promise<void> {
  const labels = await gateway.labels(points.map(({ id }) => id));
  await writeFile(file, labelPage(labels, language));
}
