import type { Resource } from '#contract/resource.ts';

/** One row of a farm, with the table it belongs to. */
export type Grown = { resource: Resource; row: { id: string } & Record<string, unknown> };
/** Takes one more row of the farm. */
export type Emit = <Row extends { id: string }>(resource: Resource<Row>, row: Row) => void;

/** Collects rows; `taken` hands over what came since the last time. */
export function createRowBuffer(): { emit: Emit; taken: () => Grown[] } {
  let rows: Grown[] = [];
  return {
    emit(resource, row) {
      // the writers treat rows as records; here they are still typed by their resource
      rows.push({
        resource: resource as unknown as Resource,
        row: row as typeof row & Record<string, unknown>,
      });
    },
    taken() {
      const all = rows;
      rows = [];
      return all;
    },
  };
}

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** Ceará keeps this offset all year. */
export const ZONE = 'America/Fortaleza';
export const OFFSET_MS = -3 * HOUR_MS;

export const iso = (unixMs: number): string => new Date(unixMs).toISOString();
/** Days since 1970 on the farm. */
export const dayOf = (unixMs: number): number => Math.floor((unixMs + OFFSET_MS) / DAY_MS);
/** The instant of a time of day on the farm. */
export const at = (day: number, hour: number, minute = 0): number =>
  Math.floor(day * DAY_MS - OFFSET_MS + hour * HOUR_MS + minute * MINUTE_MS);
/** YYYY-MM-DD */
export const dateOf = (day: number): string => iso(day * DAY_MS).slice(0, 10);

/** Rounded as people write it down. */
export function written(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}

export const UNTOUCHED = { clock_quality: 'trusted', updated_at: null } as const;
