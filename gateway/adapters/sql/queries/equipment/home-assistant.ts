import { emailKeyOf } from '#contract/resources/users.ts';
import type { Db } from '../../database.ts';

/** The account of an e-mail, in whatever case it is written; null: there is none. */
export function personOfEmail(db: Db): (email: string) => Promise<{ id: string } | null> {
  return async (email) => {
    const row = await db
      .selectFrom('users')
      .select('id')
      .where('email_key', '=', emailKeyOf(email))
      .where('hidden', '=', 0)
      .executeTakeFirst();
    return row ?? null;
  };
}
