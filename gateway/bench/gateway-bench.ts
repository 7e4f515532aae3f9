import { access, mkdir, readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BenchLabel, benchResult } from '#contract/resources/bench.ts';
import { conflict } from '#core/errors.ts';
import type { ControlView } from '#features/control/control-view.ts';
import type { BoardLabel, PortFacts, RunBoardJob } from '#features/equipment/bench/ports.ts';
import { JobFault } from '#features/equipment/bench/ports.ts';

// What the bench of a gateway does to files and boards. Nothing of it is loaded before a job.

/** A flash has up to 16 MiB: they must not fill the disk that control needs. */
const MOST_BACKUPS = 30;

/** Jobs run in a process of their own, so that control is not disturbed. */
export const runBeside: RunBoardJob = async (job, context) => {
  const { BenchTrouble } = await import('./trouble.ts');
  const { runInProcess } = await import('./bench-process.ts');
  try {
    return benchResult.parse(await runInProcess(job, context));
  } catch (error) {
    if (!(error instanceof BenchTrouble)) throw error;
    throw new JobFault({ code: error.code, ...error.said });
  }
};

/** Serial ports of this machine, and those that were named. */
export async function portsOf(named: readonly string[]): Promise<PortFacts[]> {
  const { listPorts, portUsers } = await import('#adapters/serial/list-ports.ts');
  const found = await listPorts();
  const others = named.filter((path) => !found.some((port) => port.path === path || port.device === path));
  const there = await Promise.all(others.map(async (path) => ((await isThere(path)) ? path : null)));
  const added = there
    .filter((path) => path !== null)
    .map(async (path) => {
      const device = await realpath(path).catch(() => path);
      return {
        path,
        device,
        vendor_id: null,
        product_id: null,
        serial_number: null,
        manufacturer: null,
        product: null,
        // a pseudo-terminal is always held by whoever plays the board
        in_use_by: device.startsWith('/dev/pts/') ? [] : await portUsers(path),
        is_named: true,
      };
    });
  return [...found.map((port) => ({ ...port, is_named: false })), ...(await Promise.all(added))];
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** A new file for a copy of a board's flash. Throws 409 BACKUPS_FULL. */
export async function backupFile(folder: string, port: string, at: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length >= MOST_BACKUPS)
    throw conflict(`There are ${MOST_BACKUPS} backups in ${folder}; remove some first`, 'BACKUPS_FULL');
  const stamp = at.slice(0, 19).replaceAll(/[-:]/g, '');
  return join(
    folder,
    `${stamp}Z-${basename(port)
      .replaceAll(/[^\w.-]/g, '_')
      .slice(0, 80)}.bin`,
  );
}

/** Labels of boards as they are printed. */
export async function drawnLabels(
  views: readonly ControlView[],
  kept: readonly BoardLabel[],
): Promise<BenchLabel[]> {
  const { labelPayload, labelSvg, labelText } = await import('./label-sheet.ts');
  return views.map(({ row, farmName, ponds }) => {
    const board = kept.find(({ id, device_id }) => id === row.id && device_id === row.device_id);
    const label = {
      device_id: row.device_id,
      code: row.cod,
      farm: farmName,
      ponds: ponds.map(({ cod }) => cod).toSorted(),
      claim: board?.claim ?? null,
    };
    const drawn = { qr: labelPayload(label), text: labelText(label), svg: labelSvg(label) };
    return { control_point_id: row.id, ...label, mac: board?.mac ?? null, ...drawn };
  });
}
