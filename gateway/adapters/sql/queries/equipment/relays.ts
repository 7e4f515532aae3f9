import { relay, relayMeter } from '#contract/resources/relays.ts';
import type { RelayQueries } from '#features/equipment/relays/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

export function relayQueries(db: Db): RelayQueries {
  return {
    async allRelays() {
      const rows = await db
        .selectFrom('relays')
        .select(['id', 'kind', 'channel', 'carrier_id', 'load', 'mac', 'model', 'adopted_by', 'created_at'])
        .orderBy('id')
        .execute();
      return rows.map((row) => relay.row.parse(decodeRow(relay, row)));
    },
    async allMeters() {
      const rows = await db
        .selectFrom('relay_meters')
        .select(['id', 'counted_wh', 'epoch', 'raw_wh', 'raw_at_ms', 'raw_since', 'refused'])
        .orderBy('id')
        .execute();
      return rows.map((row) => relayMeter.row.parse(decodeRow(relayMeter, row)));
    },
  };
}
