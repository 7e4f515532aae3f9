import type { SupervisedBroker } from '#adapters/mqtt/supervise-broker.ts';
import { underLease } from '#adapters/sql/lease.ts';
import { GOOD_TIME } from '#adapters/sql/queries/last-run.ts';
import { sweepBelowDeleted } from '#adapters/sql/sweep-below-deleted.ts';
import { sweepExpired } from '#adapters/sql/sweep-expired.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';
import type { ClockState } from '#core/clock-trust.ts';
import { isoOf } from '#core/kernel.ts';
import type { Instance } from './compose.ts';
import type { RunJob } from './compose-backup.ts';
import type { Config } from './config.ts';
import type { Before } from './update/update-state.ts';

/** A look at the schedules is due every second. */
const CONTROLS_WITHIN_MS = 10_000;

/** What is done again and again, by role; when and how often is said as cron says it, with seconds. */
export function ticksOf(config: Config, instance: Instance, broker: SupervisedBroker | null): Tick[] {
  const { clock, control, requestLimits } = instance;
  let known: Pick<ClockState, 'trust' | 'correction'> = clock.state();
  const everywhere: Tick[] = [
    { name: 'disk', every: '*/30 * * * * *', run: instance.storage.look },
    { name: 'event streams', every: '*/5 * * * * *', run: instance.events.beat },
    { name: 'episodes', every: '* * * * * *', run: instance.alerts.episodes.look },
    { name: 'refusals', every: '40 * * * * *', run: instance.refusals.tell },
    ...onceForAll(config, instance, [
      ...paymentTicks(instance),
      { name: 'deleted accounts', every: '47 23 * * * *', run: instance.people.eraseLeftovers },
      { name: 'owners of handed over farms', every: '53 11 * * * *', run: instance.people.followOwner },
      { name: 'sweep', every: '17 7 * * * *', run: () => sweep(instance) },
      { name: 'escalation', every: '*/5 * * * * *', run: instance.watches.escalation.tick },
      ...(instance.sync === null
        ? []
        : [{ name: 'feeds', every: '29 37 * * * *', run: instance.sync.forget }]),
    ]),
    ...(requestLimits === null
      ? []
      : [{ name: 'open requests', every: '*/20 * * * * *', run: requestLimits.renewOpen }]),
    { name: 'deliveries', every: '*/5 * * * * *', run: instance.delivery.look },
    { name: 'invitations by e-mail', every: '*/5 * * * * *', run: instance.people.sendLetters },
    { name: 'keep time and presence', every: '*/30 * * * * *', run: () => keepTimeAndPresence(instance) },
  ];
  if (instance.hostedWork !== null) {
    const viewers = {
      name: 'gateways as viewers see them',
      every: '*/2 * * * * *',
      run: instance.tellGateways,
    };
    return [...hostedTicks(instance.hostedWork, control), viewers, ...everywhere];
  }
  const lookAtPairing = instance.pairing?.look;
  const lookAtHostedTime = instance.hostedTime?.look;
  return [
    {
      name: 'control',
      every: '* * * * * *',
      async run() {
        const stepMs = clock.look();
        await control.executor.tick();
        const { trust, correction } = clock.state();
        const isSet = trust !== known.trust || correction !== known.correction;
        known = { trust, correction };
        // what was wrong until now must not be what the next start goes by
        if (stepMs !== 0 || isSet) await keepTime(instance);
      },
    },
    {
      name: 'time to controllers',
      every: '0 * * * * *',
      run: () => broker?.publishTime(),
    },
    { name: 'broker', every: '*/3 * * * * *', run: () => broker?.look() },
    { name: 'oxygen at dawn', every: '20 * * * * *', run: instance.forecast.watch.look },
    { name: 'oxygen readings', every: '5 * * * * *', run: control.oxygen.look },
    ...technicianTicks(instance),
    { name: 'rules from afar', every: '35 * * * * *', run: control.merged.catchUp },
    { name: 'alerts', every: '*/2 * * * * *', run: instance.watches.tick },
    { name: 'sirens as viewers see them', every: '* * * * * *', run: control.tellSirens },
    ...(lookAtPairing === undefined ? [] : [{ name: 'pairing', every: '*/5 * * * * *', run: lookAtPairing }]),
    ...(lookAtHostedTime === undefined
      ? []
      : [{ name: 'hosted time', every: '*/15 * * * * *', run: lookAtHostedTime }]),
    { name: 'levels', every: '30 */5 * * * *', run: control.refreshLevels },
    ...(instance.delivery.modem === null
      ? []
      : [{ name: 'modem', every: '25 * * * * *', run: instance.delivery.modem.look }]),
    ...syncTicks(instance),
    ...everywhere,
  ];
}

/** For farms without a gateway, and for those that have one. */
function hostedTicks(work: NonNullable<Instance['hostedWork']>, control: Instance['control']): Tick[] {
  return [
    { name: 'control', every: '* * * * * *', run: work.control },
    { name: 'alerts', every: '*/2 * * * * *', run: work.alerts },
    { name: 'orders from afar', every: '*/2 * * * * *', run: work.expireOrders },
    { name: 'links to gateways', every: '*/5 * * * * *', run: work.links },
    { name: 'silent gateways', every: '*/20 * * * * *', run: work.silence },
    { name: 'oxygen at dawn', every: '20 * * * * *', run: work.dawn },
    { name: 'oxygen readings', every: '5 * * * * *', run: control.oxygen.look },
  ];
}

/** Longer than between two of these tasks, so that one process goes on with them while it lives. */
const TASK_LEASE_MS = 60_000;

/** Removes what has run out; by a clock that is years ahead the logout of today had, so an untrusted one removes nothing. */
export async function sweep(
  instance: Pick<Instance, 'database' | 'kernel' | 'delivery' | 'syncConflicts' | 'pairing'>,
): Promise<void> {
  const { database, kernel, pairing } = instance;
  if (kernel.clockQuality() !== 'trusted') return;
  await sweepExpired(database, kernel);
  await instance.delivery.sweep();
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
  const look: Tick = { name: 'subscriptions asked after', every: '33 41 * * * *', run: payments.look };
  return payments.tick === null
    ? [look]
    : [{ name: 'payments', every: '*/5 * * * * *', run: payments.tick }, look];
}

/** What hangs on the box. */
function technicianTicks({ technicians }: Instance): Tick[] {
  if (technicians === null) return [];
  const { homeAssistant, relays, adoption, probes, firmware } = technicians;
  return [
    { name: 'home assistant', every: '* * * * * *', run: homeAssistant.look },
    { name: 'relays', every: '* * * * * *', run: relays.tick },
    { name: 'meters of relays', every: '15 */5 * * * *', run: relays.saveMeters },
    { name: 'provisioning window', every: '*/2 * * * * *', run: adoption.look },
    { name: 'firmware', every: '*/2 * * * * *', run: firmware.look },
    { name: 'probe windows', every: '*/5 * * * * *', run: probes.watch.look },
    { name: 'probes in trouble', every: '25 * * * * *', run: probes.tell },
  ];
}

function syncTicks({ gatewaySync }: Instance): Tick[] {
  if (gatewaySync === null) return [];
  return [
    { name: 'sync as viewers see it', every: '*/2 * * * * *', run: gatewaySync.tell },
    { name: 'sync report', every: '35 * * * * *', run: gatewaySync.report },
    { name: 'comparison', every: '*/30 * * * * *', run: gatewaySync.compare },
    { name: 'change log', every: '53 */10 * * * *', run: gatewaySync.sweep },
  ];
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
  return look === null ? [] : [{ name: 'update', every: '*/2 * * * * *', run: () => look(farm) }];
}

export function backupTicks(instance: Instance, run: RunJob): Tick[] {
  const { backup, backupDesk, storage, control, kernel } = instance;
  if (backup === null || backupDesk === null) return [];
  backupDesk.attach(run);
  /** The disk takes writes, and the schedules are followed. */
  const isWell = () =>
    storage.disk() === 'ok' && kernel.now() - (control.executor.lookedAt() ?? 0) < CONTROLS_WITHIN_MS;
  return [
    { name: 'restore', every: '*/15 * * * * *', run: () => backupDesk.look(isWell) },
    { name: 'backup', every: '23 * * * * *', run: () => backup.tick(run) },
    { name: 'last known good configuration', every: '*/5 * * * * *', run: backup.saveConfiguration },
  ];
}

/** When each controller was last heard, and the last good time: one commit, because each writes whole pages. */
export function keepTimeAndPresence(instance: Instance): Promise<void> {
  return instance.control.flushPresence(goodTime(instance));
}

/** The last good time alone: a restart looks from there for what came due meanwhile. */
export async function keepTime(instance: Instance): Promise<void> {
  const changes = goodTime(instance);
  if (changes.length > 0) await instance.kernel.commit({ changes, actor: null });
}

function goodTime({ control, kernel }: Instance): Change[] {
  if (kernel.clockQuality() !== 'trusted') return [];
  const value = isoOf(control.executor.lookedAt() ?? kernel.now());
  return [put(instanceValue, { id: GOOD_TIME, value })];
}
