import { sirenSettings } from '#contract/resources/sirens.ts';
import type { SirenSettings } from '#features/alarms/siren/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

/** How the sirens of each farm sound, of those that chose it. */
export function allSirenSettings(db: Db): () => Promise<SirenSettings[]> {
  return async () => {
    const rows = await db
      .selectFrom('siren_settings')
      .select(['id', 'sound_minutes', 'pause_minutes', 'updated_at'])
      .execute();
    return rows.map((row) => decodeRow(sirenSettings, row));
  };
}
