import { adminQueries } from '#adapters/sql/queries/people/admin.ts';
import { subscriptionQueries } from '#adapters/sql/queries/people/subscriptions.ts';
import { PLANS, type Plan } from '#contract/words.ts';
import { isoOf } from '#core/kernel.ts';
import { revokeToken as decideRevokedToken } from '#features/people/access-tokens/create-token.ts';
import { revokeInvitation as decideRevokedInvitation } from '#features/people/invitations/invite.ts';
import { changeSubscription } from '#features/people/subscriptions/change-subscription.ts';
import { limitsAnswerOf, subscriptionAnswerOf } from '#features/people/subscriptions/subscription-answers.ts';
import { notifierOf } from '#operations/delivery/news.ts';
import { subscriptionsOf } from '#operations/people/payments.ts';
import { UsageError } from '#runtime/config.ts';
import {
  accountIfNamed,
  accountOf,
  type Command,
  commitDecided,
  linesOf,
  NotThere,
  required,
  type Session,
} from './session.ts';

export const changePlan: Command = async (session) => {
  const { database, kernel } = session;
  const plan = planOf(required(session, 'plan'));
  const notify = notifierOf(() => true, kernel, database);
  const { subscriptionChanged } = subscriptionsOf(kernel, database, notify);
  const { id, email } = await commitDecided(session, async () => {
    const account = await accountOf(session);
    const current = await subscriptionQueries(database.read).subscriptionOf(account.id);
    const deps = { ...kernel, subscriptionChanged };
    const changed = await changeSubscription(
      deps,
      { userId: account.id, current },
      { plan, status: 'ACTIVE' },
    );
    return { ...changed, answer: account };
  });
  return { sentence: `${email} has the plan ${plan} now`, value: { id, email, plan } };
};

export const showSubscription: Command = async (session) => {
  const { database, kernel } = session;
  const account = await accountOf(session);
  const row = await subscriptionQueries(database.read).subscriptionOf(account.id);
  if (row === null) throw new Error(`${account.email} has no subscription; set-plan makes one`);
  const { usedOf } = subscriptionsOf(
    kernel,
    database,
    notifierOf(() => true, kernel, database),
  );
  const all = await usedOf(row);
  const { usage: used, can_create } = limitsAnswerOf(kernel, row, all, 'en');
  const value = { ...subscriptionAnswerOf(row, all.usage.farms), usage: used, can_create };
  const shown = Object.entries(used).map(
    ([name, { current, max }]) => `${name.replace('_', ' ')} ${current} of ${max === -1 ? 'any' : max}`,
  );
  const until = row.current_period_end === null ? null : `until ${row.current_period_end.slice(0, 10)}`;
  return {
    sentence: linesOf('', [[account.email, row.plan, row.status, until, shown.join(', ')]]),
    value,
  };
};

export const listFarms: Command = async (session) => {
  const owner = await accountIfNamed(session);
  const farms = await adminQueries(session.database.read).farms(owner?.id ?? null);
  const rows = farms.map(({ id, name, owner_email, ponds, control_points, simulated_points }) => [
    id,
    name,
    owner_email,
    `${ponds} ponds`,
    `${control_points} control points${simulated_points === 0 ? '' : ` (${simulated_points} simulated)`}`,
  ]);
  return { sentence: linesOf('There are no farms', rows), value: farms };
};

export const listTokens: Command = async (session) => {
  const owner = await accountIfNamed(session);
  const tokens = await adminQueries(session.database.read).accessTokens(owner?.id ?? null);
  const now = isoOf(session.kernel.now());
  const rows = tokens.map(({ id, owner_email, name, scopes, hint, expires_at, revoked_at, last_used_at }) => [
    id,
    owner_email,
    name,
    scopes.join('+'),
    `…${hint}`,
    last_used_at === null ? 'never used' : `used ${last_used_at}`,
    revoked_at !== null ? '(revoked)' : expires_at !== null && expires_at <= now ? '(expired)' : null,
  ]);
  return { sentence: linesOf('There are no access tokens', rows), value: tokens };
};

export const revokeToken: Command = async (session) => {
  const id = idOf(session);
  const token = await commitDecided(session, async () => {
    const found = await adminQueries(session.database.read).accessToken(id);
    if (found === null) throw new NotThere(`There is no access token ${id}`);
    return { ...decideRevokedToken(session.kernel, found), answer: found };
  });
  return { sentence: `The access token “${token.name}” counts no longer`, value: { id, revoked: true } };
};

export const listInvitations: Command = async (session) => {
  const farmId = session.text('farm') ?? null;
  const invitations = await adminQueries(session.database.read).invitations(farmId);
  const now = isoOf(session.kernel.now());
  const shown = invitations.map((one) => ({
    ...one,
    state: one.state === 'OPEN' && one.expires_at <= now ? 'EXPIRED' : one.state,
  }));
  const rows = shown.map(({ id, farm_name, kind, role, email, state, expires_at }) => [
    id,
    farm_name,
    kind,
    role,
    email ?? 'by code',
    state,
    `until ${expires_at}`,
  ]);
  return { sentence: linesOf('There are no invitations', rows), value: shown };
};

export const revokeInvitation: Command = async (session) => {
  const id = idOf(session);
  await commitDecided(session, async () => {
    const found = await adminQueries(session.database.read).invitation(id);
    if (found === null) throw new NotThere(`There is no invitation ${id}`);
    return decideRevokedInvitation(session.kernel, found);
  });
  return { sentence: `The invitation ${id} opens nothing any more`, value: { id, revoked: true } };
};

const idOf = (session: Session): string => required(session, 'id').toLowerCase();

function planOf(text: string): Plan {
  const plan = PLANS.find((word) => word === text.toUpperCase());
  if (plan === undefined)
    throw new UsageError(`--plan must be ${PLANS.join(', ')}, not ${JSON.stringify(text)}`);
  return plan;
}
