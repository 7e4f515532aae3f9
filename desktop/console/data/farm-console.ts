import type { FarmConsoleUpdate } from '#contract/resources/farm-console.ts';
import { put } from './api.ts';
import { queries, useGet } from './query.ts';

const pathOf = (farmId: string) => `/farms/${farmId}/console` as const;

/** What the people of a farm arranged for the screens of all of them. */
export const useFarmConsole = (farmId: string | null) => useGet(farmId === null ? null : pathOf(farmId));

/** Keeps it for everybody; what is left out stays. */
export async function keepFarmConsole(farmId: string, changed: FarmConsoleUpdate): Promise<void> {
  const path = pathOf(farmId);
  const kept = await put(path, changed);
  queries.setQueryData(['farms', path, {}], kept);
}
