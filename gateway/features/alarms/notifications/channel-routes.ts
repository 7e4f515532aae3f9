import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import {
  type ChannelAnswer,
  type ChannelState,
  channelAnswer,
  channelConfirm,
  channelCreate,
  channelUpdate,
  type DeliveryAnswer,
  deliveryAnswer,
  deliveryQuery,
  notificationChannel,
  vapidKey,
} from '#contract/resources/notification-channels.ts';
import { journalAnswer } from '#core/audit.ts';
import { purge, remove } from '#core/changes.ts';
import { notFound } from '#core/errors.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { Channel, ChannelStanding, Delivery } from './ports.ts';
import {
  changeChannel,
  confirmChannel,
  createChannel,
  rotateSecret,
  sendCode,
  sendTest,
  type UseChannelDeps,
} from './save-channel.ts';

export type ChannelRoutesDeps = UseChannelDeps & { vapidPublicKey: string };

const params = z.object({ channel_id: idInput });
// addresses of a person, and what is sent to them: a matter of the person alone
const common = { tag: 'Notification channels', access: { who: 'account' }, token: 'never' } as const;
const one = { ...common, params } as const;
/** More never wait for a person. */
const MOST_WAITING = 500;
type OneRequest = Request<z.infer<typeof params>, unknown, unknown>;

/** Where a person wants notifications besides the list. Another's channel is told as a missing one. */
export function channelRoutes(deps: ChannelRoutesDeps): Route[] {
  return [...listRoutes(deps), ...oneRoutes(deps), ...actRoutes(deps)];
}

async function ownChannel(deps: ChannelRoutesDeps, request: OneRequest): Promise<Channel> {
  const found = await deps.queries.channelOf(signedIn(request).userId, request.params.channel_id);
  if (found === null) throw notFound('Notification channel');
  return found;
}

const saverOf = (request: Request<unknown, unknown, unknown>) => ({
  ...signedIn(request),
  source: request.source,
});

function listRoutes(deps: ChannelRoutesDeps): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/notification-channels/',
      answersSecret: true,
      summary: "The caller's channels, and how each does",
      query: pageQuery,
      answers: { 200: { schema: channelAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const rows = deps.queries.channelsOf(signedIn(request).userId, { skip, limit });
        return { answer: { status: 200, rows: answersOf(deps, rows) } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/notification-channels/',
      answersSecret: true,
      summary: 'Add an e-mail address, a browser (Web Push), a webhook or a phone (SMS)',
      body: channelCreate,
      answers: { 201: { schema: channelAnswer } },
      async handle(request) {
        const made = await createChannel(deps, saverOf(request), request.body);
        const body = { ...toAnswer(made.answer, NEW), ...secretOf(deps, made.answer) };
        return { ...made, answer: { status: 201, body, rev: 1 } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/notification-channels/vapid-key',
      summary: 'Public key of this instance for Web Push',
      answers: { 200: { schema: vapidKey } },
      handle: () => Promise.resolve({ answer: { status: 200, body: { public_key: deps.vapidPublicKey } } }),
    }),
  ];
}

function oneRoutes(deps: ChannelRoutesDeps): Route[] {
  return [
    route({
      ...one,
      method: 'GET',
      path: '/notification-channels/{channel_id}',
      answersSecret: true,
      summary: 'A channel, and how it does',
      answers: { 200: { schema: channelAnswer } },
      async handle(request) {
        const found = await ownChannel(deps, request);
        const body = toAnswer(found, await deps.queries.standingOf(found.id));
        return { answer: { status: 200, body, rev: found.rev } };
      },
    }),
    route({
      ...one,
      method: 'PATCH',
      path: '/notification-channels/{channel_id}',
      answersSecret: true,
      summary: 'Change what goes to a channel, or where it leads',
      body: channelUpdate,
      answers: { 200: { schema: channelAnswer } },
      async handle(request) {
        const found = await ownChannel(deps, request);
        requireMatch(request, found);
        const changed = await changeChannel(deps, saverOf(request), found, request.body);
        const body = toAnswer(changed.answer, await deps.queries.standingOf(found.id));
        return { ...changed, answer: { status: 200, body, rev: changed.answer.rev } };
      },
    }),
    route({
      ...one,
      method: 'DELETE',
      path: '/notification-channels/{channel_id}',
      summary: 'Remove a channel; what waits for it is not sent any more',
      answers: { 204: null },
      async handle(request) {
        const found = await ownChannel(deps, request);
        requireMatch(request, found);
        // or it would count among what waits for its owner until its turn comes
        const waiting = await deps.queries.waitingIds(found.id, MOST_WAITING);
        return {
          changes: [remove(notificationChannel, found), ...waiting.map((id) => purge(delivery, id))],
          answer: { status: 204 },
        };
      },
    }),
    route({
      ...one,
      method: 'GET',
      path: '/notification-channels/{channel_id}/deliveries',
      summary: 'What went to a channel or could not, newest first; kept 7 days, what was given up 30 days',
      query: deliveryQuery,
      answers: { 200: { schema: deliveryAnswer, list: true } },
      async handle(request) {
        const { id } = await ownChannel(deps, request);
        const state = request.query.state ?? null;
        return {
          answer: await journalAnswer(request.query, {
            count: () => deps.queries.countDeliveries(id, state),
            rows: (page) => deliveryAnswersOf(deps.queries.deliveriesOf(id, state, page)),
          }),
        };
      },
    }),
  ];
}

function actRoutes(deps: ChannelRoutesDeps): Route[] {
  return [
    route({
      ...one,
      method: 'POST',
      path: '/notification-channels/{channel_id}/confirm',
      answersSecret: true,
      summary: 'Confirm an e-mail channel with the code that was sent to it',
      body: channelConfirm,
      answers: { 200: { schema: channelAnswer } },
      async handle(request) {
        const found = await ownChannel(deps, request);
        const done = await confirmChannel(deps, found, request.body.code);
        const body = toAnswer(done.answer, await deps.queries.standingOf(found.id));
        return { ...done, answer: { status: 200, body, rev: done.answer.rev } };
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: '/notification-channels/{channel_id}/send-code',
      idempotent: true,
      summary: 'Send a new code to an e-mail channel',
      answers: { 201: { schema: deliveryAnswer } },
      async handle(request) {
        const sent = await sendCode(deps, await ownChannel(deps, request), request);
        return { ...sent, answer: { status: 201, body: toDelivery(sent.answer) } };
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: '/notification-channels/{channel_id}/test',
      idempotent: true,
      summary: 'Send a test message; its delivery says how it went',
      answers: { 201: { schema: deliveryAnswer } },
      async handle(request) {
        const sent = await sendTest(deps, await ownChannel(deps, request));
        return { ...sent, answer: { status: 201, body: toDelivery(sent.answer) } };
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: '/notification-channels/{channel_id}/rotate-secret',
      answersSecret: true,
      summary: 'Give a webhook a new secret and show it; the old one signs nothing any more',
      answers: { 200: { schema: channelAnswer } },
      async handle(request) {
        const found = await ownChannel(deps, request);
        requireMatch(request, found);
        const rotated = rotateSecret(deps, found);
        const standing = await deps.queries.standingOf(found.id);
        const body = { ...toAnswer(rotated.answer, standing), ...secretOf(deps, rotated.answer) };
        return { ...rotated, answer: { status: 200, body, rev: rotated.answer.rev } };
      },
    }),
  ];
}

const NEW: ChannelStanding = { pending: 0, lastSentAt: null, lastDone: null, waitsFor: null };

function secretOf({ secrets }: ChannelRoutesDeps, { id, kind, keys }: Channel): { secret?: string } {
  return kind === 'WEBHOOK' ? { secret: secrets.webhookSecret(id, keys?.['generation'] ?? '1') } : {};
}

function toAnswer(row: Channel, standing: ChannelStanding): ChannelAnswer {
  const state = stateOf(row, standing);
  return {
    id: row.id,
    kind: row.kind,
    address: row.address,
    types: row.types,
    min_severity: row.min_severity,
    quiet_from: row.quiet_from,
    quiet_to: row.quiet_to,
    timezone: row.timezone,
    is_active: row.is_active,
    verified_at: row.verified_at,
    state,
    pending: standing.pending,
    last_sent_at: standing.lastSentAt,
    last_error:
      standing.waitsFor ?? (standing.lastDone?.state === 'DEAD' ? standing.lastDone.last_error : null),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function stateOf(row: Channel, { lastDone, waitsFor }: ChannelStanding): ChannelState {
  if (!row.is_active) return 'OFF';
  if (row.verified_at === null) return 'UNCONFIRMED';
  if (lastDone?.state === 'DEAD') return 'FAILING';
  return waitsFor === null ? 'OK' : 'WAITING';
}

function toDelivery(row: Delivery): DeliveryAnswer {
  const { id, purpose, notification_id, state, attempts, next_at, last_error, created_at, done_at } = row;
  return {
    id,
    purpose,
    notification_id,
    state,
    attempts,
    next_at: state === 'PENDING' ? next_at : null,
    last_error,
    created_at,
    done_at,
  };
}

async function* answersOf(
  { queries }: ChannelRoutesDeps,
  rows: AsyncIterable<Channel>,
): AsyncIterable<ChannelAnswer> {
  for await (const row of rows) yield toAnswer(row, await queries.standingOf(row.id));
}

async function* deliveryAnswersOf(rows: AsyncIterable<Delivery>): AsyncIterable<DeliveryAnswer> {
  for await (const row of rows) yield toDelivery(row);
}
