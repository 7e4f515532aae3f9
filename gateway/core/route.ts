import type * as z from 'zod';
import type { TokenScope } from '#contract/resources/access-tokens.ts';
import type { Right } from '#contract/rights.ts';
import type { FarmRole, Language, UserRole } from '#contract/words.ts';
import type { Decision } from './use-case.ts';

/** Who sent the request, read from a valid token. */
export type Caller = {
  userId: string;
  role: UserRole;
  tokenId: string;
  /** The login behind the token, and how long ago its password was said; absent for an access token. */
  login?: {
    id: string;
    /** See core/login-standing.ts. */
    generation: number;
    passwordVersion: number;
    ageMs: number;
    /** When it cannot be renewed any more. */
    endsAt: number;
    /** When the last token that it can have given by now ends. */
    tokensEndAt: number;
  };
  /** Infinity for an access token without an end. */
  tokenExpiresAt: number;
  /** What an access token may do, or a login that was let in without its second factor; null for any other login. */
  scopes: readonly TokenScope[] | null;
};

/** A farm as the caller of this request stands to it. */
export type FarmAccess = { farmId: string; ownerId: string; role: FarmRole };

/** The farm a thing lies on; `role` is null for a user who is nobody there. */
export type FarmFound = Omit<FarmAccess, 'role'> & { role: FarmRole | null };

/**
 * What is asked of who works on the box itself. These rights come from its owner, never from a farm: anybody with an
 * account may have one of those.
 *
 * work: the time after a power cut, serial ports and bench, provisioning window and queue, firmware store, relays and
 * devices that knock, probe buses, modem, doctor, bridges: keepers, and managers and technicians of the owner's farms.
 * keep: backups, recovery key, restore, pairing, who has rights: the owner, and whom he made keeper of it.
 * own: giving and taking those rights: the owner.
 *
 * An ADMIN has all three. On a hosted instance there is no box, and nobody else has them.
 */
export type BoxNeed = 'work' | 'keep' | 'own';

/** Things that lie on a farm and can be named by an id in a request. */
export const OWNED = [
  'farm',
  'pond',
  'aerator',
  'control_point',
  'schedule',
  'alert',
  'batch',
  'harvest',
  'loss',
  'biometry',
  'feeding_record',
  'expense',
  'transfer',
  'measurement',
  'farm_record',
  'feed_stock',
  'harvest_lot',
  'task',
  'photo',
  'probe',
  'probe_bus',
  'probe_profile',
  'import',
] as const;
export type Owned = (typeof OWNED)[number];

/** The rule every route declares; a route without one does not compile. */
export type Access =
  | { who: 'anyone' }
  /** Any signed-in user; the use case reads and writes the caller's own things only. */
  | { who: 'account' }
  | { who: 'admin' }
  /** Who has this right over the box, whatever farms there are. */
  | { who: 'box'; right: BoxNeed }
  /** A controller's key, a user's token with access to the control point, or (gateway, private address) nothing. */
  | { who: 'device' }
  | {
      who: 'farm';
      right: Right;
      of: Owned;
      at: 'params' | 'query' | 'body';
      field: string;
      /** What a caller without any role on that farm is told; a missing thing is always 404. */
      others: 403 | 404;
      /** The field may be absent: then the use case answers for all farms of the caller. */
      optional?: boolean;
      /** A second field of `at` that names a person: of themselves a person may speak with any role on the farm. */
      self?: string;
      /** A right that is enough for whoever recorded the thing himself. */
      recorder?: Right;
      /** What is asked beside the right on the farm: it reaches the box itself. */
      box?: BoxNeed;
    };

export type Request<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  /** The body as it came, for what validation drops (which fields were sent). */
  rawBody: Readonly<Record<string, unknown>>;
  /** Present on every route but `anyone` and `device`; `signedIn` answers it or throws 401. */
  caller: Caller | null;
  farm: FarmAccess | null;
  /** `rev` of an If-Match header; null without one. */
  ifMatch: number | null;
  /** Address the request came from, without port. */
  source: string;
  /** The credential after `Bearer `, as it came. */
  bearer: string | null;
  /** Body of a route that takes it as it comes; null elsewhere. */
  upload: Uint8Array | null;
  /** The same of a route that takes it to disk. */
  file: UploadedFile | null;
  /** Address under which the caller sees this instance, for example http://10.0.0.5:8080. */
  origin: string;
  /** How the sender of an event signed its body: the header Stripe-Signature. */
  signature: string | null;
  /** How the program that asks names itself, cut to 200 characters; null: it does not. */
  userAgent: string | null;
  /** Names this request in answers, logs and audit: X-Request-Id. */
  requestId: string;
  /** Best language of the Accept-Language header. */
  language: Language;
};

export type Answer = {
  status: number;
  body?: unknown;
  /** Streams a JSON array, row by row. */
  rows?: AsyncIterable<unknown> | Iterable<unknown>;
  /** The array of `rows` stands in this field of an object, behind the rest of it. */
  inside?: { field: string; rest: Readonly<Record<string, unknown>> };
  /**
   * Streams text of another kind than JSON (a CSV file, a page), chunk by chunk. `style`: the one style sheet that
   * stands in the page, between its tags; nothing else takes effect in it.
   */
  text?: { type: string; chunks: AsyncIterable<string> | Iterable<string>; style?: string };
  /** Streams a file that is no text, piece by piece. */
  pieces?: { type: string; chunks: AsyncIterable<Uint8Array> };
  /** A file as a whole. */
  file?: { type: string; bytes: Uint8Array };
  /** Number of rows without paging; becomes X-Total-Count. */
  total?: number;
  /** Version of the one resource in the body; becomes its ETag. */
  rev?: number;
  headers?: Readonly<Record<string, string>>;
};

/** A body that lies on disk until its request is answered, or whoever keeps it releases it. */
export type UploadedFile = {
  path: string;
  bytes: number;
  keep: () => void;
  release: () => Promise<void>;
  answered: () => Promise<void>;
};

/** The most bytes of a body, for every route that takes one. */
export const BODY_BYTES = 1_048_576;

export type RouteDecision = Decision<Answer> & {
  /** For control: what to answer and do when the storage cannot take the changes now (disk full). */
  whenStorageFails?: (error: Error) => Answer;
  /** What happens once the rows are stored, and never of a decision that was made again. */
  whenStored?: () => void;
};

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v1, parameters in braces, trailing slash as the interface writes it. */
  path: string;
  tag: string;
  summary: string;
  access: Access;
  /** Scope an access token needs here, where it is not what scopeFor makes of access and method. */
  token?: TokenScope | 'never';
  /** Also for a login that was let in without its second factor, where the scopes of a token do not reach. */
  isOpenWithoutSecondFactor?: true;
  /** Also for who has to set up a second factor first: what that takes, and nothing of a farm. */
  isOpenToSetUp?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /**
   * Fields that decide what is done, where a body without them is a decision too. One that has none of them but a
   * field nobody knows, perhaps one of them misspelt, is refused; `warned`: done all the same, as the interface says of
   * reference operations, and warned of.
   */
  decidedBy?: { fields: readonly string[]; otherwise: 'refused' | 'warned' };
  /** Statuses it may refuse with beyond those of its method and access. */
  refusals?: readonly number[];
  /** The body is taken as it comes, byte by byte, and is of this kind; it is read once the caller may send it. */
  takes?: {
    media: 'text/csv' | 'application/json' | 'application/octet-stream' | 'image/jpeg';
    /** Other kinds that are taken as well. */
    also?: readonly string[];
    maxBytes: number;
    /** It goes to disk as it comes; memory never holds it. */
    isToDisk?: true;
  };
  /** Status of a validation error: 400 for ponds, control points and aerators, else 422. */
  invalid: 400 | 422;
  /** Schema per status; null: no body. `list`: the schema is one row of a streamed array. `media`: not JSON. */
  answers: Readonly<
    Record<
      number,
      {
        schema: z.ZodType;
        list?: boolean;
        media?:
          | 'text/csv'
          | 'text/html'
          | 'application/gzip'
          | 'application/zip'
          | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
          | 'image/svg+xml'
          | 'image/jpeg'
          | 'application/octet-stream';
      } | null
    >
  >;
  deprecated: boolean;
  /** What it changes carries no ETag, so an If-Match names no version of it: 412. */
  hasNoTag?: true;
  /** Creates honour Idempotency-Key. */
  idempotent: boolean;
  /** Its answer carries what opens something, mostly shown this once: it is kept nowhere, so it is never idempotent. */
  answersSecret: boolean;
  /** What is done once a request and cannot be taken back; see RouteSpec. */
  prepare?: (request: Request<never, never, never>) => Promise<unknown>;
  /** Load → decide. It is repeated when what it read has changed before the commit, so it has no effect but its answer. */
  handle: (request: Request<never, never, never>, prepared: never) => Promise<RouteDecision>;
};

type RouteSpec<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, Prepared> = Omit<
  Route,
  | 'params'
  | 'query'
  | 'body'
  | 'prepare'
  | 'handle'
  | 'invalid'
  | 'deprecated'
  | 'idempotent'
  | 'answersSecret'
> & {
  params?: P;
  query?: Q;
  body?: B;
  invalid?: 400 | 422;
  deprecated?: boolean;
  idempotent?: boolean;
  answersSecret?: boolean;
  /** Done once a request, before the decision, which is given what this answers: a key that is handed to a board. */
  prepare?: (request: Request<z.infer<P>, z.infer<Q>, z.infer<B>>) => Promise<Prepared>;
  handle: (
    request: Request<z.infer<P>, z.infer<Q>, z.infer<B>>,
    prepared: NoInfer<Prepared>,
  ) => Promise<RouteDecision>;
};

/** Declares a route; the handler's types follow from its schemas. */
export function route<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, Prepared>(
  spec: RouteSpec<P, Q, B, Prepared>,
): Route {
  if (spec.idempotent === true && spec.answersSecret === true)
    throw new Error(`${spec.method} ${spec.path}: the answer would be stored with the secret in it`);
  if (spec.idempotent === true && spec.prepare !== undefined)
    throw new Error(`${spec.method} ${spec.path}: a repeated request would prepare again`);
  const { prepare, ...declared } = spec;
  return {
    ...declared,
    ...(prepare === undefined ? {} : { prepare: prepare as NonNullable<Route['prepare']> }),
    invalid: spec.invalid ?? 422,
    deprecated: spec.deprecated ?? false,
    idempotent: spec.idempotent ?? false,
    answersSecret: spec.answersSecret ?? false,
    // the HTTP adapter validates with these very schemas before it calls
    handle: spec.handle as Route['handle'],
  };
}

/** The answer to what holds from memory alone: the caller is told. */
export function holdsUnsaved(answer: Answer): Answer {
  if (typeof answer.body !== 'object' || answer.body === null || Array.isArray(answer.body)) return answer;
  const warning = {
    code: 'NOT_SAVED',
    message: 'It holds, but the disk does not take it: after a power cut it may be lost',
  };
  return { ...answer, body: { ...answer.body, warnings: [warning] } };
}
