import * as z from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { errorBody } from '#contract/fields.ts';
import type { Route } from '#core/route.ts';
import { scopeFor } from '#core/token-scope.ts';

const error = errorBody.meta({ id: 'Error', description: 'What happened and what to do' });

const WORDS: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  204: 'Deleted',
  400: 'The request cannot be read, a value is taken, or (ponds, control points, aerators) not valid',
  401: 'No token, or one that does not hold',
  402: 'A subscription or a payment is needed first',
  403: 'The caller may not do this',
  404: 'No such resource, or none the caller can see',
  409: 'The state of the resource, or another one, is in the way',
  412: 'Changed by someone else since the version in If-Match',
  413: 'The body is too large: more than 1 MiB, or a file larger than the operation says',
  415: 'The body is of another kind than the operation takes',
  422: 'A value is not valid',
  429: 'Too many requests; Retry-After says when to come back',
  503: 'Busy or not ready; nothing was changed, Retry-After says when to come back',
  507: 'The disk is full: nothing was saved',
};

/** Every status an operation may answer: what the route says, and what its access rule and inputs make possible. */
export function responsesOf(route: Route): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  const responses: Record<string, ZodOpenApiResponseObject> = {};
  for (const status of errorStatusesOf(route)) {
    responses[status] = {
      description: WORDS[status] ?? 'Refused',
      content: { 'application/json': { schema: error } },
    };
  }
  for (const [status, answer] of Object.entries(route.answers))
    responses[status] = answered(route, status, answer);
  return responses;
}

function answered(route: Route, status: string, answer: Route['answers'][number]): ZodOpenApiResponseObject {
  const description = WORDS[Number(status)] ?? 'Answer';
  if (answer === null) return { description };
  const isList = answer.list ?? false;
  const isSingle =
    !isList && answer.media === undefined && Number(status) < 300 && route.access.who === 'farm';
  return {
    description,
    ...(isList ? { headers: listHeaders } : isSingle ? { headers: singleHeaders } : {}),
    content: {
      [answer.media ?? 'application/json']: { schema: isList ? z.array(answer.schema) : answer.schema },
    },
  };
}

const listHeaders = z.object({
  'X-Total-Count': z.int().optional().describe('Rows without paging, where a list was cut'),
  Link: z.string().optional().describe('The next page, where a list was cut'),
});
const singleHeaders = z.object({ ETag: z.string().optional().describe('Version of the resource') });

function errorStatusesOf(route: Route): number[] {
  const { access, method } = route;
  const isWrite = method !== 'GET';
  const statuses: [number, boolean][] = [
    [400, true],
    // without a token a write can still carry a wrong password
    [401, access.who !== 'anyone' || isWrite],
    // creating, and programs that record: both need a plan that has not lapsed
    [402, method === 'POST' || scopeFor(route) === 'record'],
    // a token without the scope, a right over the box
    [403, (access.who !== 'anyone' && access.who !== 'device') || isWrite],
    [404, access.who === 'farm' || route.path.includes('{') || isWrite],
    // several farms of a user have a device of that name
    [409, isWrite || access.who === 'device' || route.refusals?.includes(409) === true],
    [412, isWrite && method !== 'POST'],
    [413, isWrite],
    [415, isWrite],
    [422, isWrite || route.invalid === 422],
    [429, true],
    [503, true],
    [507, isWrite],
  ];
  return statuses.filter(([, isPossible]) => isPossible).map(([status]) => status);
}
