import type { SwitchState } from '#contract/words.ts';
import type { Kernel } from '#core/kernel.ts';
import { loopText } from '#science/advice/forecast-text.ts';
import {
  heldAfter,
  isStreaming,
  type LoopWish,
  type PondLoop,
  pondLoop,
  releaseLevelOf,
  wishOfPonds,
} from '#science/closed-loop.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { OxygenPoint, PondOfPoint } from './aired-ponds.ts';
import { ageOf, type HeldReading, type LoopClock, newestOf, type PondReadings } from './pond-readings.ts';

/** What the water asks for, in the words of the schedules' rules. */
export type OxygenDemand = {
  kind: LoopWish['kind'];
  target: SwitchState;
  /** ms since 1970. */
  since: number;
  /** English, with pond, value and level. */
  reason: string;
  /** For the audit entry of the order. */
  details: Record<string, unknown>;
};

export const NO_DEMAND: readonly OxygenDemand[] = [];

/** What was asked last, and what that rests on: while it stays, so does the list. */
export type Asked = {
  wish: LoopWish;
  deciding: Seen | null;
  since: number;
  demands: readonly OxygenDemand[];
};

type Facts = {
  aeration: ScienceConstants['aeration'];
  clock: LoopClock;
  isNight: boolean;
  readingsOf: (pondId: string) => PondReadings;
};

type Seen = { pond: PondOfPoint; loop: PondLoop; newest: HeldReading | null };

/** Runs the loop for every pond of a control point; a change of what it asks for is logged once. */
export function pondsAsk(
  deps: Pick<Kernel, 'log'>,
  point: OxygenPoint,
  facts: Facts,
  before: Asked | null,
): Asked {
  const seen = point.ponds.map((pond) => look(pond, facts));
  const wish = wishOfPonds(seen.map(({ loop }) => loop.wish));
  const deciding = decidingPond(seen, wish);
  const isSame = before !== null && before.wish.target === wish.target && before.wish.kind === wish.kind;
  if (isSame && restsOnSame(before.deciding, deciding)) return before;
  const since = isSame ? before.since : facts.clock.now;
  const demands =
    wish.target === null || deciding === null
      ? NO_DEMAND
      : [demandOf({ ...wish, target: wish.target }, since, deciding, facts)];
  if (!isSame) tell(deps, point, wish, { deciding, facts, isFirst: before === null });
  return { wish, deciding, since, demands };
}

function restsOnSame(before: Seen | null, now: Seen | null): boolean {
  if (before === null || now === null) return before === now;
  return (
    before.pond.pondId === now.pond.pondId &&
    before.loop.reason === now.loop.reason &&
    before.newest === now.newest
  );
}

function look(pond: PondOfPoint, { aeration, clock, isNight, readingsOf }: Facts): Seen {
  const readings = readingsOf(pond.pondId);
  const newest = newestOf(readings);
  const loop = pondLoop(aeration, {
    nowMs: clock.monotonic,
    isNight,
    levels: pond.levels,
    reading: newest === null ? null : { oxygenMgL: newest.oxygenMgL, ageMs: ageOf(newest, clock) },
    isStreaming:
      pond.isFollowed &&
      isStreaming(
        aeration,
        readings.slice(0, aeration.stream.readings).map((reading) => ageOf(reading, clock)),
      ),
    held: pond.held,
  });
  pond.held = heldAfter(pond.held, loop.wish, clock.monotonic);
  pond.last = loop;
  return { pond, loop, newest };
}

/** Of the ponds that ask for it the one with least oxygen; of those that ask for nothing likewise. */
function decidingPond(seen: readonly Seen[], wish: LoopWish): Seen | null {
  const asks = wish.kind === 'EMERGENCY_OXYGEN' ? 'EMERGENCY' : wish.target;
  const oxygenOf = ({ newest }: Seen) => newest?.oxygenMgL ?? Number.POSITIVE_INFINITY;
  const [lowest = null] = seen
    .filter(({ loop }) => loop.wish === asks || wish.target === null)
    .sort((a, b) => oxygenOf(a) - oxygenOf(b));
  return lowest;
}

function demandOf(
  { kind, target }: { kind: LoopWish['kind']; target: SwitchState },
  since: number,
  seen: Seen,
  { aeration, clock }: Facts,
): OxygenDemand {
  const facts = textFacts(aeration, clock, seen);
  return {
    kind,
    target,
    since,
    reason: loopText(facts, 'en'),
    details: {
      why: facts.reason,
      pond_id: seen.pond.pondId,
      pond_cod: facts.pond,
      oxygen_mg_l: facts.oxygenMgL,
      level_mg_l: facts.levelMgL,
      reason_pt: loopText(facts, 'pt-BR'),
    },
  };
}

function textFacts(aeration: Facts['aeration'], clock: LoopClock, { pond, loop, newest }: Seen) {
  const ageMs = newest === null ? null : ageOf(newest, clock);
  return {
    pond: pond.pondCod,
    reason: loop.reason,
    oxygenMgL: newest?.oxygenMgL ?? null,
    levelMgL: levelOf(aeration, pond, loop),
    ageMinutes: ageMs === null ? null : Math.floor(ageMs / 60_000),
  };
}

/** The level that the reason speaks of. */
function levelOf(aeration: Facts['aeration'], { levels }: PondOfPoint, { reason }: PondLoop): number | null {
  switch (reason) {
    case 'EMERGENCY_LEVEL':
    case 'EMERGENCY_HELD':
      return levels.emergencyMgL;
    case 'BELOW_ON_LEVEL':
    case 'LAST_KNOWN_LOW':
      return levels.onMgL;
    case 'BETWEEN_LEVELS':
    case 'NOT_SEEN':
    case 'MINIMUM_RUN':
    case 'ABOVE_OFF_LEVEL':
    case 'RECOVERED':
      return releaseLevelOf(aeration, levels);
    case 'SILENT_AT_NIGHT':
    case 'SILENT':
    case 'NO_OXYGEN_LEVELS':
      return null;
  }
}

function tell(
  { log }: Pick<Kernel, 'log'>,
  { id, cod }: OxygenPoint,
  { target, kind }: LoopWish,
  { deciding, facts, isFirst }: { deciding: Seen | null; facts: Facts; isFirst: boolean },
): void {
  // a first look that asks for nothing is no news
  if (deciding === null || (isFirst && target === null)) return;
  const { pond, oxygenMgL, levelMgL, ageMinutes, reason } = textFacts(facts.aeration, facts.clock, deciding);
  const fields = { controlPointId: id, controlPoint: cod, pond, oxygenMgL, levelMgL, ageMinutes, reason };
  if (kind === 'EMERGENCY_OXYGEN') log.warn(fields, 'oxygen emergency: aeration is ON whatever was ordered');
  else if (target === 'ON') log.warn(fields, 'oxygen asks for aeration');
  else if (target === 'OFF') log.info(fields, 'oxygen is high enough: aeration may rest');
  else log.info(fields, 'oxygen asks for nothing: orders and schedules decide');
}
