import type { DeviceConfig, HeartbeatFields } from '#contract/mqtt/messages.ts';
import type { RelayKind } from '#contract/resources/relays.ts';
import type { ControlViews } from '#core/control-view.ts';
import type { Controller, DeviceDoor, DeviceLink, Levels } from '#core/device-link.ts';
import type { Log } from '#core/kernel.ts';
import type { RelayDesk, SendToRelay } from '#core/relay-link.ts';
import type { DiscoveredRelays } from './discovered-relays.ts';
import { countEnergy } from './energy-counter.ts';
import type { ChannelFacts, PowerOn, Relay, RelayMessage, RelayNews, RelayProtocol } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import { bootInstant, isChangeByHand, sendAt } from './relay-rules.ts';
import { type Channel, newChannel, newSession, type Session } from './relay-session.ts';

export type DeskDeps = {
  monotonic: () => number;
  now: () => number;
  log: Log;
  book: RelayBook;
  views: Pick<ControlViews, 'byId' | 'byMqttId'>;
  /** The use cases of controllers: relays report through the same door. */
  door: DeviceDoor;
  levelsOf: (mqttId: string) => Levels | null;
  protocols: Readonly<Record<RelayKind, RelayProtocol>>;
  discovered: Pick<DiscoveredRelays, 'note'>;
  /** A relay is asked for its state when it was silent for this long, s. */
  heartbeatS: number;
};

export type RelayWork = ReturnType<typeof createRelayWork>;

/** What its meter says right after a switch is the inrush; what it says three seconds later is the motor. */
const METER_SETTLES_MS = 3_000;
/** Flash wears: a relay that does not take a setting is left alone until it comes again. */
const MOST_CORRECTIONS = 2;
/** Jitter of clocks: a start told twice is one. */
const SAME_BOOT_MS = 10_000;

/** Relays of the trade as controllers: their words become heartbeats, levels become their orders. */
export function createRelayWork(deps: DeskDeps) {
  const { book, views, door, protocols } = deps;
  const sessionsByMqttId = new Map<string, Session>();
  let send: SendToRelay | null = null;

  const say = (messages: readonly RelayMessage[]): void => {
    for (const { topic, payload } of messages) send?.(topic, payload);
  };

  function sessionOf(mqttId: string): Session | null {
    const view = views.byMqttId(mqttId);
    const row = view === null ? null : book.byId(view.row.id);
    if (view === null || row === null || row.carrier_id !== row.id) return null;
    const known = sessionsByMqttId.get(mqttId);
    if (known?.carrierId === row.id && known.kind === row.kind) return known;
    const fresh = newSession({ mqttId, carrierId: row.id, kind: row.kind, protocol: protocols[row.kind] });
    sessionsByMqttId.set(mqttId, fresh);
    return fresh;
  }

  function channelOf(session: Session, number: number): Channel {
    const known = session.channels.get(number) ?? newChannel();
    session.channels.set(number, known);
    return known;
  }

  const rowsOf = (session: Session): Relay[] => [...book.channelsOf(session.carrierId).values()];

  /** A further channel reports as the controller of its own control point, with the identity of the device. */
  function controllerOf(session: Session, row: Relay): Controller | null {
    const view = views.byId(row.id);
    if (session.controller === null || view === null) return null;
    return {
      controlPointId: row.id,
      deviceId: view.row.device_id,
      mqttId: view.mqttId,
      keyId: session.controller.keyId,
    };
  }

  /** What the channel is to do and what bounds it, read from its control point. */
  function readLevels(session: Session, row: Relay): void {
    const view = views.byId(row.id);
    const levels = view === null ? null : deps.levelsOf(view.mqttId);
    if (levels === null) return;
    const channel = channelOf(session, row.channel);
    const { target_status: target, version, epoch } = levels.shadow;
    const isNew = channel.wanted?.version !== version || channel.wanted.epoch !== epoch;
    if (isNew) {
      const isOther = channel.wanted?.target !== target || channel.facts.current !== target;
      channel.isDue = channel.isDue || isOther;
      channel.isByHand = false;
      channel.refused = null;
    }
    channel.wanted = { target, version, epoch };
    channel.limits = limitsOf(levels.config);
  }

  /** Sends what is due, and tells what waits, so that nobody takes the wait for a fault. */
  function settle(session: Session, row: Relay): void {
    const channel = channelOf(session, row.channel);
    const controller = controllerOf(session, row);
    if (controller === null || !session.isListening || channel.wanted === null) return;
    const now = deps.monotonic();
    const { target } = channel.wanted;
    const at = sendAt(stateOf(session, channel), channel.limits, now);
    if (at === null) return tellDeferral(controller, channel, null);
    if (at > now) {
      const isFirst = channel.sent === null || channel.sent.target !== target || channel.isDue;
      return tellDeferral(controller, channel, isFirst ? at : null);
    }
    const isRepeated = channel.sent?.target === target && !channel.isDue;
    channel.sent = { target, at: now, tries: isRepeated ? (channel.sent?.tries ?? 0) + 1 : 1 };
    channel.isDue = false;
    channel.deferredTo = null;
    channel.meterDueAt = now + METER_SETTLES_MS;
    say(session.protocol.order(session.mqttId, row.channel, target));
  }

  function tellDeferral(controller: Controller, channel: Channel, to: number | null): void {
    const { wanted, facts } = channel;
    if (to === channel.deferredTo || (to === null && channel.deferredTo === null)) return;
    channel.deferredTo = to;
    if (to === null || wanted === null || facts.current === undefined) return;
    const report = {
      epoch: wanted.epoch,
      version: wanted.version,
      current_status: facts.current,
      ack: 'deferred',
      until_s: Math.max(0, Math.ceil((to - deps.monotonic()) / 1000)),
    } as const;
    inBackground(controller, door.reported(controller, report));
  }

  /** Work nobody waits for: a failure is told in the log and repeated by the next message. */
  function inBackground(controller: Controller, work: Promise<unknown> | undefined): void {
    work?.catch((error: unknown) =>
      deps.log.warn({ err: error, deviceId: controller.deviceId }, 'a report of a relay was not stored'),
    );
  }

  /** It is there and hears: what holds is said to it, once, whatever it stands at. */
  function greet(session: Session): void {
    const now = deps.monotonic();
    session.onlineAt = now;
    for (const row of rowsOf(session)) {
      const channel = channelOf(session, row.channel);
      channel.isDue = true;
      channel.isByHand = false;
      // it may have been switched while nobody looked
      delete channel.facts.current;
      readLevels(session, row);
    }
    ask(session);
    for (const row of rowsOf(session)) settle(session, row);
  }

  function ask(session: Session): void {
    session.askedAt = deps.monotonic();
    say(session.protocol.ask(session.mqttId));
  }

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
    if (news.hasFastCycleReset === undefined) return;
    session.hasFastCycleReset = news.hasFastCycleReset;
    if (!news.hasFastCycleReset || session.resetCorrections >= MOST_CORRECTIONS) return;
    session.resetCorrections += 1;
    say(session.protocol.switchOffFastCycleReset(session.mqttId));
  }

  function noteUptime(session: Session, uptimeS: number): void {
    const now = deps.monotonic();
    const [first] = rowsOf(session);
    const limits = first === undefined ? undefined : channelOf(session, first.channel).limits;
    const bootedAt = limits === undefined ? null : bootInstant(uptimeS, now, limits);
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
    correct(session, row, channel, news);
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
      const { current_status, current_since } = views.byId(row.id)?.row ?? {};
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

  /** What the relay does by itself when its power comes back is the fail-safe of its control point. */
  function correct(session: Session, row: Relay, channel: Channel, news: Partial<ChannelFacts>): void {
    const wanted = wantedPowerOn(session.carrierId, row);
    if (news.powerOn === undefined || wanted === null || news.powerOn === wanted) return;
    if (channel.corrections >= MOST_CORRECTIONS || session.controller === null) return;
    channel.corrections += 1;
    say(session.protocol.setPowerOn(session.mqttId, { powerOn: wanted, channel: row.channel }));
    say(session.protocol.askSettings(session.mqttId, row.channel));
  }

  /** Tasmota has one setting for all its channels: the one that keeps most shrimp alive. */
  function wantedPowerOn(carrierId: string, row: Relay): Exclude<PowerOn, 'other'> | null {
    const rows = row.kind === 'tasmota' ? [...book.channelsOf(carrierId).values()] : [row];
    const words = rows.flatMap(({ id }) => views.byId(id)?.row.fail_safe ?? []);
    if (words.length === 0) return null;
    if (words.includes('ON')) return 'ON';
    return words.every((word) => word === 'OFF') ? 'OFF' : 'HOLD';
  }

  const desk: RelayDesk = {
    isRelay: (mqttId) => sessionOf(mqttId) !== null,
    maySubscribe: (mqttId, filter) => sessionOf(mqttId)?.protocol.maySubscribe(mqttId, filter) ?? false,
    subscribed(controller, filter) {
      const session = sessionOf(controller.mqttId);
      if (session === null || !session.protocol.hearsOrders(session.mqttId, filter)) return;
      session.isListening = true;
      greet(session);
      for (const row of rowsOf(session)) say(session.protocol.askSettings(session.mqttId, row.channel));
    },
    hear,
    knocked: (knock) => deps.discovered.note(knock),
  };

  function levelChanged(mqttId: string): boolean {
    const view = views.byMqttId(mqttId);
    const row = view === null ? null : book.byId(view.row.id);
    if (row === null) return false;
    const carrier = views.byId(row.carrier_id);
    const session = carrier === null ? null : sessionOf(carrier.mqttId);
    if (session === null) return false;
    readLevels(session, row);
    settle(session, row);
    return true;
  }

  return {
    desk,
    wantedPowerOn,
    sessionOfRelay: (row: Relay): Session | null => {
      const carrier = views.byId(row.carrier_id);
      return carrier === null ? null : sessionOf(carrier.mqttId);
    },
    /** From here on relays can be spoken to. */
    attach(sendToRelay: SendToRelay): void {
      send = sendToRelay;
    },
    /** The same door; connections of relays are noted on the way. */
    watching(inner: DeviceDoor): DeviceDoor {
      return {
        ...inner,
        connected(controller, connection) {
          inner.connected(controller, connection);
          const session = sessionOf(controller.mqttId);
          if (session === null) return;
          Object.assign(session, { controller, isListening: false, resetCorrections: 0 });
          for (const row of rowsOf(session)) {
            channelOf(session, row.channel).corrections = 0;
            const other = row.id === controller.controlPointId ? null : controllerOf(session, row);
            if (other !== null) inner.connected(other, connection);
          }
        },
        disconnected(controller, end) {
          const session = end.takenOver ? null : sessionOf(controller.mqttId);
          for (const row of session === null ? [] : rowsOf(session)) {
            const other =
              row.id === controller.controlPointId || session === null ? null : controllerOf(session, row);
            if (other !== null) inner.disconnected(other, end);
          }
          if (session !== null) Object.assign(session, { controller: null, isListening: false });
          inner.disconnected(controller, end);
        },
      };
    },
    /** The same link; levels of relays become orders in their words. */
    following(link: DeviceLink): DeviceLink {
      return {
        ...link,
        publishShadow: (mqttId, level) => void (levelChanged(mqttId) || link.publishShadow(mqttId, level)),
        publishConfig: (mqttId, config) => void (levelChanged(mqttId) || link.publishConfig(mqttId, config)),
        publishSchedule: (mqttId, schedule) => {
          const view = views.byMqttId(mqttId);
          if (view === null || book.byId(view.row.id) === null) link.publishSchedule(mqttId, schedule);
        },
      };
    },
    /** Channels of a device were adopted or released. */
    channelsChanged(carrierId: string): void {
      const carrier = views.byId(carrierId);
      const session = carrier === null ? null : sessionOf(carrier.mqttId);
      if (session === null) {
        for (const [mqttId, known] of sessionsByMqttId) {
          if (known.carrierId === carrierId) sessionsByMqttId.delete(mqttId);
        }
        return;
      }
      const rows = rowsOf(session);
      for (const number of session.channels.keys()) {
        if (!rows.some(({ channel }) => channel === number)) session.channels.delete(number);
      }
      for (const row of rows) {
        readLevels(session, row);
        if (session.isListening) say(session.protocol.askSettings(session.mqttId, row.channel));
      }
      if (session.isListening) ask(session);
    },
    /** Every second: orders whose time has come, and relays that say nothing by themselves. */
    tick(): void {
      const now = deps.monotonic();
      for (const session of sessionsByMqttId.values()) {
        if (session.controller === null || !session.isListening) continue;
        let isMeterDue = false;
        for (const row of rowsOf(session)) {
          const channel = channelOf(session, row.channel);
          settle(session, row);
          if (channel.meterDueAt === null || channel.meterDueAt > now) continue;
          channel.meterDueAt = null;
          isMeterDue = true;
        }
        if (isMeterDue) say(session.protocol.askMeter(session.mqttId));
        const silentSince = Math.max(session.heard?.at ?? Number.NEGATIVE_INFINITY, session.askedAt);
        if (now - silentSince >= deps.heartbeatS * 1000) ask(session);
      }
    },
  };
}

function stateOf(session: Session, channel: Channel) {
  return {
    target: channel.wanted?.target ?? 'OFF',
    current: channel.facts.current ?? null,
    changedAt: channel.changedAt,
    onlineAt: session.onlineAt,
    bootedAt: session.bootedAt,
    sent: channel.sent,
    isDue: channel.isDue,
    isByHand: channel.isByHand,
  } as const;
}

const limitsOf = (config: DeviceConfig) => ({
  minOnMs: config.min_on_s * 1000,
  minOffMs: config.min_off_s * 1000,
  startDelayMs: config.start_delay_s * 1000,
  isLockedOut: config.locked_out,
});

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
