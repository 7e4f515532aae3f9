import { invitation } from '#contract/resources/invitations.ts';
import { invitationLetter } from '#contract/resources/local-tables.ts';
import type { LetterQueries } from '#features/invitations/ports.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';
import { farmQueries } from './farms.ts';
import { letterQueue } from './letter-queue.ts';

export function letterQueries(db: Db): LetterQueries {
  return {
    ...letterQueue(db, invitationLetter),
    async invitation(id) {
      const row = await db
        .selectFrom('invitations')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      if (row === undefined) return null;
      const farm = await farmQueries(db).farmById(row.farm_id);
      return farm === null ? null : { invitation: decodeRow(invitation, row), farm };
    },
  };
}
