import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { timeAnswer } from '#contract/sync/wire.ts';
import { isSignedBy } from './ed25519.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 4_096;

export type SignedTime = { serverNowMs: number; roundTripMs: number };

/**
 * Asks a hosted instance what time it is. A box that was long without power cannot check certificates, because they are
 * not valid yet by its clock; so nothing of the connection is believed, only the answer, which is signed for this very
 * question by the key that was told at the pairing. Nothing secret is sent. Rejects for whatever is wrong.
 */
export async function askSignedTime(
  { url, key }: { url: string; key: string },
  { monotonic }: { monotonic: () => number },
): Promise<SignedTime> {
  const nonce = randomBytes(24).toString('base64url');
  const askedAt = monotonic();
  const answer = timeAnswer.parse(JSON.parse(await get(`${url}/sync/v1/time?nonce=${nonce}`)));
  const roundTripMs = monotonic() - askedAt;
  const isSound =
    answer.nonce === nonce && isSignedBy(key, `time:${nonce}:${answer.server_now_ms}`, answer.signature);
  if (!isSound) throw new Error('the time is not signed by the hosted instance of the pairing');
  return { serverNowMs: answer.server_now_ms, roundTripMs };
}

function get(address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) };
    const heard = (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > MAX_ANSWER) response.destroy(new Error('an answer of that length is no time'));
      });
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`status ${response.statusCode}`)),
      );
    };
    const asking = address.startsWith('https:')
      ? secureRequest(address, { ...options, rejectUnauthorized: false }, heard)
      : plainRequest(address, options, heard);
    asking.on('error', reject);
    // an answer that goes on in another protocol (101) ends without an error, and without a response
    asking.on('close', () => reject(new Error('the connection ended without an answer')));
    asking.end();
  });
}
