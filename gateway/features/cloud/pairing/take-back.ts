import type * as z from 'zod';
import type { LostPersonAnswer, takenBackAnswer } from '#contract/resources/gateways.ts';
import { lostPerson, parkedChange } from '#contract/resources/sync-tables.ts';
import { emailKeyOf, NO_PASSWORD, user } from '#contract/resources/users.ts';
import { MEMBER_ROLES, USER_ROLES } from '#contract/words.ts';
import { type Change, purge, update } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
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
      | 'openPasswords'
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
  const rows = await queries.lostPeople();
  const lost = rows.filter(({ kind }) => kind === 'account').map(({ email }) => emailKeyOf(email));
  const taken = await queries.takenEmails(lost);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    user_id: row.user_id,
    name: row.name,
    email: row.email,
    role: row.role,
    farm_id: row.farm_id,
    farm_name: row.farm_name,
    gateway_name: row.gateway_name,
    gateway_owner: row.gateway_owner,
    email_taken: row.kind === 'account' && taken.has(emailKeyOf(row.email)),
    seen_at: row.seen_at,
  }));
}

/**
 * Decides that what a gateway knows of a person counts here again: the account, which opens with a password that the
 * person chooses; the membership; or that the password here is too old to open anything. Asked again before the password
 * was chosen, it gives another code. Throws 404 for none, 409 for one that was decided, 400 for an address that is taken.
 */
export async function takeBack(deps: TakeBackDeps, by: By, id: string): Promise<Decision<TakenBack>> {
  const row = await deps.queries.lostPerson(id);
  if (row === null) throw notFound('Lost person');
  const guard = await deps.guard('account', row.user_id);
  const account = await deps.queries.person(row.user_id);
  if (account === null) throw notFound('Account');
  const isAgain =
    row.state === 'taken_back' && row.kind !== 'membership' && account.password_hash === NO_PASSWORD;
  if (row.state !== 'open' && !isAgain) throw decided();
  const settled = settle(deps, by, id, 'taken_back');
  const none = { code: null, expires_at: null, emailed: false };
  if (row.kind === 'membership')
    return {
      answer: { id, kind: row.kind, email: account.email, ...none },
      changes: [...(await memberAgain(deps, by, row)), settled],
      guards: [guard],
    };
  const email = row.kind === 'account' ? row.email : account.email;
  // one answer to all gateways that say so
  const others = row.kind === 'password' ? await deps.queries.openPasswords(row.user_id) : [];
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
  const settledToo = others
    .filter((one) => one.id !== id)
    .map((one) => settle(deps, by, one.id, 'taken_back'));
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
  return { answer: undefined, changes: [settle(deps, by, id, 'dismissed'), ...(await asideOf(deps, row))] };
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
