import type { RowOf, Stored } from '#contract/resource.ts';
import type { controlPoint, order } from '#contract/resources/control-points.ts';
import type { ControlView, ControlViews, UnsavedLock, UnsavedTarget } from '../control-view.ts';

export type ControlPoint = Stored<RowOf<typeof controlPoint>>;
export type Order = Stored<RowOf<typeof order>>;
type Page = { skip: number; limit: number | undefined };

export type ControlPointQueries = {
  /** Control points of farms the user owns or is a member of, oldest first. */
  controlPointsOf: (userId: string, page: Page, farmId: string | null) => AsyncIterable<ControlPoint>;
  codTaken: (ownerId: string, cod: string) => Promise<string | null>;
  /** Only where a name stands once: on the farms of one gateway, or on those of one owner that have none. */
  deviceIdTaken: (deviceId: string, farmId: string) => Promise<string | null>;
  /** When its device got its name, ms; null: with the control point. */
  namedAt: (controlPointId: string) => Promise<number | null>;
  idTaken: (id: string) => Promise<boolean>;
  ownerOfFarm: (farmId: string) => Promise<string | null>;
  pondsOf: (controlPointId: string) => Promise<{ id: string; rev: number }[]>;
  /** Aerators that bear this serial number: its control point airs their ponds too. */
  aeratorsOfDevice: (deviceId: string, farmId: string) => Promise<{ name: string; pondCod: string }[]>;
  countOrders: (controlPointId: string) => Promise<number>;
  /** Orders of a control point, newest first. */
  ordersOf: (controlPointId: string, page: Page) => AsyncIterable<Order>;
  /** What the order said that made the target what it is. */
  reasonOf: (row: Pick<ControlPoint, 'id' | 'version' | 'last_command_at'>) => Promise<string | null>;
};

/** What control keeps in memory, as far as these use cases touch it. */
export type ControlMemory = ControlViews & {
  refresh: (id: string) => Promise<ControlView | null>;
  setUnsaved: (id: string, unsaved: UnsavedTarget | null) => void;
  setUnsavedLock: (id: string, lock: UnsavedLock) => void;
};
