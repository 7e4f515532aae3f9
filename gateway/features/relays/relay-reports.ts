import type { HeartbeatFields } from '#contract/mqtt/messages.ts';
import { type ControlViews, currentOf } from '#core/control-view.ts';
import type { Controller, DeviceDoor } from '#core/device-link.ts';
import { countEnergy } from './energy-counter.ts';
import type { ChannelFacts, InBackground, Relay, RelayNews } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import type { RelayCorrections } from './relay-corrections.ts';
import type { RelayOrders } from './relay-orders.ts';
import { bootInstant, isChangeByHand, METER_SETTLES_MS } from './relay-rules.ts';
import { type Channel, channelOf, type RelaySessions, type Session } from './relay-session.ts';

export type ReportDeps = {
  monotonic: () => number;
  now: () => number;
  book: Pick<RelayBook, 'channelsOf' | 'meterOf' | 'setMeter'>;
  views: Pick<ControlViews, 'byId'>;
  door: Pick<DeviceDoor, 'heartbeat' | 'event'>;
  sessions: Pick<RelaySessions, 'sessionOf' | 'rowsOf' | 'controllerOf'>;
  orders: Pick<RelayOrders, 'greet' | 'readLevels' | 'settle'>;
  corrections: Pick<RelayCorrections, 'correctPowerOn' | 'correctFastCycleReset'>;
  inBackground: InBackground;
};

/** Jitter of clocks: a start told twice is one. */
const SAME_BOOT_MS = 10_000;

/** What relays say becomes heartbeats and events of controllers, and what their meters counted. */
export function createRelayReports(deps: ReportDeps) {
  const { book, views, door, inBackground } = deps;
  const { sessionOf, rowsOf, controllerOf } = deps.sessions;
  const { greet, readLevels, settle } = deps.orders;
  const { correctPowerOn, correctFastCycleReset } = deps.corrections;

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
    Object.assign(session.device, news.device);
    const uptimeS = news.hasStarted === true ? 0 : news.device?.uptimeS;
    if (uptimeS !== undefined) noteUptime(session, uptimeS);
    correctFastCycleReset(session, news);
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
    // a meter or a setting of the whole device is this channel's where it has no other
    const isAlone = book.channelsOf(session.carrierId).size === 1;
    const { powerOn, ...whole } = told.get(0) ?? {};
    const news: Partial<ChannelFacts> = {
      ...(powerOn === undefined ? {} : { powerOn }),
      ...(isAlone ? whole : {}),
      ...told.get(row.channel),
    };
    if (channel.wanted === null) readLevels(session, row);
    if (news.current !== undefined) noteCurrent(channel, news.current, row);
    channel.facts = { ...channel.facts, ...news };
    if (news.countedWh !== undefined) count(row, news.countedWh, news.countedSince ?? null);
    if (news.errors !== undefined) noteErrors(session, row, channel, news.errors);
    correctPowerOn(session, row, channel, news);
    const controller = controllerOf(session, row);
    if (controller === null || channel.facts.current === undefined) return undefined;
    const taken = door.heartbeat(controller, heartbeatOf(session, row, channel, channel.facts.current));
    settle(session, row);
    return taken;
  }

  function noteCurrent(channel: Channel, current: ChannelFacts['current'], row: Relay): void {
    const before = channel.facts.current ?? null;
    const now = deps.monotonic();
    if (before === null) {
      const view = views.byId(row.id);
      const { current_status, current_since } = view === null ? {} : currentOf(view);
      const isSame = current === current_status && current_since != null;
      // it stood so before it was heard in this run: its rest goes on
      channel.changedAt ??= isSame ? now - Math.max(0, deps.now() - Date.parse(current_since)) : null;
      return;
    }
    if (current === before) return;
    const target = channel.wanted?.target ?? current;
    channel.isByHand = isChangeByHand({ target, current: before, sent: channel.sent }, current, now);
    channel.changedAt = now;
    channel.meterDueAt = now + METER_SETTLES_MS;
    if (current === target) channel.refused = null;
    // what it measured belongs to the state before
    for (const name of ['powerW', 'currentA', 'powerFactor'] as const) delete channel.facts[name];
  }

  function count(row: Relay, countedWh: number, since: string | null): void {
    const ratedW = (views.byId(row.id)?.powerKw ?? 0) * 1000;
    const reading = { countedWh, since };
    book.setMeter(countEnergy(book.meterOf(row.id), reading, { id: row.id, nowMs: deps.now(), ratedW }));
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

function heartbeatOf(
  { device }: Session,
  { load }: Relay,
  { facts, isByHand }: Channel,
  current: ChannelFacts['current'],
): HeartbeatFields {
  const isOn = current === 'ON';
  const isMotor = load === 'motor';
  const consumption = !isMotor ? undefined : isOn ? facts.powerW : facts.powerW === undefined ? undefined : 0;
  return {
    current_status: current,
    source: isByHand ? 'manual' : 'shadow',
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
