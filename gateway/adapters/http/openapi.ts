import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { errorBody } from '#contract/fields.ts';
import type { Access, BoxNeed, Route } from '#core/route.ts';
import { scopeFor } from '#core/token-scope.ts';
import { eventStreamOperation } from './event-stream.ts';
import { sizeText } from './read-json-body.ts';

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

const listHeaders = z.object({
  'X-Total-Count': z.int().optional().describe('Rows without paging, where a list was cut'),
  Link: z.string().optional().describe('The next page, where a list was cut'),
});

const singleHeaders = z.object({ ETag: z.string().optional().describe('Version of the resource') });

export type OpenApiDocument = ReturnType<typeof createDocument>;

const ABOUT = `Registers, control and alarms of shrimp farms. The gateway on a farm and the hosted instance serve the same interface.

* Errors are \`{"detail": …}\` with a stable \`code\`; validation errors name the fields in \`errors\`.
* Every path works with and without its trailing slash.
* Instants are ISO 8601 in UTC with milliseconds; incoming ones may carry any offset.
* Lists are streamed; \`skip\` and \`limit\` page them.
* A single resource carries an \`ETag\`; a change with an outdated \`If-Match\` is 412.
* Creates honour an \`Idempotency-Key\` for 24 hours.
* Where a plan limits requests, \`RateLimit\` and \`RateLimit-Policy\` tell what is left of the hour; beyond it answers are 429. Control, alerts and devices are never counted.
* \`X-Request-Id\` is taken over from the request, or made, and stands in our log.`;

const TAGS: Readonly<Record<string, string>> = {
  Auth: 'Tokens: register, log in, log out',
  Users: 'Accounts',
  Farms: 'Farms and who works on them',
  Events: 'What happens, as it happens',
  Subscriptions: 'Plans, their limits, and how much of them is used',
};

type Answers = 'open' | 'closed';

/**
 * The interface as an OpenAPI 3.1 document, made from the route table: what is not a route is not in it. Answers are
 * `open` for clients, because they may gain fields; tests close them, so that no field leaves by accident.
 */
export function openApiDocument(
  routes: readonly Route[],
  { answers }: { answers: Answers } = { answers: 'open' },
): OpenApiDocument {
  const parts = openApiParts(routes, answers);
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/** The same, operation by operation: whoever makes it beside other work leaves the thread to that in between. */
function* openApiParts(
  routes: readonly Route[],
  answers: Answers = 'open',
): Generator<void, OpenApiDocument> {
  const tags = [...new Set([...routes.map((route) => route.tag), 'Events'])].sort();
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Shrimp-farm gateway',
      version: '1.3.0',
      description: ABOUT,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/api/v1', description: 'This instance' }],
    tags: tags.map((name) => ({ name, description: TAGS[name] ?? name })),
    security: [{ bearer: [] }],
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Token of POST /auth/login',
        },
        deviceKey: { type: 'http', scheme: 'bearer', description: 'Key of a controller' },
      },
    },
  };
  const override: ZodOpenApiOverride = ({ jsonSchema, io }) => {
    // a format says what the library's long patterns say
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    const isOpen = io === 'output' && answers === 'open';
    if (isOpen && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };
  const made = (paths: ZodOpenApiPathsObject) => createDocument({ ...document, paths }, { override });
  const whole = made({ '/events': { get: eventStreamOperation } });
  const paths = { ...whole.paths };
  const schemas = { ...whole.components?.schemas };
  const namesByShape = parameterNames(routes);
  const namesOf = ({ path }: Route) => namesByShape.get(shapeOf(path)) ?? [];
  const routesByPath = Map.groupBy(routes, (route) => withNames(route.path, namesOf(route)));
  for (const [path, group] of routesByPath) {
    const operations = {};
    for (const route of group) {
      yield;
      const operation = { [route.method.toLowerCase()]: operationOf(route, namesOf(route)) };
      const part = made({ [path]: operation });
      Object.assign(operations, part.paths?.[path]);
      Object.assign(schemas, part.components?.schemas);
    }
    paths[path] = operations;
  }
  return { ...whole, paths, components: { ...whole.components, schemas } };
}

/** The document as it is sent. Making it takes some tenths of a second, in which controllers are heard. */
export async function openApiBytes(routes: readonly Route[]): Promise<Buffer> {
  const parts = openApiParts(routes);
  for (;;) {
    const { done, value } = parts.next();
    if (done) return textOf(value);
    await nextTurn();
  }
}

/** As JSON, written path by path: as a whole its 1.4 MB take as long as some hundred heartbeats. */
async function textOf({ paths = {}, components = {}, ...rest }: OpenApiDocument): Promise<Buffer> {
  const { schemas = {}, ...others } = components;
  const pieces: Buffer[] = [];
  const write = (text: string) => pieces.push(Buffer.from(text));
  const entries = async (of: object) => {
    for (const [n, [name, value]] of Object.entries(of).entries()) {
      write(`${n === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`);
      await nextTurn();
    }
  };
  write(`${JSON.stringify(rest).slice(0, -1)},"paths":{`);
  await entries(paths);
  write(`},"components":{${JSON.stringify(others).slice(1, -1)},"schemas":{`);
  await entries(schemas);
  write('}}}');
  return Buffer.concat(pieces);
}

/** Path parameters by the path without their names. */
type ParameterNames = ReadonlyMap<string, readonly string[]>;

/**
 * OpenAPI forbids two paths that differ only in the names of their parameters, as `POST /farms/{user_id}` and
 * `GET /farms/{farm_id}` do: the name most operations use stands for all of them.
 */
function parameterNames(routes: readonly Route[]): ParameterNames {
  const pathsByShape = Map.groupBy(new Set(routes.map((route) => route.path)), shapeOf);
  const uses = (path: string) => routes.filter((route) => route.path === path).length;
  return new Map(
    [...pathsByShape].map(([shape, paths]) => {
      const [first = ''] = paths.sort((a, b) => uses(b) - uses(a));
      return [shape, namesIn(first)];
    }),
  );
}

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

function withNames(path: string, names: readonly string[]): string {
  let next = 0;
  return path.replaceAll(/\{\w+\}/g, (own) => {
    const name = names[next];
    next += 1;
    return name === undefined ? own : `{${name}}`;
  });
}

function operationOf(route: Route, names: readonly string[]): ZodOpenApiOperationObject {
  const path = pathParameters(route, names);
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: [route.tag],
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(withNames(route.path, names) === route.path ? {} : { 'x-path': route.path }),
    'x-right': route.access.who === 'farm' ? route.access.right : route.access.who,
    ...boxRightOf(route.access),
    // what an access token needs here; null: it is refused
    ...(route.access.who === 'anyone' ? {} : { 'x-token-scope': scopeFor(route) }),
    ...(route.access.who === 'farm' ? { 'x-access': farmRuleOf(route.access) } : {}),
    security: securityOf(route.access),
    requestParams: {
      ...(path === null ? {} : { path }),
      ...(route.query === undefined ? {} : { query: route.query }),
      ...headersOf(route),
    },
    ...requestBodyOf(route),
    responses: responsesOf(route),
  };
}

function requestBodyOf({ body, takes }: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (takes !== undefined) {
    const size = `at most ${sizeText(takes.maxBytes)}`;
    const schema =
      takes.media === 'text/csv'
        ? z.string().describe(`A file with a header row, UTF-8, ${size}`)
        : takes.media === 'application/octet-stream' || takes.media === 'image/jpeg'
          ? z.string().meta({ format: 'binary' }).describe(`A file as it is, ${size}`)
          : z.looseObject({}).describe(`As its sender signed it, ${size}`);
    const file = z.string().meta({ format: 'binary' }).describe(`A file as it is, ${size}`);
    const also = Object.fromEntries((takes.also ?? []).map((media) => [media, { schema: file }]));
    return { requestBody: { required: true, content: { [takes.media]: { schema }, ...also } } };
  }
  if (body === undefined) return {};
  const required = !body.safeParse({}).success;
  return { requestBody: { required, content: { 'application/json': { schema: body } } } };
}

/** Stable as long as method and path are: clients generate names from it. */
export function operationIdOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.replace(/\/$/, '').split(/[/-]/).filter(Boolean);
  const name = words.map((word) => (word.startsWith('{') ? `by_${word.slice(1, -1)}` : word)).join('_');
  // `/farms/` with its slash is the collection
  return `${method.toLowerCase()}_${name}${path.endsWith('/') ? '_collection' : ''}`;
}

function pathParameters(route: Route, names: readonly string[]): z.ZodObject | null {
  const own = namesIn(route.path);
  if (own.length === 0) return null;
  const shape: Record<string, z.ZodType> = {};
  for (const [position, name] of own.entries()) {
    const schema = route.params?.shape[name];
    const type = schema instanceof z.ZodType ? schema : z.string();
    const shown = names[position] ?? name;
    shape[shown] = shown === name ? type : type.describe(`Here the \`${name}\``);
  }
  return z.object(shape);
}

function headersOf(route: Route): { header?: z.ZodObject } {
  const shape: Record<string, z.ZodType> = {};
  if (route.idempotent) {
    shape['Idempotency-Key'] = z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('The same key and body within 24 hours answer the first answer again');
  }
  if (route.method === 'PUT' || route.method === 'PATCH' || route.method === 'DELETE') {
    const what = route.method === 'DELETE' ? 'deleted' : 'changed';
    shape['If-Match'] = z.string().optional().describe(`ETag of the version that is to be ${what}`);
  }
  return Object.keys(shape).length === 0 ? {} : { header: z.object(shape) };
}

function securityOf(access: Access): Record<string, string[]>[] {
  switch (access.who) {
    case 'anyone':
      return [];
    case 'device':
      // without any only on a gateway, from private addresses, until the controller has a key
      return [{ deviceKey: [] }, { bearer: [] }, {}];
    case 'account':
    case 'admin':
    case 'box':
    case 'farm':
      return [{ bearer: [] }];
  }
}

/** The right over the box that is needed, alone or beside one on a farm. */
function boxRightOf(access: Access): { 'x-box-right'?: BoxNeed } {
  if (access.who === 'box') return { 'x-box-right': access.right };
  return access.who === 'farm' && access.box !== undefined ? { 'x-box-right': access.box } : {};
}

function farmRuleOf({ right, of, at, field, others, optional, recorder }: Extract<Access, { who: 'farm' }>) {
  const own = recorder === undefined ? {} : { recorder };
  return { right, of, at, field, others, optional: optional ?? false, ...own };
}

/** Every status an operation may answer: what the route says, and what its access rule and inputs make possible. */
function responsesOf(route: Route): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
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
