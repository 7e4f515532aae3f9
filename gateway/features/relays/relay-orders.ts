import type { DeviceConfig } from '#contract/mqtt/messages.ts';
import type { ControlViews } from '#core/control-view.ts';
import type { Controller, DeviceDoor, Levels } from '#core/device-link.ts';
import type { InBackground, Relay, SayToRelay } from './ports.ts';
import { METER_SETTLES_MS, sendAt } from './relay-rules.ts';
import { type Channel, channelOf, type RelaySessions, type Session } from './relay-session.ts';

export type OrderDeps = {
  monotonic: () => number;
  views: Pick<ControlViews, 'byId'>;
  door: Pick<DeviceDoor, 'reported'>;
  levelsOf: (mqttId: string) => Levels | null;
  sessions: Pick<RelaySessions, 'rowsOf' | 'controllerOf'>;
  say: SayToRelay;
  inBackground: InBackground;
  /** What the relay of this control point is about to do is another than before. */
  changed: (controlPointId: string) => void;
};

export type RelayOrders = ReturnType<typeof createRelayOrders>;

/** Levels of control points become orders in the words of their relays, each when its time has come. */
export function createRelayOrders(deps: OrderDeps) {
  const { views, door, say, inBackground } = deps;
  const { rowsOf, controllerOf } = deps.sessions;

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

  function ask(session: Session): void {
    session.askedAt = deps.monotonic();
    say(session.protocol.ask(session.mqttId));
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
    deps.changed(row.id);
  }

  function tellDeferral(controller: Controller, channel: Channel, to: number | null): void {
    const { wanted, facts } = channel;
    if (to === channel.deferredTo || (to === null && channel.deferredTo === null)) return;
    channel.deferredTo = to;
    deps.changed(controller.controlPointId);
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

  return { greet, readLevels, ask, settle };
}

const limitsOf = (config: DeviceConfig) => ({
  minOnMs: config.min_on_s * 1000,
  minOffMs: config.min_off_s * 1000,
  startDelayMs: config.start_delay_s * 1000,
  isLockedOut: config.locked_out,
});

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
