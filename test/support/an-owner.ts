import { subscription } from '#contract/resources/subscriptions.ts';
import { update } from '#core/changes.ts';
import type { SubscriptionRow } from '#features/people/subscriptions/ports.ts';
import { type App, body, type SignedUp } from './app.ts';

/** An owner whose subscription says this. */
export async function anOwner(app: App, fields: Partial<SubscriptionRow>): Promise<SignedUp> {
  const owner = await app.signUp({ plan: null });
  await setSubscription(app, owner.user.id, fields);
  return owner;
}

/** Sets fields of a subscription straight in the database: nobody is told. */
export async function setSubscription(
  app: App,
  userId: string,
  fields: Partial<SubscriptionRow>,
): Promise<void> {
  const { id } = await app.database.read
    .selectFrom('subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  await app.kernel.commit({ changes: [update(subscription, id, fields)], actor: null });
}

/** Titles of what a user was told about the subscription, oldest first, with what it was about. */
export async function tidingsOf(app: App, token: string): Promise<{ title: string; data: unknown }[]> {
  const reply = await app.call('GET', '/notifications/?type=SUBSCRIPTION&page_size=100', { token });
  const { notifications } = body(reply) as { notifications: { title: string; data: unknown }[] };
  return notifications.map(({ title, data }) => ({ title, data })).reverse();
}
