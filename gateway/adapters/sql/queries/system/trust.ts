import type { Db } from '../../database.ts';

/** Pin of the authority this instance had last; id in instance_values. */
export const AUTHORITY_PIN = 'authority_pin';

export function trustQueries(db: Db, streamId: number) {
  return {
    async gatewayId(): Promise<string> {
      const { gateway_id: gatewayId } = await db
        .selectFrom('sync_stream')
        .select('gateway_id')
        .where('stream_id', '=', streamId)
        .executeTakeFirstOrThrow();
      return gatewayId;
    },
    async knownPin(): Promise<string | null> {
      const row = await db
        .selectFrom('instance_values')
        .select('value')
        .where('id', '=', AUTHORITY_PIN)
        .executeTakeFirst();
      return row?.value ?? null;
    },
    async farmIds(): Promise<string[]> {
      const rows = await db.selectFrom('farms').select('id').where('hidden', '=', 0).execute();
      return rows.map(({ id }) => id);
    },
  };
}
