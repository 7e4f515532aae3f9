import { type BoxRight, boxRight } from '#contract/resources/box-rights.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from './changes.ts';
import { isoOf } from './kernel.ts';

// Rights over the box itself. They come from its owner, never from a farm: anybody with an account may have one of those.
//
// keep: backups, recovery key, restore, pairing, and who else has rights: the owner, and whom he made keeper of it.
// work: the time after a power cut, serial ports and bench, provisioning window and queue, firmware store, relays and devices that knock, modem,
//       doctor, bridges: keepers, and managers and technicians of the owner's farms.
//
// An ADMIN has both. On a hosted instance there is no box, and nobody else has them.

export type BoxRights = {
  keepsBox: (userId: string) => Promise<boolean>;
  worksOnBox: (userId: string) => Promise<boolean>;
};

export const BOX_RIGHT = 'box_right:';

export const readBoxRight = (value: string): BoxRight => boxRight.parse(JSON.parse(value));

export const grantBoxRight = (
  userId: string,
  right: BoxRight['right'],
  { by, now }: { by: string | null; now: number },
): Change => {
  const value: BoxRight = { right, granted_by: by, granted_at: isoOf(now) };
  return put(instanceValue, { id: `${BOX_RIGHT}${userId}`, value: JSON.stringify(value) });
};
