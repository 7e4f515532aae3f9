import type { RelayKind } from '#contract/resources/relays.ts';
import type { SwitchState } from '#contract/words.ts';
import type { ControlViews } from '#core/control-view.ts';
import type { Controller } from '#core/device-link.ts';
import type { ChannelFacts, DeviceFacts, Relay, RelayProtocol } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import type { Limits, Sent } from './relay-rules.ts';

// What is known of relays while they are connected, and a little longer. It lives in memory: a relay tells it again.

/** One output of a relay: a control point. */
export type Channel = {
  facts: Partial<ChannelFacts>;
  /** When `current` last changed, monotonic ms; null: before anybody looked. */
  changedAt: number | null;
  /** The level it is to have, as last read from the control point. */
  wanted: { target: SwitchState; version: number; epoch: string } | null;
  limits: Limits;
  sent: Sent | null;
  isDue: boolean;
  isByHand: boolean;
  /** When the order goes out, monotonic ms, as far as was told to the door; null: it is not put off. */
  deferredTo: number | null;
  /** When its meter is asked after a switch, monotonic ms. */
  meterDueAt: number | null;
  refused: string | null;
  errors: readonly string[];
  /** Settings were corrected this often in this connection: one that does not take them is not written for ever. */
  corrections: number;
};

export type Session = {
  readonly mqttId: string;
  readonly carrierId: string;
  readonly kind: RelayKind;
  readonly protocol: RelayProtocol;
  /** null: not connected. */
  controller: Controller | null;
  isListening: boolean;
  onlineAt: number;
  bootedAt: number | null;
  /** Last message, on both clocks; null: none in this run. */
  heard: { at: number; atMs: number } | null;
  askedAt: number;
  device: Partial<DeviceFacts>;
  hasFastCycleReset: boolean | null;
  resetCorrections: number;
  readonly channels: Map<number, Channel>;
};

const NO_LIMITS: Limits = { minOnMs: 0, minOffMs: 0, startDelayMs: 0, isLockedOut: false };

export type SessionDeps = {
  book: Pick<RelayBook, 'byId' | 'channelsOf'>;
  views: Pick<ControlViews, 'byId' | 'byMqttId'>;
  protocols: Readonly<Record<RelayKind, RelayProtocol>>;
};

export type RelaySessions = ReturnType<typeof createRelaySessions>;

/** The sessions, each made when its relay is first asked for. */
export function createRelaySessions({ book, views, protocols }: SessionDeps) {
  const sessionsByMqttId = new Map<string, Session>();

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

  return {
    /** null: who has that name is no relay. */
    sessionOf,
    sessionOfCarrier(carrierId: string): Session | null {
      const carrier = views.byId(carrierId);
      return carrier === null ? null : sessionOf(carrier.mqttId);
    },
    all: (): Iterable<Session> => sessionsByMqttId.values(),
    drop(carrierId: string): void {
      for (const [mqttId, known] of sessionsByMqttId) {
        if (known.carrierId === carrierId) sessionsByMqttId.delete(mqttId);
      }
    },
    rowsOf: (session: Session): Relay[] => [...book.channelsOf(session.carrierId).values()],
    /** A further channel reports as the controller of its own control point, with the identity of the device. */
    controllerOf(session: Session, row: Relay): Controller | null {
      const view = views.byId(row.id);
      if (session.controller === null || view === null) return null;
      return {
        controlPointId: row.id,
        deviceId: view.row.device_id,
        mqttId: view.mqttId,
        keyId: session.controller.keyId,
      };
    },
  };
}

export function channelOf(session: Session, number: number): Channel {
  const known = session.channels.get(number) ?? newChannel();
  session.channels.set(number, known);
  return known;
}

function newSession(of: Pick<Session, 'mqttId' | 'carrierId' | 'kind' | 'protocol'>): Session {
  return {
    ...of,
    controller: null,
    isListening: false,
    onlineAt: 0,
    bootedAt: null,
    heard: null,
    askedAt: Number.NEGATIVE_INFINITY,
    device: {},
    hasFastCycleReset: null,
    resetCorrections: 0,
    channels: new Map(),
  };
}

function newChannel(): Channel {
  return {
    facts: {},
    changedAt: null,
    wanted: null,
    limits: NO_LIMITS,
    sent: null,
    isDue: true,
    isByHand: false,
    deferredTo: null,
    meterDueAt: null,
    refused: null,
    errors: [],
    corrections: 0,
  };
}
