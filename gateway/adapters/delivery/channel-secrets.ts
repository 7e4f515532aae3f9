import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { ChannelSecrets } from '#features/alarms/notifications/ports.ts';

const CODE_DIGITS = 8;

/** Secrets of channels, made anew each time from the one secret of the instance: nothing to steal from the database. */
export function channelSecrets(instanceSecret: string): ChannelSecrets {
  const key = createSecretKey(instanceSecret, 'utf8');
  const derived = (what: string) => createHmac('sha256', key).update(what).digest();
  const code = (deliveryId: string, address: string) =>
    String(derived(`code:${deliveryId}:${address}`).readUIntBE(0, 6) % 10 ** CODE_DIGITS).padStart(
      CODE_DIGITS,
      '0',
    );
  return {
    webhookSecret: (channelId, generation) =>
      `whsec_${derived(`webhook:${channelId}:${generation}`).toString('base64url')}`,
    code,
    isCode(deliveryId, address, typed) {
      const right = Buffer.from(code(deliveryId, address));
      const given = Buffer.from(typed);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
