import type { RelayKind } from '#contract/resources/relays.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import type { Log } from '#core/kernel.ts';
import type {
  ControlView,
  ControlViews,
  DeviceTrouble,
  OverridingReason,
} from '#features/control/control-view.ts';
import type {
  DeviceDoor,
  DeviceLink,
  Levels,
  RelayDesk,
  SendToRelay,
} from '#features/control/device-link.ts';
import type { DiscoveredRelays } from './adopt-relay.ts';
import type { InBackground, Relay, RelayProtocol, SayToRelay } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import { createRelayCorrections } from './relay-corrections.ts';
import { createRelayOrders } from './relay-orders.ts';
import { createRelayReports } from './relay-reports.ts';
import { channelOf, createRelaySessions, type Session } from './relay-session.ts';
import { troubleOf } from './relay-troubles.ts';

export type DeskDeps = {
  monotonic: () => number;
  now: () => number;
  log: Log;
  book: RelayBook;
  views: Pick<ControlViews, 'byId' | 'byMqttId'>;
  /** The use cases of controllers: relays report through the same door. */
  door: DeviceDoor;
  levelsOf: (mqttId: string) => Levels | null;
  /** What goes before every order and hand at a control point now; null: nothing. */
  overridingReason: (view: ControlView) => OverridingReason | null;
  /** What keeps a relay from its target; `isStateUnknown`: it is there, and how it stands nobody can tell. */
  setTrouble: (
    controlPointId: string,
    trouble: DeviceTrouble | null,
    more: { isStateUnknown: boolean },
  ) => void;
  protocols: Readonly<Record<RelayKind, RelayProtocol>>;
  discovered: Pick<DiscoveredRelays, 'note'>;
  /** A relay is asked for its state when it was silent for this long, s. */
  heartbeatS: number;
  /** What is known of the relay of this control point is another than before. */
  changed: (controlPointId: string) => void;
};

/** One that does not tell how it stands is asked this often. */
const UNKNOWN_STATE_POLL_MS = 10_000;

export type RelayWork = ReturnType<typeof createRelayWork>;

/** Relays of the trade as controllers: their words become heartbeats, levels become their orders. */
export function createRelayWork(deps: DeskDeps) {
  const { book, views } = deps;
  let send: SendToRelay | null = null;

  const say: SayToRelay = (messages) => {
    for (const { topic, payload } of messages) send?.(topic, payload);
  };

  const inBackground: InBackground = (controller, work) => {
    work?.catch((error: unknown) =>
      deps.log.warn({ err: error, deviceId: controller.deviceId }, 'a report of a relay was not stored'),
    );
  };

  const sessions = createRelaySessions(deps);
  const { sessionOf, sessionOfCarrier, rowsOf, controllerOf } = sessions;
  const corrections = createRelayCorrections({ book, views, say });
  const orders = createRelayOrders({ ...deps, sessions, say, inBackground });
  const { greet, readLevels, ask, settle } = orders;
  const reports = createRelayReports({ ...deps, sessions, orders, corrections, inBackground });

  const changed = (session: Session) => {
    for (const { id } of rowsOf(session)) deps.changed(id);
  };

  /** Told when it is another, and again with each message while nobody can tell how the relay stands. */
  function publishTroubles(session: Session, { isHeard }: { isHeard: boolean }): void {
    const now = deps.monotonic();
    for (const row of rowsOf(session)) {
      const channel = channelOf(session, row.channel);
      const trouble = troubleOf(session, channel, now);
      const isStateUnknown = trouble?.isStateUnknown === true;
      const name = trouble === null ? null : `${trouble.code} ${trouble.sentence.en}`;
      if (name === channel.publishedTrouble && !(isStateUnknown && isHeard)) continue;
      if (name !== channel.publishedTrouble) deps.changed(row.id);
      channel.publishedTrouble = name;
      const told = trouble === null ? null : { code: trouble.code, sentence: asSentence(trouble.sentence) };
      deps.setTrouble(row.id, told, { isStateUnknown });
    }
  }

  const desk: RelayDesk = {
    isRelay: (mqttId) => sessionOf(mqttId) !== null,
    maySubscribe: (mqttId, filter) => sessionOf(mqttId)?.protocol.maySubscribe(mqttId, filter) ?? false,
    subscribed(controller, filter) {
      const session = sessionOf(controller.mqttId);
      if (session === null || !session.protocol.hearsOrders(session.mqttId, filter)) return;
      session.isListening = true;
      changed(session);
      greet(session);
      for (const row of rowsOf(session)) say(session.protocol.askSettings(session.mqttId, row.channel));
    },
    hear(controller, topic, payload) {
      const session = sessionOf(controller.mqttId);
      const taken = reports.hear(controller, topic, payload);
      if (session === null) return taken;
      publishTroubles(session, { isHeard: true });
      changed(session);
      return taken;
    },
    knocked: (knock) => deps.discovered.note(knock),
  };

  function levelChanged(mqttId: string): boolean {
    const view = views.byMqttId(mqttId);
    const row = view === null ? null : book.byId(view.row.id);
    if (row === null) return false;
    const session = sessionOfCarrier(row.carrier_id);
    if (session === null) return false;
    readLevels(session, row);
    settle(session, row);
    return true;
  }

  return {
    desk,
    wantedPowerOn: corrections.wantedPowerOn,
    /** False while a level ends by itself and the relay cannot time that. */
    canEnd(row: Relay): boolean {
      const session = sessionOfCarrier(row.carrier_id);
      const channel = session?.channels.get(row.channel);
      if (!session || channel === undefined) return true;
      const more = orders.moreOf(session, row, channel, deps.monotonic());
      return more.endsInS === null || session.protocol.canEnd(more);
    },
    sessionOfRelay: (row: Relay): Session | null => sessionOfCarrier(row.carrier_id),
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
          const none = { reset: 0, words: 0, retry: 0 };
          Object.assign(session, { controller, isListening: false, unsupported: null, corrections: none });
          for (const row of rowsOf(session)) {
            const channel = channelOf(session, row.channel);
            channel.corrections = { powerOn: 0, timers: 0 };
            // one that speaks on another topic now would stand for ever as it last did
            delete channel.facts.current;
            channel.stateUnknownSince = deps.monotonic();
            const other = row.id === controller.controlPointId ? null : controllerOf(session, row);
            if (other !== null) inner.connected(other, connection);
          }
          changed(session);
        },
        disconnected(controller, end) {
          const session = end.takenOver ? null : sessionOf(controller.mqttId);
          for (const row of session === null ? [] : rowsOf(session)) {
            const other =
              row.id === controller.controlPointId || session === null ? null : controllerOf(session, row);
            if (other !== null) inner.disconnected(other, end);
          }
          if (session !== null) {
            Object.assign(session, { controller: null, isListening: false });
            publishTroubles(session, { isHeard: false });
            changed(session);
          }
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
      const session = sessionOfCarrier(carrierId);
      if (session === null) return sessions.drop(carrierId);
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
      for (const session of sessions.all()) {
        if (session.controller === null) continue;
        publishTroubles(session, { isHeard: false });
        if (!session.isListening) continue;
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
        const isStateUnknown = rowsOf(session).some(
          (row) => channelOf(session, row.channel).facts.current === undefined,
        );
        const isAskedAgain = isStateUnknown && now - session.askedAt >= UNKNOWN_STATE_POLL_MS;
        if (isAskedAgain || now - silentSince >= deps.heartbeatS * 1000) ask(session);
      }
    },
  };
}

/** As it follows other sentences. */
const asSentence = ({ 'pt-BR': ptBr, en, es }: InEach): InEach => inEach(`${ptBr}.`, `${en}.`, `${es}.`);
