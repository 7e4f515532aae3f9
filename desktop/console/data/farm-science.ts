import type { WaterField } from '#contract/resources/water-quality.ts';
import type { BlindChart } from '#science/constants.ts';
import { optimalRange, type Water } from '#science/water-limits.ts';
import { onceEach } from '../state/code-order.ts';
import type { Band } from '../state/water-span.ts';
import { put } from './api.ts';
import { farm } from './farm-store.ts';
import { queries, refresh, useGet } from './query.ts';

export type AmmoniaBasis = Water['ammoniaBasis'];

const pathOf = (farmId: string) => `/farms/${farmId}/science` as const;

type FarmWater =
  | { water: Water; told: { basis: AmmoniaBasis; isChosen: boolean } }
  | { water: null; told: null };

/**
 * What holds of the water on the farm that is looked at, and whether anybody told the basis of its ammonia; null: the
 * farm has not answered yet, and nobody can tell. No default stands in: a farm may have set others.
 */
export function useFarmWater(): FarmWater {
  const { id } = farm.value ?? {};
  const science = useGet(id === undefined ? null : pathOf(id));
  // the interface answers the figures in the shape of the defaults
  const water = science.data?.constants['water'] as Water | undefined;
  if (science.data === undefined || water === undefined) return { water: null, told: null };
  const own = science.data.overrides['water'] as Partial<Water> | undefined;
  return { water, told: { basis: water.ammoniaBasis, isChosen: own?.ammoniaBasis !== undefined } };
}

/** What is good of a parameter on the farm that is looked at, as the charts shade it; null: not known yet. */
export function useBandOf(): BandOf {
  const { water } = useFarmWater();
  return water === null ? noBand : bandsOf(water);
}
export type BandOf = (field: WaterField) => Band | null;

const noBand: BandOf = () => null;
/** The same for all who ask while it holds: what is drawn with it is not drawn anew. */
const bandsOf = onceEach<Water, BandOf>((water) => (field) => {
  const { min, max } = optimalRange(water, field);
  return { low: min, high: max };
});

export async function keepAmmoniaBasis(farmId: string, ammoniaBasis: AmmoniaBasis): Promise<void> {
  const path = pathOf(farmId);
  const kept = await put(path, { water: { ammoniaBasis } });
  queries.setQueryData(['farms', path, {}], kept);
  // every value is told on both bases
  refresh('water-quality');
}

/** The same of any farm of the reader; null: it has not answered yet. */
export function useWaterOf(farmId: string): Water | null {
  const science = useGet(pathOf(farmId));
  return (science.data?.constants['water'] as Water | undefined) ?? null;
}

/** By what postlarvae are fed until they are weighed; null: the farm has not answered yet. */
export function useBlindChart(): BlindChart | null {
  const { id } = farm.value ?? {};
  const science = useGet(id === undefined ? null : pathOf(id));
  const feeding = science.data?.constants['feeding'] as { blindChart?: BlindChart } | undefined;
  // a gateway of before has the one way alone
  return science.data === undefined ? null : (feeding?.blindChart ?? 'BY_WEIGHT');
}

export async function keepBlindChart(farmId: string, blindChart: BlindChart): Promise<void> {
  const path = pathOf(farmId);
  const kept = await put(path, { feeding: { blindChart } });
  queries.setQueryData(['farms', path, {}], kept);
  refresh('feeding');
}
