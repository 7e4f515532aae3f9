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
  reached: (answer: Response) => void;
};
let wiring: Wiring = { token: () => null, language: () => 'pt-BR', signedOut: () => {}, reached: () => {} };

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
  throw new ApiError(response.status, isRecord(answer) ? answer : {});
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

export const get = <Answer>(path: string, query?: Asked['query'], signal?: AbortSignal) =>
  ask<Answer>(path, {
    ...(query === undefined ? {} : { query }),
    ...(signal === undefined ? {} : { signal }),
  });
export const post = <Answer>(path: string, body?: unknown, idempotencyKey?: string) =>
  ask<Answer>(path, { method: 'POST', body, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
export const put = <Answer>(path: string, body: unknown) => ask<Answer>(path, { method: 'PUT', body });
export const patch = <Answer>(path: string, body: unknown) => ask<Answer>(path, { method: 'PATCH', body });
export const del = <Answer>(path: string) => ask<Answer>(path, { method: 'DELETE' });

/** Downloads a file of the interface under its own name. */
export async function download(path: string, fallbackName: string): Promise<void> {
  const token = wiring.token();
  const response = await fetch(`/api/v1${path}`, {
    headers: {
      'accept-language': wiring.language(),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
  }).catch((error: unknown) => {
    throw new Unreachable(error);
  });
  if (!response.ok)
    throw new ApiError(response.status, (await readAnswer(response)) as Record<string, unknown>);
  const named = /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
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
