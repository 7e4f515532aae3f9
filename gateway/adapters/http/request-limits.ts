import type { Response } from 'express';
import type { PlanTerms } from '#contract/plans.ts';
import { AppError } from '#core/errors.ts';
import type { Caller, Route } from '#core/route.ts';
import type { CountStatement, RequestCounts } from './attempt-limit.ts';

/** Requests of a user that are being answered at this moment. */
type OpenRequests = {
  /** Takes one of `most` places; answers how to give it back, or null when all are taken. */
  enter: (userId: string, most: number) => Promise<(() => void) | null>;
};

/** Places of this process alone. */
export function ownOpenRequests(): OpenRequests {
  const openByUser = new Map<string, number>();
  return {
    async enter(userId, most) {
      const open = openByUser.get(userId) ?? 0;
      if (open >= most) return null;
      openByUser.set(userId, open + 1);
      return once(() => {
        const left = (openByUser.get(userId) ?? 1) - 1;
        if (left <= 0) openByUser.delete(userId);
        else openByUser.set(userId, left);
      });
    },
  };
}

/** So long a place holds unless it is renewed: those of a process that died are free by then. */
const HELD_MS = 60_000;

/** By the clock of the database, which all processes share. */
const NOW = `(extract(epoch from clock_timestamp()) * 1000)::bigint`;
// $4: places that this process has given back, of which the table has not heard yet
const LIVE = `select p.key, p.value from jsonb_each_text(o.places) as p
  where p.value::bigint > ${NOW} and not p.key = any($4::text[])`;

// All places of a user stand in one row, whose lock makes two who come at once see each other.
const ENTER = `insert into open_requests as o (user_id, places)
  values ($1, jsonb_build_object($2::text, ${NOW} + ${HELD_MS}))
  on conflict (user_id) do update set
    places = coalesce((select jsonb_object_agg(live.key, live.value::bigint) from (${LIVE}) as live), '{}') || excluded.places
  where (select count(*) from (${LIVE}) as live) < $3
  returning user_id`;
const LEAVE = `update open_requests set places = places - $2::text where user_id = $1`;
// what was given back on another connection meanwhile stays given back;
// rows are locked in one order: two processes that renew at once never wait for each other
const RENEW = `with held as (select key as user_id, value as holders from jsonb_each($1::jsonb)),
  locked as (select user_id from open_requests where user_id in (select user_id from held) order by user_id for update)
  update open_requests as o set places = o.places || coalesce((
    select jsonb_object_agg(holder, ${NOW} + ${HELD_MS}) from jsonb_array_elements_text(held.holders) as holder
    where jsonb_exists(o.places, holder)), '{}')
  from held, locked where o.user_id = held.user_id and o.user_id = locked.user_id`;

/**
 * The same for all processes together: a place belongs to its request for as long as that is open, however slowly it is
 * read, and is renewed by its process. While the table does not answer each process counts for itself.
 */
export function sharedOpenRequests(deps: {
  run: CountStatement;
  /** Different in every process. */
  process: string;
}): OpenRequests & {
  /** Three times within what a place holds. */
  renew: () => Promise<void>;
} {
  const { run, process } = deps;
  const alone = ownOpenRequests();
  const held = new Map<string, Set<string>>();
  const leaving = new Map<string, Set<string>>();
  const state = { count: 0 };

  function leave(userId: string, holder: string): void {
    forget(held, userId, holder);
    // who asks again before the table has heard of it is not kept waiting by an answer that ended
    note(leaving, userId, holder);
    // what is not given back because the store is gone ends by itself
    run(LEAVE, [userId, holder])
      .catch(() => undefined)
      .finally(() => forget(leaving, userId, holder));
  }

  return {
    async enter(userId, most) {
      state.count += 1;
      const holder = `${process}-${state.count}`;
      const entered = await run(ENTER, [userId, holder, most, [...(leaving.get(userId) ?? [])]]).catch(
        () => null,
      );
      if (entered === null) return alone.enter(userId, most);
      if (entered.rows.length === 0) return null;
      note(held, userId, holder);
      return once(() => leave(userId, holder));
    },
    async renew() {
      if (held.size === 0) return;
      const holdersByUser = Object.fromEntries([...held].map(([user, holders]) => [user, [...holders]]));
      await run(RENEW, [JSON.stringify(holdersByUser)]);
    },
  };
}

type Holders = Map<string, Set<string>>;

const note = (holders: Holders, userId: string, holder: string) =>
  void holders.set(userId, (holders.get(userId) ?? new Set()).add(holder));

function forget(holders: Holders, userId: string, holder: string): void {
  const ofUser = holders.get(userId);
  ofUser?.delete(holder);
  if (ofUser?.size === 0) holders.delete(userId);
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

type RequestLimitDeps = {
  /** What the plan of the caller allows; null: unlimited. */
  rateOf: (caller: Caller) => Promise<PlanTerms['rate']>;
  counts: RequestCounts;
  open: OpenRequests;
  pause: (ms: number) => Promise<void>;
};

/** Lets a request in, or throws 429; what it says in headers stands on every answer. */
export type Admit = (route: Route, caller: Caller, response: Response) => Promise<void>;

/**
 * What never counts: whatever moves water, warns, or is needed to go on doing so (a session that must be renewed), and
 * the way to a larger plan.
 */
export const UNCOUNTED_TAGS: ReadonlySet<string> = new Set([
  'Adoption',
  'Aerators',
  'Alerts',
  'Auth',
  'Bench',
  'Control points',
  'Devices',
  'Events',
  'Firmware',
  'Gateways',
  'Notification channels',
  'Notifications',
  'Payments',
  'Probes',
  'Relays',
  'Schedules',
  'Simulator',
  'Siren',
  'Subscriptions',
  'Sync',
  'System',
]);

/** What warns beside the alerts themselves. */
const WARNS = /alerts|oxygen-forecast/;

export function isCounted({ access, tag, method, path }: Route): boolean {
  if (access.who === 'device' || UNCOUNTED_TAGS.has(tag) || WARNS.test(path)) return false;
  // a measurement raises alerts and tells the oxygen loop
  return !(tag === 'Water quality' && method === 'POST');
}

/**
 * A page that asks for more at once than the plan allows waits for a moment before it is refused; so does who asks one
 * process after the other, while a busy database has not heard yet of the answers that ended.
 */
const TRIES = 20;
const WAIT_MS = 100;

export function requestLimits(deps: RequestLimitDeps): Admit {
  return async (route, caller, response) => {
    if (!isCounted(route)) return;
    const rate = await deps.rateOf(caller);
    if (rate === null) return;
    const { used, resetMs } = await deps.counts.count(caller.userId);
    const most = rate.requestsPerHour;
    const resetS = Math.ceil(resetMs / 1000);
    response.setHeader('RateLimit-Policy', `"hour";q=${most};w=3600`);
    response.setHeader('RateLimit', `"hour";r=${Math.max(0, most - used)};t=${resetS}`);
    if (used > most) {
      throw tooMany(
        `The plan allows ${most} requests an hour; control, alerts and devices are not counted. Try again later, or choose a larger plan`,
        Math.max(1, resetS),
      );
    }
    await takePlace(deps, caller, rate.connections, response);
  };
}

async function takePlace(
  { open, pause }: RequestLimitDeps,
  { userId }: Caller,
  most: number,
  response: Response,
): Promise<void> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const leave = await open.enter(userId, most);
    if (leave !== null) {
      // the caller may have gone while it waited
      if (response.closed) leave();
      else response.once('close', leave);
      return;
    }
    if (attempt < TRIES) await pause(WAIT_MS);
  }
  throw tooMany(`The plan allows ${most} requests at the same time; wait for the others to end`, 1);
}

function tooMany(detail: string, retryAfterS: number): AppError {
  return new AppError(429, detail, {
    code: 'RATE_LIMIT_EXCEEDED',
    headers: { 'Retry-After': String(retryAfterS) },
  });
}
