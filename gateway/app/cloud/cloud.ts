import {
  conflictQueries,
  overdrawnQueries,
  tellConflictQueries,
} from '#adapters/sql/queries/cloud/sync-conflicts.ts';
import { sweepConflicts } from '#adapters/sql/sweep-expired.ts';
import { askHosted } from '#adapters/sync/ask-hosted.ts';
import { photoLine } from '#adapters/sync/photo-line.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import { createTellFenced } from '#features/cloud/pairing/tell-fenced.ts';
import { createNoteOverdrawn } from '#features/cloud/sync-conflicts/note-overdrawn.ts';
import { syncConflictRoutes } from '#features/cloud/sync-conflicts/routes.ts';
import { createTellConflicts, toldId } from '#features/cloud/sync-conflicts/tell-conflicts.ts';
import { createHostedWork } from '#operations/hosted/run-farms.ts';
import { createHostedTime, openHostedPairing } from '#operations/pairing/hosted-pairing.ts';
import type { LocalPairingParts } from '#operations/pairing/local-pairing.ts';
import { createGatewaySync } from '#operations/sync/gateway-sync.ts';
import { createHostedSync } from '#operations/sync/hosted-sync.ts';
import { createPhotoSync } from '#operations/sync/photo-sync.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { Watches } from '../alarms/watches.ts';
import type { ControlArea } from '../control/control.ts';
import type { ControlMemory } from '../control/memory.ts';
import type { Platform } from '../kernel.ts';
import type { People } from '../people/people.ts';
import type { Photos } from '../production/photos.ts';
import type { Production } from '../production/production.ts';

type Needs = {
  memory: ControlMemory;
  alarms: Alarms;
  people: People;
  control: ControlArea;
  production: Pick<Production, 'batches'>;
  photos: Photos;
  watches: Watches;
  pairing: LocalPairingParts | null;
};

export type Cloud = Awaited<ReturnType<typeof wireCloud>>;

/** A farm on two instances: what each side tells the other, and what the hosted one does for farms without a gateway. */
export async function wireCloud(platform: Platform, needs: Needs) {
  const hosted = platform.config.role === 'hosted' ? await wireHosted(platform, needs) : null;
  const gateway = needs.pairing === null ? null : wireGateway(platform, needs, needs.pairing);
  const syncConflicts = wireConflicts(platform, needs.production);
  return {
    pairing: needs.pairing,
    hostedWork: hosted?.hostedWork ?? null,
    fleet: hosted?.fleet ?? null,
    sync: hosted?.sync ?? null,
    gatewaySync: gateway?.gatewaySync ?? null,
    hostedTime: gateway?.hostedTime ?? null,
    syncConflicts,
    routes: [
      ...(needs.pairing?.routes ?? []),
      ...(hosted?.fleet.routes ?? []),
      ...(gateway?.gatewaySync.routes ?? []),
      ...syncConflicts.routes,
    ],
    ticks: hosted?.ticks ?? gateway?.ticks ?? [],
    start: () => gateway?.gatewaySync.start(),
    stop: {
      whileOpen: async () => hosted?.hostedWork?.stop(),
      withPorts: async () => gateway?.gatewaySync.stop(),
    },
  };
}

function wireGateway(
  platform: Platform,
  { memory, control, photos }: Pick<Needs, 'memory' | 'control' | 'photos'>,
  pairing: LocalPairingParts,
) {
  const { clock, kernel, monotonic, processes, signals, storage } = platform;
  const gatewaySync = createGatewaySync({
    ...platform,
    monotonic: platform.noticingSleep,
    told: (event) => signals.tell('sync', event),
    pairing,
    others: processes.others,
    live: control.commands?.parts ?? null,
    moved: () => memory.moved?.all() ?? [],
    disk: storage.disk,
  });
  const hostedTime = createHostedTime({ clock, monotonic, log: kernel.log, paired: pairing.paired });
  const fenced = createTellFenced({ ...kernel, ...pairing, notify: platform.notify });
  const ticks: Tick[] = [
    { name: 'pairing', everyS: 5, run: pairing.look },
    { name: 'fenced', everyS: 5, run: fenced.look },
    { name: 'hosted time', everyS: 15, run: hostedTime.look },
    { name: 'sync as viewers see it', everyS: 2, run: gatewaySync.tell },
    { name: 'sync report', everyS: 60, run: gatewaySync.report },
    { name: 'comparison', everyS: 30, run: gatewaySync.compare },
    { name: 'change log', everyS: 600, run: gatewaySync.sweep },
  ];
  const photoSync = wirePhotoSync(platform, photos, pairing);
  if (photoSync !== null) {
    ticks.push({ name: 'pictures of photos', everyS: 5, run: photoSync.tick });
    ticks.push({ name: 'room for pictures', at: '51 * * * *', run: photoSync.makeRoom });
  }
  return { gatewaySync, hostedTime, ticks };
}

/** Bytes of photos, behind everything else; null where they do not lie on a card. */
function wirePhotoSync(
  { kernel, database, noticingSleep }: Platform,
  { files, fetchBy }: Photos,
  pairing: LocalPairingParts,
) {
  if (files === null) return null;
  const known = async () => {
    const paired = await pairing.paired();
    return paired?.state === 'paired' ? paired : null;
  };
  const sync = createPhotoSync({
    ...kernel,
    database,
    monotonic: noticingSleep,
    images: files,
    line: photoLine({ ...pairing, hostedUrl: async () => (await known())?.hosted_url ?? null }, askHosted),
    async pairing() {
      const paired = await known();
      return paired === null ? null : `${paired.hosted_url} ${paired.paired_at}`;
    },
  });
  fetchBy(sync.fetched);
  return sync;
}

async function wireHosted(platform: Platform, { alarms, people, control, photos, watches }: Needs) {
  const { clients, refusals, onceForAll } = platform;
  const { remote } = control;
  const fleet = await openHostedPairing({
    ...platform,
    database: platform.heard,
    passwords: people.passwords,
    proveSecondFactor: people.proveSecondFactor,
    sendLetter: alarms.delivery.letters.send,
    sourceOf: clients.of,
  });
  const sync = createHostedSync({
    ...platform,
    refused: (reason, source) => refusals.count('http', reason, source),
    sourceOf: clients.of,
    gatewayByToken: fleet.gatewayByToken,
    isOvertaken: fleet.isOvertaken,
    images: photos.images,
    ...(remote === null ? {} : { parts: remote.parts }),
  });
  await sync.returnStamps();
  const hostedWork =
    remote === null
      ? null
      : createHostedWork({
          ...platform,
          control: control.control,
          remote,
          watches: watches.watches,
          forecast: control.forecast.watch,
          alerting: alarms.alerts.alerting,
        });
  const ticks: readonly Tick[] = [
    { name: 'gateways that were heard', everyS: 5, run: sync.noteHeard },
    // for farms without a gateway, and for those that have one
    ...(hostedWork === null
      ? []
      : [
          { name: 'control', everyS: 1, run: hostedWork.control },
          { name: 'alerts', everyS: 2, run: hostedWork.alerts },
          { name: 'orders from afar', everyS: 2, run: hostedWork.expireOrders },
          { name: 'links to gateways', everyS: 1, run: hostedWork.links },
          { name: 'silent gateways', everyS: 20, run: hostedWork.silence },
          { name: 'oxygen at dawn', everyS: 60, run: hostedWork.dawn },
        ]),
    ...onceForAll([
      { name: 'feeds', at: '37 * * * *', run: sync.forget },
      { name: 'stamps from the future', at: '51 * * * *', run: sync.returnStamps },
    ]),
  ];
  return { fleet, sync, hostedWork, ticks };
}

/** Changes that lost in a merge: shown, told of, restored. The same on both sides. */
function wireConflicts(
  { config, kernel, database, accessTo, notify }: Platform,
  { batches }: Needs['production'],
) {
  const telling = createTellConflicts({
    ...kernel,
    notify,
    queries: tellConflictQueries(database, (id) => toldId(kernel, id), accessTo),
  });
  database.onRows(telling.hear);
  const overdrawn = createNoteOverdrawn({
    ...kernel,
    queries: overdrawnQueries(database),
    async overdrawnIn(batchIds) {
      const states = await batches.byIds(batchIds);
      return new Set([...states.values()].flatMap((state) => [...state.overdrawn]));
    },
  });
  database.onRows(overdrawn.hear);
  return {
    routes: syncConflictRoutes({
      ...kernel,
      role: config.role,
      queries: conflictQueries(database, accessTo, config.role),
    }),
    told: () => overdrawn.settled().then(telling.settled),
    /** Once an hour, in one process for all. */
    async sweep(): Promise<void> {
      await telling.look();
      await sweepConflicts(database, kernel);
    },
  };
}
