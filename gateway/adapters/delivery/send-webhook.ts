import { createHmac } from 'node:crypto';
import { plainJson } from '#contract/plain-number.ts';
import type { Outcome, Outgoing } from '#features/alarms/delivery/ports.ts';
import { type Answer, type PostSafely, readRetryAfter } from './post-safely.ts';

/**
 * Posts JSON. The signature is that of payment providers: HMAC-SHA256, with the secret of the channel, over the second
 * and the body as they are sent, so that a receiver can refuse what is forged, changed or replayed.
 */
export function webhookSender(deps: {
  post: PostSafely;
  secretOf: (channelId: string, generation: string) => string;
}): (message: Outgoing) => Promise<Outcome> {
  return async (message) => {
    const body = Buffer.from(plainJson(bodyOf(message)));
    const second = Math.floor(message.at / 1000);
    const secret = deps.secretOf(message.channelId, message.keys?.['generation'] ?? '1');
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'shrimp-farm-gateway',
      'Webhook-Id': message.id,
      'Webhook-Signature': `t=${second},v1=${signatureOf(secret, second, body)}`,
    };
    const result = await deps.post({ url: message.address, headers, body });
    return 'failure' in result ? result.failure : outcomeOf(result.answer, message.at);
  };
}

export function signatureOf(secret: string, second: number, body: Buffer): string {
  return createHmac('sha256', secret).update(`${second}.`).update(body).digest('hex');
}

function bodyOf({ id, purpose, title, text, isCritical, at, notification }: Outgoing) {
  return {
    id,
    event: purpose.toLowerCase(),
    sent_at: new Date(at).toISOString(),
    title,
    text: text.join('\n'),
    critical: isCritical,
    notification,
  };
}

function outcomeOf({ status, retryAfter }: Answer, now: number): Outcome {
  if (status >= 200 && status < 300) return { is: 'sent' };
  if (status === 410) return { is: 'gone', why: 'answered 410: this webhook is no more' };
  const moved = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const why = `answered ${status}${moved}`;
  const afterMs = readRetryAfter(retryAfter, now);
  return { is: 'retry', why, ...(afterMs === undefined ? {} : { afterMs }) };
}
