import { address } from '#contract/resources/addresses.ts';
import { batch } from '#contract/resources/batches.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farmMember, farm as farmResource } from '#contract/resources/farms.ts';
import { invitation } from '#contract/resources/invitations.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { audit } from '#core/audit.ts';
import { type Change, type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { AppError, conflict, forbidden } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { refuseSharedNames } from '#core/shared-names.ts';
import type { Decision } from '#core/use-case.ts';
import { membership } from '../membership.ts';
import { handedOverNews } from './invitation-words.ts';
import type { Accepted, AnswerDeps, Farm, Invitation, Person } from './ports.ts';

type Handover = { offer: Invitation; farm: Farm; person: Person };

/**
 * Decides that a farm has another owner, with all that stands on it, in one commit: a farm always keeps an owner. Throws
 * 403 for an account that owns no farms or whose plan has no room, 409 for codes that both have and for batches that
 * live on two farms.
 */
export async function takeFarmOver(deps: AnswerDeps, wish: Handover): Promise<Decision<Accepted>> {
  const { offer, farm, person } = wish;
  // the offer was the former owner's to make
  if (offer.created_by !== farm.owner_id)
    throw conflict('This farm has another owner by now; ask for a new invitation', 'INVITATION_REVOKED');
  if (person.role !== 'OWNER' && person.role !== 'ADMIN')
    throw forbidden('Only an OWNER account may own farms');
  const pondIds = await deps.handover.pondIds(farm.id);
  const guards = await Promise.all(pondIds.map((id) => deps.guard('pond', id)));
  await refuseSharedCodes(deps, wish);
  await refuseStraddlingBatches(deps, farm, pondIds);
  const gateway = await gatewayThatFollows(deps, wish);
  const beside = await deps.limitHandover({ farmId: farm.id, ownerId: person.id, pondIds });
  return {
    answer: { farm, role: 'OWNER' },
    changes: [
      ...(await ownedChanges(deps, wish)),
      ...(await peopleChanges(deps, wish)),
      ...(await tellingChanges(deps, wish)),
      ...gateway.changes,
      ...(beside.changes ?? []),
    ],
    guards: [...guards, ...gateway.guards, ...(beside.guards ?? [])],
  };
}

/** A gateway has one owner, who may unpair it: it goes with its farm, and cannot be cut in two. */
async function gatewayThatFollows(
  deps: AnswerDeps,
  { farm, person }: Handover,
): Promise<{ changes: Change[]; guards: GuardSeen[] }> {
  const gateway = await deps.handover.gatewayOf(farm.id);
  if (gateway === null) return { changes: [], guards: await refuseNames(deps, { farm, person }) };
  const guards = [await deps.guard('gateway', gateway.id)];
  const stay = gateway.others.filter(({ owner_id }) => owner_id !== person.id).map(({ name }) => name);
  if (stay.length > 0)
    throw conflict(
      `The gateway of this farm runs other farms, too (${stay.slice(0, 10).join(', ')}), and would have two owners: its owner has to unpair it or take this farm off it first, then accept again`,
      'GATEWAY_OF_TWO_OWNERS',
    );
  return { changes: [update(pairedGateway, gateway.id, { owner_id: person.id })], guards };
}

/** Of farms without a gateway names of devices are the owner's, too. */
async function refuseNames(
  deps: AnswerDeps,
  { farm, person }: Pick<Handover, 'farm' | 'person'>,
): Promise<GuardSeen[]> {
  const names = await deps.handover.deviceNames(farm.id);
  const guards = await Promise.all(names.map((name) => deps.guard('device', name)));
  refuseSharedNames(await deps.handover.sharedNames(farm.id, person.id), 'accept again');
  return guards;
}

/** Codes are unique per owner: which ones clash is said, so that they can be changed. */
async function refuseSharedCodes(deps: AnswerDeps, { farm, person }: Handover): Promise<void> {
  const { controlPoints, batches } = await deps.handover.sharedCodes(farm.id, person.id);
  const errors = [
    ...controlPoints.map((cod) => clash('control_point.cod', `control point ${cod}`)),
    ...batches.map((code) => clash('batch.batch_code', `batch ${code}`)),
  ];
  if (errors.length === 0) return;
  const names = errors.slice(0, 10).map(({ message }) => message);
  const more = errors.length > names.length ? ` and ${errors.length - names.length} more` : '';
  throw new AppError(
    409,
    `Both owners use the same codes: ${names.join(', ')}${more}. Change them on one side, then accept again`,
    { code: 'CODES_CLASH', errors: errors.slice(0, 50) },
  );
}

const clash = (path: string, message: string) => ({ path, code: 'ALREADY_EXISTS', message });

/** Animals of one batch cannot have two owners. */
async function refuseStraddlingBatches(
  deps: AnswerDeps,
  farm: Farm,
  pondIds: readonly string[],
): Promise<void> {
  const own = await deps.batches.ofFarms([farm.id], 'ACTIVE');
  const here = await deps.batches.activeInPonds(pondIds);
  const codes = new Set(
    [
      ...own.filter(({ populationByPond }) =>
        [...populationByPond.keys()].some((id) => !pondIds.includes(id)),
      ),
      ...[...here.values()].flat().filter(({ batch: { farm_id } }) => farm_id !== farm.id),
    ].map(({ batch: { batch_code } }) => batch_code),
  );
  if (codes.size === 0) return;
  throw conflict(
    `Batches that live on this farm and on another one of its owner must be moved or ended first: ${[...codes].slice(0, 10).join(', ')}`,
    'BATCH_ON_TWO_FARMS',
  );
}

/** The farm, its control points and batches. Its address was the former owner's, so the new one gets a copy. */
async function ownedChanges(deps: AnswerDeps, { farm, person }: Handover): Promise<Change[]> {
  const at = isoOf(deps.now());
  const set = { owner_id: person.id, updated_at: at };
  const place = farm.address_id === null ? null : await deps.handover.address(farm.address_id);
  const copy =
    place === null
      ? null
      : {
          ...place,
          id: deps.newId(),
          user_id: person.id,
          is_primary: false,
          created_at: at,
          updated_at: null,
        };
  return [
    ...(copy === null ? [] : [insert(address, copy)]),
    update(farmResource, farm, { ...set, address_id: copy?.id ?? null }),
    ...(await deps.handover.controlPointIds(farm.id)).map((id) => update(controlPoint, id, set)),
    ...(await deps.handover.batchIds(farm.id)).map((id) => update(batch, id, set)),
  ];
}

async function peopleChanges(deps: AnswerDeps, { offer, farm, person }: Handover): Promise<Change[]> {
  const was = await deps.queries.memberOf(farm.id, person.id);
  const stays =
    offer.role === 'NONE'
      ? []
      : (await membership(deps, { farmId: farm.id, userId: farm.owner_id, role: offer.role })).changes;
  // what the former owner offered to others is not the new one's word
  const others = (await deps.queries.openOfFarm(farm.id)).filter(({ id }) => id !== offer.id);
  const revoked = { state: 'REVOKED' as const, updated_at: isoOf(deps.now()) };
  return [
    ...(was === null ? [] : [remove(farmMember, was)]),
    ...stays,
    ...others.map((other) => update(invitation, other, revoked)),
  ];
}

async function tellingChanges(deps: AnswerDeps, { offer, farm, person }: Handover): Promise<Change[]> {
  const entry = audit(deps, {
    farm_id: farm.id,
    entity_type: 'SYSTEM',
    entity_id: farm.id,
    entity_name: farm.name,
    action: 'handover',
    user_id: person.id,
    details: { from: farm.owner_id, to: person.id, former_owner_is: offer.role, invitation_id: offer.id },
  });
  const news = handedOverNews(offer, farm);
  // news of a farm are sent to its people alone: who leaves it is told past it
  const toFormer = offer.role === 'NONE' ? { ...news, farmId: null } : news;
  return [
    entry,
    ...(await deps.notify({ userIds: [person.id] }, news)),
    ...(await deps.notify({ userIds: [farm.owner_id] }, toFormer)),
  ];
}
