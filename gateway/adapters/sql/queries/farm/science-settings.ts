import { farmScience } from '#contract/resources/science.ts';
import type { ScienceSettingQueries } from '#features/farm/science-settings/ports.ts';
import { type Db, prepared } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

export function scienceSettingQueries(db: Db): ScienceSettingQueries {
  // every measurement asks it
  const ofFarm = prepared(db, ['farm'], ({ farm }) =>
    db.selectFrom('farm_science').selectAll().where('farm_id', '=', farm).where('hidden', '=', 0),
  );
  return {
    async farmScience(farmId) {
      const [row] = await ofFarm({ farm: farmId });
      return row ? decodeRow(farmScience, row) : null;
    },
    async farmExists(farmId) {
      const row = await db
        .selectFrom('farms')
        .select('id')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
