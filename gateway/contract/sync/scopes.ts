import type { sharedResources } from '../resources/all.ts';

// Who may read and write what over the sync, in one place: whose a row is (SCOPES), what of a row about a person goes
// down to a gateway and of whom a gateway is believed (PERSONAL). Being named on a farm is not belonging to its gateway.

type SharedTable = keyof typeof sharedResources;

export type Scope =
  /** The farm named in the column; null in it: the row stays. `person`: and for somebody on that farm alone. */
  | { by: 'farm'; column: string; person?: string }
  /** The farm of the row named in the column. */
  | { by: 'parent'; table: SharedTable; column: string }
  /** Every farm where that person is owner or member. */
  | { by: 'user'; column: string }
  /** Every farm whose owner that person is. */
  | { by: 'owner'; column: string }
  /** Farms that name the row in the column; named by none, it stays. */
  | { by: 'named'; column: string }
  /** Never leaves the instance where it was made: what it opens or where it delivers is that instance's own. */
  | { by: 'nobody' };

export const SCOPES: Readonly<Record<SharedTable, Scope>> = {
  users: { by: 'user', column: 'id' },
  addresses: { by: 'named', column: 'address_id' },
  subscriptions: { by: 'owner', column: 'user_id' },
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
  notifications: { by: 'farm', column: 'farm_id', person: 'user_id' },
  batches: { by: 'farm', column: 'farm_id' },
  survival_changes: { by: 'parent', table: 'batches', column: 'batch_id' },
  harvests: { by: 'parent', table: 'batches', column: 'batch_id' },
  harvest_lots: { by: 'farm', column: 'farm_id' },
  biometries: { by: 'parent', table: 'batches', column: 'batch_id' },
  feeding_records: { by: 'parent', table: 'batches', column: 'batch_id' },
  transfers: { by: 'parent', table: 'batches', column: 'batch_id' },
  expenses: { by: 'parent', table: 'batches', column: 'batch_id' },
  measurements: { by: 'parent', table: 'ponds', column: 'pond_id' },
  farm_records: { by: 'farm', column: 'farm_id' },
  feed_stock: { by: 'farm', column: 'farm_id' },
  tasks: { by: 'farm', column: 'farm_id' },
  task_marks: { by: 'farm', column: 'farm_id' },
  photos: { by: 'farm', column: 'farm_id' },
  notification_channels: { by: 'nobody' },
  access_tokens: { by: 'nobody' },
  invitations: { by: 'nobody' },
};

type GroupRule = {
  /**
   * Downwards: `told`; `blank`: told, but for those fields; `never`: not even that it changed. Of an ADMIN, and of who has
   * left the farms, a name goes down at most, whatever stands here.
   */
  down: 'told' | 'never' | { blank: readonly string[] };
  /** Upwards: of people whose account was made on that gateway, or of nobody. `beside`: kept for who adopts one of those. */
  up: 'own people' | 'beside' | 'nobody';
};

/**
 * Rows about people, group by group. The verifier of a password is of one instance alone: a gateway makes its own when
 * somebody signs in there. That it changed is told, so that the old one opens nothing any more.
 */
export const PERSONAL: Readonly<Partial<Record<SharedTable, Readonly<Record<string, GroupRule>>>>> = {
  users: {
    email: { down: 'told', up: 'beside' },
    name: { down: 'told', up: 'own people' },
    language: { down: 'told', up: 'own people' },
    role: { down: 'told', up: 'nobody' },
    is_active: { down: 'told', up: 'nobody' },
    password: { down: { blank: ['password_hash'] }, up: 'nobody' },
    phone_number: { down: 'never', up: 'nobody' },
  },
  // limits hold on the gateway, too; who takes the money, and under which number, does not go there
  subscriptions: {
    plan: {
      down: { blank: ['payment_provider', 'payment_customer_id', 'payment_subscription_id'] },
      up: 'nobody',
    },
  },
};

/** Tables whose rows are the hosted instance's alone: what a gateway says of them is passed over. */
export const HOSTED_TABLES: ReadonlySet<SharedTable> = new Set(['subscriptions']);

/**
 * What may stand once only; `of the gateway`: among the farms of one, whose own word goes before one of the hosted
 * instance. `rename`: the earliest claim (creation stamp, then id) keeps it and the other gets
 * `<value>~<first letters of its id>`. `hide`: the later row goes out of sight. Both under a stamp derived from the
 * loser's, so that both instances come to the same end by themselves.
 */
export const UNIQUE_KEYS: readonly {
  table: SharedTable;
  columns: readonly string[];
  within?: 'of the gateway';
  rule: { is: 'rename'; column: string } | { is: 'hide' };
}[] = [
  { table: 'control_points', columns: ['owner_id', 'cod'], rule: { is: 'rename', column: 'cod' } },
  {
    table: 'control_points',
    columns: ['device_id'],
    within: 'of the gateway',
    rule: { is: 'rename', column: 'device_id' },
  },
  {
    table: 'aerators',
    columns: ['device_id'],
    within: 'of the gateway',
    rule: { is: 'rename', column: 'device_id' },
  },
  { table: 'batches', columns: ['owner_id', 'batch_code'], rule: { is: 'rename', column: 'batch_code' } },
  { table: 'harvest_lots', columns: ['farm_id', 'lot_code'], rule: { is: 'rename', column: 'lot_code' } },
  { table: 'farm_members', columns: ['farm_id', 'user_id'], rule: { is: 'hide' } },
  { table: 'farm_science', columns: ['farm_id'], rule: { is: 'hide' } },
  { table: 'farm_console', columns: ['farm_id'], rule: { is: 'hide' } },
];
