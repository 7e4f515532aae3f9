import type { Point, Sight, Violation } from '../history.ts';

// What the controllers lived through, from what each of them was told and did.

/** A move is noted a moment after it was decided. */
const NOTED_LATE_MS = 500;
/**
 * The observer counts a level's end from when it heard the level, and the controller, in whole seconds, from when it
 * did: under a fast clock a busy machine parts the two by more than the second of the rounding. So near its end a
 * controller may do what the level says, or what follows it.
 */
const ENDS_APART_MS = 3_000;

/** No motor starts before its rest is over, or stops before its least run, unless its power was cut under it. */
export function motorsRest(sights: readonly Sight[], points: readonly Point[]): Violation[] {
  const timesByDevice = new Map(points.map((point) => [point.device_id, point]));
  return perDevice(sights).flatMap(([device, own]) => {
    const point = timesByDevice.get(device);
    if (point === undefined) return [];
    const violations: Violation[] = [];
    let last: Extract<Sight, { kind: 'relay' }> | null = null;
    for (const sight of own) {
      if (sight.kind !== 'relay') continue;
      const leastMs = (sight.to === 'ON' ? point.min_off_s : point.min_on_s) * 1000;
      if (
        last !== null &&
        last.to !== sight.to &&
        !sight.isForced &&
        sight.ms - last.ms < leastMs - NOTED_LATE_MS
      ) {
        violations.push({
          rule: 'minimum times',
          what: `a motor turned ${sight.to} after ${Math.round((sight.ms - last.ms) / 1000)} s`,
          context: { device, last, sight, leastS: leastMs / 1000 },
        });
      }
      last = sight;
    }
    return violations;
  });
}

/**
 * No order acts twice, late or against a newer one: versions only grow, one version means one target, a relay moves
 * only towards the newest level, or to what follows it at its end, and once per level, as long as the line holds. After the disk was spoilt a restart
 * may have forgotten what it did not take, and give its numbers again.
 */
export function ordersActOnce(sights: readonly Sight[]): Violation[] {
  return perDevice(sights).flatMap(([device, own]) => checkDevice(device, own));
}

function checkDevice(device: string, own: readonly Sight[]): Violation[] {
  let isLenient = false;
  const violations: Violation[] = [];
  const say = (rule: string, what: string, context: object) =>
    violations.push({ rule, what, context: { device, ...context } });
  const targets = new Map<string, string>();
  let level: LevelKnown | null = null;
  let isHeld = false;
  let moved = false;
  let wasAlone = false;
  for (const sight of own) {
    if (sight.kind === 'spoilt') {
      isLenient = true;
      continue;
    }
    if (sight.kind === 'break' || (sight.kind === 'relay' && sight.isForced)) {
      // alone, a controller follows its own rules, and comes back to the level afterwards
      isHeld = false;
      moved = false;
      wasAlone = true;
      continue;
    }
    if (sight.kind === 'relay') {
      if (!isHeld || level === null) continue;
      const standing: LevelKnown = levelAt(level, sight);
      if (standing !== level) moved = false;
      level = standing;
      if (sight.to !== level.target)
        say('an order is not late', 'a relay moved against the newest level', { level, sight });
      else if (moved) say('an order acts once', 'a relay moved twice for one level', { level, sight });
      moved = true;
      continue;
    }
    const name = `${sight.epoch} ${sight.version}`;
    const known = targets.get(name);
    if (known !== undefined && known !== sight.target && !isLenient) {
      say('one version, one target', 'a version came with another target', { sight, before: known });
    }
    targets.set(name, sight.target);
    if (level !== null && sight.epoch !== level.epoch) {
      say('one epoch', 'the epoch changed without a restore', { before: level, sight });
    }
    if (level !== null && sight.epoch === level.epoch && sight.version < level.version) {
      if (!isLenient) say('versions never go back', 'an older version was sent', { before: level, sight });
      continue;
    }
    if (level?.version !== sight.version || level.target !== sight.target) moved = false;
    level = endsOf(level, { told: sight, wasAlone });
    isHeld = true;
    wasAlone = false;
  }
  return violations;
}

type LevelSight = Extract<Sight, { kind: 'level' }>;
type LevelKnown = Omit<LevelSight, 'ends'> & {
  /** It ends between these. */
  ends?: { fromMs: number; toMs: number; next: LevelSight['target'] };
};

/**
 * What a controller took for the end of a level stands, however much later a gateway with another clock tells it anew. One
 * that was without power meanwhile does not know how long, and may believe the gateway.
 */
function endsOf(
  before: LevelKnown | null,
  { told: { ends, ...told }, wasAlone }: { told: LevelSight; wasAlone: boolean },
): LevelKnown {
  if (ends === undefined) return told;
  const { atMs, next } = ends;
  const isAgain = before?.epoch === told.epoch && before.version === told.version;
  const known = isAgain ? before?.ends : undefined;
  const fromMs = Math.min(atMs, known?.fromMs ?? atMs);
  const toMs = wasAlone ? atMs : Math.min(atMs, known?.toMs ?? atMs);
  return { ...told, ends: { fromMs, toMs, next } };
}

/** A controller ends a level by itself, to the second in which it is over, and takes what follows for the level. */
function levelAt(level: LevelKnown, { ms, to }: Extract<Sight, { kind: 'relay' }>): LevelKnown {
  const { ends } = level;
  if (ends === undefined || level.target === ends.next) return level;
  const mayBeOver = ms >= ends.fromMs - ENDS_APART_MS && to === ends.next;
  return mayBeOver || ms > ends.toMs + ENDS_APART_MS ? { ...level, target: ends.next } : level;
}

function perDevice(sights: readonly Sight[]): [string, Sight[]][] {
  const byDevice = new Map<string, Sight[]>();
  for (const sight of sights) {
    const own = byDevice.get(sight.device) ?? [];
    own.push(sight);
    byDevice.set(sight.device, own);
  }
  return [...byDevice];
}
