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
export type Trial = {
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
