import type { Change, Commit } from './changes.ts';
import { AppError } from './errors.ts';
import type { Caller, Route } from './route.ts';

// How much one account may have stored in a day, whatever it asks for: the disk is everybody's, and a full card takes no
// records of anybody. Counted where accounts write (`counted`), refused where they ask (`admit`).

const MB = 1_000_000;
const DAY_MS = 24 * 3_600_000;
/** A hundred ponds that record everything write some 5 MB a day; a season of them as spreadsheets is some 200 MB. */
export const WITH_FARM_BYTES = 512 * MB;
/** An address, a few channels and tokens, with their earlier values. */
export const WITHOUT_FARM_BYTES = 4 * MB;

/**
 * Where it is about water, alarms and ways in: twice a day's most, some 300,000 orders. Nobody gives as many; a program that
 * does so by mistake fills the card in days.
 */
const ALWAYS_OPEN_BYTES = 2 * WITH_FARM_BYTES;

/** A row stands in its table and once more in the change log, and both have keys and indexes. */
export const ROW_BYTES = 600;
export const COPIES = 2;

/** What moves water, warns, or comes from the other instance is refused by no day that a person has; neither is a way in. */
const ALWAYS_OPEN_TAGS: ReadonlySet<string> = new Set([
  'Aerators',
  'Alerts',
  'Auth',
  'Control points',
  'Devices',
  'Events',
  'Relays',
  'Schedules',
  'Siren',
  'Sync',
  'System',
]);

/** Whoever deletes makes room in the end, and may always go. */
const isBounded = ({ access, method, path }: Route): boolean =>
  access.who !== 'anyone' &&
  access.who !== 'device' &&
  access.who !== 'admin' &&
  method !== 'GET' &&
  method !== 'DELETE' &&
  // who comes to a farm has its share from then on
  path !== '/invitations/accept';

export type WriteBudget = {
  /** Throws 429 when the account has written its share of the day. */
  admit: (route: Route, caller: Caller) => Promise<void>;
  /** The same commit, which notes what accounts write. */
  counted: (commit: Commit) => Commit;
};

type Day = { bytes: number; since: number };

export function writeBudget(deps: {
  monotonic: () => number;
  /** Whether the user owns a farm or is a member of one. */
  hasFarm: (userId: string) => Promise<boolean>;
}): WriteBudget {
  const days = new Map<string, Day>();
  const isOver = ({ since }: Day, now: number) => now - since >= DAY_MS;
  /** Days begin with their first byte, so the first of the map is the oldest. */
  function forgetOld(now: number): void {
    for (const [userId, day] of days) {
      if (!isOver(day, now)) return;
      days.delete(userId);
    }
  }
  return {
    async admit(route, { userId, role }) {
      if (role === 'ADMIN' || !isBounded(route)) return;
      const now = deps.monotonic();
      const day = days.get(userId);
      if (day === undefined || day.bytes < WITHOUT_FARM_BYTES || isOver(day, now)) return;
      if (ALWAYS_OPEN_TAGS.has(route.tag)) {
        if (day.bytes < ALWAYS_OPEN_BYTES) return;
        throw tooMuch(ALWAYS_OPEN_BYTES, day.since + DAY_MS - now);
      }
      const hasFarm = await deps.hasFarm(userId);
      if (hasFarm && day.bytes < WITH_FARM_BYTES) return;
      throw tooMuch(hasFarm ? WITH_FARM_BYTES : WITHOUT_FARM_BYTES, day.since + DAY_MS - now);
    },
    counted: (commit) => async (unit) => {
      const committed = await commit(unit);
      const { actor, changes } = unit;
      if (actor === null || changes.length === 0) return committed;
      const now = deps.monotonic();
      forgetOld(now);
      const day = days.get(actor) ?? { bytes: 0, since: now };
      day.bytes += changes.reduce((sum, change) => sum + bytesOf(change), 0);
      days.set(actor, day);
      return committed;
    },
  };
}

function bytesOf(change: Change): number {
  const said = 'row' in change ? change.row : 'set' in change ? change.set : null;
  return said === null ? ROW_BYTES : ROW_BYTES + COPIES * Buffer.byteLength(JSON.stringify(said));
}

function tooMuch(bytes: number, waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const who = bytes === WITHOUT_FARM_BYTES ? 'an account without a farm' : 'an account';
  const goesOn = bytes === ALWAYS_OPEN_BYTES ? 'schedules, alerts' : 'control, alerts';
  return new AppError(
    429,
    `You have stored ${bytes / MB} MB within a day, the most that ${who} may; ${goesOn} and devices go on. Try again in ${Math.ceil(seconds / 3600)} h`,
    { code: 'WRITE_LIMIT_EXCEEDED', headers: { 'Retry-After': String(seconds) } },
  );
}
