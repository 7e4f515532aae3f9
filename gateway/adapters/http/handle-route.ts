import type { Request as HttpRequest, Response } from 'express';
import type * as z from 'zod';
import type { Right } from '#contract/rights.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { type Language, spokenIn } from '#contract/words.ts';
import { markProved } from '#core/bounded-connections.ts';
import { AppError, forbidden, invalidField, notFound, StorageUnavailable } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { plainWords } from '#core/plain-words.ts';
import { notAuthenticated, requireMatch, requireRight } from '#core/request-checks.ts';
import type {
  Access,
  Answer,
  Caller,
  FarmAccess,
  FarmFound,
  Owned,
  Request,
  Route,
  RouteDecision,
} from '#core/route.ts';
import { holdsUnsaved } from '#core/route.ts';
import { requireScope, scopeFor } from '#core/token-scope.ts';
import { perform } from '#core/use-case.ts';
import type { WriteBudget } from '#core/write-budget.ts';
import { movedAway } from '#features/cloud/moved-farms.ts';
import { type MayOnBox, requireBoxRight } from '#features/people/box-rights.ts';
import type { BodiesOnDisk } from './body-on-disk.ts';
import { type IdempotencyDeps, withIdempotency } from './idempotency.ts';
import { faultIn } from './input-bounds.ts';
import { misspeltIn, refuseMisspelt, warnOfMisspelt, warnOfUnchanged } from './misspelt-fields.ts';
import { readFile } from './read-json-body.ts';
import { requestIdOf } from './request-frame.ts';
import { type Admit, isCounted } from './request-limits.ts';
import { sendAnswer } from './send-answer.ts';

export type HandleDeps = Pick<Kernel, 'commit' | 'pause' | 'random' | 'log'> &
  IdempotencyDeps & {
    /** The caller of a bearer token; throws 401 for one that is invalid, expired, logged out or outdated, 403 before a second factor. */
    authenticate: (bearer: string, route?: Pick<Route, 'isOpenToSetUp'>) => Promise<Caller>;
    /** Where a request comes from. */
    sourceOf: (request: HttpRequest) => string;
    /** Limits of the caller's plan on requests; absent where there are none. */
    admit?: Admit;
    /** What an account may have stored in a day. */
    writes: Pick<WriteBudget, 'admit'>;
    /** Bodies too large for memory. */
    bodies: BodiesOnDisk;
    mayOnBox: MayOnBox;
    /** Who recorded a thing; null: nobody did, or it is unknown. */
    recorderOf: (of: Owned, id: string) => Promise<string | null>;
    /** How the user stands to the farm on which the thing lies; null: there is no such thing. */
    accessTo: (of: Owned, id: string, userId: string) => Promise<FarmFound | null>;
    /** Gateway: another one runs the farm now. Absent where that cannot be. */
    isMoved?: (farmId: string) => boolean;
    /** Notes that a login was used; never waits, never throws. */
    noteLogin: (caller: Caller, from: { source: string }) => void;
    accessTokens: {
      /** True for what looks like an access token, whether it counts or not. */
      isOne: (bearer: string) => boolean;
      /** Notes now and then that a token was used; never waits, never throws. */
      noteUse: (caller: Caller, source: string) => void;
      /** Throws 403 when the plan of the user has no access tokens (any more). */
      requirePlan: (userId: string) => Promise<void>;
    };
  };

const THING: Readonly<Record<Owned, string>> = {
  farm: 'Farm',
  pond: 'Pond',
  aerator: 'Aerator',
  control_point: 'Control point',
  schedule: 'Schedule',
  alert: 'Alert',
  batch: 'Batch',
  harvest: 'Harvest',
  loss: 'Loss',
  biometry: 'Biometry',
  feeding_record: 'Feeding record',
  expense: 'Expense',
  transfer: 'Transfer',
  measurement: 'Measurement',
  farm_record: 'Record',
  feed_stock: 'Entry of feed stock',
  harvest_lot: 'Harvest lot',
  task: 'Task',
  photo: 'Photo',
  probe: 'Probe',
  probe_bus: 'Bus',
  probe_profile: 'Probe profile',
  import: 'Import',
};

/** One request through one route: who, may they, is it valid; then load → decide → commit; then the answer. */
export async function handleRoute(
  deps: HandleDeps,
  { route, read }: { route: Route; read: Route | null },
  http: HttpRequest,
  response: Response,
): Promise<void> {
  const request = await readRequest(deps, route, http, response);
  try {
    await answerRequest(deps, { route, read, request }, http, response);
  } finally {
    await request.file?.answered();
  }
}

async function answerRequest(
  deps: HandleDeps,
  { route, read, request }: { route: Route; read: Route | null; request: Request<unknown, unknown, unknown> },
  http: HttpRequest,
  response: Response,
): Promise<void> {
  const prepared = await route.prepare?.(request as never);
  const handle = () => route.handle(request as never, prepared as never);
  const decide =
    route.method === 'DELETE' && request.ifMatch !== null ? () => matched(read, request, handle) : handle;
  const decision: { last: RouteDecision | null } = { last: null };
  const decideOnce = async () => {
    decision.last = await (route.idempotent ? withIdempotency(deps, request, http, decide) : decide());
    return decision.last;
  };
  const answer = await perform(deps, request.caller?.userId ?? null, decideOnce).then(
    (done) => {
      try {
        decision.last?.whenStored?.();
      } catch (error) {
        // the rows are stored: who asked is told so, whatever follows from them here
        deps.log.error({ err: error, route: route.path }, 'what follows from a stored decision failed');
      }
      return done.committed.unsaved === undefined ? done.answer : holdsUnsaved(done.answer);
    },
    (error: unknown): Answer => {
      const fallback = error instanceof StorageUnavailable ? decision.last?.whenStorageFails : undefined;
      if (fallback === undefined || !(error instanceof Error)) throw error;
      return fallback(error);
    },
  );
  if (route.access.who !== 'anyone' && answer.status < 400) markProved(http.socket, proverOf(request));
  // whoever hears the answer may send the next file
  await request.file?.answered();
  const told = warnOfUnchanged(route, request.rawBody, answer);
  const { caller, params, query, body } = request;
  // of the farm alone: a token that ends while a file leaves over a poor line cuts nothing off
  await sendAnswer(response, warnOfMisspelt(route, misspeltIn(route, request.rawBody), told), () =>
    farmOf(deps, route.access, caller, { params, query, body }),
  );
}

/** A person, or a device by the name that it was known under. */
const proverOf = ({ caller, params, body }: Request<unknown, unknown, unknown>): string =>
  caller?.userId ?? `device ${String(nameOfDevice(params) ?? nameOfDevice(body))}`;

const nameOfDevice = (part: unknown): unknown => (isRecord(part) ? part['device_id'] : undefined);

/**
 * A deletion of the version that If-Match names, by the ETag under which the same path is read: looked at before, and once more
 * after the decision, which is stale where the row moved on since it was read.
 */
async function matched(
  read: Route | null,
  request: Request<unknown, unknown, unknown>,
  handle: () => Promise<RouteDecision>,
): Promise<RouteDecision> {
  const look = async () => {
    const { answer } = (await read?.handle(request as never, undefined as never)) ?? {};
    if (answer?.rev === undefined) throw hasNoTag();
    requireMatch(request, { rev: answer.rev });
  };
  await look();
  const decision = await handle();
  await look();
  return decision;
}

async function readRequest(
  deps: HandleDeps,
  route: Route,
  http: HttpRequest,
  response: Response,
): Promise<Request<unknown, unknown, unknown>> {
  const bearer = bearerOf(http);
  const source = deps.sourceOf(http);
  const caller = await callerOf(deps, route, bearer, source);
  if (caller !== null) {
    await deps.admit?.(route, caller, response);
    await deps.writes.admit(route, caller);
  }
  const rawBody = isRecord(http.body) ? http.body : {};
  const params = parsePart(route.params, storable(http.params, 404), route.invalid, 404);
  const farmBefore = await farmOf(deps, route.access, caller, { params });
  const query = route.query === undefined ? {} : parsePart(route.query, queryOf(route, http), route.invalid);
  storable(http.body, route.invalid);
  const body = route.body === undefined ? undefined : parsePart(route.body, http.body ?? {}, route.invalid);
  refuseMisspelt(route, misspeltIn(route, rawBody));
  const ifMatch = ifMatchOf(http);
  if (route.hasNoTag === true && ifMatch !== null) throw hasNoTag();
  const farm = farmBefore ?? (await farmOf(deps, route.access, caller, { query, body }));
  const { upload, file } = await fileOf(deps, route, http, caller);
  // a file may come for minutes: who was let in before it may have been put out since
  const letIn =
    route.takes === undefined
      ? { caller, farm }
      : await letInAgain(deps, route, { bearer, source }, { params, query, body }).catch(
          async (error: unknown) => {
            await file?.answered();
            throw error;
          },
        );
  return {
    params,
    query,
    body,
    rawBody,
    upload,
    file,
    ...letIn,
    ifMatch,
    source,
    bearer,
    origin: originOf(http),
    signature: headerOf(http, 'stripe-signature'),
    userAgent: headerOf(http, 'user-agent')?.slice(0, USER_AGENT_LENGTH) ?? null,
    requestId: requestIdOf(response),
    language: languageOf(http),
  };
}

async function letInAgain(
  deps: HandleDeps,
  route: Route,
  { bearer, source }: { bearer: string | null; source: string },
  parts: Readonly<Record<string, unknown>>,
): Promise<{ caller: Caller | null; farm: FarmAccess | null }> {
  const caller = await callerOf(deps, route, bearer, source);
  return { caller, farm: await farmOf(deps, route.access, caller, parts) };
}

async function fileOf(
  deps: Pick<HandleDeps, 'bodies'>,
  { takes }: Route,
  http: HttpRequest,
  caller: Caller | null,
): Promise<Pick<Request<unknown, unknown, unknown>, 'upload' | 'file'>> {
  if (takes === undefined) return { upload: null, file: null };
  if (takes.isToDisk !== true) return { upload: await readFile(http, takes), file: null };
  return { upload: null, file: caller === null ? null : await deps.bodies.take(http, takes, caller.userId) };
}

/** What of the name of a program is ever looked at. */
const USER_AGENT_LENGTH = 200;

const SANE_HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i;

function originOf(http: HttpRequest): string {
  const host = http.headers.host ?? '';
  const scheme = 'encrypted' in http.socket && http.socket.encrypted === true ? 'https' : 'http';
  return `${scheme}://${SANE_HOST.test(host) ? host : 'localhost'}`;
}

function headerOf(http: HttpRequest, name: string): string | null {
  const value = http.headers[name];
  return typeof value === 'string' ? value : null;
}

function languageOf(http: HttpRequest): Language {
  // controllers send none, and come by the thousand
  if (http.headers['accept-language'] === undefined) return 'pt-BR';
  return spokenIn(http.acceptsLanguages('pt-BR', 'pt', 'en', 'es') || '') ?? 'pt-BR';
}

/** The query, in which every known name stands once. */
function queryOf(route: Route, http: HttpRequest): unknown {
  const query = storable(http.query, route.invalid);
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && name in (route.query?.shape ?? {})) {
      throw invalidField(route.invalid, name, 'may be given only once');
    }
  }
  return query;
}

/** Refuses text and numbers that no table can hold; an id that cannot exist names nothing. */
function storable<Part>(part: Part, status: 400 | 422 | 404): Part {
  const fault = faultIn(part);
  if (fault === null) return part;
  if (status === 404) throw notFound('Resource');
  throw invalidField(status, fault.path, fault.message, fault.code);
}

function bearerOf(http: HttpRequest): string | null {
  return /^Bearer +([^\s]+)\s*$/i.exec(http.headers.authorization ?? '')?.[1] ?? null;
}

/** Throws 401 for who has no token that counts. */
export async function proveCaller(deps: Pick<HandleDeps, 'authenticate'>, http: HttpRequest): Promise<void> {
  const bearer = bearerOf(http);
  if (bearer === null) throw notAuthenticated();
  await deps.authenticate(bearer);
}

async function callerOf(
  deps: HandleDeps,
  route: Route,
  bearer: string | null,
  source: string,
): Promise<Caller | null> {
  const { access } = route;
  if (access.who === 'anyone') return null;
  if (access.who === 'device') {
    // a controller's key is not a token: the device routes look at the credential themselves
    if (bearer !== null && deps.accessTokens.isOne(bearer)) await scopedCaller(deps, route, bearer, source);
    return null;
  }
  if (bearer === null) throw notAuthenticated();
  const caller = await scopedCaller(deps, route, bearer, source);
  if (access.who === 'admin' && caller.role !== 'ADMIN') throw forbidden('Only administrators may do this');
  if (access.who === 'box') await requireBoxRight(deps.mayOnBox, access.right, caller);
  return caller;
}

async function scopedCaller(deps: HandleDeps, route: Route, bearer: string, source: string): Promise<Caller> {
  const caller = await deps.authenticate(bearer, route);
  requireScope(caller, route);
  // a person's login, whatever it reaches, is nobody's program
  if (caller.scopes === null || caller.login !== undefined) {
    deps.noteLogin(caller, { source });
    return caller;
  }
  // a lapsed plan refuses recording; reading goes on, and what moves water or warns (a measurement does) knows no plan
  if (scopeFor(route) === 'record' && isCounted(route)) await deps.accessTokens.requirePlan(caller.userId);
  deps.accessTokens.noteUse(caller, source);
  return caller;
}

async function farmOf(
  deps: HandleDeps,
  access: Access,
  caller: Caller | null,
  parts: Readonly<Record<string, unknown>>,
): Promise<FarmAccess | null> {
  if (access.who !== 'farm' || !(access.at in parts)) return null;
  const part = parts[access.at];
  const id = isRecord(part) ? part[access.field] : undefined;
  if (id === undefined && access.optional) return null;
  if (caller === null || typeof id !== 'string') throw notFound(THING[access.of]);
  const found = await deps.accessTo(access.of, id, caller.userId);
  if (found === null) throw notFound(THING[access.of]);
  const { role } = found;
  if (role === null) {
    if (access.others === 404) throw notFound(THING[access.of]);
    throw forbidden(`You do not have permission on this ${THING[access.of].toLowerCase()}`);
  }
  const isOfSelf = access.self !== undefined && isRecord(part) && part[access.self] === caller.userId;
  const isOwnRecord =
    access.recorder !== undefined &&
    mayOnFarm(role, access.recorder) &&
    (await deps.recorderOf(access.of, id)) === caller.userId;
  if (!isOwnRecord) requireRight(role, isOfSelf ? 'read' : access.right);
  if (deps.isMoved?.(found.farmId) === true && !isReading(access.right)) throw movedAway();
  if (access.box !== undefined) await requireBoxRight(deps.mayOnBox, access.box, caller);
  return { farmId: found.farmId, ownerId: found.ownerId, role };
}

/** It can still be read and exported where it was. */
const isReading = (right: Right): boolean => right === 'read' || right === 'read_finance';

function parsePart(
  schema: z.ZodType | undefined,
  part: unknown,
  invalid: 400 | 422,
  status: number = invalid,
): unknown {
  if (schema === undefined) return part;
  const parsed = schema.safeParse(part, { error: plainWords });
  if (parsed.success) return parsed.data;
  // an id that cannot exist names nothing
  if (status === 404) throw notFound('Resource');
  const errors = parsed.error.issues.map((issue) => ({
    path: issue.path.join('.'),
    code: issue.code.toUpperCase(),
    message: issue.message,
  }));
  const first = errors[0];
  const detail =
    first === undefined ? 'The request is not valid' : `${first.path || 'body'}: ${first.message}`;
  throw new AppError(invalid, detail, { code: 'VALIDATION_ERROR', errors: errors.slice(0, 50) });
}

function ifMatchOf(http: HttpRequest): number | null {
  const header = http.headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  const rev = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(header)?.[1];
  // an unknown tag can match nothing
  return rev === undefined ? -1 : Number(rev);
}

const hasNoTag = (): AppError =>
  new AppError(412, 'This carries no version that If-Match could name; send the change without it', {
    code: 'PRECONDITION_FAILED',
  });

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
