import { invitation } from '#contract/resources/invitations.ts';
import { outgoingLetter } from '#contract/resources/local-tables.ts';
import { isoOf } from '#core/kernel.ts';
import type { LetterQueries } from '#features/alarms/letters/send-letters.ts';
import type { Farm, Invitation } from '#features/people/invitations/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmQueries } from '../farm/farms.ts';

/** No wait is longer: what is due later was put off by a clock that was wrong. */
const LONGEST_WAIT_MS = 2 * 3_600_000;

export function letterQueries(db: Db): LetterQueries {
  return {
    async due(now, limit) {
      const rows = await db
        .selectFrom('invitation_letters')
        .selectAll()
        .where((either) =>
          either.or([
            either('next_at', '<=', isoOf(now)),
            either('next_at', '>', isoOf(now + LONGEST_WAIT_MS)),
          ]),
        )
        .orderBy('next_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(outgoingLetter, row));
    },
    async claim({ id, next_at }, until) {
      const claimed = await db
        .updateTable('invitation_letters')
        .set({ next_at: until })
        .where('id', '=', id)
        .where('next_at', '=', next_at)
        .returning('id')
        .execute();
      return claimed.length > 0;
    },
    async putOff(id, next_at, attempts) {
      await db.updateTable('invitation_letters').set({ next_at, attempts }).where('id', '=', id).execute();
    },
  };
}

/** The invitation that a letter is of; null: it is gone, or its farm is. */
export const invitationOfLetter =
  (db: Db) =>
  async (id: string): Promise<{ invitation: Invitation; farm: Farm } | null> => {
    const row = await db
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', id)
      .where('hidden', '=', 0)
      .executeTakeFirst();
    if (row === undefined) return null;
    const farm = await farmQueries(db).farmById(row.farm_id);
    return farm === null ? null : { invitation: decodeRow(invitation, row), farm };
  };
