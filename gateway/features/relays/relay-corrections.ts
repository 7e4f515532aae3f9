import type { ControlViews } from '#core/control-view.ts';
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

/** Settings of relays that are not safe on a farm are told right. */
export function createRelayCorrections({ book, views, say }: CorrectionDeps) {
  /** What the relay does by itself when its power comes back is the fail-safe of its control point. */
  function correctPowerOn(session: Session, row: Relay, channel: Channel, news: Partial<ChannelFacts>): void {
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

  /** A few short power cuts must not put it back to its factory settings. */
  function correctFastCycleReset(session: Session, { hasFastCycleReset }: RelayNews): void {
    if (hasFastCycleReset === undefined) return;
    session.hasFastCycleReset = hasFastCycleReset;
    if (!hasFastCycleReset || session.resetCorrections >= MOST_CORRECTIONS) return;
    session.resetCorrections += 1;
    say(session.protocol.switchOffFastCycleReset(session.mqttId));
  }

  return { correctPowerOn, correctFastCycleReset, wantedPowerOn };
}
