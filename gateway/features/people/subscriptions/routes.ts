import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  limitsAnswer,
  planListing,
  subscriptionAnswer,
  subscriptionUpdate,
} from '#contract/resources/subscriptions.ts';
import { notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { type Answer, type Route, route } from '#core/route.ts';
import { type ChangeSubscriptionDeps, changeSubscription } from './change-subscription.ts';
import { type UsedDeps, usedOf } from './full-places.ts';
import type { Subscription, SubscriptionQueries } from './ports.ts';
import { limitsAnswerOf, planListingOf, subscriptionAnswerOf } from './subscription-answers.ts';

export type SubscriptionRoutesDeps = ChangeSubscriptionDeps &
  Pick<Kernel, 'clockQuality'> & {
    queries: Pick<SubscriptionQueries, 'subscriptionOf' | 'usageOf' | 'userExists'>;
  } & UsedDeps;

const tag = 'Subscriptions';
const userParams = z.object({ user_id: idInput });

export function subscriptionRoutes(deps: SubscriptionRoutesDeps): Route[] {
  return [...readRoutes(deps), ...adminRoutes(deps)];
}

function readRoutes(deps: SubscriptionRoutesDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/subscriptions/me',
      tag,
      summary: 'The subscription of the caller',
      access: { who: 'account' },
      token: 'never',
      answers: { 200: { schema: subscriptionAnswer } },
      async handle(request) {
        const row = await requireSubscription(deps, signedIn(request).userId);
        return { answer: await subscriptionReply(deps, row) };
      },
    }),
    route({
      method: 'GET',
      path: '/subscriptions/me/limits',
      tag,
      summary: 'What the plan of the caller allows, and how much of it is used',
      access: { who: 'account' },
      token: 'never',
      answers: { 200: { schema: limitsAnswer } },
      async handle(request) {
        return { answer: await limitsReply(deps, signedIn(request).userId, request.language) };
      },
    }),
    route({
      method: 'GET',
      path: '/subscriptions/plans',
      tag,
      summary: 'The plans there are, with prices, limits and features',
      access: { who: 'anyone' },
      answers: { 200: { schema: planListing } },
      async handle({ language }) {
        return { answer: { status: 200, body: planListingOf(language) } };
      },
    }),
  ];
}

function adminRoutes(deps: SubscriptionRoutesDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/subscriptions/{user_id}/limits',
      tag,
      summary: 'What the plan of a user allows, and how much of it is used',
      access: { who: 'admin' },
      params: userParams,
      answers: { 200: { schema: limitsAnswer } },
      async handle(request) {
        const userId = request.params.user_id;
        if (!(await deps.queries.userExists(userId))) throw notFound('User');
        return { answer: await limitsReply(deps, userId, request.language) };
      },
    }),
    route({
      method: 'PUT',
      path: '/subscriptions/{user_id}',
      tag,
      summary: 'Set plan, status, limits and features of a user',
      access: { who: 'admin' },
      params: userParams,
      body: subscriptionUpdate,
      answers: { 200: { schema: subscriptionAnswer } },
      async handle(request) {
        const userId = request.params.user_id;
        if (!(await deps.queries.userExists(userId))) throw notFound('User');
        const current = await deps.queries.subscriptionOf(userId);
        if (current !== null) requireMatch(request, current);
        const changed = await changeSubscription(deps, { userId, current }, request.body);
        return { ...changed, answer: await subscriptionReply(deps, changed.answer) };
      },
    }),
  ];
}

async function requireSubscription(deps: SubscriptionRoutesDeps, userId: string): Promise<Subscription> {
  const row = await deps.queries.subscriptionOf(userId);
  if (row === null) throw notFound('Subscription');
  return row;
}

async function subscriptionReply(deps: SubscriptionRoutesDeps, row: Subscription): Promise<Answer> {
  const { farms } = await deps.queries.usageOf(row.user_id);
  return { status: 200, body: subscriptionAnswerOf(row, farms), rev: row.rev };
}

async function limitsReply(
  deps: SubscriptionRoutesDeps,
  userId: string,
  language: Language,
): Promise<Answer> {
  const row = await requireSubscription(deps, userId);
  const used = await usedOf(deps, row);
  return { status: 200, body: limitsAnswerOf(deps, row, used, language) };
}
