import { type SubscriptionUpdate, subscription } from '#contract/resources/subscriptions.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { firstSubscription } from './first-subscription.ts';
import type { Subscription, SubscriptionRow } from './ports.ts';
import type { SubscriptionChange } from './subscription-changed.ts';
import { planSet } from './terms.ts';

export type ChangeSubscriptionDeps = Pick<Kernel, 'now' | 'newId'> & {
  subscriptionChanged: (change: SubscriptionChange) => Promise<Change[]>;
};

/**
 * Decides what an administrator sets. Fields left out stay, but a new plan brings its own limits and features. An
 * account without a subscription gets one.
 */
export async function changeSubscription(
  deps: ChangeSubscriptionDeps,
  { userId, current }: { userId: string; current: Subscription | null },
  input: SubscriptionUpdate,
): Promise<Decision<Subscription>> {
  const at = isoOf(deps.now());
  if (current === null) {
    const first = firstSubscription(deps, userId, input.plan ?? 'FREE');
    const row = { ...first, ...setOf(first, input, at) };
    const news = await deps.subscriptionChanged({ before: null, after: row, userId, cause: row.id });
    return { answer: { ...row, rev: 1 }, changes: [insert(subscription, row), ...news] };
  }
  const set = setOf(current, input, at);
  const wanted = { ...current, ...set };
  if (JSON.stringify(wanted) === JSON.stringify(current)) return { answer: current };
  const after: Subscription = { ...wanted, updated_at: at, rev: current.rev + 1 };
  const cause = `${current.id}:${after.rev}`;
  const news = await deps.subscriptionChanged({ before: current, after, userId, cause });
  return {
    answer: after,
    changes: [update(subscription, current, { ...set, updated_at: at }), ...news],
  };
}

function setOf(current: SubscriptionRow, input: SubscriptionUpdate, at: string): Partial<SubscriptionRow> {
  const isNewPlan = input.plan !== undefined && input.plan !== current.plan;
  const set: Partial<SubscriptionRow> = isNewPlan && input.plan !== undefined ? planSet(input.plan) : {};
  for (const field of ['max_farms', 'max_ponds_per_farm', 'max_batches_per_pond'] as const) {
    const value = input[field];
    if (value !== undefined) set[field] = value;
  }
  if (input.features !== undefined) {
    const before = isNewPlan ? null : current.features;
    set.features = input.features === null ? null : { ...before, ...given(input.features) };
  }
  if (input.currency !== undefined) set.currency = input.currency;
  return { ...set, ...statusSet(current, input.status, at) };
}

/** What a change of status sets beside it; PAST_DUE that goes on keeps its grace running. */
export function statusSet(
  current: Pick<SubscriptionRow, 'status' | 'past_due_since'>,
  status: SubscriptionRow['status'] | undefined,
  at: string,
): Partial<SubscriptionRow> {
  if (status === undefined) return {};
  const isStillDue = current.status === 'PAST_DUE' && current.past_due_since !== null;
  return {
    status,
    past_due_since: status === 'PAST_DUE' ? (isStillDue ? current.past_due_since : at) : null,
    ...(status === 'ACTIVE' ? { cancel_at_period_end: false } : {}),
  };
}

const given = (flags: Readonly<Record<string, boolean | undefined>>): Record<string, boolean> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag]])),
  );
