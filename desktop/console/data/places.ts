import { effect, signal } from '@preact/signals';
import type * as z from 'zod';
import type { systemIdentityAnswer } from '#contract/resources/system.ts';
import { byCod, onceEach } from '../state/code-order.ts';
import { alarms } from './alarms.ts';
import { get } from './api.ts';
import { now } from './clock.ts';
import { controlPoints, farm, farms } from './farm-store.ts';
import { useGet } from './query.ts';

export type Pond = {
  id: string;
  numeric_id: number;
  farm_id: string;
  cod: string;
  pond_type: 'NURSERY' | 'FATTENING' | null;
  size_m2: number | null;
  depth_m: number | null;
  aerator_count: number;
  control_point_id: string | null;
};

const inOrder = onceEach((ponds: readonly Pond[]) => ponds.toSorted(byCod));
const NONE: readonly Pond[] = [];

/** The ponds of the chosen farm, in walking order (by code). */
export function usePonds() {
  const result = useGet(farm.value === null ? null : '/ponds/', {
    farm_id: farm.value?.id,
    limit: 1_000,
  });
  const ponds = result.data === undefined ? NONE : inOrder(result.data);
  return { ...result, ponds };
}

export const usePondCards = () =>
  useGet(farm.value === null ? null : '/ponds/summary-cards', { farm_id: farm.value?.id });

/** Codes of the ponds that a control point airs; null: not known (yet). */
export function usePondsByPoint(): (pointId: string) => readonly string[] | null {
  const { ponds, data } = usePonds();
  const byPoint = new Map<string, string[]>();
  for (const { control_point_id, cod } of ponds) {
    if (control_point_id === null) continue;
    byPoint.set(control_point_id, [...(byPoint.get(control_point_id) ?? []), cod]);
  }
  return (pointId) => (data === undefined ? null : (byPoint.get(pointId) ?? []));
}

/** The codes in a line, `none` for a point that airs no pond. */
export const pondLine = (ponds: readonly string[] | null, none: string): string =>
  ponds === null ? '…' : ponds.length === 0 ? none : ponds.join(' · ');

/** Codes of the ponds that hold each batch now, most animals in front: where it was stocked tells nothing after a move. */
export function usePondsByBatch(): ReadonlyMap<string, readonly string[]> {
  const cards = usePondCards();
  const found = (cards.data?.ponds ?? []).flatMap(({ cod, active_batches }) =>
    active_batches.map(({ id, current_biomass_kg }) => ({ id, cod, kg: current_biomass_kg ?? 0 })),
  );
  const byBatch = new Map<string, string[]>();
  for (const { id, cod } of found.toSorted((a, b) => b.kg - a.kg)) {
    byBatch.set(id, [...(byBatch.get(id) ?? []), cod]);
  }
  return byBatch;
}

/** Where an alarm is: the pond's code, else the control point's, else its farm, which need not be the one shown. */
export function usePlaceOf(): (at: {
  farm_id: string | null;
  pond_id: string | null;
  control_point_id: string | null;
}) => string {
  const { ponds, isPending } = usePonds();
  return ({ farm_id, pond_id, control_point_id }) => {
    const cod =
      ponds.find(({ id }) => id === pond_id)?.cod ??
      pondCode(pond_id) ??
      controlPoints.value.get(control_point_id ?? '')?.cod ??
      // its code is on its way: the farm in its stead would be read as the place
      (isPending && pond_id !== null ? '…' : null);
    return withFarm(cod, farm_id);
  };
}

/** `V-07`; of another farm than the one shown `V-07 (Sul)`, for there is a V-07 on each; without a code the farm alone. */
export function withFarm(cod: string | null, farmId: string | null): string {
  const name = farms.value.find(({ id }) => id === farmId)?.name ?? '';
  if (cod === null) return name;
  return name === '' || farmId === farm.value?.id ? cod : `${cod} (${shortened(name)})`;
}

/** What the alarm is stands behind it, and must not be pushed off a phone. */
const LONGEST_NAME = 24;
const shortened = (name: string): string =>
  name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…`;

type Identity = z.infer<typeof systemIdentityAnswer>;

/**
 * Under which address a phone finds this console. On the PC that is the box, and in the program around the console, the
 * address of this page leads to the very machine it is typed on. null: it is not known.
 */
export function addressForOthers(
  here: { origin: string; hostname: string },
  identity: Identity | undefined,
): string | null {
  if (!leadsBack(here.hostname)) return here.origin;
  const host = ownHost(identity);
  const port = identity?.ports.http ?? null;
  return host === null || port === null ? null : `http://${host}:${port}`;
}

/** Under which name or address a controller finds this box; null: it is not known. */
export const hostForOthers = (here: { hostname: string }, identity: Identity | undefined): string | null =>
  leadsBack(here.hostname) ? ownHost(identity) : here.hostname;

/** Whether a name leads to the very machine it is typed on. */
const leadsBack = (hostname: string): boolean => /^localhost$|\.localhost$|^127\.|^\[::1\]$/.test(hostname);
const ownHost = (identity: Identity | undefined): string | null =>
  identity?.addresses.find((address) => address.includes('.')) ?? null;

// By what people know the ponds of their alarms, on whichever of their farms these are. A screen asks for the ponds of
// the farm it shows; alarms come from all of them, and are told outside of any screen, too.

const codes = signal<ReadonlyMap<string, string>>(new Map());

/** null: not known yet. */
export const pondCode = (pondId: string | null): string | null => codes.value.get(pondId ?? '') ?? null;

/** A pond may be newer than the last answer, and a list longer than one page: asked again, but not all the time. */
const AGAIN_MS = 30_000;
const RETRY_MS = 5_000;
const MOST = 1_000;

/** Asks for the ponds of all farms once an alarm names one that is not known. */
export function startPondCodes(): void {
  let notBefore = Number.NEGATIVE_INFINITY;
  effect(() => {
    const isUnknown = alarms.value.some(
      ({ newest }) => newest.pond_id !== null && pondCode(newest.pond_id) === null,
    );
    // looked at every second while one is not known
    if (!isUnknown || now.value === 0 || performance.now() < notBefore) return;
    notBefore = performance.now() + AGAIN_MS;
    get('/ponds/', { limit: MOST }).then(
      (ponds) => {
        codes.value = new Map([...codes.value, ...ponds.map(({ id, cod }) => [id, cod] as const)]);
      },
      () => {
        notBefore = performance.now() + RETRY_MS;
      },
    );
  });
}
