import type { ControlViews } from '#features/control/control-view.ts';
import type { ChannelFacts, PowerOn, Relay, RelayNews, SayToRelay } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import type { Channel, Session } from './relay-session.ts';

export type CorrectionDeps = {
  book: Pick<RelayBook, 'channelsOf'>;
  views: Pick<ControlViews, 'byId'>;
  say: SayToRelay;
};

export type RelayCorrections = ReturnType<typeof createRelayCorrections>;

/** Flash wears: a relay that does not take a setting is left alone until it comes again. */
const MOST_CORRECTIONS = 2;

/** Tasmota takes no less. */
const SHORTEST_RETRY_S = 10;

/** Settings of relays that are not safe on a farm are told right. */
export function createRelayCorrections({ book, views, say }: CorrectionDeps) {
  /** What the relay does by itself when its power comes back is the fail-safe of its control point. */
  function correctPowerOn(session: Session, row: Relay, channel: Channel, news: Partial<ChannelFacts>): void {
    const wanted = wantedPowerOn(session.carrierId, row);
    if (news.powerOn === undefined || wanted === null || news.powerOn === wanted) return;
    if (channel.corrections.powerOn >= MOST_CORRECTIONS || session.controller === null) return;
    channel.corrections.powerOn += 1;
    say(session.protocol.setPowerOn(session.mqttId, { powerOn: wanted, channel: row.channel }));
    say(session.protocol.askSettings(session.mqttId, row.channel));
  }

  /** A timer at the relay stops the motor in the night, or starts it under somebody's hands. */
  function correctTimers(session: Session, row: Relay, channel: Channel, news: Partial<ChannelFacts>): void {
    const hasTimer = (news.autoOffS ?? 0) > 0 || (news.autoOnS ?? 0) > 0;
    if (!hasTimer || channel.corrections.timers >= MOST_CORRECTIONS || session.controller === null) return;
    channel.corrections.timers += 1;
    say(session.protocol.disableTimers(session.mqttId, row.channel));
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

  /** A few short power cuts must not put it back to its factory settings. */
  function correctFastCycleReset(session: Session, { hasFastCycleReset }: RelayNews): void {
    if (hasFastCycleReset === undefined) return;
    session.hasFastCycleReset = hasFastCycleReset;
    if (!hasFastCycleReset || session.corrections.reset >= MOST_CORRECTIONS) return;
    session.corrections.reset += 1;
    say(session.protocol.switchOffFastCycleReset(session.mqttId));
  }

  /** Words of the state that nobody reads here. */
  function correctWords(session: Session, { isUnreadable }: RelayNews): void {
    if (isUnreadable !== true || session.corrections.words >= MOST_CORRECTIONS) return;
    session.corrections.words += 1;
    say(session.protocol.setStateWords(session.mqttId));
  }

  /** The longer it waits between two attempts, the longer a pond is without it after the gateway was away. */
  function correctRetry(session: Session, { retryS }: RelayNews): void {
    if (retryS === undefined || retryS <= SHORTEST_RETRY_S) return;
    if (session.corrections.retry >= MOST_CORRECTIONS) return;
    session.corrections.retry += 1;
    say(session.protocol.shortenRetry(session.mqttId));
  }

  const askSettings = (session: Session, row: Relay): void =>
    say(session.protocol.askSettings(session.mqttId, row.channel));

  return {
    askSettings,
    correctPowerOn,
    correctTimers,
    correctFastCycleReset,
    correctWords,
    correctRetry,
    wantedPowerOn,
  };
}
