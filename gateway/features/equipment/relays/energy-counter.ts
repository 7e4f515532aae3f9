import type { RelayMeter } from './ports.ts';
import type { MeterMemory } from './relay-session.ts';

/** Without the power of the aerators nothing larger than this hangs on a relay, W. */
const LARGEST_W = 25_000;
/** What a motor that never ran in this run can have drawn: the relay itself. */
const IDLE_W = 50;
/** A relay may bring its counter up to date every minute only, and tell the old figure until then. */
const COUNTER_LAG_MS = 5 * 60_000;

export type Counted = { countedWh: number; since: string | null };

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
