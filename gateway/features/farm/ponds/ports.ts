import type { RowOf, Stored } from '#contract/resource.ts';
import type { BatchOnCard, BatchOnDetail, PondCard, PondCards } from '#contract/resources/pond-cards.ts';
import type { pond } from '#contract/resources/ponds.ts';
import type { NumericIdDeps } from '#core/numeric-id.ts';
import type { BatchState } from '#features/production/batch-state.ts';

export type Pond = Stored<RowOf<typeof pond>>;

/** Facts the pond use cases ask for; only visible (not deleted) rows are answered. */
export type PondQueries = NumericIdDeps & {
  pondById: (id: string) => Promise<Pond | null>;
  /** True for every id ever used, deleted ponds included. */
  pondIdTaken: (id: string) => Promise<boolean>;
  farmExists: (farmId: string) => Promise<boolean>;
  /** Farm of a control point; null: there is no such control point. */
  farmOfControlPoint: (controlPointId: string) => Promise<string | null>;
  /** Whether another pond of the farm bears this code. */
  isCodUsed: (farmId: string, cod: string, exceptPondId: string) => Promise<boolean>;
  /** Ponds of one farm, or of all farms the user owns or is a member of, oldest first, as a stream. */
  pondsOf: (
    where: { userId: string; farmId: string | null },
    page: { skip: number; limit: number | undefined },
  ) => AsyncIterable<Pond>;
  aeratorsOfPond: (pondId: string) => Promise<{ id: string; name: string; power_kw: number }[]>;
  controlPointCod: (controlPointId: string) => Promise<string | null>;
  /** Active alerts of a pond and of the control point that airs it, each episode by its newest, newest first; folded ones are left out. */
  activeAlerts: (pond: Pick<Pond, 'id' | 'control_point_id'>) => Promise<PondCard['active_alerts']>;
};

/** Batches with animals in a pond, as they stand. */
export type Living = readonly { state: BatchState; pondId: string }[];

/** What lives in a pond now; the features of batches, water and feeding bring it. The batch with most animals first. */
export type PondContents = {
  /** Per pond id; a pond without any may be left out. */
  overview: (
    pondIds: readonly string[],
  ) => Promise<
    ReadonlyMap<
      string,
      { active_batches: BatchOnCard[] } & Pick<PondCards['ponds'][number], 'water_quality' | 'empty_since'>
    >
  >;
  detail: (pondId: string) => Promise<
    Pick<PondCard, 'latest_biometry' | 'latest_water_quality' | 'feeding_today'> & {
      active_batches: BatchOnDetail[];
      living: Living;
    }
  >;
};

/** Facts behind the contents of ponds; only visible (not deleted) rows are answered. */
export type PondContentsQueries = {
  /** Newest measurement of each pond; ponds never measured are left out. */
  latestWater: (pondIds: readonly string[]) => Promise<ReadonlyMap<string, LatestWater>>;
  /** Troubles of the water that last, per pond: alerts of one episode count once. Ponds without any are left out. */
  countActiveAlerts: (pondIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  feedingsBetween: (
    batchIds: readonly string[],
    span: { from: string; to: string },
  ) => Promise<{ batch_id: string; pond_id: string | null; quantity_kg: number; feed_date: string }[]>;
};
export type LatestWater = {
  measurement_date: string;
  temperature: number | null;
  dissolved_oxygen: number | null;
  ph: number | null;
  ammonia: number | null;
  nitrite: number | null;
  source: 'manual' | 'probe' | 'import';
};

/** null: the control point has not reported yet. */
export type IsOnline = (controlPointId: string) => boolean | null;
