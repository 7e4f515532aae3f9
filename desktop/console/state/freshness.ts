import type { ControlPointEvent, PresenceItem } from '#contract/events/stream.ts';
import type { SwitchState } from '#contract/words.ts';
import { isTarget, type RemoteOrder, stepOf } from './remote-order.ts';

// How old a value may be before nobody should act on it. Pure: ages in milliseconds come in.

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

export type Freshness = 'fresh' | 'ageing' | 'stale';

/** What kinds of values there are, by how they come. */
const FRESH_FOR = {
  /** Reports of a controller: every 30 s. */
  report: { fresh: 60 * S, ageing: 90 * S },
  oxygenByNight: { fresh: 2 * H, ageing: 4 * H },
  oxygenByDay: { fresh: 4 * H, ageing: 8 * H },
  /** Temperature, pH, salinity: measured by hand. */
  water: { fresh: 8 * H, ageing: 24 * H },
  /** Ammonia, nitrite, alkalinity: kits, once a week. */
  chemistry: { fresh: 7 * D, ageing: 14 * D },
  /** Weight, biomass, FCA and advice rest on the last biometry. */
  biometry: { fresh: 7 * D, ageing: 10 * D },
} as const;
export type Kind = keyof typeof FRESH_FOR;

export function freshnessOf(kind: Kind, ageMs: number | null): Freshness {
  if (ageMs === null) return 'stale';
  const { fresh, ageing } = FRESH_FOR[kind];
  return ageMs <= fresh ? 'fresh' : ageMs <= ageing ? 'ageing' : 'stale';
}

/** Night is when oxygen falls: 18 to 6 by the farm's clock. */
export const isNight = (hour: number): boolean => hour >= 18 || hour < 6;

export type Link = 'connecting' | 'live' | 'late' | 'lost';

/** The event stream sends something at least every 5 s. It is looked at every second: at twelve it is seen to be lost. */
export function linkOf(silentForMs: number | null, isKnown: boolean): Link {
  if (silentForMs === null) return 'connecting';
  if (silentForMs > 11 * S) return 'lost';
  if (silentForMs > 8 * S) return 'late';
  return isKnown ? 'live' : 'connecting';
}

// How one control point is shown: what is wanted, what it reports, and how much of that may be believed.

export type ControlFacts = {
  target: SwitchState;
  reported: SwitchState | null;
  isOnline: boolean;
  /** Since its last word; null: it never spoke. */
  silentForMs: number | null;
  isLockedOut: boolean;
  /** Since the target was last changed; null: never. */
  commandedForMs: number | null;
  /** No contact between this screen and the gateway. */
  isBlind: boolean;
  /** Hosted instance: an order that the gateway of the farm has not taken yet, and until when it holds. */
  onItsWay?: { leftMs: number } | null;
};

export type ControlState =
  | { is: 'on' | 'off' }
  /** From afar: it waits for the gateway of the farm, and is void when its time is over. */
  | { is: 'on-its-way'; wanted: SwitchState; leftMs: number }
  /** Ordered, not yet reported. `isSlow` after 30 s. */
  | { is: 'turning-on' | 'turning-off'; isSlow: boolean; leftMs: number }
  /** Not confirmed within 60 s; the target stands. */
  | { is: 'failed'; wanted: SwitchState }
  | { is: 'no-signal'; last: SwitchState | null }
  | { is: 'unknown' }
  /** Nothing may start it. What it reports is told all the same, as long as it is heard: it may run in spite of that. */
  | { is: 'locked'; isHeard: boolean; reported: SwitchState | null };

const SLOW_AFTER_MS = 30_000;
const FAILED_AFTER_MS = 60_000;
const NO_SIGNAL_AFTER_MS = 90_000;

/** Whether what it reports, its power and its signal may be taken for how it is now. */
export const isHeard = ({ isOnline, silentForMs }: Pick<ControlFacts, 'isOnline' | 'silentForMs'>): boolean =>
  isOnline && silentForMs !== null && silentForMs <= NO_SIGNAL_AFTER_MS;

export function controlStateOf(facts: ControlFacts): ControlState {
  const { target, reported, silentForMs, commandedForMs } = facts;
  if (facts.isLockedOut) return { is: 'locked', isHeard: isHeard(facts), reported };
  if (facts.onItsWay) return { is: 'on-its-way', wanted: target, leftMs: facts.onItsWay.leftMs };
  if (silentForMs === null) return { is: 'unknown' };
  if (!isHeard(facts)) return { is: 'no-signal', last: reported };
  if (reported === null) return { is: 'unknown' };
  if (reported === target) return { is: reported === 'ON' ? 'on' : 'off' };
  if (commandedForMs !== null && commandedForMs <= FAILED_AFTER_MS) {
    return {
      is: target === 'ON' ? 'turning-on' : 'turning-off',
      isSlow: commandedForMs > SLOW_AFTER_MS,
      leftMs: FAILED_AFTER_MS - commandedForMs,
    };
  }
  return { is: 'failed', wanted: target };
}

/** Nothing may be switched from a screen that does not see. */
export const mayOrder = (facts: ControlFacts, state: ControlState): boolean =>
  !facts.isBlind && state.is !== 'locked';

/**
 * Rows that need a person stand first: mismatch, silence, then the rest. One that was just ordered stays where it is:
 * the next press in the same place would else start another motor.
 */
export function urgencyOf(state: ControlState): number {
  switch (state.is) {
    case 'failed':
      return 0;
    case 'no-signal':
      return 1;
    case 'unknown':
      return 2;
    case 'locked':
      return 3;
    case 'on-its-way':
    case 'turning-on':
    case 'turning-off':
    case 'on':
    case 'off':
      return 4;
  }
}

/** The order in which rows are drawn while a finger may be on its way to one: as they stand, new ones behind. */
export function keptOrder(drawn: readonly string[], wanted: readonly string[]): string[] {
  return [...drawn.filter((id) => wanted.includes(id)), ...wanted.filter((id) => !drawn.includes(id))];
}

/** What the store knows of a control point, as ages at `now`; `remote`: the last order to it from afar. */
export function controlFactsOf(
  point: ControlPointEvent,
  presence: PresenceItem | undefined,
  at: { now: number; isBlind: boolean; remote?: RemoteOrder | undefined },
): ControlFacts {
  const heardAt = presence?.last_heartbeat ?? null;
  const remote = at.remote !== undefined && isTarget(at.remote, point, at.now) ? at.remote : null;
  const commandedAt =
    remote?.stateAt ?? (point.last_command_at === null ? null : Date.parse(point.last_command_at));
  return {
    target: remote?.target ?? point.target_status,
    reported: presence?.current_status ?? point.current_status,
    isOnline: presence?.is_online ?? false,
    silentForMs: heardAt === null ? null : Math.max(0, at.now - Date.parse(heardAt)),
    isLockedOut: point.locked_out,
    commandedForMs: commandedAt === null ? null : Math.max(0, at.now - commandedAt),
    isBlind: at.isBlind,
    onItsWay:
      remote !== null && stepOf(remote, at.now) === 'cloud' ? { leftMs: remote.expiresAt - at.now } : null,
  };
}

// How well a controller is heard over Wi-Fi, from the strength it tells in dBm.

type LinkQuality = 'good' | 'fair' | 'weak' | 'bad';

const BOUNDS = [
  [-60, 'good'],
  [-70, 'fair'],
  [-80, 'weak'],
] as const;

export function linkQualityOf(rssi: number | null | undefined): LinkQuality | null {
  if (rssi === null || rssi === undefined || !Number.isFinite(rssi)) return null;
  return BOUNDS.find(([least]) => rssi >= least)?.[1] ?? 'bad';
}
