import type { RowOf, Stored } from '#contract/resource.ts';
import type { farmScience } from '#contract/resources/science.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { mergedConstants } from './merge-constants.ts';

export type FarmScience = Stored<RowOf<typeof farmScience>>;

export type ScienceSettingQueries = {
  /** null: the farm has set nothing for itself. */
  farmScience: (farmId: string) => Promise<FarmScience | null>;
  /** Also when its row was hidden; a derived id must not be inserted twice. */
  farmExists: (farmId: string) => Promise<boolean>;
};

/** The figures of shrimp science that hold on a farm. */
export type ScienceOf = (farmId: string) => Promise<ScienceConstants>;

export function scienceOfFarms(queries: Pick<ScienceSettingQueries, 'farmScience'>): ScienceOf {
  return async (farmId) => mergedConstants((await queries.farmScience(farmId))?.overrides ?? null);
}
