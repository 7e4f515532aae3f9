import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type AddressAnswer,
  type AddressCreate,
  address,
  addressAnswer,
  addressCreate,
  addressUpdate,
} from '#contract/resources/addresses.ts';
import { farm } from '#contract/resources/farms.ts';
import { type Change, type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Address, AddressQueries } from './ports.ts';

const params = z.object({ address_id: idInput });
const access = { who: 'account' } as const;
const tag = 'Addresses';

/** Addresses belong to one user; another's are told as missing ones. */
export function addressRoutes(deps: SaveAddressDeps): Route[] {
  async function ownAddress(request: Request<z.infer<typeof params>, unknown, unknown>): Promise<Address> {
    const found = await deps.queries.addressOf(signedIn(request).userId, request.params.address_id);
    if (found === null) throw notFound('Address');
    return found;
  }
  return [
    route({
      method: 'POST',
      path: '/addresses/',
      tag,
      summary: 'Create an address of the caller',
      access,
      token: 'record',
      body: addressCreate,
      answers: { 201: { schema: addressAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await createAddress(deps, signedIn(request).userId, request.body);
        return { ...made, answer: { status: 201, body: toAnswer(made.answer), rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/addresses/',
      tag,
      summary: 'Addresses of the caller',
      access,
      query: pageQuery,
      answers: { 200: { schema: addressAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const rows = deps.queries.addressesOf(signedIn(request).userId, { skip, limit });
        return { answer: { status: 200, rows: answersOf(rows) } };
      },
    }),
    route({
      method: 'GET',
      path: '/addresses/{address_id}',
      tag,
      summary: 'An address',
      access,
      params,
      answers: { 200: { schema: addressAnswer } },
      async handle(request) {
        const found = await ownAddress(request);
        return { answer: { status: 200, body: toAnswer(found), rev: found.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/addresses/{address_id}',
      tag,
      summary: 'Change an address',
      access,
      token: 'record',
      params,
      body: addressUpdate,
      answers: { 200: { schema: addressAnswer } },
      async handle(request) {
        const found = await ownAddress(request);
        requireMatch(request, found);
        const changed = await changeAddress(deps, found, request.body);
        return {
          ...changed,
          answer: { status: 200, body: toAnswer(changed.answer), rev: changed.answer.rev },
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/addresses/{address_id}',
      tag,
      summary: 'Delete an address; farms there lose the link only',
      access,
      token: 'record',
      params,
      answers: { 204: null },
      async handle(request) {
        return { ...(await deleteAddress(deps, await ownAddress(request))), answer: { status: 204 } };
      },
    }),
  ];
}

function toAnswer(row: Address): AddressAnswer {
  const { id, street, number, complement, city, state, zip_code, country, lat, lng } = row;
  const { is_primary, created_at, updated_at } = row;
  return {
    id,
    street,
    number,
    complement,
    city,
    state,
    zip_code,
    country,
    lat,
    lng,
    is_primary,
    created_at,
    updated_at,
  };
}

async function* answersOf(rows: AsyncIterable<Address>): AsyncIterable<AddressAnswer> {
  for await (const row of rows) yield toAnswer(row);
}

type SaveAddressDeps = Pick<Kernel, 'now' | 'newId' | 'guard'> & { queries: AddressQueries };

/** Decides a new address of the user. Throws 409 for an id that is taken. */
async function createAddress(
  deps: SaveAddressDeps,
  userId: string,
  input: AddressCreate,
): Promise<Decision<Address>> {
  const { id = deps.newId(), complement, lat, lng, ...fields } = input;
  if (input.id !== undefined && (await deps.queries.isIdTaken(id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const others = await otherPrimaries(deps, { id, user_id: userId, is_primary: input.is_primary });
  const row = {
    ...fields,
    id,
    user_id: userId,
    complement: complement ?? null,
    lat: lat ?? null,
    lng: lng ?? null,
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  return {
    answer: { ...row, rev: 1 },
    changes: [insert(address, row), ...others.changes],
    guards: others.guards,
  };
}

/** Decides new values of an address; fields left out stay, an empty body changes nothing. */
async function changeAddress(
  deps: SaveAddressDeps,
  current: Address,
  input: z.infer<typeof addressUpdate>,
): Promise<Decision<Address>> {
  const set = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  if (Object.keys(set).length === 0) return { answer: current };
  const others = await otherPrimaries(deps, { ...current, is_primary: input.is_primary ?? false });
  const stamped = { ...set, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...stamped, rev: current.rev + 1 },
    changes: [update(address, current, stamped), ...others.changes],
    guards: others.guards,
  };
}

/**
 * A user has one primary address at most: the one that becomes it takes the place of the others, in the same commit.
 * The guard makes two that become it at the same moment come one after the other.
 */
async function otherPrimaries(
  deps: SaveAddressDeps,
  next: Pick<Address, 'id' | 'user_id' | 'is_primary'>,
): Promise<{ changes: Change[]; guards: GuardSeen[] }> {
  if (!next.is_primary) return { changes: [], guards: [] };
  const guard = await deps.guard('primary_address', next.user_id);
  const primaries = await deps.queries.primaryAddressesOf(next.user_id);
  const updated_at = isoOf(deps.now());
  return {
    changes: primaries
      .filter(({ id }) => id !== next.id)
      .map((other) => update(address, other, { is_primary: false, updated_at })),
    guards: [guard],
  };
}

type DeleteAddressDeps = Pick<Kernel, 'now' | 'guard'> & { queries: Pick<AddressQueries, 'farmsAt'> };

/** Decides the end of an address; farms that lie there keep everything but the link to it. */
async function deleteAddress(deps: DeleteAddressDeps, current: Address): Promise<Decision<void>> {
  const guard = await deps.guard('address', current.id);
  const farms = await deps.queries.farmsAt(current.id);
  const updated_at = isoOf(deps.now());
  return {
    answer: undefined,
    changes: [
      remove(address, current),
      ...farms.map((found) => update(farm, found, { address_id: null, updated_at })),
    ],
    guards: [guard],
  };
}
