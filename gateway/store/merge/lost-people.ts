import type { Resource } from '#contract/resource.ts';
import { lostPerson } from '#contract/resources/sync-tables.ts';
import { standInEmail } from '#contract/resources/users.ts';
import { isoOf } from '#core/kernel.ts';
import { isAlive, type Steps, type UnitContext } from '../register.ts';
import { isHostedStamp } from '../sync-node.ts';
import { textOf } from './canonical-change.ts';
import { stampOf } from './claims.ts';
import { dropBeyond, type Kept, uuidOfText } from './conflicts.ts';
import type { Edit } from './edit.ts';
import { inList, listOf } from './id-lists.ts';
import type { LostPersonFound, MergedBatch } from './merge.ts';
import type { Tenancy } from './tenancy.ts';
import { standingOf, type Work, type WorkingSet } from './working-set.ts';
import { insertMany } from './write-rows.ts';

// Hosted: after a failover or a restore a gateway still knows accounts, memberships and passwords that this instance had
// made itself, by their stamps, and lost. A gateway in other hands could make up any of them, so none takes effect by
// itself: each is noted, and an ADMIN takes it back or leaves it.

type Whole = Extract<Edit, { is: 'whole' }>;

/** Made, or adopted, by the hosted instance; of somebody who had left, no address is known any more. */
export const isLostAccount = (edit: Whole): boolean =>
  isHostedStamp(stampOf(edit, 'email')) && edit.row['email_key'] !== standInEmail(edit.row.id);

export function accountLost({ name }: Pick<Resource, 'name'>, edit: Whole): LostPersonFound[] {
  if (name !== 'users' || !isAlive(edit) || !isLostAccount(edit)) return [];
  return [
    {
      kind: 'account',
      userId: edit.row.id,
      farmId: null,
      name: textOf(edit.row['name']),
      email: textOf(edit.row['email']),
      role: textOf(edit.row['role']),
      passwordVersion: Number(edit.row['password_version'] ?? 1),
    },
  ];
}

/** Told as it was blanked when its person left that gateway's farms: the account was this instance's, its name is all. */
export const isNameOfLeft = (edit: Whole): boolean =>
  edit.row['email_key'] === standInEmail(edit.row.id) && isHostedStamp(stampOf(edit, 'email'));

/**
 * A lost account of which another gateway told the name alone, as told by one that knows all of it. Of one that was decided
 * nobody is asked again.
 */
export const isFullerThanName = (
  { resource, id, row, register }: Work,
  edit: Edit,
  tenancy: Tenancy | null,
): boolean =>
  resource.name === 'users' &&
  row?.['email_key'] === standInEmail(id) &&
  register !== null &&
  isAlive(register) &&
  isHostedStamp(stampOf(register, 'email')) &&
  tenancy !== null &&
  !tenancy.decided.has(id) &&
  edit.is === 'whole' &&
  isAlive(edit) &&
  isLostAccount(edit);

/** The name of somebody of other farms, who stands here or is asked about: it is no news. */
export const isNameAlone = ({ resource, id, row }: Work, edit: Edit, tenancy: Tenancy | null): boolean =>
  resource.name === 'users' &&
  row !== null &&
  tenancy !== null &&
  !tenancy.locals.has(id) &&
  edit.is === 'whole' &&
  isAlive(edit) &&
  isNameOfLeft(edit);

/** Another gateway told of it before: a stand-in is here, and this one's word is a second one for the same account. */
export const isLostElsewhere = ({ resource, id, row }: Work, edit: Edit, tenancy: Tenancy | null): boolean =>
  resource.name === 'users' &&
  row?.['email_key'] === standInEmail(id) &&
  tenancy !== null &&
  tenancy.lost.has(id) &&
  !tenancy.locals.has(id) &&
  edit.is === 'whole' &&
  isAlive(edit) &&
  isLostAccount(edit);

/**
 * That was answered, and the person is not on this gateway's farms: what it says of the account is nothing, whichever the
 * answer was.
 */
export const isAnswered = ({ resource, id, row }: Work, tenancy: Tenancy | null): boolean =>
  resource.name === 'users' &&
  row !== null &&
  tenancy !== null &&
  tenancy.answered.has(id) &&
  !tenancy.lost.has(id) &&
  !tenancy.people.has(id);

/** Of an account that stands here, or is asked about, on a farm of the gateway where nobody knows it. */
export function membershipLost(
  { name }: Pick<Resource, 'name'>,
  edit: Whole,
  { tenancy, set }: { tenancy: Tenancy; set: WorkingSet },
): LostPersonFound[] {
  const [farmId, userId] = [textOf(edit.row['farm_id']), textOf(edit.row['user_id'])];
  if (name !== 'farm_members' || !isAlive(edit) || !isHostedStamp(edit.hlc)) return [];
  if (!tenancy.farms.has(farmId) || tenancy.people.has(userId)) return [];
  const person = standingOf(set, 'users', userId)?.fields;
  if (person === undefined) return [];
  // of a stand-in the names are those by which an administrator is asked of the account
  const names = { ...namesOf(person), ...tenancy.lost.get(userId) };
  return [{ kind: 'membership', userId, farmId, ...names, role: textOf(edit.row['role']) }];
}

/** The gateway that told of it first tells of it again, as one that was set back to an older card does. */
export const toldAgain = (
  { resource, id, row }: Work,
  edit: Edit,
  tenancy: Tenancy | null,
): LostPersonFound[] =>
  edit.is === 'whole' && tenancy?.lost.has(id) === true && row?.['email_key'] === standInEmail(id)
    ? accountLost(resource, edit)
    : [];

/** An older one opens the account here again. */
export function passwordLost({ id, row }: Work, edit: Edit): LostPersonFound[] {
  if (edit.is !== 'whole' || row === null) return [];
  if (row['role'] === 'ADMIN' || row['email_key'] === standInEmail(id)) return [];
  const passwordVersion = Number(edit.row['password_version'] ?? 0);
  if (passwordVersion <= Number(row['password_version'])) return [];
  return [{ kind: 'password', userId: id, farmId: null, ...namesOf(row), role: null, passwordVersion }];
}

/** E-mail, name and role are this instance's own word; of later ones a gateway was told before they were lost. */
export function detailsLost({ id, row, register }: Work, edit: Edit): LostPersonFound[] {
  if (edit.is !== 'whole' || row === null || register === null) return [];
  if (row['role'] === 'ADMIN' || row['email_key'] === standInEmail(id) || !isLostAccount(edit)) return [];
  const person = { userId: id, farmId: null, role: null, ...namesOf(row) };
  return (['email', 'name', 'role'] as const).flatMap((kind): LostPersonFound[] => {
    const told = textOf(edit.row[kind]);
    const stamp = stampOf(edit, kind);
    const isLater = isHostedStamp(stamp) && stamp > stampOf(register, kind);
    // a gateway never makes an administrator
    if (!isLater || told === textOf(row[kind]) || (kind === 'role' && told === 'ADMIN')) return [];
    return [{ ...person, kind, [kind]: told }];
  });
}

const LOOKED_AT_MS = 24 * 3_600_000;

/**
 * What stands as the timeline of a gateway's stream when it begins anew: the life of the database, and when one had been
 * lost before it. It goes back with the database: that another life than this one stands there is what tells of a failover
 * or a restore, whatever a gateway says.
 */
export function lifeNow(stood: string, timeline: string, nowMs: number): string {
  const [before = '', lostAt = ''] = stood.split(' ');
  const isAnother = before !== '' && timeline !== '' && before !== timeline;
  return `${timeline} ${isAnother ? Math.floor(nowMs) : lostAt}`;
}

/** What stands there when another life of the database has lost nothing of the gateway; none stands before it began anew once. */
export function lifeGoneOn(stood: string, timeline: string): string {
  const [before = '', lostAt = ''] = stood.split(' ');
  return before === '' || timeline === '' || before === timeline ? stood : `${timeline} ${lostAt}`;
}

/** Was something lost lately, by what stands as the timeline of a gateway's stream? */
export function isAfterLoss(stood: string, nowMs: number): boolean {
  const [, lostAt = ''] = stood.split(' ');
  return lostAt !== '' && nowMs - Number(lostAt) < LOOKED_AT_MS;
}

/** Of what an account that stands here lost. */
const OF_STANDING: ReadonlySet<LostPersonFound['kind']> = new Set(['password', 'email', 'name', 'role']);

/**
 * Without a loss a password that is newer at a gateway was changed there, or wiped when a pairing ended: it is that box's,
 * and no news. Nor is anything else of an account that stands here.
 */
export function* afterLoss(
  found: readonly LostPersonFound[],
  streamId: number,
  context: UnitContext,
): Steps<LostPersonFound[]> {
  if (!found.some(({ kind }) => OF_STANDING.has(kind))) return [...found];
  const [stream] = yield { sql: 'select timeline from sync_stream where stream_id = ?', params: [streamId] };
  const isRecent = isAfterLoss(textOf(stream?.['timeline']), context.nowMs);
  return found.filter(({ kind }) => !OF_STANDING.has(kind) || isRecent);
}

/**
 * Whose account was lost and who is told as on farms that the gateway does not run: the question stands here with all that is
 * needed to answer it, and at that box the person is gone with the farm. Not while it is asked whether they are on one of its own;
 * and once, for the membership is told again with each comparison.
 */
export function* lostElsewhere(
  { membersElsewhere, batch }: Pick<MergedBatch, 'membersElsewhere' | 'batch'>,
  context: UnitContext,
): Steps<string[]> {
  if (membersElsewhere.length === 0) return [];
  const lost = yield {
    sql: `update lost_people set left_told = 1 where stream_id = ? and kind = 'account' and state = 'open' and left_told = 0
      and ${inList('user_id', context)} and user_id not in (
        select user_id from lost_people where stream_id = ? and kind = 'membership' and state = 'open') returning user_id`,
    params: [batch.streamId, listOf(new Set(membersElsewhere)), batch.streamId],
  };
  return lost.map((row) => String(row['user_id']));
}

const namesOf = (person: Readonly<Record<string, unknown>>) => ({
  name: textOf(person['name']),
  email: textOf(person['email']),
  passwordVersion: Number(person['password_version'] ?? 1),
});

const LOST_KEPT: Kept = {
  table: 'lost_people',
  texts: ['name', 'email'],
  bestFirst: "case when state = 'open' then 0 else 1 end, seen_at desc, id",
};

/** What of it may be another tomorrow. */
const saidOf = (one: Omit<LostPersonFound, 'userId' | 'farmId'>): (string | number | null)[] =>
  one.kind === 'password'
    ? [one.passwordVersion]
    : one.kind === 'email' || one.kind === 'name' || one.kind === 'role'
      ? [one[one.kind]]
      : [];

/** What was decided of it stays decided, however often it is told. */
export function* noteLostPeople(
  found: readonly LostPersonFound[],
  streamId: number,
  context: UnitContext,
): Steps<void> {
  const at = isoOf(context.nowMs);
  const rows = found.map(({ kind, userId, farmId, passwordVersion, name, email, role, toldBefore }) => ({
    // each gateway has its own word; one answer settles what says the same
    id: uuidOfText(
      [
        'lost',
        kind,
        userId,
        farmId ?? streamId,
        ...saidOf({ kind, passwordVersion, name, email, role }),
      ].join(' '),
    ),
    stream_id: streamId,
    kind,
    user_id: userId,
    farm_id: farmId,
    name,
    email,
    role,
    password_version: passwordVersion,
    told_before: toldBefore === true ? 1 : 0,
    left_told: 0,
    state: 'open',
    seen_at: at,
    settled_at: null,
    settled_by: null,
  }));
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()];
  yield* insertMany(
    {
      table: lostPerson.name,
      columns: Object.keys(lostPerson.row.shape),
      rows: distinct,
      conflict: 'on conflict (id) do update set seen_at = excluded.seen_at, left_told = 0',
    },
    context,
  );
  if (rows.length > 0) yield* dropBeyond(LOST_KEPT, streamId);
  // by its name alone an account is kept as somebody of the gateway that told so
  const accounts = found.filter(({ kind }) => kind === 'account').map(({ userId }) => userId);
  if (accounts.length > 0)
    yield {
      sql: `delete from local_users where state = 'local' and ${inList('id', context)}`,
      params: [listOf(new Set(accounts))],
    };
}
