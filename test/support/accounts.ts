import { randomUUID } from 'node:crypto';
import { accountQueries } from '#adapters/sql/queries/people/accounts.ts';
import { sessionQueries } from '#adapters/sql/queries/people/sessions.ts';
import { jwtTokens } from '#adapters/tokens/jwt-tokens.ts';
import type { Instance } from '#app/compose.ts';
import type { RowOf } from '#contract/resource.ts';
import { addressProof } from '#contract/resources/local-tables.ts';
import { notification } from '#contract/resources/notifications.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { emailKeyOf, registerInput, type UserAnswer, user, userAnswer } from '#contract/resources/users.ts';
import type { Plan, UserRole } from '#contract/words.ts';
import { type Change, put, remove, update } from '#core/changes.ts';
import { issueToken, newLogin } from '#features/people/accounts/issue-token.ts';
import { createUser } from '#features/people/accounts/register.ts';
import { createSessionList } from '#features/people/accounts/sessions.ts';
import type { Config } from '#runtime/config.ts';
import type { Reply } from './http-client.ts';

export type SignedUp = { token: string; user: UserAnswer };
type Wanted = { email: string; role: UserRole; password: string; plan: Plan | null };
type Call = (method: string, path: string, given: { body: unknown }) => Promise<Reply>;

const REMEMBERED_S = 30 * 86_400;
/** What a request of the tests tells of where it comes from. */
const FROM = { source: '127.0.0.1', userAgent: 'node' };

/** Makes accounts at an instance. */
export function accountsOf(instance: Instance, config: Config, call: Call) {
  const { kernel, database } = instance;
  const { read } = database;
  const queries = accountQueries(read);
  const subscriptionIdOf = async (userId: string): Promise<string> =>
    (
      await read
        .selectFrom('subscriptions')
        .select('id')
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
    ).id;
  const toldSoFar = (userId: string) =>
    read.selectFrom('notifications').select('id').where('user_id', '=', userId).execute();
  let isFounded = false;

  /** What the interface does not do for who registers. */
  const afterwards = (
    { id, email }: UserAnswer,
    { role, plan }: Wanted,
    subscriptionId: string,
  ): Change[] => [
    ...(role === 'ADMIN' ? [update(user, id, { role })] : []),
    // as an administrator of a hosted instance does for people one knows
    ...(config.role === 'hosted' ? [confirmedAddress({ id, email }, kernel.now())] : []),
    ...(plan === null ? [] : [update(subscription, subscriptionId, { plan })]),
  ];
  const asked = ({ email, role, password }: Wanted) => ({
    email,
    name: email,
    password,
    role: role === 'ADMIN' ? 'OWNER' : role,
  });

  /** As a person does, over the interface. */
  async function byHand(wanted: Wanted): Promise<SignedUp> {
    const { email, password, role } = wanted;
    const made = await call('POST', '/auth/register', {
      // at a box behind a proxy nobody is taken to stand before it
      body: { ...asked(wanted), setup_code: await instance.openSetUpCode() },
    });
    if (made.status !== 201) throw new Error(`${email} was not registered: ${JSON.stringify(made.body)}`);
    // the interface's answer, checked by the accounts tests
    const registered = made.body as UserAnswer;
    const changes = afterwards(registered, wanted, await subscriptionIdOf(registered.id));
    changes.push(...(await toldSoFar(registered.id)).map(({ id }) => remove(notification, id)));
    await kernel.commit({ changes, actor: null });
    const login = await call('POST', '/auth/login', { body: { email, password, remember_me: true } });
    const { access_token: token } = login.body as { access_token: string };
    return { token, user: { ...registered, role } };
  }

  const { clients } = instance;
  const sessions = createSessionList({
    ...kernel,
    queries: sessionQueries(read),
    standingOf: queries.standingOf,
    networkOf: (source) => {
      if (config.role !== 'gateway' || clients.isProxy(source)) return null;
      return clients.isNear(source) ? 'farm' : 'outside';
    },
  });
  const tokens = jwtTokens(instance.secret);

  /** What the program itself decides of a registration and a login, in one commit: thousands of accounts are made. */
  async function atOnce(wanted: Wanted): Promise<SignedUp> {
    const firstPlan = config.role === 'gateway' ? config.localPlan : 'FREE';
    const first = (account: RowOf<typeof user>) => instance.subscriptions.first(account, firstPlan);
    const deps = { ...kernel, queries, passwords: instance.passwords, onCreate: first };
    const made = await createUser(deps, registerInput.parse(asked(wanted)), FROM.source);
    const changes = [...(made.changes ?? [])];
    const insertedOf = (resource: Change['resource']) =>
      changes.flatMap((change) =>
        change.op === 'insert' && change.resource === resource ? [change.row.id] : [],
      );
    const [own] = insertedOf(subscription);
    if (own === undefined) throw new Error('an account without a subscription');
    const answer = userAnswer.parse({ ...made.answer, addresses: [] });
    const account = { ...made.answer, role: wanted.role };
    const login = newLogin(kernel, 0, false);
    changes.push(
      ...insertedOf(notification).map((id) => remove(notification, id)),
      ...afterwards(answer, wanted, own),
      ...(await sessions.begin(account, login, REMEMBERED_S, FROM)),
    );
    await kernel.commit({ changes, guards: made.guards ?? [], actor: null });
    const { access_token: token } = issueToken({ ...kernel, tokens }, account, REMEMBERED_S, login);
    return { token, user: { ...answer, role: wanted.role } };
  }

  /**
   * A user with a token. ADMIN, which cannot register, is made so in the database; so is a plan without limits, because
   * most facts of a farm are not about plans. `plan: null` leaves the one a new user gets. The list of notifications is
   * empty: that the subscription was created has been read and deleted.
   */
  async function signUp({
    email = `user-${randomUUID()}@farm.test`,
    role = 'OWNER',
    password = 'camarao-123',
    plan = 'ENTERPRISE',
  }: Partial<Wanted> = {}): Promise<SignedUp> {
    const wanted = { email, role, password, plan };
    // the first OWNER of a box founds it; who may register where it is not open, the interface decides
    const isSimple = config.role === 'hosted' ? config.registration === null : config.registration === 'open';
    if (isSimple && (isFounded || config.role === 'hosted')) return atOnce(wanted);
    const made = await byHand(wanted);
    isFounded ||= role === 'OWNER' || role === 'ADMIN';
    return made;
  }
  return signUp;
}

function confirmedAddress({ id, email }: Pick<UserAnswer, 'id' | 'email'>, now: number): Change {
  const verified = { verified_at: new Date(now).toISOString(), verified_by: null };
  return put(addressProof, {
    id,
    email_key: emailKeyOf(email),
    code_hash: null,
    asked_at: null,
    ...verified,
  });
}
