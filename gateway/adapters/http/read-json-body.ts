import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '#core/errors.ts';
import { isBeyond } from '#core/json-shape.ts';

const MIB = 1_048_576;
/** The most of controllers, and of everybody who has proved nothing: a login, a report. */
export const UNPROVED_BYTES = 16_384;
/** Deeper than anything that the interface takes; a parser asked for more is held for long. */
const MOST_DEPTH = 32;
/** More than any route takes: the weights of a biometry are 10,000, with its other lists some 13,000 values. */
export const MOST_VALUES = 14_000;
const JSON_TYPE = /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?(?:;|$)/i;

/** Whether the body is known to be so small that anybody may send it. */
export function isSmallBody({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= UNPROVED_BYTES
  );
}

/**
 * Reads the body of a request: one JSON object or list in UTF-8, at most `maxBytes`; undefined without a body. Errors
 * are 400, 413 and 415. Heartbeats come here by the thousand; a general body parser costs twice as much.
 */
export function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
  done: (error: AppError | null, body?: unknown) => void,
  /** Runs, piece by piece, what a large body takes to read, which may be many at the same moment. */
  inTurn: (work: () => void) => void = (work) => work(),
): void {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (length === 0 && headers['transfer-encoding'] === undefined) return done(null);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    return done(wrongType(`Send the body plain, not in Content-Encoding: ${encoding}`));
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    return done(wrongType('Send the body as JSON in UTF-8, with Content-Type: application/json'));
  }
  if (length > maxBytes) return done(tooLarge(maxBytes));
  const isLarge = !isSmallBody(request);
  const run = isLarge ? inTurn : (work: () => void) => work();
  const then = (error: AppError | null, chunks: readonly Buffer[]): void => {
    if (error !== null) return done(error);
    run(() => {
      const bytes = whole(chunks);
      const fault = faultOf(bytes);
      if (fault !== null) return done(fault);
      run(() => {
        const parsed = parse(bytes);
        if (parsed instanceof AppError) done(parsed);
        else done(null, parsed.body);
      });
    });
  };
  collect(request, { maxBytes, ...(isLarge ? { inTurn } : {}) }, then);
}

/** Reads a body of another kind than JSON, as it comes. Throws 400, 413 and 415. */
export function readFile(
  request: IncomingMessage,
  { media, also = [], maxBytes }: { media: string; also?: readonly string[]; maxBytes: number },
): Promise<Buffer> {
  const { headers } = request;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const isTaken = [media, ...also].includes(type.trim().toLowerCase());
  if ((headers['content-encoding'] ?? 'identity') !== 'identity' || !isTaken) {
    reject(wrongFileType([media, ...also]));
  } else if (Number(headers['content-length'] ?? 0) > maxBytes) {
    reject(tooLarge(maxBytes));
  } else {
    collect(request, { maxBytes }, (error, chunks) =>
      error === null ? resolve(whole(chunks)) : reject(error),
    );
  }
  return promise;
}

function collect(
  request: IncomingMessage,
  /** `inTurn`: the next piece is asked for there, so that many large bodies do not come in one turn of the loop. */
  { maxBytes, inTurn }: { maxBytes: number; inTurn?: (work: () => void) => void },
  done: (error: AppError | null, chunks: readonly Buffer[]) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (error: AppError | null) => {
    request.off('data', take);
    request.off('end', end);
    request.off('close', gone);
    request.off('error', gone);
    done(error, chunks);
  };
  const take = (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) return finish(tooLarge(maxBytes));
    chunks.push(chunk);
    if (inTurn === undefined) return;
    request.pause();
    inTurn(() => request.resume());
  };
  const end = () => finish(null);
  const gone = () => finish(malformed('The request ended before its body did'));
  // it went while it was looked at who sends it
  if (request.destroyed) return gone();
  request.on('data', take);
  request.once('end', end);
  request.once('close', gone);
  request.once('error', gone);
}

function whole(chunks: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}

/** What is wrong with it before a parser has seen it. */
function faultOf(bytes: Buffer): AppError | null {
  if (!isUtf8(bytes)) return malformed('The body is not valid UTF-8');
  if (isBeyond(bytes, { depth: MOST_DEPTH, values: MOST_VALUES }))
    return malformed(
      `The body is nested deeper than ${MOST_DEPTH} levels, or has more than ${MOST_VALUES} values`,
    );
  return null;
}

function parse(bytes: Buffer): { body: unknown } | AppError {
  if (bytes.length === 0) return { body: undefined };
  try {
    // what has no other letters is made a text of without looking at each
    const body: unknown = JSON.parse(bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8'));
    if (typeof body === 'object' && body !== null) return { body };
  } catch {
    // whatever the parser says of it helps nobody who sees only the answer
  }
  return malformed('The body is not a valid JSON object');
}

function malformed(detail: string): AppError {
  return new AppError(400, detail, { code: 'MALFORMED_JSON' });
}

/** A bound as people read it, never more than it is. */
export const sizeText = (bytes: number): string =>
  bytes < MIB ? `${bytes / 1024} KiB` : `${Math.floor((bytes / MIB) * 10) / 10} MiB`;

export function tooLarge(maxBytes: number): AppError {
  return new AppError(413, `The body is larger than ${sizeText(maxBytes)}`, { code: 'BODY_TOO_LARGE' });
}

export const wrongFileType = (kinds: readonly string[]): AppError =>
  wrongType(`Send the file plain, with Content-Type: ${kinds.join(', ')}`);

function wrongType(detail: string): AppError {
  return new AppError(415, detail, { code: 'UNSUPPORTED_MEDIA_TYPE' });
}
