import type { sharedResources } from '../resources/all.ts';

// Whose a row is, so that a hosted instance knows which gateways hear of it, and which rows a gateway may send.

type SharedTable = keyof typeof sharedResources;

export type Scope =
  /** The farm named in the column; null in it: the row stays. */
  | { by: 'farm'; column: string }
  /** The farm of the row named in the column. */
  | { by: 'parent'; table: SharedTable; column: string }
  /** Every farm where that person is owner or member. */
  | { by: 'user'; column: string }
  /** The farm named in the column, else as `user`. */
  | { by: 'farm or user'; farm: string; user: string }
  /** Never leaves the instance where it was made: what it opens or where it delivers is that instance's own. */
  | { by: 'nobody' };

export const SCOPES: Readonly<Record<SharedTable, Scope>> = {
  users: { by: 'user', column: 'id' },
  addresses: { by: 'user', column: 'user_id' },
  subscriptions: { by: 'user', column: 'user_id' },
  farms: { by: 'farm', column: 'id' },
  farm_members: { by: 'farm', column: 'farm_id' },
  farm_science: { by: 'farm', column: 'farm_id' },
  farm_console: { by: 'farm', column: 'farm_id' },
  ponds: { by: 'farm', column: 'farm_id' },
  aerators: { by: 'parent', table: 'ponds', column: 'pond_id' },
  control_points: { by: 'farm', column: 'farm_id' },
  orders: { by: 'parent', table: 'control_points', column: 'control_point_id' },
  schedules: { by: 'parent', table: 'control_points', column: 'control_point_id' },
  alerts: { by: 'farm', column: 'farm_id' },
  logs: { by: 'farm', column: 'farm_id' },
  notifications: { by: 'farm or user', farm: 'farm_id', user: 'user_id' },
  batches: { by: 'farm', column: 'farm_id' },
  survival_changes: { by: 'parent', table: 'batches', column: 'batch_id' },
  harvests: { by: 'parent', table: 'batches', column: 'batch_id' },
  biometries: { by: 'parent', table: 'batches', column: 'batch_id' },
  feeding_records: { by: 'parent', table: 'batches', column: 'batch_id' },
  transfers: { by: 'parent', table: 'batches', column: 'batch_id' },
  expenses: { by: 'parent', table: 'batches', column: 'batch_id' },
  measurements: { by: 'parent', table: 'ponds', column: 'pond_id' },
  notification_channels: { by: 'nobody' },
  access_tokens: { by: 'nobody' },
  invitations: { by: 'nobody' },
};

/** Tables whose rows are the hosted instance's alone: what a gateway says of them is passed over. */
export const HOSTED_TABLES: ReadonlySet<SharedTable> = new Set(['subscriptions']);

/**
 * What may stand once only. `rename`: the earliest claim (creation stamp, then id) keeps it and the other gets
 * `<value>~<first letters of its id>`. `hide`: the later row goes out of sight. Both under a stamp derived from the
 * loser's, so that both instances come to the same end by themselves.
 */
export const UNIQUE_KEYS: readonly {
  table: SharedTable;
  columns: readonly string[];
  rule: { is: 'rename'; column: string } | { is: 'hide' };
}[] = [
  { table: 'control_points', columns: ['owner_id', 'cod'], rule: { is: 'rename', column: 'cod' } },
  { table: 'control_points', columns: ['device_id'], rule: { is: 'rename', column: 'device_id' } },
  { table: 'aerators', columns: ['device_id'], rule: { is: 'rename', column: 'device_id' } },
  { table: 'batches', columns: ['owner_id', 'batch_code'], rule: { is: 'rename', column: 'batch_code' } },
  { table: 'farm_members', columns: ['farm_id', 'user_id'], rule: { is: 'hide' } },
  { table: 'farm_science', columns: ['farm_id'], rule: { is: 'hide' } },
  { table: 'farm_console', columns: ['farm_id'], rule: { is: 'hide' } },
];
