import { delivery } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { insert, update } from '#core/changes.ts';
import { conflict, invalidField } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '#features/people/attempts.ts';
import type { Channel, Delivery } from './ports.ts';
import { codeFor, messageTo, notAvailable, requireSms, type SaveChannelDeps } from './save-channel.ts';

export type UseChannelDeps = SaveChannelDeps & {
  /** Wrong codes, per channel: eight digits are not to be guessed. */
  codeTries: Pick<AttemptLimit, 'take'>;
  /** Test messages, per user. */
  tests: Pick<AttemptLimit, 'take'>;
};

const CODE_HOLDS_MS = 24 * 3_600_000;

/** Decides that an e-mail address or a phone is the user's: he has the code that was sent to it last. */
export async function confirmChannel(
  deps: UseChannelDeps,
  current: Channel,
  typed: string,
): Promise<Decision<Channel>> {
  if (current.verified_at !== null) return { answer: current };
  const waitMs = await deps.codeTries.take(current.id);
  if (waitMs !== null) throw tooManyAttempts('Too many wrong codes', waitMs);
  const sent = await deps.queries.newestConfirmation(current.id);
  const age = sent === null ? Number.POSITIVE_INFINITY : Math.abs(deps.now() - Date.parse(sent.created_at));
  const isRight = sent !== null && deps.secrets.isCode(sent.id, current.address, typed.replace(/\D/g, ''));
  if (!isRight || age > CODE_HOLDS_MS)
    throw invalidField(422, 'code', 'is not the code of the last message, or is older than a day');
  const set = { verified_at: isoOf(deps.now()), updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [update(notificationChannel, current, set)],
  };
}

/** Decides another message with a new code; the one before counts no longer. */
export async function sendCode(deps: UseChannelDeps, current: Channel): Promise<Decision<Delivery>> {
  if (current.verified_at !== null) throw conflict('This channel is confirmed already', 'CHANNEL_CONFIRMED');
  if (!deps.canSend(current.kind)) throw notAvailable(current.kind);
  const row = await codeFor(deps, current);
  return { answer: row, changes: [insert(delivery, row)] };
}

/** Decides a test message; how it went stands in the deliveries of the channel. */
export async function sendTest(deps: UseChannelDeps, current: Channel): Promise<Decision<Delivery>> {
  if (!deps.canSend(current.kind)) throw notAvailable(current.kind);
  if (current.verified_at === null)
    throw conflict('Confirm this channel first, with the code that was sent to it', 'CHANNEL_UNCONFIRMED');
  if (!current.is_active) throw conflict('This channel is switched off', 'CHANNEL_OFF');
  await requireSms(deps, current);
  const waitMs = await deps.tests.take(current.user_id);
  if (waitMs !== null) throw tooManyAttempts('Too many test messages', waitMs);
  const row = messageTo(deps, current, 'TEST');
  return { answer: row, changes: [insert(delivery, row)] };
}

/** Decides a new secret of a webhook; the old one signs nothing from now on. */
export function rotateSecret(deps: UseChannelDeps, current: Channel): Decision<Channel> {
  if (current.kind !== 'WEBHOOK') throw conflict('Only a webhook has a secret', 'NO_SECRET');
  const generation = String(Number(current.keys?.['generation'] ?? '1') + 1);
  const set = { keys: { generation }, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [update(notificationChannel, current, set)],
  };
}
