import { pushAction } from '#contract/resources/local-tables.ts';
import {
  type PushActionAnswer,
  pushActionAnswer,
  pushActionInput,
} from '#contract/resources/notification-channels.ts';
import { type Change, purgeSeen, put } from '#core/changes.ts';
import { AppError, forbidden, notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { requireRight } from '#core/request-checks.ts';
import { type Answer, type FarmFound, type Route, type RouteDecision, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '../../people/attempts.ts';
import type { ActionTokens, Channel, PushActionQueries, PushActionRow } from './ports.ts';

/** An alarm that nobody answered for so long is looked at before anything is done about it. */
export const ACTION_LASTS_MS = 3_600_000;

export type UseActionDeps = Pick<Kernel, 'elapsedSince'> & {
  tokens: Pick<ActionTokens, 'hashOf'>;
  queries: PushActionQueries & { channelOf: (userId: string, id: string) => Promise<Channel | null> };
  /** Whether the account and the password a browser signed in with still stand, and nobody signed it out. */
  standsStill: (userId: string, login: { id: string; passwordVersion: number }) => Promise<boolean>;
  accessTo: (of: 'alert' | 'control_point', id: string, userId: string) => Promise<FarmFound | null>;
  /** Throws where another gateway runs the farm now. */
  requireHere: (farmId: string) => void;
  acknowledge: (alertId: string, userId: string) => Promise<Decision<unknown>>;
  /** The order of a person, as the button on the screen gives it. */
  turnOn: (controlPointId: string, by: { userId: string; requestId: string }) => Promise<RouteDecision>;
  /** Tokens that are none, per source. */
  wrongTokens: AttemptLimit;
};

/**
 * What a person presses on a notification, with no page open and so without a login: the token in it is all the proof
 * there is. It opens one thing, once, and no longer than the person could do the same on the screen.
 */
export function pushActionRoute(deps: UseActionDeps): Route {
  return route({
    method: 'POST',
    path: '/push-actions',
    tag: 'Notification channels',
    summary: 'Acknowledge an alarm, or turn on what airs its pond, from its notification',
    access: { who: 'anyone' },
    refusals: [401, 403, 404, 409, 410, 429],
    body: pushActionInput,
    answers: { 200: { schema: pushActionAnswer } },
    async handle({ body, source, requestId }) {
      const waitMs = await deps.wrongTokens.take(source);
      if (waitMs !== null) throw tooManyAttempts('Too many wrong tokens', waitMs);
      const found = await deps.queries.actionOf(deps.tokens.hashOf(body.token));
      if (found === null) throw noSuchAction();
      await deps.wrongTokens.giveBack(source);
      await requireRightTo(deps, found, body.endpoint);
      return carriedOut(deps, found, requestId);
    },
  });
}

async function requireRightTo(deps: UseActionDeps, found: PushActionRow, endpoint: string): Promise<void> {
  const { user_id, channel_id, alert_id, password_version: passwordVersion } = found;
  // a browser that is somebody else's by now has another subscription
  if (found.endpoint !== endpoint) throw noSuchAction();
  if (found.state === 'USED')
    throw new AppError(409, 'This was done from the notification before', { code: 'ACTION_USED' });
  if (deps.elapsedSince(Date.parse(found.created_at)) >= ACTION_LASTS_MS)
    throw new AppError(410, 'This notification is too old to act from; open the alarm', {
      code: 'ACTION_EXPIRED',
    });
  const channel = await deps.queries.channelOf(user_id, channel_id);
  const login = channel?.keys?.['login'];
  const isSignedIn =
    channel?.address === endpoint &&
    login !== undefined &&
    (await deps.standsStill(user_id, { id: login, passwordVersion }));
  if (!isSignedIn)
    throw new AppError(401, 'This browser is not signed in any more; open the console and sign in', {
      code: 'ACTION_SIGNED_OUT',
    });
  await requireRole(deps, 'alert', alert_id, user_id);
}

async function requireRole(
  deps: UseActionDeps,
  of: 'alert' | 'control_point',
  id: string,
  userId: string,
): Promise<void> {
  const farm = await deps.accessTo(of, id, userId);
  if (farm === null) throw notFound(of === 'alert' ? 'Alert' : 'Control point');
  if (farm.role === null) throw forbidden('You are not on this farm any more');
  requireRight(farm.role, 'attend');
  deps.requireHere(farm.farmId);
}

async function carriedOut(
  deps: UseActionDeps,
  found: PushActionRow,
  requestId: string,
): Promise<RouteDecision> {
  const { user_id: userId, alert_id, control_point_id: pointId } = found;
  if (found.action === 'ACKNOWLEDGE') {
    const done = await deps.acknowledge(alert_id, userId);
    return { ...done, answer: told(found, null), changes: [...(done.changes ?? []), ...spent(found)] };
  }
  if (pointId === null) throw noSuchAction();
  await requireRole(deps, 'control_point', pointId, userId);
  const ordered = await deps.turnOn(pointId, { userId, requestId });
  const { whenStorageFails } = ordered;
  return {
    ...ordered,
    answer: told(found, ordered.answer),
    changes: [...(ordered.changes ?? []), ...spent(found)],
    ...(whenStorageFails === undefined
      ? {}
      : { whenStorageFails: (error: Error) => told(found, whenStorageFails(error)) }),
  };
}

/** Stale when it was used meanwhile: of two presses at the same moment one is told so. */
const spent = (found: PushActionRow): Change[] => [
  purgeSeen(pushAction, found, 'state'),
  put(pushAction, { ...found, state: 'USED' }),
];

/** `ordered`: what the button on the screen would be answered. */
function told({ action, alert_id, control_point_id }: PushActionRow, ordered: Answer | null): Answer {
  const { order_id = null, pending = null } = (ordered?.body ?? {}) as {
    order_id?: string | null;
    pending?: unknown;
  };
  const body: PushActionAnswer = {
    action,
    alert_id,
    control_point_id,
    order_id,
    is_on_its_way: pending !== null,
  };
  return { status: 200, body };
}

const noSuchAction = (): AppError =>
  new AppError(404, 'This notification opens nothing; open the alarm', { code: 'ACTION_UNKNOWN' });
