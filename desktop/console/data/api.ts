import type { Answers } from './answers.ts';
import { linked } from './water.ts';

// Requests to the interface. The token comes from the session; what comes back is what the contract says, or an ApiError.

export type FieldError = { path: string; message: string; code?: string };

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly FieldError[];
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body['detail'] === 'string' ? body['detail'] : `HTTP ${status}`);
    this.status = status;
    this.code = typeof body['code'] === 'string' ? body['code'] : '';
    this.fields = Array.isArray(body['errors']) ? (body['errors'] as FieldError[]) : [];
    this.body = body;
  }
}

/** The gateway could not be reached: nobody knows whether the request arrived. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('unreachable', { cause });
  }
}

type Asked = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  /** The same key again never makes a second row. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  query?: Record<string, string | number | boolean | null | undefined>;
};

const TIMEOUT_MS = 15_000;

type Wiring = {
  token: () => string | null;
  language: () => string;
  signedOut: () => void;
  /** This instance wants a second factor of who is signed in, before anything else. */
  setUpFirst: () => void;
  reached: (answer: Response) => void;
};
let wiring: Wiring = {
  token: () => null,
  language: () => 'pt-BR',
  signedOut: () => {},
  setUpFirst: () => {},
  reached: () => {},
};

/** Called once, by the session. */
export function wireApi(wanted: Wiring): void {
  wiring = wanted;
}

export async function ask<Answer>(path: string, asked: Asked = {}): Promise<Answer> {
  const { method = 'GET', body, idempotencyKey, signal, query } = asked;
  const token = wiring.token();
  const isFile = body instanceof Blob;
  const timeout = AbortSignal.timeout(isFile ? 10 * TIMEOUT_MS : TIMEOUT_MS);
  const response = await fetch(`/api/v1${path}${queryText(query)}`, {
    method,
    headers: {
      accept: 'application/json',
      'accept-language': wiring.language(),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': isFile ? body.type || 'text/csv' : 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
    signal: signal === undefined ? timeout : linked(signal, timeout),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Unreachable(error);
  });
  wiring.reached(response);
  const answer = await readAnswer(response);
  if (response.ok) return answer as Answer;
  // a token that was renewed meanwhile says nothing about the session
  const isCurrent = token !== null && token === wiring.token();
  if (response.status === 401 && isCurrent && path !== '/auth/login') wiring.signedOut();
  const refused = new ApiError(response.status, isRecord(answer) ? answer : {});
  if (refused.code === 'SECOND_FACTOR_SET_UP' && isCurrent) wiring.setUpFirst();
  throw refused;
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw new Unreachable(error);
  });
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function queryText(query: Asked['query']): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return pairs.length === 0
    ? ''
    : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}`;
}

type Segment<Text extends string> = string extends Text ? '{}' : Text;
type Segments<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? `${Segment<Head>}/${Segments<Rest>}`
  : Segment<Path>;
type WithoutQuery<Path extends string> = Path extends `${infer Before}?${string}` ? Before : Path;
type LastFilled<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? `${Head}/${LastFilled<Rest>}`
  : '{}';
/** An address as the route table writes it: `/ponds/${string}/summary-card` is `/ponds/{}/summary-card`. */
type Address<By extends Method, Path extends string> = Path extends `/${infer Rest}`
  ? `/${Segments<WithoutQuery<Rest>>}` extends infer Written extends string
    ? Written extends keyof Answers[By]
      ? Written
      : // a last parameter that is one of few words
        Written extends `/${infer Words}`
        ? `/${LastFilled<Words>}`
        : ''
    : ''
  : '';
type Filled<Written> = Written extends `${infer Head}{}${infer Rest}`
  ? `${Head}${string}${Filled<Rest>}`
  : Written;

export type Method = keyof Answers;
/** Any path that the interface has for this method. */
export type PathOf<By extends Method> = Filled<keyof Answers[By]>;
/** The path itself, where the interface has it for this method; any other does not compile. */
export type Known<By extends Method, Path extends string> =
  Address<By, Path> extends keyof Answers[By] ? Path : `${By} has no such address`;
/** What the interface answers there, by the route table. */
export type AnswerOf<By extends Method, Path extends string> =
  Address<By, Path> extends infer Found extends keyof Answers[By] ? Answers[By][Found] : never;

export const get = <const Path extends string>(
  path: Path & Known<'GET', Path>,
  query?: Asked['query'],
  signal?: AbortSignal,
) =>
  ask<AnswerOf<'GET', Path>>(path, {
    ...(query === undefined ? {} : { query }),
    ...(signal === undefined ? {} : { signal }),
  });
export const post = <const Path extends string>(
  path: Path & Known<'POST', Path>,
  body?: unknown,
  idempotencyKey?: string,
) =>
  ask<AnswerOf<'POST', Path>>(path, {
    method: 'POST',
    body,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
export const put = <const Path extends string>(path: Path & Known<'PUT', Path>, body: unknown) =>
  ask<AnswerOf<'PUT', Path>>(path, { method: 'PUT', body });
export const patch = <const Path extends string>(path: Path & Known<'PATCH', Path>, body: unknown) =>
  ask<AnswerOf<'PATCH', Path>>(path, { method: 'PATCH', body });
export const del = <const Path extends string>(path: Path & Known<'DELETE', Path>) =>
  ask<AnswerOf<'DELETE', Path>>(path, { method: 'DELETE' });

/** A file of the interface as it comes. */
export async function fetchFile(path: string, signal?: AbortSignal): Promise<Response> {
  const token = wiring.token();
  const response = await fetch(`/api/v1${path}`, {
    headers: {
      'accept-language': wiring.language(),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    signal: signal ?? null,
  }).catch((error: unknown) => {
    throw new Unreachable(error);
  });
  if (!response.ok)
    throw new ApiError(response.status, (await readAnswer(response)) as Record<string, unknown>);
  return response;
}

/** Downloads a file of the interface under its own name; `take` reads what comes. */
export async function download(
  path: string,
  fallbackName: string,
  take = (response: Response): Promise<Blob> => response.blob(),
): Promise<void> {
  const response = await fetchFile(path);
  const named = /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await take(response));
  link.download = named ?? fallbackName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** UUID v4 that works on plain http, where crypto.randomUUID does not exist. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
