import type { RowOf, Stored } from '#contract/resource.ts';
import type { farmConsole } from '#contract/resources/farm-console.ts';

export type FarmConsole = Stored<RowOf<typeof farmConsole>>;

export type FarmConsoleQueries = {
  /** null: nobody arranged anything yet. */
  farmConsole: (farmId: string) => Promise<FarmConsole | null>;
  farmExists: (farmId: string) => Promise<boolean>;
  pondIdsOf: (farmId: string) => Promise<ReadonlySet<string>>;
};
