import { join } from 'node:path';
import { boardLabelsOf } from '#adapters/sql/queries/equipment/board-labels.ts';
import { boardLabel, deviceKey } from '#contract/resources/local-tables.ts';
import { onTables, purge, put, rowsOf } from '#core/changes.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { issueKey } from '#features/control/devices/device-keys.ts';
import { createHeartbeatWatch, createJobDesk } from '#features/equipment/bench/job-desk.ts';
import type { Whereabouts } from '#features/equipment/bench/ports.ts';
import { benchRoutes } from '#features/equipment/bench/routes.ts';
import { backupFile, drawnLabels, portsOf, runBeside } from '../../bench/gateway-bench.ts';
import { newClaimCode } from '../../bench/identity.ts';
import type { Control } from '../control/controllers.ts';
import type { Platform } from '../kernel.ts';

export type BenchWiring = Platform & { control: Control; whereabouts: () => Whereabouts };

/** The technician's bench of a gateway: boards at the serial ports of its own box. Nothing is loaded before a job. */
export async function wireBench(deps: BenchWiring) {
  const { config, kernel, database, control } = deps;
  const { registry } = control;
  const folder = join(config.data, 'bench');
  const firmwareKeys = config.firmwareKeys ?? join(config.data, 'firmware-keys.pem');
  const desk = createJobDesk({ ...kernel, changed: () => deps.tellChanged('bench', 'operators') });
  const watch = createHeartbeatWatch({ views: registry, later });
  deps.signals.on('presence', watch.heard);
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

async function issued(
  { kernel, control }: Pick<BenchWiring, 'kernel' | 'control'>,
  id: string,
  userId: string,
) {
  const { answer } = await perform(kernel, userId, async () => {
    const view = await control.registry.refresh(id);
    if (view === null) throw notFound('Control point');
    const decision = issueKey(control.adopting.keyDeps, view, userId);
    return { ...decision, answer: { ...decision.answer, view } };
  });
  return { keyId: answer.row.id, key: answer.key, view: answer.view };
}

const later = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
