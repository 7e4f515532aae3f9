import type { DeviceConfig } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import type { ControlView, ControlViews, OverridingReason } from '#features/control/control-view.ts';
import type { Controller, DeviceDoor, Levels } from '#features/control/device-link.ts';
import type { InBackground, OrderMore, Relay, SayToRelay } from './ports.ts';
import { type ChannelState, isGivenUp, METER_SETTLES_MS, sendAt } from './relay-rules.ts';
import { type Channel, channelOf, type RelaySessions, type Session, targetNow } from './relay-session.ts';

export type OrderDeps = {
  monotonic: () => number;
  views: Pick<ControlViews, 'byId'>;
  door: Pick<DeviceDoor, 'reported'>;
  levelsOf: (mqttId: string) => Levels | null;
  /** What goes before every order and hand now; null: nothing. */
  overridingReason: (view: ControlView) => OverridingReason | null;
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
      Object.assign(channel, { isDue: true, changeCause: null, deviation: null });
      // it may have been switched while nobody looked
      delete channel.facts.current;
      channel.stateUnknownSince ??= now;
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
    const { target_status: target, version, epoch, until, then: after = null } = levels.shadow;
    const endsAt = until === undefined ? null : deps.monotonic() + until * 1000;
    const isNew = channel.wanted?.version !== version || channel.wanted.epoch !== epoch;
    if (isNew) {
      const isOther = channel.wanted?.target !== target || channel.facts.current !== target;
      // a level that ends is told to its timer, and one that does not takes the timer back
      channel.isDue = channel.isDue || isOther || endsAt !== null || channel.timer === 'armed';
      Object.assign(channel, { changeCause: null, deviation: null, selfSwitches: [], refused: null });
    }
    channel.wanted = { target, version, epoch, endsAt, after };
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
    const now = deps.monotonic();
    const target = targetNow(channel, now);
    if (controller === null || !session.isListening || target === null) return;
    const view = views.byId(row.id);
    channel.overriding = view === null ? null : deps.overridingReason(view);
    const at = sendAt(stateOf(session, channel, { target, now }), channel.limits, now);
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
    const more = moreOf(session, row, channel, now);
    say(session.protocol.order(session.mqttId, row.channel, target, more));
    if (more.endsInS !== null && session.protocol.canEnd(more)) channel.timer = 'armed';
    else if (session.protocol.canCancelTimer(more)) channel.timer = 'none';
    deps.changed(row.id);
  }

  /** Its end, not before the rest of the motor is over, and what is known of the relay that is to time it. */
  function moreOf(session: Session, row: Relay, channel: Channel, now: number): OrderMore {
    const known = {
      mayHaveTimer: channel.timer !== 'none',
      firmware: session.hasNoTimer ? null : (session.device.firmware ?? null),
      isAlone: rowsOf(session).length === 1,
    };
    const { wanted, limits, facts, changedAt } = channel;
    const isEnding =
      wanted !== null && wanted.endsAt !== null && wanted.after !== null && wanted.after !== wanted.target;
    if (!isEnding || wanted.endsAt === null || targetNow(channel, now) !== wanted.target)
      return { ...known, endsInS: null };
    const since = facts.current === wanted.target ? (changedAt ?? 0) : now;
    const restEnd = since + (wanted.target === 'OFF' ? limits.minOffMs : limits.minOnMs);
    return { ...known, endsInS: Math.max(1, Math.ceil((Math.max(wanted.endsAt, restEnd) - now) / 1000)) };
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

  return { greet, readLevels, ask, settle, moreOf };
}

const limitsOf = (config: DeviceConfig) => ({
  minOnMs: config.min_on_s * 1000,
  minOffMs: config.min_off_s * 1000,
  startDelayMs: config.start_delay_s * 1000,
  isLockedOut: config.locked_out,
});

function stateOf(
  session: Session,
  channel: Channel,
  { target, now }: { target: SwitchState; now: number },
): ChannelState {
  return {
    target,
    current: channel.facts.current ?? null,
    changedAt: channel.changedAt,
    onlineAt: session.onlineAt,
    bootedAt: session.bootedAt,
    sent: channel.sent,
    isDue: channel.isDue,
    isByHand: channel.changeCause === 'hand',
    isGivenUp: channel.changeCause !== null && isGivenUp(channel.selfSwitches, now),
    isForced: channel.overriding === (target === 'ON' ? 'EMERGENCY_OXYGEN' : 'LOCK_OUT'),
  };
}
