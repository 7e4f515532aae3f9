import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { MAX_MESSAGE_BYTES, MOST_SHAPE } from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';
import { isBeyond } from '#core/json-shape.ts';

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
