import { type App, body } from './app.ts';
import { codeAt } from './authenticator.ts';

const STEP_MS = 30_000;
const PASSWORD = 'camarao-123';
const PATH = '/auth/second-factor';

/** Somebody with a second factor: an app that has the secret, and ten recovery codes on paper. */
export async function aCarefulPerson(app: App, role: 'OWNER' | 'ADMIN' = 'OWNER', email?: string) {
  const { token, user } = await app.signUp({ role, ...(email === undefined ? {} : { email }) });
  const begun = await app.call('POST', PATH, { token, body: { current_password: PASSWORD } });
  const secret = String(body(begun)['secret']);
  /** What the app shows now, or so many steps of thirty seconds later. */
  const shown = (steps = 0) => codeAt(secret, app.clock.now() + steps * STEP_MS);
  const confirmed = await app.call('POST', `${PATH}/confirm`, { token, body: { code: shown() } });
  if (confirmed.status !== 200) throw new Error(`not confirmed: ${JSON.stringify(confirmed.body)}`);
  const papers = body(confirmed)['recovery_codes'] as string[];
  // the code of the confirmation is used up
  app.clock.advance(STEP_MS);
  return { token, user, email: user.email, secret, shown, papers, uri: String(body(begun)['uri']) };
}

/** What a person was told of the second factor, oldest first. */
export async function secondFactorNews(app: App, userId: string): Promise<(string | undefined)[]> {
  const rows = await app.database.read
    .selectFrom('notifications')
    .select('data')
    .where('user_id', '=', userId)
    .where('hidden', '=', 0)
    .orderBy('created_at')
    .execute();
  return rows.map(({ data }) => (JSON.parse(data) as { second_factor?: string }).second_factor);
}
