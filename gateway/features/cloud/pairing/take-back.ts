import type * as z from 'zod';
import type { LostPersonAnswer, takenBackAnswer } from '#contract/resources/gateways.ts';
import { lostPerson, parkedChange } from '#contract/resources/sync-tables.ts';
import { emailKeyOf, NO_PASSWORD, user } from '#contract/resources/users.ts';
import { MEMBER_ROLES, USER_ROLES } from '#contract/words.ts';
import { type Change, purge, update } from '#core/changes.ts';
import { conflict, notFound, taken } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { type MembershipDeps, membership, roleEntry } from '#features/people/membership.ts';
import { type AdoptDeps, firstPasswordCode, openedAccount } from './adopt-local-user.ts';
import type { LostPersonRow, PairingQueries } from './ports.ts';

// After a failover or a restore: what gateways know of people and this instance lost. Whoever holds a gateway could have
// made it up, so an administrator decides, one by one, and no verifier of a gateway is ever taken.

export type TakeBackDeps = Pick<
  AdoptDeps,
  'now' | 'newId' | 'log' | 'guard' | 'codes' | 'codeHash' | 'sendLetter' | 'firstRows'
> &
  Pick<Kernel, 'idOf' | 'clockQuality'> & {
    queries: Pick<
      PairingQueries,
      | 'lostPeople'
      | 'lostPerson'
      | 'openLost'
      | 'parkedOf'
      | 'person'
      | 'accountByEmail'
      | 'takenEmails'
      | 'farm'
    > &
      MembershipDeps['queries'];
  };

type TakenBack = z.infer<typeof takenBackAnswer>;
/** `userId`: null at the command line. */
type By = { userId: string | null; source: string };

export async function lostPeopleAnswers({
  queries,
}: {
  queries: Pick<PairingQueries, 'lostPeople' | 'takenEmails'>;
}): Promise<LostPersonAnswer[]> {
  const told = await queries.lostPeople();
  // what several gateways say alike is one question
  const rows = [...new Map(told.toReversed().map((row) => [questionOf(row), row])).values()].toReversed();
  const lost = rows.filter(({ kind }) => BY_ADDRESS.has(kind)).map(({ email }) => emailKeyOf(email));
  const takenHere = await queries.takenEmails(lost);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    user_id: row.user_id,
    name: row.name,
    email: row.email,
    role: row.role,
    stands: isDetail(row.kind) ? row.standing[row.kind] : null,
    farm_id: row.farm_id,
    farm_name: row.farm_name,
    gateway_name: row.gateway_name,
    gateway_owner: row.gateway_owner,
    email_taken: BY_ADDRESS.has(row.kind) && takenHere.has(emailKeyOf(row.email)),
    seen_at: row.seen_at,
  }));
}

/** Another account here may have the address that they tell. */
const BY_ADDRESS: ReadonlySet<LostPersonRow['kind']> = new Set(['account', 'email']);

const isDetail = (kind: LostPersonRow['kind']): kind is 'email' | 'name' | 'role' =>
  kind === 'email' || kind === 'name' || kind === 'role';

/** Alike for what one answer leaves lost, whichever gateways say it. */
function questionOf({ kind, user_id, farm_id, ...said }: LostPersonRow): string {
  const of = isDetail(kind) ? said[kind] : kind === 'account' ? `${said.email} ${said.role}` : '';
  return [kind, user_id, farm_id, of].join(' ');
}

/**
 * Decides that what a gateway knows of a person counts here again: the account, which opens with a password that the
 * person chooses; the membership; that the password here is too old to open anything; or the e-mail, the name or the role. Asked again before the password
 * was chosen, it gives another code. Throws 404 for none, 409 for one that was decided, 400 for an address that is taken.
 */
export async function takeBack(deps: TakeBackDeps, by: By, id: string): Promise<Decision<TakenBack>> {
  const row = await deps.queries.lostPerson(id);
  if (row === null) throw notFound('Lost person');
  const guard = await deps.guard('account', row.user_id);
  const account = await deps.queries.person(row.user_id);
  if (account === null) throw notFound('Account');
  const isAgain =
    row.state === 'taken_back' &&
    (row.kind === 'account' || row.kind === 'password') &&
    account.password_hash === NO_PASSWORD;
  if (row.state !== 'open' && !isAgain) throw decided();
  const settled = settle(deps, by, id, 'taken_back');
  const none = { code: null, expires_at: null, emailed: false };
  if (row.kind === 'membership')
    return {
      answer: { id, kind: row.kind, email: account.email, ...none },
      changes: [...(await memberAgain(deps, by, row)), settled],
      guards: [guard],
    };
  const others = await deps.queries.openLost(row.user_id, row.kind);
  const settledToo = others
    .filter((one) => one.id !== id)
    .map((one) => settle(deps, by, one.id, 'taken_back'));
  if (isDetail(row.kind)) {
    const set = await detailAgain(deps, row, account);
    return {
      answer: { id, kind: row.kind, email: set.email ?? account.email, ...none },
      changes: [update(user, account, { ...set, updated_at: isoOf(deps.now()) }), settled, ...settledToo],
      guards: [guard],
    };
  }
  const email = row.kind === 'account' ? row.email : account.email;
  const known = Math.max(account.password_version, ...[row, ...others].map((one) => one.password_version));
  const isOpened = isAgain || row.kind === 'account';
  const version = isOpened ? account.password_version : known + 1;
  const changes = isAgain
    ? []
    : row.kind === 'account'
      ? await accountAgain(deps, row, account)
      : [noPassword(deps, account, version)];
  const { told, change } = await firstPasswordCode(
    deps,
    { ...account, email, password_version: version },
    by.source,
  );
  return {
    answer: { id, kind: row.kind, email, ...told },
    changes: [...changes, settled, ...settledToo, change],
    guards: [guard],
  };
}

/** Decides to leave it lost: here it stays as it is. Throws 404 for none, 409 for one that was decided. */
export async function leaveLost(deps: TakeBackDeps, by: By, id: string): Promise<Decision<void>> {
  const row = await deps.queries.lostPerson(id);
  if (row === null) throw notFound('Lost person');
  if (row.state !== 'open') throw decided();
  const alike = (await deps.queries.openLost(row.user_id, row.kind)).filter(
    (one) => one.id === id || questionOf(one) === questionOf(row),
  );
  const settled = alike.map((one) => settle(deps, by, one.id, 'dismissed'));
  return { answer: undefined, changes: [...settled, ...(await asideOf(deps, row))] };
}

const decided = () => conflict('This was decided already', 'ALREADY_DECIDED');

const settle = (
  { now }: Pick<TakeBackDeps, 'now'>,
  by: By,
  id: string,
  state: 'taken_back' | 'dismissed',
): Change => update(lostPerson, id, { state, settled_at: isoOf(now()), settled_by: by.userId });

type Standing = NonNullable<Awaited<ReturnType<PairingQueries['person']>>>;

function accountAgain(deps: TakeBackDeps, row: LostPersonRow, standIn: Standing): Promise<Change[]> {
  // a gateway never makes an administrator
  const role = USER_ROLES.find((known) => known === row.role && known !== 'ADMIN') ?? 'VIEWER';
  return openedAccount(deps, { id: row.user_id, email: row.email, role }, standIn);
}

/** Throws 400 for an address of another account, 409 where an administrator stands. */
async function detailAgain(
  { queries }: TakeBackDeps,
  { kind, name, email, role }: LostPersonRow,
  account: Standing,
): Promise<Partial<Standing>> {
  if (account.role === 'ADMIN') throw decided();
  if (kind === 'name') return { name };
  if (kind === 'role') {
    const again = USER_ROLES.find((known) => known === role && known !== 'ADMIN');
    if (again === undefined) throw notFound('Role');
    return { role: again };
  }
  const emailKey = emailKeyOf(email);
  const known = await queries.accountByEmail(emailKey);
  if (known !== null && known.id !== account.id) throw taken('email', `${email} has another account here`);
  return { email, email_key: emailKey };
}

/** Every session and every older password ends, here and at the farms. */
const noPassword = (deps: TakeBackDeps, account: Standing, version: number): Change =>
  update(user, account, {
    password_hash: NO_PASSWORD,
    password_version: version,
    updated_at: isoOf(deps.now()),
  });

async function memberAgain(deps: TakeBackDeps, by: By, row: LostPersonRow): Promise<Change[]> {
  const role = MEMBER_ROLES.find((known) => known === row.role);
  const farm = row.farm_id === null ? null : await deps.queries.farm(row.farm_id);
  if (farm === null || role === undefined) throw notFound('Farm');
  if (farm.owner_id === row.user_id) throw decided();
  const named = { farmId: farm.id, userId: row.user_id };
  const known = await deps.queries.memberOf(farm.id, row.user_id);
  const aside = await asideOf(deps, row);
  if (known !== null) return aside;
  const { changes, before, member } = await membership(deps, { ...named, role });
  const after = member.role;
  const entry = roleEntry(deps, {
    farmId: farm.id,
    memberId: row.user_id,
    userId: by.userId,
    before,
    after,
  });
  return [...changes, entry, ...aside];
}

/** What the gateway told of it waits no longer. */
async function asideOf({ queries }: TakeBackDeps, row: LostPersonRow): Promise<Change[]> {
  if (row.farm_id === null) return [];
  const ids = await queries.parkedOf(row.stream_id, { farmId: row.farm_id, userId: row.user_id });
  return ids.map((parked) => purge(parkedChange, parked));
}
