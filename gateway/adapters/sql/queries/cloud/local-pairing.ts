import { sql } from 'kysely';
import { user } from '#contract/resources/users.ts';
import type { Account } from '#features/cloud/pairing/ports.ts';
import { isHostedStamp } from '#store/sync-node.ts';
import type { Db } from '../../database.ts';
import { OWN_STREAM } from '../../instance.ts';
import { decodeRow } from '../../tables.ts';

/** What a gateway asks its own database about its pairing and its people. */
export function localPairingQueries(db: Db) {
  const people = () =>
    db
      .selectFrom('users')
      .leftJoin('sync_register', (join) =>
        join.onRef('sync_register.id', '=', 'users.id').on('sync_register.entity', '=', user.entity),
      )
      .selectAll('users')
      .select(['sync_register.hlc as made', sql<string | null>`sync_register.over_json`.as('over_json')])
      .where('users.hidden', '=', 0);
  return {
    async instanceValue(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('instance_values')
        .select('value')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.value ?? null;
    },
    async gatewayId(): Promise<string> {
      const row = await db
        .selectFrom('sync_stream')
        .select('gateway_id')
        .where('stream_id', '=', OWN_STREAM)
        .executeTakeFirstOrThrow();
      return row.gateway_id;
    },
    /** Accounts whose password came from the hosted instance, and those made here that can log in. */
    async accounts(): Promise<{ ofHosted: Account[]; local: Account[] }> {
      const rows = await people().execute();
      const ofHosted = rows.filter(isOfHosted).map((row) => decodeRow(user, row));
      const local = rows.filter((row) => !isOfHosted(row) && row.is_active === 1);
      return { ofHosted, local: local.map((row) => decodeRow(user, row)) };
    },
    async isOfHosted(userId: string): Promise<boolean> {
      const row = await people().where('users.id', '=', userId).executeTakeFirst();
      return row !== undefined && isOfHosted(row);
    },
    /** Was the verifier made there? Gateways of before this had those of the hosted instance. */
    async hasVerifierOfHosted(userId: string): Promise<boolean> {
      const row = await people().where('users.id', '=', userId).executeTakeFirst();
      if (row === undefined) return false;
      const over = row.over_json === null ? {} : stampsIn(row.over_json);
      return isHostedStamp(over['password'] ?? row.made ?? '');
    },
    async farms(): Promise<{ id: string; owner_id: string }[]> {
      return db.selectFrom('farms').select(['id', 'owner_id']).where('hidden', '=', 0).execute();
    },
    async ownsFarm(userId: string): Promise<boolean> {
      const own = await db
        .selectFrom('farms')
        .select('id')
        .where('hidden', '=', 0)
        .where('owner_id', '=', userId)
        .limit(1)
        .executeTakeFirst();
      return own !== undefined;
    },
  };
}

// the register of a row, which only `commit` writes
const stampsIn = (json: string) => JSON.parse(json) as Record<string, string>;

function isOfHosted({ made, over_json: json }: { made: string | null; over_json: string | null }): boolean {
  const over = json === null ? {} : stampsIn(json);
  // one that was made here and adopted there has them on what is an account's alone
  const told = ['password', 'email', 'role', 'is_active'].map((group) => over[group] ?? '');
  return [made ?? '', ...told].some(isHostedStamp);
}
