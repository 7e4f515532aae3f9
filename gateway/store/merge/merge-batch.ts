import type { Resource } from '#contract/resource.ts';
import { controlPointSettings } from '#contract/resources/control-points.ts';
import { timezone } from '#contract/resources/farms.ts';
import { daysOfWeek } from '#contract/resources/schedules.ts';
import { HOSTED_TABLES } from '#contract/sync/scopes.ts';
import { isAlive, type Steps, type UnitContext } from '../register.ts';
import { withoutMaking } from './accept-stamps.ts';
import { tellingOf } from './account-word.ts';
import { textOf } from './canonical-change.ts';
import { fieldsOf } from './claims.ts';
import { asCreatedHere } from './created-on-gateway.ts';
import type { Edit, Fields } from './edit.ts';
import { isAskedAbout, isOfHosted, isOfWhoLeft, isToldAsPresent, setAccountRight } from './hosted-account.ts';
import {
  accountLost,
  afterLoss,
  detailsLost,
  isAnswered,
  isFullerThanName,
  isLostElsewhere,
  isNameAlone,
  membershipLost,
  passwordLost,
  toldAgain,
} from './lost-people.ts';
import { type Batch, fixedFields, type Kept, MAKING, type MergedBatch, merge } from './merge.ts';
import {
  addressesNamed,
  fieldsIn,
  isOverAsTold,
  isSetOnceHere,
  isStillOpen,
  mayTakeOver,
  namedInBatch,
  notTakenOver,
  ownersHere,
  peopleNamed,
  type Readable,
} from './own-say.ts';
import { isAbsent, wholesAside } from './parked.ts';
import { isOfOwnPeople } from './personal.ts';
import { type NotApplied, type ReadChange, readChange } from './read-change.ts';
import { rankOf, referencesOf, resourceOfTable, scopeOf } from './shared-tables.ts';
import { notKnownBefore, unheardOf, unheardWhileWaiting } from './snapshot-losses.ts';
import { belongs, leavesItsFarm, loadTenancy, strangerIn, type Tenancy } from './tenancy.ts';
import { toldApart } from './told-apart.ts';
import {
  isErased,
  isErasedForGood,
  isOutOfSight,
  keyOf,
  loadStanding,
  loadWorks,
  newWorkingSet,
  standingOf,
  type Work,
  type WorkingSet,
} from './working-set.ts';

// Hosted: values that no call of the interface takes are not taken from a gateway either. What control, schedules and
// screens are computed from stands here; a text or a number that is merely shown harms nobody.

const RULES: Readonly<Record<string, Resource['row']['shape']>> = {
  farms: { timezone },
  control_points: controlPointSettings.shape,
  schedules: { days_of_week: daysOfWeek.nullable() },
};

type Whole = Extract<Edit, { is: 'whole' }>;

/** Merges a batch. Tables come in the order in which rows name each other: what is merged does not depend on it. */
export function* mergeBatch(batch: Batch, context: UnitContext): Steps<MergedBatch> {
  const { readable, kept } = readAll(batch);
  const set = newWorkingSet();
  yield* loadWorks(set, idsByResource(readable), context);
  yield* loadStanding(set, namedInBatch(set, readable), context);
  const isGuarded = batch.from === 'gateway';
  const asked = { people: peopleNamed(set, readable), addresses: addressesNamed(readable) };
  const tenancy = isGuarded ? yield* loadTenancy(batch.streamId, asked, context) : null;
  // whose a row becomes may be somebody whom the gateway never named
  if (tenancy !== null) yield* loadStanding(set, ownersHere(set, tenancy), context);
  const merged: MergedBatch = {
    batch,
    set,
    tenancy,
    applied: [],
    kept,
    lost: [],
    setApart: [],
    corrections: [],
    refusedMembers: [],
    left: [],
    membersElsewhere: [],
    lostPeople: [],
    passedOver: 0,
    ofErased: 0,
    wholesAside: batch.from === 'hosted' ? yield* wholesAside(readable, set, batch, context) : null,
  };
  for (const told of readable) {
    const item = tenancy === null ? told : withOwnActor(told, tenancy);
    const why = mergeOne(item, merged);
    if (why === null) merged.applied.push(item);
    else merged.kept.push({ ...item.heard, reason: why.parked });
  }
  merged.lostPeople = yield* afterLoss(merged.lostPeople, batch.streamId, context);
  merged.corrections = merged.corrections.filter((one) => !isAskedAbout(merged, one));
  // what a stamp that was set anew won against is noted by the hosted instance
  if (batch.isOwn === true) merged.lost = [];
  else if (batch.isSnapshot) merged.lost = yield* unheardOf(merged.lost, batch, context);
  else if (batch.from === 'hosted') merged.lost = yield* notKnownBefore(merged.lost, context);
  else merged.lost = yield* unheardWhileWaiting(merged.lost, batch, context);
  return merged;
}

/** Who did it is believed of the gateway's own people alone: nobody else is told of what happens there. */
function withOwnActor(item: Readable, { people }: Tenancy): Readable {
  const { heard } = item;
  const { actor } = heard.change;
  if (actor === null || people.has(actor)) return item;
  return { ...item, heard: { ...heard, change: { ...heard.change, actor: null } } };
}

function readAll(batch: Batch): { readable: Readable[]; kept: Kept[] } {
  const readable: Readable[] = [];
  const kept: Kept[] = [];
  for (const heard of batch.changes) {
    const read: ReadChange | NotApplied = readChange(heard.change);
    if ('parked' in read) {
      kept.push({ ...heard, reason: read.parked });
      continue;
    }
    const why = batch.from === 'gateway' ? refusedByApi(read.resource, fieldsIn(read.edit)) : null;
    if (why === null) readable.push({ heard, ...read });
    else kept.push({ ...heard, reason: `refused:${why}` });
  }
  return { readable: readable.toSorted((a, b) => rankOf(a.resource) - rankOf(b.resource)), kept };
}

function idsByResource(items: readonly Readable[]): Map<Resource, Set<string>> {
  const ids = new Map<Resource, Set<string>>();
  for (const { resource, heard } of items) {
    const known = ids.get(resource) ?? new Set();
    ids.set(resource, known.add(heard.change.id));
  }
  return ids;
}

/** Answers null when it was merged or passed over, else why it must be kept aside. */
function mergeOne(item: Readable, merged: MergedBatch): NotApplied | null {
  const { resource, heard } = item;
  const { set, tenancy, batch } = merged;
  const work = set.works.get(keyOf(resource.name, heard.change.id));
  if (work === undefined) throw new Error(`${resource.name} ${heard.change.id} was not read`);
  if (isPassedOver(item, work, merged)) {
    merged.passedOver += 1;
    return null;
  }
  if (isOfWhoLeft(work, merged)) {
    merged.passedOver += 1;
    if (isToldAsPresent(item.edit)) merged.left.push(work.id);
    return null;
  }
  if (isOfHosted(work, merged)) {
    merged.lostPeople.push(
      ...toldAgain(work, item.edit, tenancy),
      ...passwordLost(work, item.edit),
      ...detailsLost(work, item.edit),
    );
    setAccountRight(item, work, merged);
    return null;
  }
  if (isFullerThanName(work, item.edit, tenancy)) {
    work.row = null;
    work.register = null;
  }
  if (isLostElsewhere(work, item.edit, tenancy) && item.edit.is === 'whole') {
    merged.lostPeople.push(...accountLost(resource, item.edit).map((one) => ({ ...one, toldBefore: true })));
    merged.passedOver += 1;
    return null;
  }
  if (isAnswered(work, tenancy) || isNameAlone(work, item.edit, tenancy)) {
    merged.passedOver += 1;
    return null;
  }
  // what was erased for good never comes back
  if (isErased(work) && !isBroken(work, batch)) return null;
  // nor is a row changed that is inserted once; the database itself holds to that for the log
  if (resource.sync === 'fact' && work.row !== null && !(isMended(batch) && resource.name !== 'logs'))
    return null;
  if (work.row === null && item.edit.is !== 'whole') {
    if (!isOfOldHistory(work, merged)) return { parked: `absent:${resource.name}/${work.id}` };
    merged.passedOver += 1;
    return null;
  }
  const made =
    tenancy !== null && work.row === null && item.edit.is === 'whole' ? asCreatedHere(item, merged) : null;
  const edit = made?.edit ?? item.edit;
  const missing = missingIn(set, resource, edit);
  if (missing !== null && isErasedForGood(set, missing.table, missing.id)) {
    merged.ofErased += 1;
    made?.undo();
    leaveOut(work, edit);
    return null;
  }
  if (missing !== null) {
    made?.undo();
    return { parked: `parent:${missing.table}/${missing.id}` };
  }
  if (tenancy !== null && work.row === null && edit.is === 'whole') {
    // as it came: the stand-in that is taken in has no address
    if (item.edit.is === 'whole') merged.lostPeople.push(...accountLost(resource, item.edit));
    const membership = membershipLost(resource, edit, { tenancy, set });
    merged.lostPeople.push(...membership);
    if (membership.length > 0) {
      made?.undo();
      return { parked: `tenant:${resource.name}/${work.id}` };
    }
  }
  if (tenancy !== null && isOfLeaver(tenancy, work, edit)) {
    refuseMember({ ...item, edit }, work, merged);
    return null;
  }
  if (tenancy !== null && !mayTell(tenancy, set, work, edit)) {
    made?.undo();
    const member = memberElsewhere(tenancy, resource, edit);
    if (member !== null) merged.membersElsewhere.push(member);
    return { parked: `tenant:${resource.name}/${work.id}` };
  }
  takeEdit({ ...item, edit }, work, merged, batch);
  return null;
}

/**
 * Gateway: history that a fresh card does not ask for is not held here. What is changed of it is passed over: should the row
 * come one day, it comes as it stands then. One that waits aside itself takes its changes with it.
 */
function isOfOldHistory({ resource, id }: Work, { wholesAside, kept }: MergedBatch): boolean {
  if (wholesAside === null || resource.lane !== 'history' || wholesAside.has(keyOf(resource.name, id)))
    return false;
  return !kept.some(({ change, reason }) => change.id === id && !isAbsent(reason));
}

/** As if it had come in time and been erased with the rest: its register stays, and what is said of it later is known. */
function leaveOut(work: Work, edit: Edit): void {
  if (edit.is !== 'whole' || work.row !== null || work.resource.sync === 'fact') return;
  work.register = { cl: edit.cl, hlc: edit.hlc, over: withoutMaking(edit.hlc, edit.over) };
  work.isRegisterChanged = true;
}

function isPassedOver({ resource, edit }: Readable, work: Work, { batch, tenancy }: MergedBatch): boolean {
  if (batch.from === 'hosted') return false;
  // the names of the list are tables
  if ((HOSTED_TABLES as ReadonlySet<string>).has(resource.name)) return true;
  // an account ends where it was made
  return resource.name === 'users' && edit.is === 'delete' && tenancy?.locals.has(work.id) !== true;
}

/** A row that it names and that has not come. */
function missingIn(set: WorkingSet, resource: Resource, edit: Edit): { table: string; id: string } | null {
  const fields = fieldsIn(edit);
  for (const [column, table] of referencesOf(resource)) {
    const id = fields[column];
    if (typeof id === 'string' && standingOf(set, table, id) === null) return { table, id };
  }
  return null;
}

/** Row as it stands, row as it would be, and whatever it names: all of them must be the gateway's. */
function mayTell(tenancy: Tenancy, set: WorkingSet, work: Work, edit: Edit): boolean {
  const { resource, id, row } = work;
  const fields = fieldsIn(edit);
  if (row !== null && !belongs(tenancy, set, { resource, id, row })) return false;
  if (edit.is === 'whole' && !belongs(tenancy, set, { resource, id, row: edit.row }, row !== null))
    return false;
  if (row === null && leavesItsFarm(set, { resource, row }, fields)) return false;
  // whose an address is never changes
  if (
    scopeOf(resource).by === 'named' &&
    row !== null &&
    (fields['user_id'] ?? row['user_id']) !== row['user_id']
  )
    return false;
  if (isComingBack(tenancy, set, work, edit)) return false;
  return strangerIn(tenancy, set, { resource, row }, fields) === null;
}

/** Does a gateway make somebody a member who left its farms, and of which it had not heard? */
const isOfLeaver = (tenancy: Tenancy, { resource, row }: Work, edit: Edit): edit is Whole =>
  resource.name === 'farm_members' &&
  row === null &&
  edit.is === 'whole' &&
  isAlive(edit) &&
  tenancy.farms.has(textOf(edit.row['farm_id'])) &&
  tenancy.past.has(textOf(edit.row['user_id'])) &&
  !tenancy.people.has(textOf(edit.row['user_id']));

/** Who is told as on a farm that is not the gateway's, and whose account is not its own either. */
function memberElsewhere(tenancy: Tenancy, { name }: Resource, edit: Edit): string | null {
  if (name !== 'farm_members' || edit.is !== 'whole' || !isAlive(edit)) return null;
  const userId = textOf(edit.row['user_id']);
  return tenancy.farms.has(textOf(edit.row['farm_id'])) || tenancy.locals.has(userId) ? null : userId;
}

/** It stands here deleted, so that both sides say the same, and the owner of the farm hears of it. */
function refuseMember(
  { resource, heard, edit }: Readable & { edit: Whole },
  work: Work,
  merged: MergedBatch,
): void {
  work.row = edit.row;
  work.register = { cl: edit.cl + 1, hlc: edit.hlc, over: {} };
  work.isRegisterChanged = true;
  work.hidden = true;
  const { row, hlc } = edit;
  merged.refusedMembers.push({
    group: 'role',
    rule: 'delete_wins',
    kept: {},
    dropped: { role: row['role'], user_id: row['user_id'] },
    keptHlc: '',
    droppedHlc: hlc,
    resource,
    id: work.id,
    change: heard.change,
  });
}

/** Nobody becomes a member again without accepting it. */
function isComingBack(tenancy: Tenancy, set: WorkingSet, work: Work, edit: Edit): boolean {
  const { resource, row, register } = work;
  if (resource.name !== 'farm_members' || row === null || register === null || isAlive(register))
    return false;
  const person = { resource: resourceOfTable('users'), id: textOf(row['user_id']), row: {} };
  return edit.cl > register.cl && edit.cl % 2 === 1 && !belongs(tenancy, set, person);
}

/** Nobody erases what people see: a comparison offers nothing else, so here a row was lost past the program. */
const isBroken = ({ register }: Work, { isRepair }: Batch): boolean =>
  isRepair === true && register !== null && isAlive(register);

/** Under equal stamps both cannot be right, and the hosted instance's copy is taken. */
const isMended = ({ from, isRepair }: Batch): boolean => isRepair === true && from === 'hosted';

function takeEdit(item: Readable, work: Work, merged: MergedBatch, batch: Batch): void {
  const { from, isSnapshot } = batch;
  const { resource, edit, heard } = item;
  const held =
    work.row === null ? null : { row: work.row, register: work.register ?? { cl: 1, hlc: '', over: {} } };
  const accepts = (group: string): boolean => {
    if (batch.isOwn === true) return true;
    const { owner, fields = [] } = resource.groups[group] ?? {};
    const told = edit.is === 'whole' ? edit.row : edit.is === 'groups' ? edit.groups[group] : undefined;
    if (from === 'gateway' && held !== null && told !== undefined) {
      const set = fieldsOf(told, group === MAKING ? fixedFields(resource) : fields);
      if (leavesItsFarm(merged.set, { resource, row: held.row }, set)) return false;
    }
    if (from === 'gateway' && resource.name === 'users')
      return merged.tenancy?.locals.has(work.id) === true && isOfOwnPeople('users', group);
    if (group === MAKING) return from !== 'hosted' || !isSetOnceHere(work);
    if (from === 'hosted' && owner === 'gateway') return mayTakeOver(work, group, edit);
    return owner === undefined || owner === from || (isSnapshot && from === 'hosted');
  };
  const row = edit.is === 'whole' ? edit.row : null;
  const telling = tellingOf(resource, from, { row, isSettled: batch.isSettled === true });
  const how = telling === null ? {} : { telling };
  const told: Edit =
    edit.is !== 'whole'
      ? { ...edit, ...how }
      : {
          ...edit,
          ...how,
          ...(isSnapshot ? { isSnapshot: true } : {}),
          ...(isMended(batch) ? { isMended: true } : {}),
          ...(from === 'gateway' && batch.isRepair !== true ? { isToldAlone: true } : {}),
        };
  const taken = isOverAsTold(item, told, merged);
  const outcome = merge(resource, held, taken, accepts);
  if (outcome === null) return;
  if (taken !== told && isStillOpen(edit)) merged.corrections.push({ resource, id: work.id, group: 'state' });
  if (held !== null && isSnapshot) merged.setApart.push(...notTakenOver(item, held, outcome.passedOver));
  if (held !== null && edit.hlc.endsWith('!')) merged.setApart.push(...toldApart(item, held, outcome.held));
  work.isRegisterChanged ||= JSON.stringify(outcome.held.register) !== JSON.stringify(work.register);
  work.row = outcome.held.row;
  work.register = outcome.held.register;
  work.hidden = isOutOfSight(merged.set, work);
  merged.passedOver += outcome.passedOver.length;
  // an account may differ: what is changed at the gateway holds there and goes no further
  if (resource.name !== 'users')
    for (const group of outcome.passedOver) merged.corrections.push({ resource, id: work.id, group });
  for (const lost of outcome.lost) merged.lost.push({ ...lost, resource, id: work.id, change: heard.change });
}

/** The first field that the interface would refuse, and why; null: there is none. */
function refusedByApi({ name }: Pick<Resource, 'name'>, fields: Fields): string | null {
  for (const [field, rule] of Object.entries(RULES[name] ?? {})) {
    if (!Object.hasOwn(fields, field)) continue;
    const parsed = rule.safeParse(fields[field]);
    if (!parsed.success) return `${field}: ${parsed.error.issues[0]?.message ?? 'is wrong'}`;
  }
  return null;
}
