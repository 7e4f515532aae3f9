import { createHash, type KeyObject, verify } from 'node:crypto';
import { type Agent, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { FirmwareDesired } from '#contract/mqtt/ota.ts';
import type { Behaviour, Fetched } from './controller/state.ts';
import { requestJson } from './transport/http-transport.ts';

// How a board fetches an image and proves it before a byte of it may run.

const PIECE_BYTES = 65_536;
const TRIES_PER_PIECE = 3;
const PIECE_WITHIN_MS = 30_000;

type FirmwareSource = {
  /** HTTP address of the gateway. */
  base: string;
  agent: Agent;
  key: () => string;
  publisherKeys: readonly KeyObject[];
};

/** Fetches piece by piece, each piece tried again when it fails, then checks size, hash and signature. */
export async function fetchFirmware(
  source: FirmwareSource,
  desired: FirmwareDesired,
  { told, signal }: { told: (done: number) => void; signal: AbortSignal },
): Promise<Fetched> {
  const pieces: Buffer[] = [];
  let done = 0;
  while (done < desired.size) {
    const piece = await pieceAt(source, desired, { offset: done, signal });
    if (typeof piece === 'string')
      return { ok: false, reason: 'DOWNLOAD_FAILED', detail: piece.slice(0, 200) };
    if (piece.length === 0)
      return { ok: false, reason: 'SIZE_WRONG', detail: `ended after ${done} of ${desired.size} bytes` };
    pieces.push(piece);
    done += piece.length;
    told(done);
  }
  return proved(Buffer.concat(pieces), desired, source.publisherKeys);
}

/** The bytes, or why there are none. */
async function pieceAt(
  source: FirmwareSource,
  desired: FirmwareDesired,
  { offset, signal }: { offset: number; signal: AbortSignal },
): Promise<Buffer | string> {
  const length = Math.min(PIECE_BYTES, desired.size - offset);
  const url = `${source.base}${desired.path}?offset=${offset}&length=${length}`;
  let why = '';
  for (let tries = 0; tries < TRIES_PER_PIECE && !signal.aborted; tries += 1) {
    try {
      const { status, bytes } = await get(source, url, signal);
      if (status === 200) return bytes;
      why = `answered ${status}`;
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
  }
  return signal.aborted ? 'abandoned' : why;
}

function get(
  { agent, key }: FirmwareSource,
  url: string,
  signal: AbortSignal,
): Promise<{ status: number; bytes: Buffer }> {
  const send = url.startsWith('https:') ? requestTls : requestPlain;
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; bytes: Buffer }>();
  const headers = { authorization: `Bearer ${key()}` };
  const outgoing = send(url, { agent, headers, signal, timeout: PIECE_WITHIN_MS }, (incoming) => {
    buffer(incoming).then((bytes) => resolve({ status: incoming.statusCode ?? 0, bytes }), reject);
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
  outgoing.on('error', reject);
  outgoing.end();
  return promise;
}

/** The hash and the signature over the statement of 11.3, as a board works them out for itself. */
function proved(image: Buffer, desired: FirmwareDesired, keys: readonly KeyObject[]): Fetched {
  const refuse = (reason: 'SIZE_WRONG' | 'HASH_WRONG' | 'SIGNATURE_WRONG', detail: string): Fetched => ({
    ok: false,
    reason,
    detail,
  });
  if (image.length !== desired.size) return refuse('SIZE_WRONG', `${image.length} of ${desired.size} bytes`);
  const sha256 = createHash('sha256').update(image).digest('hex');
  if (sha256 !== desired.sha256) return refuse('HASH_WRONG', `fetched ${sha256.slice(0, 16)}`);
  const lines = [
    'shrimp-farm firmware 1',
    `chip ${desired.chip}`,
    `version ${desired.version}`,
    `size ${desired.size}`,
    `sha256 ${sha256}`,
    '',
  ];
  const statement = Buffer.from(lines.join('\n'));
  const signature = Buffer.from(desired.sig, 'base64url');
  if (!keys.some((key) => verify(null, statement, key, signature)))
    return refuse(
      'SIGNATURE_WRONG',
      keys.length === 0 ? 'no publisher is known here' : 'not of a known publisher',
    );
  return { ok: true, behaviour: behaviourOf(image) };
}

/** A simulated image says in its text how it will behave: `sim:no_network;` or `sim:crash;`. */
function behaviourOf(image: Buffer): Behaviour {
  if (image.includes('sim:no_network;')) return 'no_network';
  return image.includes('sim:crash;') ? 'crash' : 'good';
}

// A bare HTTP client: JSON in, JSON out, the status as it is.

export type HttpAnswer = { status: number; body: unknown };

export type HttpCall = {
  method?: 'GET' | 'POST' | 'DELETE';
  /** Bearer: a device key or a user's token. */
  bearer?: string;
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  rawBody?: string;
  /** Over its connections, in place of new ones: how a gateway is reached that the machine does not know. */
  agent?: Agent | undefined;
  /** Instead of 15 s. */
  withinMs?: number;
};

const ANSWER_WITHIN_MS = 15_000;

/** Throws when the server cannot be reached or does not answer in time. */
export async function callHttp(base: string, path: string, call: HttpCall = {}): Promise<HttpAnswer> {
  if (call.agent !== undefined) return callOver(call.agent, `${base}${path}`, call);
  const text = call.rawBody ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const response = await fetch(`${base}${path}`, {
    method: call.method ?? (text === undefined ? 'GET' : 'POST'),
    headers: {
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.bearer === undefined ? {} : { authorization: `Bearer ${call.bearer}` }),
    },
    ...(text === undefined ? {} : { body: text }),
    signal: AbortSignal.timeout(call.withinMs ?? ANSWER_WITHIN_MS),
  });
  return { status: response.status, body: readJson(await response.text()) };
}

function callOver(
  agent: Agent,
  url: string,
  { method, bearer, body, withinMs }: HttpCall,
): Promise<HttpAnswer> {
  return requestJson({
    agent,
    url,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    key: bearer,
    signal: AbortSignal.timeout(withinMs ?? ANSWER_WITHIN_MS),
    // every body of ours is an object
    body: body === undefined ? undefined : (body as object),
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the check of the shape says so.
    return undefined;
  }
}
