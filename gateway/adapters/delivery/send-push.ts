import { createHash } from 'node:crypto';
import webPush from 'web-push';
import { noticeSubject } from '#contract/notice-subject.ts';
import { plainJson } from '#contract/plain-number.ts';
import type { PushMessage } from '#contract/resources/notification-channels.ts';
import type { Outcome, Outgoing } from '#features/alarms/delivery/ports.ts';
import { type Answer, type PostSafely, readRetryAfter } from './post-safely.ts';
import type { VapidKeys } from './vapid-keys.ts';

/** Push services take 4096 bytes with their encryption. */
const MOST_TEXT = 1_000;
const MOST_TITLE = 150;
const KEPT_FOR_S = 24 * 3_600;

/** Sends to a browser through its push service, encrypted so that only the browser can read it. */
export function pushSender(deps: {
  post: PostSafely;
  vapid: VapidKeys;
  contact: string;
}): (message: Outgoing) => Promise<Outcome> {
  return async (message) => {
    const { keys } = message;
    const subscription = {
      endpoint: message.address,
      keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' },
    };
    let request: webPush.RequestDetails;
    try {
      request = webPush.generateRequestDetails(subscription, plainJson(payloadOf(message)), {
        vapidDetails: { subject: deps.contact, ...deps.vapid },
        TTL: KEPT_FOR_S,
        urgency: message.isCritical ? 'high' : 'normal',
        contentEncoding: 'aes128gcm',
        ...(topicOf(message) === null ? {} : { topic: topicOf(message) ?? '' }),
      });
    } catch {
      // a key that is no point of the curve; what the library says of it may quote the key
      return { is: 'refused', why: 'the keys of this browser are not valid' };
    }
    const { body } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const result = await deps.post({
      url: message.address,
      headers,
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    });
    return 'failure' in result ? result.failure : outcomeOf(result.answer, message.at);
  };
}

function payloadOf(message: Outgoing): PushMessage {
  const { id, title, text, language, isCritical, purpose, notification } = message;
  const alertId = notification?.data['alert_id'];
  return {
    id,
    title: shortened(title, MOST_TITLE),
    body: shortened(text.join('\n'), MOST_TEXT),
    lang: language,
    critical: isCritical,
    // what is no news of its own shows how things stand: the last one is enough
    tag: episodeOf(message) ?? (purpose === 'NOTICE' ? (notification?.id ?? id) : purpose),
    type: notification?.type ?? null,
    notification_id: notification?.id ?? null,
    farm_id: notification?.farm_id ?? null,
    alert_id: typeof alertId === 'string' ? alertId : null,
    subject: notification == null ? null : noticeSubject(notification.type, notification.data),
    actions: message.actions ?? [],
  };
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A newer message of one episode takes the place of one that the browser has not fetched yet. */
function topicOf(message: Outgoing): string | null {
  const episode = episodeOf(message);
  if (episode === null) return null;
  return createHash('sha256').update(episode).digest('base64url').slice(0, 32);
}

function episodeOf({ notification }: Outgoing): string | null {
  const episode = notification?.data['episode_id'];
  return typeof episode === 'string' ? episode : null;
}

function outcomeOf({ status, retryAfter }: Answer, now: number): Outcome {
  if (status >= 200 && status < 300) return { is: 'sent' };
  if (status === 404 || status === 410)
    return { is: 'gone', why: `answered ${status}: this browser is no longer subscribed` };
  if (status === 400 || status === 401 || status === 403 || status === 413)
    return { is: 'refused', why: `the push service refused it (${status})` };
  const why = `the push service answered ${status}`;
  const afterMs = readRetryAfter(retryAfter, now);
  return { is: 'retry', why, ...(afterMs === undefined ? {} : { afterMs }) };
}
