import type { RelayKind } from '#contract/resources/relays.ts';
import type { SwitchState } from '#contract/words.ts';
import type { ControlViews, OverridingReason } from '#features/control/control-view.ts';
import type { Controller } from '#features/control/device-link.ts';
import type {
  ChannelFacts,
  DeviceFacts,
  Relay,
  RelayMeter,
  RelayProtocol,
  UnsupportedRelay,
} from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import type { ChangeCause, Limits, SelfSwitch, Sent } from './relay-rules.ts';

// What is known of relays while they are connected, and a little longer. It lives in memory: a relay tells it again.

/** The level a channel is to have. `endsAt`: from then on, monotonic ms, it is `after`. */
type Wanted = {
  target: SwitchState;
  version: number;
  epoch: string;
  endsAt: number | null;
  after: SwitchState | null;
};

/** One output of a relay: a control point. */
export type Channel = {
  facts: Partial<ChannelFacts>;
  /** When `current` last changed, monotonic ms; null: before anybody looked. */
  changedAt: number | null;
  /** The level it is to have, as last read from the control point. */
  wanted: Wanted | null;
  limits: Limits;
  /** What goes before every hand now; null: nothing. */
  overriding: OverridingReason | null;
  sent: Sent | null;
  isDue: boolean;
  /** Why it stands elsewhere than at its target; null: it does not, or an order of ours is under way. */
  changeCause: ChangeCause | null;
  /** Of the change that `changeCause` names: what is learnt a moment later may name it better. */
  deviation: { at: number; onForMs: number | null } | null;
  selfSwitches: readonly SelfSwitch[];
  /** Whether a timer of ours runs in the relay. */
  timer: 'unknown' | 'armed' | 'none';
  /** Since when it is connected and how it stands nobody can tell, monotonic ms; null: it is known. */
  stateUnknownSince: number | null;
  /** The name of the trouble that was told last; null: none. */
  publishedTrouble: string | null;
  /** When the order goes out, monotonic ms, as far as was told to the door; null: it is not put off. */
  deferredTo: number | null;
  /** When its meter is asked after a switch, monotonic ms. */
  meterDueAt: number | null;
  refused: string | null;
  errors: readonly string[];
  /** Settings were corrected this often in this connection: one that does not take them is not written for ever. */
  corrections: { powerOn: number; timers: number };
  meter: MeterMemory;
};

/** What the readings of a meter are judged by, of this run. */
export type MeterMemory = {
  highestW: number | null;
  wasOn: boolean;
  isZeroBefore: boolean;
  readings: number;
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
  hasNoTimer: boolean;
  /** It can be no relay of ours as it is. */
  unsupported: UnsupportedRelay | null;
  corrections: { reset: number; words: number; retry: number };
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
    // a relay that was given another name has one session, too
    drop(row.id);
    const fresh = newSession({ mqttId, carrierId: row.id, kind: row.kind, protocol: protocols[row.kind] });
    sessionsByMqttId.set(mqttId, fresh);
    return fresh;
  }

  function drop(carrierId: string): void {
    for (const [mqttId, known] of sessionsByMqttId)
      if (known.carrierId === carrierId) sessionsByMqttId.delete(mqttId);
  }

  return {
    /** null: who has that name is no relay. */
    sessionOf,
    sessionOfCarrier(carrierId: string): Session | null {
      const carrier = views.byId(carrierId);
      return carrier === null ? null : sessionOf(carrier.mqttId);
    },
    all: (): Iterable<Session> => sessionsByMqttId.values(),
    drop,
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
    hasNoTimer: false,
    unsupported: null,
    corrections: { reset: 0, words: 0, retry: 0 },
    channels: new Map(),
  };
}

function newChannel(): Channel {
  return {
    facts: {},
    changedAt: null,
    wanted: null,
    limits: NO_LIMITS,
    overriding: null,
    sent: null,
    isDue: true,
    changeCause: null,
    deviation: null,
    selfSwitches: [],
    timer: 'unknown',
    stateUnknownSince: null,
    publishedTrouble: null,
    deferredTo: null,
    meterDueAt: null,
    refused: null,
    errors: [],
    corrections: { powerOn: 0, timers: 0 },
    meter: { highestW: null, wasOn: false, isZeroBefore: false, readings: 0 },
  };
}

/** A relay's own timer and ours do not run alike: what it does so shortly before the end is the end. */
const END_EARLY_MS = 3_000;

/** The state it is to have now: after the end of its level what follows it, until a new level says so too. */
export function targetNow(
  { wanted, facts }: Pick<Channel, 'wanted' | 'facts'>,
  now: number,
): SwitchState | null {
  if (wanted === null) return null;
  const { target, endsAt, after } = wanted;
  if (endsAt === null || after === null) return target;
  const isOver = now >= endsAt || (facts.current === after && now >= endsAt - END_EARLY_MS);
  return isOver ? after : target;
}

/** Without the power of the aerators nothing larger than this hangs on a relay, W. */
const LARGEST_W = 25_000;
/** What a motor that never ran in this run can have drawn: the relay itself. */
const IDLE_W = 50;
/** A relay may bring its counter up to date every minute only, and tell the old figure until then. */
const COUNTER_LAG_MS = 5 * 60_000;

type Counted = { countedWh: number; since: string | null };

/**
 * What a relay counted, added up without its faults: relays save their counter only now and then, so that after a power
 * cut it may stand lower or higher than before, and it may be put back by anybody. A counter that went back, or that
 * says it began anew, begins a new epoch; a jump that no motor could have made since the last reading is not counted.
 * `ratedW`: power of the motors it switches, 0 when nobody entered it; `seen`: what the relay measured in this run.
 */
export function countEnergy(
  before: RelayMeter | null,
  { countedWh, since }: Counted,
  at: { id: string; nowMs: number; ratedW: number; seen?: MeterMemory },
): RelayMeter {
  const raw = { id: at.id, raw_wh: countedWh, raw_at_ms: at.nowMs, raw_since: since };
  if (before === null) return { ...raw, counted_wh: 0, epoch: 1, refused: 0 };
  const delta = countedWh - before.raw_wh;
  const isAnew = delta < 0 || (since !== null && before.raw_since !== null && since !== before.raw_since);
  if (isAnew) return { ...before, ...raw, epoch: before.epoch + 1 };
  if (delta === 0) return before;
  const hours = (Math.max(0, at.nowMs - before.raw_at_ms) + COUNTER_LAG_MS) / 3_600_000;
  const most = hours * mostPowerW(at.ratedW, at.seen ?? null);
  if (delta > most) return { ...before, ...raw, refused: before.refused + 1 };
  return { ...before, ...raw, counted_wh: before.counted_wh + delta };
}

/**
 * The most that can have been drawn since the last reading, W, by what the motors are rated (0: nobody entered it), and
 * by what the relay measured since the last reading of this run. An inrush is twice that.
 */
function mostPowerW(ratedW: number, seen: MeterMemory | null): number {
  const rated = ratedW > 0 ? ratedW * 2 : LARGEST_W;
  // what ran while nobody was there nobody measured
  if (seen === null || seen.readings < 2 || seen.highestW === null) return rated;
  const { highestW, wasOn } = seen;
  if (highestW > 0) return Math.min(rated, Math.max(IDLE_W, highestW * 2));
  return wasOn ? rated : IDLE_W;
}

/**
 * A relay that has just started may show 0 once before it has read its own counter: a single 0 where it counted before,
 * or as its very first word, is no reading.
 */
export function isFirstZero(before: RelayMeter | null, countedWh: number, memory: MeterMemory): boolean {
  const isZero = countedWh === 0 && before?.raw_wh !== 0;
  const isFirst = isZero && !memory.isZeroBefore;
  memory.isZeroBefore = isZero;
  return isFirst;
}
