// When a version that is tried has proven itself. Pure; asked every second.

export type Vital = {
  /** /readyz would answer 200: the database is open and answers. */
  isReady: boolean;
  /** Looks at the schedules since the start; null: this role has none. */
  controlTicks: number;
  /** Messages go through the broker, and that was tried. */
  brokerOk: boolean;
  /** Controllers that were online before the switch, and how many of them came to this version. */
  controllers: { awaited: number; reached: number };
  /** Secured ports that were open before and are not now. */
  closedPorts: readonly string[];
  /** The sync runs, or it is known why not; null: with nobody. */
  isSyncKnown: boolean | null;
};

type Gate = { steadySince: number | null; lastTicks: number };
export const OPEN_GATE: Gate = { steadySince: null, lastTicks: 0 };

/** So long everything must have been well without a break: two looks at the broker, several at the schedules. */
const STEADY_MS = 8_000;
/** A tick a second; the loop may be a little late. */
const TICK_PATIENCE_MS = 3_000;

/**
 * Next state of the gate, and what is still missing; null: healthy. `isWell`: what is missing has to come from outside.
 */
export function judge(
  gate: Gate & { tickedAt?: number },
  vital: Vital,
  now: number,
  steadyMs = STEADY_MS,
): { gate: Gate & { tickedAt: number }; missing: string | null; isWell: boolean } {
  const hasTicked = vital.controlTicks > gate.lastTicks;
  const tickedAt = hasTicked ? now : (gate.tickedAt ?? Number.NEGATIVE_INFINITY);
  const missing = !vital.isReady
    ? 'it is not ready to serve'
    : now - tickedAt > TICK_PATIENCE_MS
      ? 'it does not look at the schedules'
      : vital.brokerOk
        ? null
        : 'messages do not get through its broker';
  if (missing !== null)
    return { gate: { steadySince: null, lastTicks: vital.controlTicks, tickedAt }, missing, isWell: false };
  const steadySince = gate.steadySince ?? now;
  const next = { steadySince, lastTicks: vital.controlTicks, tickedAt };
  const isWell = now - steadySince >= steadyMs;
  return { gate: next, missing: isWell ? comingOf(vital) : 'it has not been well for long enough', isWell };
}

/**
 * What comes when it comes, from outside: controllers return one after the other, each in its own time, so it need not
 * have been so for long. Half of them are enough, for one may be broken, or its motor's fuse out, since the same minute.
 */
function comingOf({ controllers: { awaited, reached }, closedPorts, isSyncKnown }: Vital): string | null {
  if (closedPorts.length > 0) return `its port ${closedPorts.join(', ')} is not open`;
  if (2 * reached < awaited) return `${reached} of ${awaited} controllers came back to it`;
  return isSyncKnown === false ? 'it does not say how its sync stands' : null;
}

// How long a version that is tried has, second by second. Pure.

/** What it said of itself while it is tried; older versions say less. */
export type Word = {
  isHealthy?: boolean;
  missing?: string | null;
  /** Serves, controls, and has a broker: only what has to come from outside is still missing. */
  isWell?: boolean;
  /** It brings the schema of the database forward, and says nothing else meanwhile. */
  isMigrating?: boolean;
};

/** Times are of one monotonic clock, in ms. */
type Trial = {
  /** Since when it has its time. */
  from: number;
  allowMs: number;
  schema: 'as it was' | 'being brought forward' | 'brought forward';
  wellAt: number;
};

/** However long the schema took on a copy: control waits for it. */
const MIGRATION_MS = 80_000;
/**
 * One that controls waits for controllers: after a lost session theirs are pauses of 5, 10, 30 and 60 s, and after a
 * power cut the access point of the Wi-Fi starts with them. Nothing stands still meanwhile.
 */
const OUTSIDE_MS = 120_000;
/** A look at the broker may fail once. */
const WELL_FOR_MS = 10_000;

export const beginsTrial = (now: number, allowMs: number): Trial => ({
  from: now,
  allowMs,
  schema: 'as it was',
  wellAt: Number.NEGATIVE_INFINITY,
});

/** Whoever brought the schema forward has all its time from then on; once. */
export function heardIn(trial: Trial, { isWell, isMigrating }: Word, now: number): Trial {
  if (isMigrating === true && trial.schema === 'as it was')
    return { ...trial, from: now, schema: 'being brought forward' };
  if (isMigrating === false && trial.schema === 'being brought forward')
    return { ...trial, from: now, schema: 'brought forward' };
  return isWell === true ? { ...trial, wellAt: now } : trial;
}

export function isOver({ from, allowMs, schema, wellAt }: Trial, now: number): boolean {
  const own = schema === 'being brought forward' ? allowMs + MIGRATION_MS : allowMs;
  if (now < from + own) return false;
  return now - wellAt > WELL_FOR_MS || now >= from + own + OUTSIDE_MS;
}
