import { createHash, randomBytes } from 'node:crypto';
import type { ActionTokens } from '#features/alarms/push-actions/ports.ts';

/** 256 random bits: nobody guesses one, so that its plain hash keeps it. */
export const actionTokens: ActionTokens = {
  make: () => randomBytes(32).toString('base64url'),
  hashOf: (token) => createHash('sha256').update(token).digest('hex'),
};
