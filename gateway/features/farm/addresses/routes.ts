import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type AddressAnswer,
  addressAnswer,
  addressCreate,
  addressUpdate,
} from '#contract/resources/addresses.ts';
import { notFound } from '#core/errors.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { Address } from './ports.ts';
import { changeAddress, createAddress, deleteAddress, type SaveAddressDeps } from './save-address.ts';

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
