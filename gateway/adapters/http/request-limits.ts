import type { Response } from 'express';
import type { PlanTerms } from '#contract/plans.ts';
import { AppError } from '#core/errors.ts';
import type { Caller, Route } from '#core/route.ts';
import type { OpenRequests } from './open-requests.ts';
import type { RequestCounts } from './request-counts.ts';

export type RequestLimitDeps = {
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

/** A page that asks for more at once than the plan allows waits for a moment before it is refused. */
const TRIES = 5;
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
