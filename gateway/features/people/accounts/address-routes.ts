import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  addressCodeInput,
  addressStateAnswer,
  messageAnswer,
  unverifiedAnswer,
} from '#contract/resources/users.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import {
  addressState,
  confirmAddress,
  confirmForAnother,
  sendAddressCode,
  type VerifyAddressDeps,
} from './verify-address.ts';

// what opens an account is for people, not for programs
const own = { tag: 'Users', access: { who: 'account' }, token: 'never' } as const;
const admin = { tag: 'Users', access: { who: 'admin' }, token: 'never' } as const;

/** A hosted instance's: whose e-mail address is whose. */
export function addressRoutes(deps: VerifyAddressDeps): Route[] {
  return [
    route({
      ...own,
      method: 'GET',
      path: '/users/me/email',
      summary: 'Whether the address of the caller is confirmed, and how it can be',
      answers: { 200: { schema: addressStateAnswer } },
      async handle(request) {
        return { answer: { status: 200, body: await addressState(deps, signedIn(request).userId) } };
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/users/me/email/code',
      summary: 'Have a code sent to the address of the caller; the newest one counts',
      answers: { 202: { schema: messageAnswer } },
      async handle(request) {
        const decided = await sendAddressCode(deps, signedIn(request).userId, request.language);
        return { ...decided, answer: { status: 202, body: { message: 'A code is on its way' } } };
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/users/me/email/confirm',
      summary: 'Confirm the address of the caller with the code of the letter',
      body: addressCodeInput,
      answers: { 200: { schema: messageAnswer } },
      async handle(request) {
        const decided = await confirmAddress(deps, signedIn(request).userId, request.body.code);
        return { ...decided, answer: { status: 200, body: { message: 'The address is confirmed' } } };
      },
    }),
    route({
      ...admin,
      method: 'GET',
      path: '/users/unverified',
      summary: 'Accounts whose e-mail address nobody confirmed yet, oldest first',
      query: pageQuery,
      answers: { 200: { schema: unverifiedAnswer, list: true } },
      async handle({ query: { skip, limit } }) {
        return { answer: { status: 200, rows: deps.queries.unverified({ skip, limit }) } };
      },
    }),
    route({
      ...admin,
      method: 'POST',
      path: '/users/{user_id}/confirm-email',
      summary: 'Confirm the e-mail address of an account, for a person one knows',
      params: z.object({ user_id: idInput }),
      answers: { 200: { schema: unverifiedAnswer } },
      async handle(request) {
        const decided = await confirmForAnother(deps, request.params.user_id, signedIn(request).userId);
        return { ...decided, answer: { status: 200, body: decided.answer } };
      },
    }),
  ];
}
