import type { AccessTokenAnswer, TokenScope } from '#contract/resources/access-tokens.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import type { Plan } from '#contract/words.ts';
import { update } from '#core/changes.ts';
import type { App, SignedUp } from './app.ts';

export type Program = AccessTokenAnswer & { token: string };

/** An access token of a user. */
export async function aProgram(
  app: App,
  owner: Pick<SignedUp, 'token'>,
  scopes: readonly TokenScope[],
  fields: Record<string, unknown> = {},
): Promise<Program> {
  const made = await app.call('POST', '/access-tokens', {
    token: owner.token,
    body: { name: 'Feeder', scopes, current_password: 'camarao-123', ...fields },
  });
  if (made.status !== 201) throw new Error(`no access token was made: ${JSON.stringify(made.body)}`);
  return made.body as Program;
}

/** Another plan for a user who has one. */
export async function changePlan(app: App, userId: string, plan: Plan): Promise<void> {
  const { id } = await app.database.read
    .selectFrom('subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  await app.kernel.commit({ actor: null, changes: [update(subscription, id, { plan })] });
}
