import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { farmQueries } from '#adapters/sql/queries/farm/farms.ts';
import { accountDataQueries } from '#adapters/sql/queries/people/account-data.ts';
import { accountQueries, farmNamesOf } from '#adapters/sql/queries/people/accounts.ts';
import { accessTokenQueries, secondFactorQueries } from '#adapters/sql/queries/people/sessions.ts';
import { type KnownOfAccount, weaknessOf } from '#contract/password-rule.ts';
import { passkey, secondFactor } from '#contract/resources/local-tables.ts';
import { registerInput, user, userUpdate } from '#contract/resources/users.ts';
import { purge, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { WEAKNESS_WORDS } from '#core/uncommon-password.ts';
import { deleteFarm } from '#features/farm/farms/create-farm.ts';
import { deleteAccount, requireAnotherAdmin } from '#features/people/account-data/delete-account.ts';
import { passwordChangedNews } from '#features/people/accounts/account-news.ts';
import { newPassword } from '#features/people/accounts/change-account.ts';
import { createUser } from '#features/people/accounts/register.ts';
import { tellSecondFactor } from '#features/people/second-factor/news.ts';
import { notifierOf } from '#operations/delivery/news.ts';
import { openPayments, subscriptionsOf } from '#operations/people/payments.ts';
import { UsageError } from '#runtime/config.ts';
import { accountOf, type Command, commitDecided, linesOf, required, type Session, valid } from './session.ts';

export const createAdmin: Command = async (session) => {
  const { database, config, kernel } = session;
  const plan = config.role === 'gateway' ? config.localPlan : 'FREE';
  const subscriptions = subscriptionsOf(
    kernel,
    database,
    notifierOf(() => true, kernel, database),
  );
  const asked = {
    email: required(session, 'email'),
    name: session.text('name') ?? 'Administrator',
    password: await session.password(),
    role: 'ADMIN',
  };
  const wanted = valid(registerInput.safeParse(asked));
  await requireUncommon(wanted.password, { email: wanted.email, names: [wanted.name] });
  const { id, email, role } = await commitDecided(session, async () =>
    createUser(
      {
        ...kernel,
        queries: accountQueries(database.read),
        passwords: argon2Passwords(session.passwordCost),
        onCreate: (made) => subscriptions.first(made, plan),
      },
      wanted,
      'admin',
    ),
  );
  return { sentence: `${email} is an administrator now`, value: { id, email, role } };
};

export const resetPassword: Command = async (session) => {
  // asked for nothing where there is no such account
  const known = await accountOf(session);
  const { password = '' } = valid(userUpdate.safeParse({ password: await session.password() }));
  const names = [known.name, ...(await farmNamesOf(session.database.read, known.id))];
  await requireUncommon(password, { email: known.email, names });
  const passwords = argon2Passwords(session.passwordCost);
  const notify = notifierOf(() => true, session.kernel, session.database);
  const { id, email } = await commitDecided(session, async () => {
    const account = await accountOf(session);
    const set = await newPassword({ passwords }, account, password, 'admin');
    const news = passwordChangedNews(account.id, set.password_version, 'administrator');
    const told = await notify({ userIds: [account.id] }, news);
    return { answer: account, changes: [update(user, account, stamped(session, set)), ...told] };
  });
  const live = await liveTokens(session, id);
  const factor = await secondFactorQueries(session.database.read).factorOf(id);
  const stays = factor?.state === 'ON' ? '; the second factor stays, see reset-second-factor' : '';
  const sentence = `${email} has a new password; older sessions have ended${stays}`;
  return {
    sentence: live === 0 ? sentence : `${sentence}; ${live} access token(s) stay valid, see list-tokens`,
    value: { id, email, ...(live === 0 ? {} : { live_access_tokens: live }) },
  };
};

/** For who has lost phone, keys and recovery codes: whoever may run this has the database anyway. */
export const resetSecondFactor: Command = async (session) => {
  const { database, kernel } = session;
  const notify = notifierOf(() => true, kernel, database);
  const { account, isOn } = await commitDecided(session, async () => {
    const found = await accountOf(session);
    const guards = [await kernel.guard('second_factor', found.id)];
    const queries = secondFactorQueries(database.read);
    const factor = await queries.factorOf(found.id);
    const passkeys = await queries.passkeysOf(found.id);
    const isThere = factor?.state === 'ON';
    if (factor === null) return { answer: { account: found, isOn: isThere } };
    const told = isThere
      ? await tellSecondFactor({ ...kernel, notify }, found.id, 'reset', { actor: null })
      : [];
    return {
      answer: { account: found, isOn: isThere },
      changes: [purge(secondFactor, found.id), ...passkeys.map(({ id }) => purge(passkey, id)), ...told],
      guards,
    };
  });
  const { id, email } = account;
  return {
    sentence: isOn
      ? `${email} signs in to this instance with the password alone now, and was told; sessions go on`
      : `${email} has no second factor on this instance`,
    value: { id, email, was_on: isOn },
  };
};

export const listUsers: Command = async ({ database }) => {
  const users: { id: string; email: string; name: string; role: string; is_active: boolean }[] = [];
  const everyone = accountQueries(database.read).accounts({ skip: 0, limit: undefined });
  for await (const { id, email, name, role, is_active } of everyone)
    users.push({ id, email, name, role, is_active });
  const rows = users.map(({ email, name, role, is_active }) => [
    email,
    name,
    role,
    is_active ? null : '(not active)',
  ]);
  return { sentence: linesOf('There are no accounts yet', rows), value: users };
};

export const revokeSessions: Command = async (session) => {
  const { id, email } = await commitDecided(session, async () => {
    const account = await accountOf(session);
    const set = { password_version: account.password_version + 1 };
    return { answer: account, changes: [update(user, account, stamped(session, set))] };
  });
  return {
    sentence: `The sessions of ${email} have ended; the password stays, and so do access tokens`,
    value: { id, email },
  };
};

export const deactivateUser: Command = async (session) => {
  const { kernel, database } = session;
  const queries = accountDataQueries(database.read, database.readLong);
  const { id, email } = await commitDecided(session, async () => {
    const account = await accountOf(session);
    const guards =
      account.role === 'ADMIN' ? [await requireAnotherAdmin({ ...kernel, queries }, account.id)] : [];
    // sessions do not come back to life with the account
    const set = { is_active: false, password_version: account.password_version + 1 };
    if (!account.is_active) return { answer: account };
    return { answer: account, changes: [update(user, account, stamped(session, set))], guards };
  });
  return {
    sentence: `${email} is switched off: no login, no token, no notification; farms and their schedules go on`,
    value: { id, email, is_active: false },
  };
};

export const activateUser: Command = async (session) => {
  const { id, email } = await commitDecided(session, async () => {
    const account = await accountOf(session);
    return { answer: account, changes: [update(user, account, stamped(session, { is_active: true }))] };
  });
  return { sentence: `${email} may log in again`, value: { id, email, is_active: true } };
};

export const deleteUser: Command = async (session) => {
  const { database, config, kernel } = session;
  const { read, readLong } = database;
  const { id, email } = await accountOf(session);
  const notify = notifierOf(() => true, kernel, database);
  const { subscriptionChanged } = subscriptionsOf(kernel, database, notify);
  const secret = config.jwtSecret ?? (await instanceValue(read, 'jwt_secret'));
  const payments = await openPayments({ config, kernel, database, secret, notify, subscriptionChanged });
  await deleteAccount(
    {
      ...kernel,
      queries: accountDataQueries(read, readLong),
      deleteFarm: (farmId) => deleteFarm({ ...kernel, queries: farmQueries(read) }, farmId),
      // the program that runs here does it within an hour
      forgetSoon: () => undefined,
      endPayments: payments.endPayments,
    },
    id,
    { withFarms: session.isForced, actor: null },
  );
  return { sentence: `The account ${email} is deleted`, value: { id, deleted: true } };
};

function stamped<Set extends object>({ kernel }: Session, set: Set): Set & { updated_at: string } {
  return { ...set, updated_at: isoOf(kernel.now()) };
}

async function requireUncommon(password: string, known: KnownOfAccount): Promise<void> {
  const weakness = await weaknessOf(password, known);
  if (weakness !== null) throw new UsageError(`password: ${WEAKNESS_WORDS[weakness]}`);
}

function liveTokens({ database, kernel }: Session, userId: string): Promise<number> {
  return accessTokenQueries(database.read).countLive(userId, isoOf(kernel.now()));
}
