import * as z from 'zod';
import { errorBody, idInput } from '#contract/fields.ts';
import {
  adoptedAnswer,
  adoptInput,
  boundFarm,
  claimInput,
  claimPreview,
  claimQuery,
  farmBinding,
  firstPasswordInput,
  gatewayAnswer as gatewaySchema,
  gatewayUpdate,
  localUserAnswer,
  lostPersonAnswer,
  takenBackAnswer,
  unbindQuery,
} from '#contract/resources/gateways.ts';
import { messageAnswer } from '#contract/resources/users.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import { type AdoptDeps, adoptLocalUser, localUserAnswers, setFirstPassword } from './adopt-local-user.ts';
import {
  bindFarm,
  type ChangeGatewayDeps,
  changeGateway,
  gatewayAnswer,
  gatewayAnswerOf,
  gatewayAnswers,
  revokeGateway,
  unbindFarm,
} from './change-gateway.ts';
import { type ClaimDeps, claimGateway, previewClaim } from './claim-gateway.ts';
import { leaveLost, lostPeopleAnswers, type TakeBackDeps, takeBack } from './take-back.ts';

export type HostedPairingDeps = Omit<ClaimDeps & ChangeGatewayDeps & AdoptDeps & TakeBackDeps, 'queries'> & {
  queries: ClaimDeps['queries'] &
    ChangeGatewayDeps['queries'] &
    AdoptDeps['queries'] &
    TakeBackDeps['queries'];
};

const common = { tag: 'Gateways', access: { who: 'account' }, token: 'never' } as const;
const byId = z.object({ id: idInput });

const named = (request: Request<{ id: string }, unknown, unknown>) => ({
  gatewayId: request.params.id,
  ownerId: signedIn(request).userId,
});
const who = (request: Request<unknown, unknown, unknown>) => ({
  caller: signedIn(request),
  source: request.source,
});

/** What people do about gateways on a hosted instance. */
export function hostedPairingRoutes(deps: HostedPairingDeps): Route[] {
  return [
    ...claimRoutes(deps),
    ...gatewayRoutes(deps),
    ...farmRoutes(deps),
    ...localUserRoutes(deps),
    ...lostPeopleRoutes(deps),
  ];
}

function claimRoutes(deps: HostedPairingDeps): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/sync/claims',
      summary: 'What stands behind the code that a gateway shows',
      query: claimQuery,
      // a code that nobody shows
      answers: { 200: { schema: claimPreview }, 404: { schema: errorBody } },
      async handle(request) {
        const body = await previewClaim(deps, who(request), request.query.user_code);
        return { answer: { status: 200, body } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/sync/claims',
      summary: 'Take the gateway that shows this code into the account of the caller, with its farms',
      body: claimInput,
      answers: { 201: { schema: gatewaySchema } },
      async handle(request) {
        const decided = await claimGateway(deps, who(request), request.body);
        return { ...decided, answer: { status: 201, body: gatewayAnswerOf(decided.answer, []) } };
      },
    }),
  ];
}

function gatewayRoutes(deps: HostedPairingDeps): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/sync/gateways',
      summary: 'Gateways of the caller',
      answers: { 200: { schema: gatewaySchema, list: true } },
      async handle(request) {
        return { answer: { status: 200, rows: await gatewayAnswers(deps, signedIn(request).userId) } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/sync/gateways/{id}',
      summary: 'One gateway of the caller',
      params: byId,
      answers: { 200: { schema: gatewaySchema } },
      async handle(request) {
        return { answer: { status: 200, body: await gatewayAnswer(deps, named(request)) } };
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/sync/gateways/{id}',
      hasNoTag: true,
      summary: 'Rename a gateway, or announce an outage of it',
      params: byId,
      body: gatewayUpdate,
      answers: { 200: { schema: gatewaySchema } },
      async handle(request) {
        const decided = await changeGateway(deps, named(request), request.body);
        const shown = await gatewayAnswer(deps, named(request));
        const { name, outage_until, outage_reason } = decided.answer;
        return {
          ...decided,
          answer: { status: 200, body: { ...shown, name, outage_until, outage_reason } },
        };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/sync/gateways/{id}',
      summary: 'Unpair a gateway: it is let in no longer; the farm goes on by itself',
      params: byId,
      answers: { 204: null },
      async handle(request) {
        return { ...(await revokeGateway(deps, named(request))), answer: { status: 204 } };
      },
    }),
  ];
}

function farmRoutes(deps: HostedPairingDeps): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/sync/gateways/{id}/farms',
      idempotent: true,
      summary: 'Have a gateway run a farm that has none',
      params: byId,
      body: farmBinding,
      answers: { 201: { schema: boundFarm } },
      async handle(request) {
        const decided = await bindFarm(deps, named(request), request.body.farm_id);
        const { id: farm_id, name } = decided.answer;
        const body = { gateway_id: request.params.id, farm_id, name };
        return { ...decided, answer: { status: 201, body } };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/sync/gateways/{id}/farms/{farm_id}',
      summary: 'Take a farm off a gateway: this instance runs it from now on',
      params: byId.extend({ farm_id: idInput }),
      query: unbindQuery,
      answers: { 204: null },
      async handle(request) {
        const farm = { farmId: request.params.farm_id, isForced: request.query.force ?? false };
        return { ...(await unbindFarm(deps, named(request), farm)), answer: { status: 204 } };
      },
    }),
  ];
}

function localUserRoutes(deps: HostedPairingDeps): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/sync/local-users',
      summary: 'People whose account stands on a gateway of the caller alone',
      answers: { 200: { schema: localUserAnswer, list: true } },
      async handle(request) {
        return { answer: { status: 200, rows: await localUserAnswers(deps, signedIn(request).userId) } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/sync/local-users/{id}/adopt',
      answersSecret: true,
      summary: 'Make such a person an account here; the code that is shown once opens it',
      params: byId,
      body: adoptInput,
      decidedBy: { fields: ['role'], otherwise: 'refused' },
      answers: { 201: { schema: adoptedAnswer } },
      async handle(request) {
        const decided = await adoptLocalUser(deps, who(request), {
          id: request.params.id,
          ...request.body,
        });
        return { ...decided, answer: { status: 201, body: decided.answer } };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/first-password',
      tag: 'Auth',
      summary: 'Choose the password of an account that was taken over from a gateway',
      // the code is the credential
      access: { who: 'anyone' },
      body: firstPasswordInput,
      answers: { 200: { schema: messageAnswer } },
      async handle({ body, source }) {
        const decided = await setFirstPassword(deps, body, source);
        return {
          ...decided,
          answer: { status: 200, body: { message: 'The password is set; you can log in now' } },
        };
      },
    }),
  ];
}

function lostPeopleRoutes(deps: HostedPairingDeps): Route[] {
  const admin = { tag: 'Gateways', access: { who: 'admin' }, token: 'never' } as const;
  const byLostPerson = z.object({ lost_person_id: idInput });
  return [
    route({
      ...admin,
      method: 'GET',
      path: '/sync/lost-people',
      summary: 'What gateways know of people and this instance lost by a failover or a restore',
      answers: { 200: { schema: lostPersonAnswer, list: true } },
      async handle() {
        return { answer: { status: 200, rows: await lostPeopleAnswers(deps) } };
      },
    }),
    route({
      ...admin,
      method: 'POST',
      path: '/sync/lost-people/{lost_person_id}/take-back',
      answersSecret: true,
      summary: 'Take back an account, a membership or the newer state of a password',
      params: byLostPerson,
      answers: { 200: { schema: takenBackAnswer } },
      async handle(request) {
        const { caller, source } = who(request);
        const decided = await takeBack(
          deps,
          { userId: caller.userId, source },
          request.params.lost_person_id,
        );
        return { ...decided, answer: { status: 200, body: decided.answer } };
      },
    }),
    route({
      ...admin,
      method: 'DELETE',
      path: '/sync/lost-people/{lost_person_id}',
      summary: 'Leave it lost: it is offered no more',
      params: byLostPerson,
      answers: { 204: null },
      async handle(request) {
        const { caller, source } = who(request);
        const decided = await leaveLost(
          deps,
          { userId: caller.userId, source },
          request.params.lost_person_id,
        );
        return { ...decided, answer: { status: 204 } };
      },
    }),
  ];
}
