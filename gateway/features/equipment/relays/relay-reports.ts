import type { HeartbeatFields } from '#contract/mqtt/messages.ts';
import { type ControlViews, currentOf } from '#features/control/control-view.ts';
import type { Controller, DeviceDoor } from '#features/control/device-link.ts';
import type { ChannelFacts, InBackground, Relay, RelayNews } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import type { RelayCorrections } from './relay-corrections.ts';
import type { RelayOrders } from './relay-orders.ts';
import {
  bootInstant,
  type Change,
  type ChangeCause,
  causeOfChange,
  METER_SETTLES_MS,
  recentSwitches,
} from './relay-rules.ts';
import {
  type Channel,
  channelOf,
  countEnergy,
  isFirstZero,
  type RelaySessions,
  type Session,
  targetNow,
} from './relay-session.ts';

export type ReportDeps = {
  monotonic: () => number;
  now: () => number;
  book: Pick<RelayBook, 'channelsOf' | 'meterOf' | 'setMeter'>;
  views: Pick<ControlViews, 'byId'>;
  door: Pick<DeviceDoor, 'heartbeat' | 'event'>;
  sessions: Pick<RelaySessions, 'sessionOf' | 'rowsOf' | 'controllerOf'>;
  orders: Pick<RelayOrders, 'greet' | 'readLevels' | 'settle'>;
  corrections: Omit<RelayCorrections, 'wantedPowerOn'>;
  inBackground: InBackground;
};

/** What names a change comes with it or right after it. */
const NAMED_WITHIN_MS = 10_000;
/** Jitter of clocks: a start told twice is one. */
const SAME_BOOT_MS = 10_000;

/** What relays say becomes heartbeats and events of controllers, and what their meters counted. */
export function createRelayReports(deps: ReportDeps) {
  const { book, views, door, inBackground } = deps;
  const { sessionOf, rowsOf, controllerOf } = deps.sessions;
  const { greet, readLevels, settle } = deps.orders;
  const { askSettings, correctPowerOn, correctTimers } = deps.corrections;

  function hear(
    controller: Controller,
    topic: string,
    payload: Buffer,
  ): Promise<void> | undefined | 'ignored' {
    const session = sessionOf(controller.mqttId);
    if (session === null) return 'ignored';
    const news = session.protocol.read(session.mqttId, topic, payload);
    const now = deps.monotonic();
    // whatever it says, it is there
    session.heard = { at: now, atMs: deps.now() };
    if (news !== null) takeDevice(session, news);
    const pending: Promise<void>[] = [];
    for (const row of rowsOf(session)) {
      if (news?.isUnreadable === true) markUnreadable(session, row, news);
      if (news?.hasNewSettings === true) deps.corrections.askSettings(session, row);
      const taken = takeChannel(session, row, news?.channels ?? new Map());
      if (taken !== undefined) pending.push(taken);
      if (news?.refused !== undefined) noteRefusal(session, row, news.refused);
    }
    // a greeting comes after the subscriptions with one protocol and before them with the other
    if (news?.hello === true && session.isListening) greet(session);
    if (news === null) return 'ignored';
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  }

  function takeDevice(session: Session, news: RelayNews): void {
    const isFirmwareNew = session.device.firmware === undefined && news.device?.firmware !== undefined;
    Object.assign(session.device, news.device);
    if (isFirmwareNew) resendTimers(session);
    session.hasNoTimer ||= news.hasNoTimer === true;
    session.unsupported = news.unsupported ?? session.unsupported;
    const uptimeS = news.hasStarted === true ? 0 : news.device?.uptimeS;
    if (uptimeS !== undefined) noteUptime(session, uptimeS);
    const { correctFastCycleReset, correctWords, correctRetry } = deps.corrections;
    for (const correct of [correctFastCycleReset, correctWords, correctRetry]) correct(session, news);
  }

  /** Only now it is known how its timers are told: one of an earlier run may still run in it. */
  function resendTimers(session: Session): void {
    for (const { channel: number } of rowsOf(session)) {
      const channel = channelOf(session, number);
      const endsAt = channel.wanted?.endsAt ?? null;
      // a first order that went out before it was known took no timer back
      if (channel.sent !== null && (endsAt !== null || channel.timer === 'unknown')) channel.isDue = true;
    }
  }

  /** What it says of itself cannot be read: what it said before is not believed any more. */
  function markUnreadable(session: Session, row: Relay, { channels }: RelayNews): void {
    const channel = channelOf(session, row.channel);
    if (channels?.get(row.channel)?.current !== undefined) return;
    delete channel.facts.current;
    channel.stateUnknownSince ??= deps.monotonic();
  }

  function noteUptime(session: Session, uptimeS: number): void {
    const now = deps.monotonic();
    const channels = rowsOf(session).map(({ channel }) => channelOf(session, channel));
    const bootedAt = bootInstant(
      uptimeS,
      now,
      channels.map(({ limits }) => limits),
    );
    const isSame =
      bootedAt !== null && session.bootedAt !== null && Math.abs(bootedAt - session.bootedAt) < SAME_BOOT_MS;
    if (isSame) return;
    session.bootedAt = bootedAt;
    if (bootedAt === null) return;
    for (const channel of channels) {
      channel.timer = 'none';
      noteSelfSwitch(channel, 'start');
    }
    const { controller, device } = session;
    if (controller === null) return;
    const startedMs = deps.now() - uptimeS * 1000;
    const event = {
      id: `boot-${Math.round(startedMs / SAME_BOOT_MS)}`,
      k: 'boot' as const,
      t: Math.floor(startedMs / 1000),
      d: { reason: device.restartReason ?? null },
    };
    inBackground(controller, door.event(controller, event));
  }

  function takeChannel(
    session: Session,
    row: Relay,
    told: ReadonlyMap<number, Partial<ChannelFacts>>,
  ): Promise<void> | undefined {
    const channel = channelOf(session, row.channel);
    const now = deps.monotonic();
    // a meter or a setting of the whole device is this channel's where it has no other
    const isAlone = book.channelsOf(session.carrierId).size === 1;
    const { powerOn, errors, ...whole } = told.get(0) ?? {};
    const news: Partial<ChannelFacts> = {
      ...(powerOn === undefined ? {} : { powerOn }),
      ...(errors === undefined ? {} : { errors }),
      ...(isAlone ? whole : {}),
      ...told.get(row.channel),
    };
    if (channel.wanted === null) readLevels(session, row);
    const { switchedBy, ...facts } = news;
    const saying = { switchedBy: switchedBy ?? null, hasErrors: (news.errors ?? channel.errors).length > 0 };
    if (news.current !== undefined) noteCurrent(channel, row, { ...saying, current: news.current });
    channel.facts = { ...channel.facts, ...facts };
    if (news.current === 'ON' && !session.protocol.reportsEndOfErrors) channel.errors = [];
    if (news.countedWh !== undefined) count(row, channel, news.countedWh, news.countedSince ?? null);
    if (news.errors !== undefined) noteErrors(session, row, channel, news.errors);
    reclassifyChange(channel);
    // a timer it has got since it was asked: it says so itself, or does not say who switched it
    const hasJustLeft = news.current !== undefined && channel.deviation?.at === now;
    const isPerhapsTimer =
      channel.changeCause === 'timer' || (channel.changeCause === 'hand' && switchedBy === undefined);
    if (hasJustLeft && isPerhapsTimer) askSettings(session, row);
    correctPowerOn(session, row, channel, news);
    correctTimers(session, row, channel, news);
    const controller = controllerOf(session, row);
    if (controller === null || channel.facts.current === undefined) return undefined;
    const taken = door.heartbeat(controller, heartbeatOf(session, row, channel, channel.facts.current));
    settle(session, row);
    return taken;
  }

  function noteCurrent(
    channel: Channel,
    row: Relay,
    {
      current,
      switchedBy,
      hasErrors,
    }: Pick<ChannelFacts, 'current'> & Pick<Change, 'switchedBy' | 'hasErrors'>,
  ): void {
    const before = channel.facts.current ?? null;
    const now = deps.monotonic();
    channel.stateUnknownSince = null;
    channel.meter.wasOn ||= current === 'ON';
    if (before === null) {
      const view = views.byId(row.id);
      const { current_status, current_since } = view === null ? {} : currentOf(view);
      const isSame = current === current_status && current_since != null;
      // it stood so before it was heard in this run: its rest goes on
      channel.changedAt ??= isSame ? now - Math.max(0, deps.now() - Date.parse(current_since)) : null;
      return;
    }
    if (current === before) return;
    const onForMs = onForMsOf(channel, before, now);
    const facts = { ...channel.facts, current };
    const target = targetNow({ ...channel, facts }, now) ?? current;
    const by = causeOfChange(
      {
        target,
        before,
        next: current,
        sent: channel.sent,
        switchedBy,
        hasErrors,
        autoOffS: channel.facts.autoOffS ?? 0,
        onForMs,
      },
      now,
    );
    channel.changeCause = by;
    channel.deviation = by === null ? null : { at: now, onForMs };
    if (by !== null && by !== 'hand') noteSelfSwitch(channel, by);
    channel.changedAt = now;
    channel.meterDueAt = now + METER_SETTLES_MS;
    if (current === target) channel.refused = null;
    // what it measured belongs to the state before
    for (const name of ['powerW', 'currentA', 'powerFactor'] as const) delete channel.facts[name];
  }

  function noteSelfSwitch(channel: Channel, by: Exclude<ChangeCause, 'hand'>): void {
    const now = deps.monotonic();
    channel.selfSwitches = [...recentSwitches(channel.selfSwitches, now), { by, at: now }];
  }

  /** What looked like a hand is told better by what came right after: that it protects itself, or that it has a timer. */
  function reclassifyChange(channel: Channel): void {
    const { deviation, facts, errors } = channel;
    if (channel.changeCause !== 'hand' || deviation === null || facts.current !== 'OFF') return;
    if (deps.monotonic() - deviation.at > NAMED_WITHIN_MS) return;
    const by = causeOfChange(
      {
        target: 'ON',
        before: 'ON',
        next: 'OFF',
        sent: null,
        switchedBy: null,
        hasErrors: errors.length > 0,
        autoOffS: facts.autoOffS ?? 0,
        onForMs: deviation.onForMs,
      },
      deps.monotonic(),
    );
    if (by === null || by === 'hand') return;
    channel.changeCause = by;
    noteSelfSwitch(channel, by);
  }

  function count(row: Relay, channel: Channel, countedWh: number, since: string | null): void {
    const { facts, meter } = channel;
    const before = book.meterOf(row.id);
    meter.highestW =
      facts.powerW === undefined ? meter.highestW : Math.max(meter.highestW ?? 0, facts.powerW);
    meter.readings += 1;
    if (isFirstZero(before, countedWh, meter)) return;
    const ratedW = (views.byId(row.id)?.powerKw ?? 0) * 1000;
    const reading = { countedWh, since };
    book.setMeter(countEnergy(before, reading, { id: row.id, nowMs: deps.now(), ratedW, seen: meter }));
  }

  function noteErrors(session: Session, row: Relay, channel: Channel, errors: readonly string[]): void {
    const fresh = errors.filter((error) => !channel.errors.includes(error));
    channel.errors = errors;
    const controller = controllerOf(session, row);
    if (fresh.length === 0 || controller === null) return;
    const atMs = deps.now();
    const event = {
      id: `overload-${Math.round(atMs / 1000)}`,
      k: 'overload' as const,
      t: Math.floor(atMs / 1000),
      d: { errors: fresh.join(', ') },
    };
    inBackground(controller, door.event(controller, event));
  }

  function noteRefusal(session: Session, row: Relay, why: string): void {
    const channel = channelOf(session, row.channel);
    const isWaiting = channel.sent !== null && channel.sent.target !== channel.facts.current;
    if (isWaiting) channel.refused = why;
  }

  return { hear };
}

/** Since its last order to go ON, for that starts its own timer anew; null: nobody saw it. */
function onForMsOf(
  { changedAt, sent }: Channel,
  before: ChannelFacts['current'],
  now: number,
): number | null {
  if (before !== 'ON') return null;
  const orderedAt = sent?.target === 'ON' ? sent.at : null;
  if (changedAt === null && orderedAt === null) return null;
  return now - Math.max(changedAt ?? Number.NEGATIVE_INFINITY, orderedAt ?? Number.NEGATIVE_INFINITY);
}

function heartbeatOf(
  { device }: Session,
  { load }: Relay,
  { facts, changeCause: by }: Channel,
  current: ChannelFacts['current'],
): HeartbeatFields {
  const isOn = current === 'ON';
  const isMotor = load === 'motor';
  const consumption = !isMotor ? undefined : isOn ? facts.powerW : facts.powerW === undefined ? undefined : 0;
  return {
    current_status: current,
    source: by === 'hand' ? 'manual' : 'shadow',
    ...(consumption === undefined ? {} : { consumption: Math.round(consumption) / 1000 }),
    // what it measured while it was off would look like a motor that draws nothing when it is on
    ...(isMotor && isOn && facts.currentA !== undefined
      ? { motor_current_ma: Math.round(facts.currentA * 1000) }
      : {}),
    ...(device.rssi === undefined ? {} : { rssi: device.rssi }),
    ...(device.firmware === undefined ? {} : { firmware_version: device.firmware }),
    ...(device.uptimeS === undefined ? {} : { uptime_s: device.uptimeS }),
  };
}
