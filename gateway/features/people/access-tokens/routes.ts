import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type AccessTokenAnswer,
  accessTokenAnswer,
  accessTokenCreate,
  accessTokenMade,
  accessTokenUpdate,
} from '#contract/resources/access-tokens.ts';
import { notFound } from '#core/errors.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import { type AskAgainDeps, requireAgain } from '../present-password.ts';
import { type CreateTokenDeps, createToken, renameToken, revokeToken } from './create-token.ts';
import type { AccessTokenQueries, UsedToken } from './ports.ts';

export type AccessTokenRouteDeps = Omit<CreateTokenDeps, 'queries'> &
  AskAgainDeps & { queries: AccessTokenQueries };

const params = z.object({ token_id: idInput });
// a token that could make tokens could not be revoked
const common = { tag: 'Access tokens', access: { who: 'account' }, token: 'never' } as const;

export function accessTokenRoutes(deps: AccessTokenRouteDeps): Route[] {
  async function ownToken(request: Request<z.infer<typeof params>, unknown, unknown>): Promise<UsedToken> {
    const found = await deps.queries.tokenOf(signedIn(request).userId, request.params.token_id);
    if (found === null) throw notFound('Access token');
    return found;
  }
  return [
    route({
      ...common,
      method: 'GET',
      path: '/access-tokens',
      summary: "The caller's access tokens, revoked and expired ones too",
      query: pageQuery,
      answers: { 200: { schema: accessTokenAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const rows = deps.queries.tokensOf(signedIn(request).userId, { skip, limit });
        return { answer: { status: 200, rows: answersOf(rows) } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/access-tokens',
      answersSecret: true,
      summary: 'Make an access token for programs; it is shown once',
      body: accessTokenCreate,
      answers: { 201: { schema: accessTokenMade } },
      async handle(request) {
        const caller = signedIn(request);
        const { current_password: password, ...wish } = request.body;
        // it outlives this login, and the password
        await requireAgain(deps, caller, { password, source: request.source }, 'make an access token');
        const made = await createToken(deps, caller.userId, wish);
        const { row, token } = made.answer;
        const body = { ...toAnswer({ ...row, rev: 1, used_at: null, used_from: null }), token };
        return { ...made, answer: { status: 201, body } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/access-tokens/{token_id}',
      summary: 'One of the access tokens of the caller',
      params,
      answers: { 200: { schema: accessTokenAnswer } },
      async handle(request) {
        const token = await ownToken(request);
        return { answer: { status: 200, body: toAnswer(token), rev: token.rev } };
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/access-tokens/{token_id}',
      summary: 'Give an access token another name',
      params,
      body: accessTokenUpdate,
      answers: { 200: { schema: accessTokenAnswer } },
      async handle(request) {
        const token = await ownToken(request);
        requireMatch(request, token);
        const renamed = renameToken(deps, token, request.body);
        const { answer } = renamed;
        return { ...renamed, answer: { status: 200, body: toAnswer(answer), rev: answer.rev } };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/access-tokens/{token_id}',
      summary: 'Revoke an access token; it stays in the list',
      params,
      answers: { 204: null },
      async handle(request) {
        return { ...revokeToken(deps, await ownToken(request)), answer: { status: 204 } };
      },
    }),
  ];
}

function toAnswer(token: UsedToken): AccessTokenAnswer {
  const { id, name, scopes, hint, expires_at, revoked_at, used_at, used_from, created_at, updated_at } =
    token;
  return {
    id,
    name,
    scopes,
    hint,
    expires_at,
    revoked_at,
    // the ETag does not follow it: nobody's change is lost by it
    last_used_at: used_at,
    last_used_from: used_from,
    created_at,
    updated_at,
  };
}

async function* answersOf(tokens: AsyncIterable<UsedToken>): AsyncIterable<AccessTokenAnswer> {
  for await (const token of tokens) yield toAnswer(token);
}
