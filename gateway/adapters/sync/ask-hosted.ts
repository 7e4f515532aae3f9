import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import type * as z from 'zod';
import { MAX_MESSAGE_BYTES, MOST_SHAPE } from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';
import { isBeyond } from '#core/json-shape.ts';
import type { Refused } from '../../sync/ports.ts';

// Short questions to a hosted instance beside the data of the sync: pairing, session, keys.

const TIMEOUT_MS = 15_000;
const MAX_ANSWER = 65_536;

/** The hosted instance answered that it will not. */
export class HostedRefused extends Error {
  readonly refused: Refused;
  /** The whole body, for what is said beside the code. */
  readonly body: unknown;

  constructor(refused: Refused, body: unknown = null) {
    super(refused.detail);
    this.name = 'HostedRefused';
    this.refused = refused;
    this.body = body;
  }
}

/** The network did not carry the question, or what answered is no hosted instance. */
export class HostedUnreachable extends Error {}

export type AskHosted = <Answer>(
  question: {
    url: string;
    path: string;
    method?: 'GET' | 'POST';
    body?: unknown;
    token?: string;
    headers?: Record<string, string>;
  },
  answer: z.ZodType<Answer>,
) => Promise<Answer>;

/** Asks over HTTPS and reads the answer. Throws HostedRefused or HostedUnreachable. */
export const askHosted: AskHosted = async (question, answer) => {
  const { status, body } = await send(question);
  if (status >= 400) throw new HostedRefused(refusalOf(status, body), body);
  const parsed = answer.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HostedUnreachable(`${question.url} answered something that no hosted instance says`);
};

async function send(question: Parameters<AskHosted>[0]): Promise<{ status: number; body: unknown }> {
  const { url, path, method = 'POST', body, token, headers } = question;
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await bounded(response);
    return { status: response.status, body: text === null ? null : parse(text) };
  } catch (cause) {
    throw new HostedUnreachable(`${url} does not answer`, { cause });
  }
}

/** null: longer than anything a hosted instance says here; nothing more of it is read. */
async function bounded({ body }: Response): Promise<string | null> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // leaving the loop ends the connection, too
    if (size > MAX_ANSWER) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // a page of some proxy
    return null;
  }
}

function refusalOf(status: number, body: unknown): Refused {
  const said = typeof body === 'object' && body !== null ? body : {};
  const detail = 'detail' in said && typeof said.detail === 'string' ? said.detail : `status ${status}`;
  const code = 'code' in said && typeof said.code === 'string' ? said.code : 'UNNAMED';
  return { status, code, detail };
}

// Unencrypted is allowed where nobody else listens: on this machine and on a farm's own network.

const PRIVATE_V4 = [/^127\./, /^10\./, /^192\.168\./, /^172\.(1[6-9]|2\d|3[01])\./, /^169\.254\./];
const PRIVATE_V6 = [/^::1$/, /^f[cd]/, /^fe[89ab]/];

/** Whether http:// to that address stays private. Names count only where they cannot be anything else. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(host) === 4) return PRIVATE_V4.some((range) => range.test(host));
  if (isIP(host) === 6) return PRIVATE_V6.some((range) => range.test(host));
  return (
    host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local') || !host.includes('.')
  );
}

/** The address of a hosted instance, or a sentence why it will not do. */
export function hostedAddress(url: string): { ok: true; url: URL } | { ok: false; why: string } {
  const parsed = URL.parse(url);
  if (parsed === null) return { ok: false, why: `${url} is not an address` };
  if (parsed.protocol === 'https:') return { ok: true, url: parsed };
  if (parsed.protocol === 'http:' && isPrivateHost(parsed.hostname)) return { ok: true, url: parsed };
  return { ok: false, why: `${url} must be https://; http:// is for addresses of this network alone` };
}

// Bodies of the machines' requests: JSON, packed or plain. What is unpacked has the same bound as what is sent, so that
// a small message cannot become a large one here.

const unpackByEncoding: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: (bytes) => promisify(gunzip)(bytes, { maxOutputLength: MAX_MESSAGE_BYTES }),
  zstd: (bytes) => promisify(zstdDecompress)(bytes, { maxOutputLength: MAX_MESSAGE_BYTES }),
};

/** Reads a body of one JSON value. Throws 400, 413 and 415. */
export async function readPackedBody(
  request: IncomingMessage,
  /** Hears how large it is unpacked, before it is parsed; may throw. */
  measured: (bytes: number) => void,
): Promise<unknown> {
  const { headers } = request;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw wrongType('Send the body as JSON, with Content-Type: application/json');
  const unpack = unpackByEncoding[headers['content-encoding'] ?? 'identity'];
  if (unpack === undefined) throw wrongType('Send the body plain, or as gzip or zstd');
  if (Number(headers['content-length'] ?? 0) > MAX_MESSAGE_BYTES) throw tooLarge();
  const packed = await collect(request);
  const bytes = await unpack(packed).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : malformed('The body could not be unpacked');
  });
  measured(bytes.length);
  if (isBeyond(bytes, MOST_SHAPE)) throw malformed('The body is nested too deeply, or has too many values');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw malformed('The body is not valid JSON in UTF-8');
  }
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // the refusal still goes over this connection, so the loop must not end it
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes: Buffer = chunk;
      size += bytes.length;
      if (size > MAX_MESSAGE_BYTES) throw tooLarge();
      chunks.push(bytes);
    }
  } catch (error) {
    throw error instanceof AppError ? error : malformed('The request ended before its body did');
  }
  return Buffer.concat(chunks);
}

/** Shorter answers are not worth the time. */
const PACK_FROM_BYTES = 1_024;

/** Answers JSON, packed as the caller takes it. */
export async function sendPacked(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
): Promise<void> {
  const plain = Buffer.from(JSON.stringify(body));
  const accepted = String(request.headers['accept-encoding'] ?? '').toLowerCase();
  const encoding =
    plain.length < PACK_FROM_BYTES
      ? null
      : (['zstd', 'gzip'] as const).find((name) =>
          new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted),
        );
  const bytes =
    encoding === 'zstd'
      ? await promisify(zstdCompress)(plain)
      : encoding === 'gzip'
        ? await promisify(gzip)(plain)
        : plain;
  if (encoding) response.setHeader('Content-Encoding', encoding);
  response.setHeader('Vary', 'Accept-Encoding');
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

const malformed = (detail: string) => new AppError(400, detail, { code: 'SYNC_MALFORMED' });
const wrongType = (detail: string) => new AppError(415, detail, { code: 'UNSUPPORTED_MEDIA_TYPE' });
const tooLarge = () =>
  new AppError(413, `A message has at most ${MAX_MESSAGE_BYTES / 1024} KiB, unpacked too`, {
    code: 'BODY_TOO_LARGE',
  });
