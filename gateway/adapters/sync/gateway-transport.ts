import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { promisify } from 'node:util';
import { constants, gunzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { MAX_MESSAGE_BYTES, MOST_SHAPE, refusalBody, SYNC_REFUSALS } from '#contract/sync/wire.ts';
import { isBeyond } from '#core/json-shape.ts';
import { LinkFailure } from '../../sync/gateway/ask.ts';
import type { AskKind, Refused, SyncTransport } from '../../sync/ports.ts';
import { HostedRefused, HostedUnreachable, hostedAddress } from './ask-hosted.ts';

// Requests of the sync over HTTP(S). An own client rather than fetch: connect and whole time are bounded apart, the
// connections can be dropped at once, and what comes back is bounded packed and unpacked.

const CONNECT_MS = 5_000;
/** Snapshot pages with long texts are the largest. */
const MAX_ANSWER_BYTES = 2 * MAX_MESSAGE_BYTES;
/** A body below this is not worth packing. */
const PACK_FROM_BYTES = 400;
const MOST_RETRY_AFTER_S = 3_600;

export type GatewayTransportDeps = {
  /** null: not paired. */
  hostedUrl: () => Promise<string | null>;
  sessionToken: () => Promise<string>;
  /** The hosted instance refused the token. */
  forgetToken: () => void;
  /** Bytes on the line, bodies alone. */
  counted?: (bytes: { sent: number; received: number }) => void;
};

export type GatewayTransport = SyncTransport & { dropConnections: () => void };

export function gatewayTransport(deps: GatewayTransportDeps): GatewayTransport {
  const open = { agents: newAgents() };

  async function ask(
    kind: AskKind,
    body: unknown,
    { timeoutMs }: { timeoutMs: number },
  ): ReturnType<SyncTransport['ask']> {
    const target = await targetOf(deps, kind);
    const packed = await pack(body);
    for (const attempt of [1, 2]) {
      const token = await tokenOf(deps);
      if (typeof token !== 'string') return { ok: false, refused: token };
      const reply = await exchange({ target, token, packed, timeoutMs, agents: open.agents });
      deps.counted?.({ sent: packed.bytes.length, received: reply.receivedBytes });
      if (reply.status === 200) return { ok: true, answer: reply.body };
      const refused = refusalOf(reply);
      // a token can end early; and whether this gateway was really unpaired, the next one proves
      const isOfToken = refused.status === 401 || refused.code === SYNC_REFUSALS.revoked;
      if (!isOfToken || attempt === 2) return { ok: false, refused };
      deps.forgetToken();
    }
    throw new LinkFailure('broken', 'no answer');
  }

  return {
    ask,
    dropConnections() {
      open.agents.http.destroy();
      open.agents.https.destroy();
      open.agents = newAgents();
    },
  };
}

type Agents = { http: HttpAgent; https: HttpsAgent };

function newAgents(): Agents {
  // one connection for each of hello/snapshot, core, history, pull is the most there ever is
  const options = { keepAlive: true, maxSockets: 4, keepAliveMsecs: 20_000 };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

async function targetOf({ hostedUrl }: GatewayTransportDeps, kind: AskKind): Promise<URL> {
  const url = await hostedUrl();
  if (url === null) throw new LinkFailure('broken', 'this gateway has no hosted instance');
  const address = hostedAddress(url);
  if (!address.ok) throw new LinkFailure('broken', address.why);
  return new URL(`${address.url.href.replace(/\/+$/, '')}/sync/v1/${kind}`);
}

async function tokenOf({ sessionToken }: GatewayTransportDeps): Promise<string | Refused> {
  try {
    return await sessionToken();
  } catch (error) {
    if (error instanceof HostedRefused) return error.refused;
    const isUnreachable = error instanceof HostedUnreachable;
    const message = error instanceof Error ? error.message : String(error);
    throw new LinkFailure(isUnreachable ? 'unreachable' : 'broken', message, { cause: error });
  }
}

type Packed = { bytes: Buffer; encoding: 'zstd' | null };

async function pack(body: unknown): Promise<Packed> {
  const plain = Buffer.from(JSON.stringify(body));
  if (plain.length < PACK_FROM_BYTES) return { bytes: plain, encoding: null };
  // rows of one table look alike: level 6 is a fifth smaller than the default and still takes milliseconds
  const params = { [constants.ZSTD_c_compressionLevel]: 6 };
  return { bytes: await promisify(zstdCompress)(plain, { params }), encoding: 'zstd' };
}

type Reply = { status: number; retryAfter: string | null; body: unknown; receivedBytes: number };

type Exchange = { target: URL; token: string; packed: Packed; timeoutMs: number; agents: Agents };

function exchange({ target, token, packed, timeoutMs, agents }: Exchange): Promise<Reply> {
  const isTls = target.protocol === 'https:';
  const options: RequestOptions = {
    method: 'POST',
    agent: isTls ? agents.https : agents.http,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': packed.bytes.length,
      'Accept-Encoding': 'zstd, gzip',
      ...(packed.encoding === null ? {} : { 'Content-Encoding': packed.encoding }),
    },
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(target, options);
    const giveUp = (failure: LinkFailure) => {
      reject(failure);
      request.destroy();
    };
    const whole = setTimeout(() => giveUp(new LinkFailure('timeout', 'no answer in time')), timeoutMs);
    const state = { isConnected: false, isAnswered: false };
    request.once('socket', (socket) => {
      if (!socket.connecting) {
        state.isConnected = true;
        return;
      }
      const connect = setTimeout(
        () => giveUp(new LinkFailure('unreachable', 'the hosted instance does not answer')),
        CONNECT_MS,
      );
      const connected = isTls ? 'secureConnect' : 'connect';
      socket.once(connected, () => {
        state.isConnected = true;
        clearTimeout(connect);
      });
      socket.once('close', () => clearTimeout(connect));
    });
    // for good: nobody else listens where it breaks again
    request.on('error', (error) => {
      clearTimeout(whole);
      reject(failureOf(error, state.isConnected));
    });
    // an answer that goes on in another protocol (101) ends without an error, and without a response
    request.once('close', () => {
      if (state.isAnswered) return;
      clearTimeout(whole);
      reject(new LinkFailure('broken', 'the connection ended without an answer'));
    });
    request.once('response', (response) => {
      state.isAnswered = true;
      read(response)
        .then(resolve, (error: unknown) => giveUp(failureOf(error, true)))
        .finally(() => clearTimeout(whole));
    });
    request.end(packed.bytes);
  });
}

/** Where nobody was reached it is tried again soon; what was cut in the middle waits longer each time. */
function failureOf(error: unknown, wasConnected: boolean): LinkFailure {
  if (error instanceof LinkFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LinkFailure(wasConnected ? 'broken' : 'unreachable', message, { cause: error });
}

async function read(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    // a response without an encoding set yields buffers
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_ANSWER_BYTES) throw new LinkFailure('broken', 'the answer is too large');
    chunks.push(bytes);
  }
  if (!response.complete) throw new LinkFailure('broken', 'the answer was cut off');
  const status = response.statusCode ?? 0;
  const plain = await unpack(Buffer.concat(chunks), response.headers['content-encoding'] ?? 'identity');
  const retryAfter = response.headers['retry-after'] ?? null;
  return { status, retryAfter, body: jsonOf(plain, status), receivedBytes: size };
}

async function unpack(bytes: Buffer, encoding: string): Promise<Buffer> {
  try {
    if (encoding === 'zstd')
      return await promisify(zstdDecompress)(bytes, { maxOutputLength: MAX_ANSWER_BYTES });
    if (encoding === 'gzip') return await promisify(gunzip)(bytes, { maxOutputLength: MAX_ANSWER_BYTES });
  } catch (cause) {
    throw new LinkFailure('broken', 'the answer could not be unpacked', { cause });
  }
  if (encoding === 'identity') return bytes;
  throw new LinkFailure('broken', `the answer is packed as ${encoding}`);
}

/** A proxy in between answers pages; only what claims to be fine has to be JSON. */
function jsonOf(plain: Buffer, status: number): unknown {
  if (isBeyond(plain, MOST_SHAPE))
    throw new LinkFailure('broken', 'the answer is nested too deeply or too long');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(plain));
  } catch (cause) {
    if (status === 200) throw new LinkFailure('broken', 'the answer is not JSON', { cause });
    return null;
  }
}

function refusalOf({ status, retryAfter, body }: Reply): Refused {
  const parsed = refusalBody.safeParse(body);
  // whatever stands between may answer 403 or 409 with a page of its own: without our word it proves nothing
  const said = parsed.success ? parsed.data : { code: `HTTP_${status}`, detail: `status ${status}` };
  const seconds = Number(retryAfter ?? Number.NaN);
  return {
    status,
    code: said.code,
    detail: said.detail.slice(0, 300),
    ...('in' in said && said.in !== undefined ? { in: said.in } : {}),
    ...(Number.isFinite(seconds) && seconds >= 0
      ? { retryAfterMs: Math.min(seconds, MOST_RETRY_AFTER_S) * 1000 }
      : {}),
  };
}
