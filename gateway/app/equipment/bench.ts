import { access, mkdir, readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Database } from '#adapters/sql/database.ts';
import { boardLabelsOf } from '#adapters/sql/queries/equipment/board-labels.ts';
import { type BenchLabel, benchResult } from '#contract/resources/bench.ts';
import { boardLabel, deviceKey } from '#contract/resources/local-tables.ts';
import { onTables, purge, put, rowsOf } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { perform } from '#core/use-case.ts';
import type { ControlView } from '#features/control/control-view.ts';
import { issueKey } from '#features/control/devices/device-keys.ts';
import { createHeartbeatWatch } from '#features/equipment/bench/heartbeat-watch.ts';
import { createJobDesk } from '#features/equipment/bench/job-desk.ts';
import type { BoardLabel, PortFacts, RunBoardJob, Whereabouts } from '#features/equipment/bench/ports.ts';
import { JobFault } from '#features/equipment/bench/ports.ts';
import { type BenchRouteDeps, benchRoutes } from '#features/equipment/bench/routes.ts';
import type { Config } from '#runtime/config.ts';
import { newClaimCode } from '../../bench/claim-code.ts';
import type { Control } from '../control/control.ts';

export type BenchWiring = Pick<BenchRouteDeps, 'accessTo'> & {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  control: Control;
  whereabouts: () => Whereabouts;
  tellChanged: TellChanged;
};

/** A flash has up to 16 MiB: they must not fill the disk that control needs. */
const MOST_BACKUPS = 30;

/** The technician's bench of a gateway: boards at the serial ports of its own box. Nothing is loaded before a job. */
export async function wireBench(deps: BenchWiring) {
  const { config, kernel, database, control } = deps;
  const { registry } = control;
  const folder = join(config.data, 'bench');
  const firmwareKeys = config.firmwareKeys ?? join(config.data, 'firmware-keys.pem');
  const desk = createJobDesk({ ...kernel, changed: () => deps.tellChanged('bench', 'operators') });
  const watch = createHeartbeatWatch({ views: registry, later });
  control.onPresence(watch.heard);
  database.onRows(
    onTables([deviceKey], (committed) => {
      for (const { after } of rowsOf(committed, deviceKey)) watch.heard(after.control_point_id);
    }),
  );
  const routes = benchRoutes({
    ...kernel,
    desk,
    monotonic: deps.monotonic,
    views: registry,
    accessTo: deps.accessTo,
    whereabouts: deps.whereabouts,
    run: runBeside,
    firstHeartbeat: watch.first,
    listPorts: () => portsOf(config.benchPorts),
    async firmware() {
      const { firmwareIn } = await import('../../bench/firmware-folder.ts');
      return firmwareIn(join(folder, 'firmware'), firmwareKeys);
    },
    firmwareKeys,
    backupFile: (port) => backupFile(join(folder, 'backups'), port, isoOf(kernel.now())),
    lockedOut: () => [...registry.all()].filter(({ row }) => row.locked_out).map(({ row }) => row.device_id),
    issueKey: (id, userId) => issued(deps, id, userId),
    newClaim: newClaimCode,
    keptLabels: (ids) => boardLabelsOf(database.read, ids),
    async keepLabel(id, label, userId) {
      await perform(kernel, userId, async () => ({
        answer: undefined,
        changes: [label === null ? purge(boardLabel, id) : put(boardLabel, label)],
      }));
    },
    drawLabels: drawnLabels,
    async labelPage(labels, language) {
      const { LABEL_PAGE_STYLE: style, labelPage } = await import('../../bench/label-sheet.ts');
      return { html: labelPage(labels, language), style };
    },
  });
  return { routes, stop: desk.stop };
}

/** Jobs run in a process of their own, so that control is not disturbed. */
const runBeside: RunBoardJob = async (job, context) => {
  const { BenchTrouble } = await import('../../bench/trouble.ts');
  const { runInProcess } = await import('../../bench/bench-process.ts');
  try {
    return benchResult.parse(await runInProcess(job, context));
  } catch (error) {
    if (!(error instanceof BenchTrouble)) throw error;
    throw new JobFault({ code: error.code, ...error.said });
  }
};

async function portsOf(named: readonly string[]): Promise<PortFacts[]> {
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

async function backupFile(folder: string, port: string, at: string): Promise<string> {
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

async function issued({ kernel, control }: BenchWiring, id: string, userId: string) {
  const { answer } = await perform(kernel, userId, async () => {
    const view = await control.registry.refresh(id);
    if (view === null) throw notFound('Control point');
    const decision = issueKey(control.adopting.keyDeps, view, userId);
    return { ...decision, answer: { ...decision.answer, view } };
  });
  return { keyId: answer.row.id, key: answer.key, view: answer.view };
}

async function drawnLabels(
  views: readonly ControlView[],
  kept: readonly BoardLabel[],
): Promise<BenchLabel[]> {
  const { labelPayload, labelSvg, labelText } = await import('../../bench/label-sheet.ts');
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

const later = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
