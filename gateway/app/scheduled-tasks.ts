import type { SupervisedBroker } from '#adapters/mqtt/supervise-broker.ts';
import { underLease } from '#adapters/sql/lease.ts';
import { GOOD_TIME, LEAST_TIME, SHOWN_TIME } from '#adapters/sql/queries/control/last-run.ts';
import { sweepBelowDeleted } from '#adapters/sql/sweep-below-deleted.ts';
import { sweepByCount, sweepExpired, sweepTaken } from '#adapters/sql/sweep-expired.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { RunJob } from '#operations/backup/keep-backups.ts';
import type { Before } from '#operations/update/update-state.ts';
import type { Config } from '#runtime/config.ts';
import type { Instance } from './compose.ts';

/** A look at the schedules is due every second. */
const CONTROLS_WITHIN_MS = 10_000;

/** What is done again and again, by role; at a rate, or by the calendar. */
export function ticksOf(config: Config, instance: Instance, broker: SupervisedBroker | null): Tick[] {
  const { clock, control, requestLimits } = instance;
  const known = { trust: clock.state().trust, steps: clock.steps() };
  const everywhere: Tick[] = [
    { name: 'disk', everyS: 30, run: instance.storage.look },
    { name: 'what the disk did not take', everyS: 5, run: () => storeUnsaved(instance) },
    { name: 'event streams', everyS: 5, run: instance.events.beat },
    { name: 'episodes', everyS: 1, run: instance.alerts.episodes.look },
    { name: 'refusals', everyS: 60, run: instance.refusals.tell },
    ...onceForAll(config, instance, [
      ...paymentTicks(instance),
      { name: 'deleted accounts', at: '23 * * * *', run: instance.people.eraseLeftovers },
      { name: 'owners of handed over farms', at: '11 * * * *', run: instance.people.followOwner },
      { name: 'sweep', at: '7 * * * *', run: () => sweep(instance) },
      { name: 'escalation', everyS: 5, run: instance.watches.escalation.tick },
      ...(instance.sync === null
        ? []
        : [
            { name: 'feeds', at: '37 * * * *', run: instance.sync.forget },
            { name: 'stamps from the future', at: '51 * * * *', run: instance.sync.returnStamps },
          ]),
    ]),
    ...(requestLimits === null ? [] : [{ name: 'open requests', everyS: 20, run: requestLimits.renewOpen }]),
    { name: 'what another process wrote', everyS: 2, run: instance.processes.lookElsewhere },
    { name: 'deliveries', everyS: 5, run: instance.delivery.look },
    { name: 'letters by e-mail', everyS: 5, run: instance.people.sendLetters },
    { name: 'keep time and presence', everyS: 30, run: () => keepTimeAndPresence(instance) },
  ];
  if (instance.hostedWork !== null) {
    const viewers = {
      name: 'gateways as viewers see them',
      everyS: 2,
      run: instance.tellGateways,
    };
    // a machine that slept or was set right has another time from then on
    const time: Tick = { name: 'clock', everyS: 1, run: () => void clock.look() };
    return [time, ...hostedTicks(instance.hostedWork, control), viewers, ...everywhere];
  }
  const lookAtPairing = instance.pairing?.look;
  const lookAtHostedTime = instance.hostedTime?.look;
  return [
    {
      name: 'control',
      everyS: 1,
      async run() {
        clock.look();
        const hasSwitched = await control.executor.tick();
        const { trust } = clock.state();
        const isSet = trust !== known.trust || clock.steps() !== known.steps;
        Object.assign(known, { trust, steps: clock.steps() });
        // what was wrong until now must not be what the next start goes by, and HOLD goes by what the rules switched
        if (!isSet && !hasSwitched) return;
        await keepTime(instance).catch((error: unknown) =>
          instance.kernel.log.warn({ err: error }, 'the time was not kept; it is tried again within 30 s'),
        );
      },
    },
    {
      name: 'time to controllers',
      everyS: 60,
      run: () => broker?.publishTime(),
    },
    { name: 'broker', everyS: 3, run: () => broker?.look() },
    { name: 'oxygen at dawn', everyS: 60, run: instance.forecast.watch.look },
    { name: 'oxygen readings', everyS: 60, run: control.oxygen.look },
    ...technicianTicks(instance),
    { name: 'rules from afar', everyS: 60, run: control.merged.catchUp },
    { name: 'alerts', everyS: 2, run: instance.watches.tick },
    { name: 'sirens as viewers see them', everyS: 1, run: control.tellSirens },
    ...(lookAtPairing === undefined ? [] : [{ name: 'pairing', everyS: 5, run: lookAtPairing }]),
    ...(lookAtHostedTime === undefined ? [] : [{ name: 'hosted time', everyS: 15, run: lookAtHostedTime }]),
    { name: 'levels', everyS: 300, run: control.refreshLevels },
    { name: 'names of devices', everyS: 60, run: control.giveNamesBack },
    { name: 'ends of levels', everyS: 5, run: control.refreshEnds },
    ...(instance.delivery.modem === null
      ? []
      : [{ name: 'modem', everyS: 60, run: instance.delivery.modem.look }]),
    ...syncTicks(instance),
    ...everywhere,
  ];
}

/** For farms without a gateway, and for those that have one. */
function hostedTicks(work: NonNullable<Instance['hostedWork']>, control: Instance['control']): Tick[] {
  return [
    { name: 'control', everyS: 1, run: work.control },
    { name: 'alerts', everyS: 2, run: work.alerts },
    { name: 'orders from afar', everyS: 2, run: work.expireOrders },
    { name: 'links to gateways', everyS: 5, run: work.links },
    { name: 'silent gateways', everyS: 20, run: work.silence },
    { name: 'oxygen at dawn', everyS: 60, run: work.dawn },
    { name: 'oxygen readings', everyS: 60, run: control.oxygen.look },
  ];
}

/** Longer than between two of these tasks, so that one process goes on with them while it lives. */
const TASK_LEASE_MS = 60_000;

/**
 * Removes what has run out. By a clock that is years ahead the logout of today had, so an untrusted one removes nothing by
 * age; what grows with every day is bounded by count then.
 */
export async function sweep(
  instance: Pick<Instance, 'database' | 'kernel' | 'delivery' | 'syncConflicts' | 'pairing'>,
): Promise<void> {
  const { database, kernel, pairing } = instance;
  await instance.delivery.sweep();
  await sweepTaken(database);
  if (kernel.clockQuality() !== 'trusted') return sweepByCount(database);
  await sweepExpired(database, kernel);
  await instance.syncConflicts.sweep();
  const isPaired = async () => pairing !== null && (await pairing.paired()) !== null;
  await sweepBelowDeleted({ ...kernel, database, isPaired });
}

/** Tasks that one process of a hosted instance does for all; a gateway is one process. */
function onceForAll({ role }: Config, { processes: { leases } }: Instance, ticks: readonly Tick[]): Tick[] {
  if (role === 'gateway') return [...ticks];
  return ticks.map((tick) => ({
    ...tick,
    run: underLease(leases, { name: tick.name, ms: TASK_LEASE_MS, run: tick.run }),
  }));
}

function paymentTicks({ payments }: Instance): Tick[] {
  const look: Tick = { name: 'subscriptions asked after', at: '41 * * * *', run: payments.look };
  return payments.tick === null ? [look] : [{ name: 'payments', everyS: 5, run: payments.tick }, look];
}

/** What hangs on the box. */
function technicianTicks({ technicians }: Instance): Tick[] {
  if (technicians === null) return [];
  const { homeAssistant, relays, adoption, probes, firmware } = technicians;
  return [
    { name: 'home assistant', everyS: 1, run: homeAssistant.look },
    { name: 'relays', everyS: 1, run: relays.tick },
    { name: 'meters of relays', everyS: 300, run: relays.saveMeters },
    { name: 'provisioning window', everyS: 2, run: adoption.look },
    { name: 'firmware', everyS: 2, run: firmware.look },
    { name: 'probe windows', everyS: 5, run: probes.watch.look },
    { name: 'probes in trouble', everyS: 60, run: probes.tell },
  ];
}

function syncTicks({ gatewaySync }: Instance): Tick[] {
  if (gatewaySync === null) return [];
  return [
    { name: 'sync as viewers see it', everyS: 2, run: gatewaySync.tell },
    { name: 'sync report', everyS: 60, run: gatewaySync.report },
    { name: 'comparison', everyS: 30, run: gatewaySync.compare },
    { name: 'change log', everyS: 600, run: gatewaySync.sweep },
  ];
}

/** Messages that a full disk refused. As long as it does, that is known already. */
async function storeUnsaved({ database, kernel }: Pick<Instance, 'database' | 'kernel'>): Promise<void> {
  await database.storeUnsaved(kernel.commit).catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error;
  });
}

/** The tick that everything else is for; a hosted instance has no schedules to follow. */
export function beating(
  tick: Tick,
  role: Config['role'],
  pulse: { ticks: number; at: number },
  monotonic: () => number,
): Tick {
  if (tick.name !== (role === 'gateway' ? 'control' : 'episodes')) return tick;
  return {
    ...tick,
    async run() {
      await tick.run();
      pulse.ticks += 1;
      pulse.at = monotonic();
    },
  };
}

/** `farm`: how it stands at the moment of a switch. */
export function updateTicks({ update: { look } }: Instance, farm: () => Before): Tick[] {
  return look === null ? [] : [{ name: 'update', everyS: 2, run: () => look(farm) }];
}

export function backupTicks(instance: Instance, run: RunJob): Tick[] {
  const { backup, backupDesk, storage, control, kernel } = instance;
  if (backup === null || backupDesk === null) return [];
  backupDesk.attach(run);
  /** The disk takes writes, and the schedules are followed. */
  const isWell = () =>
    storage.disk() === 'ok' && kernel.now() - (control.executor.lookedAt() ?? 0) < CONTROLS_WITHIN_MS;
  return [
    { name: 'restore', everyS: 15, run: () => backupDesk.look(isWell) },
    { name: 'backup', everyS: 60, run: () => backup.tick(run) },
    { name: 'last known good configuration', everyS: 5, run: backup.saveConfiguration },
  ];
}

/** When each controller was last heard, and the last good time: one commit, because each writes whole pages. */
export function keepTimeAndPresence(instance: Instance, which: 'due' | 'all' = 'due'): Promise<void> {
  return instance.control.flushPresence(timesOf(instance), which);
}

/** The times alone: a restart looks from the last good one for what came due meanwhile. */
export async function keepTime(instance: Instance): Promise<void> {
  const changes = timesOf(instance);
  if (changes.length > 0) await instance.kernel.commit({ changes, actor: null });
}

/**
 * The last good time, and the least that the time can be: while the clock is not trusted it goes on from the last good
 * time, so that what ends by itself has not all of its time before it again after each restart.
 */
function timesOf({ clock, control, kernel }: Instance): Change[] {
  const { trust, reason } = clock.state();
  const keep = (id: string, time: number) => put(instanceValue, { id, value: isoOf(time) });
  const now = kernel.now();
  const shown = keep(SHOWN_TIME, now);
  if (trust === 'trusted') {
    return [keep(GOOD_TIME, control.executor.lookedAt() ?? now), keep(LEAST_TIME, now), shown];
  }
  // any other time is the wall clock's own word
  const isReckoned = reason === 'before_last_known_time' || reason === 'stepped';
  return isReckoned ? [keep(LEAST_TIME, now), shown] : [shown];
}
