// Which bound holds for the rows of each table, so that nothing from outside fills a disk. A table that is not named here
// fails a test.

/** A number of the program, where it stands. */
type Constant = readonly [file: string, name: string];
/** The test that drives the bound from outside: its file, and words of its title. */
type Driven = readonly [file: string, title: string];

export type Bound =
  /** What an account has stored in a day, and what a gateway tells: the day's bytes. */
  | { by: 'what is written in a day' }
  /** At most one, or a few by the program's own words, for each row of that table. */
  | { by: 'rows of'; table: string }
  /** So many of an account, farm, control point, gateway or instance. */
  | { by: 'number'; of: string; most: Constant; driven: Driven }
  /** They go when they are so old; what comes in that time is bounded by `rate`. */
  | { by: 'age'; kept: Constant; rate: string; driven: Driven };

const WRITTEN: Bound = { by: 'what is written in a day' };
const rowsOf = (table: string): Bound => ({ by: 'rows of', table });
const SWEEP = 'gateway/adapters/sql/sweep-expired.ts';
const BOUNDS_TEST = 'test/bounds/bounds-of-tables.test.ts';
const DRIVEN_TEST = 'test/bounds/driven-bounds.test.ts';
const KEEP_TEST = 'test/sync/adversary/what-a-gateway-may-keep.test.ts';

/** The bounds of WRITTEN: an account's, and those of the sync. */
export const DAYS: readonly { most: Constant; driven: Driven }[] = [
  {
    most: ['gateway/core/write-budget.ts', 'WITHOUT_FARM_BYTES'],
    driven: [
      'test/features/people/account-data/write-budget.test.ts',
      'somebody without a farm writes a few MB',
    ],
  },
  {
    most: ['gateway/core/write-budget.ts', 'WITH_FARM_BYTES'],
    driven: ['test/core/write-budget.test.ts', 'are refused when they are too many'],
  },
  {
    most: ['gateway/core/write-budget.ts', 'ALWAYS_OPEN_BYTES'],
    driven: ['test/core/write-budget.test.ts', 'of orders and registers are bounded, too'],
  },
  {
    most: ['gateway/adapters/sync/hosted-store.ts', 'AT_ONCE_BYTES'],
    driven: [KEEP_TEST, 'a gateway tells two thousand megabytes at once at most'],
  },
  {
    most: ['gateway/features/control/devices/write-budget.ts', 'DAILY_BYTES'],
    driven: ['test/real/write-cost.test.ts', 'make the disk write 20 MB a day at most each'],
  },
];

export const BOUNDS: Readonly<Record<string, Bound>> = {
  // registers and journals of people, farms and gateways
  users: WRITTEN,
  addresses: WRITTEN,
  farms: WRITTEN,
  farm_members: WRITTEN,
  ponds: WRITTEN,
  aerators: WRITTEN,
  control_points: WRITTEN,
  orders: WRITTEN,
  alerts: WRITTEN,
  logs: WRITTEN,
  notifications: WRITTEN,
  batches: WRITTEN,
  survival_changes: WRITTEN,
  harvests: WRITTEN,
  biometries: WRITTEN,
  feeding_records: WRITTEN,
  measurements: WRITTEN,
  farm_records: WRITTEN,
  feed_stock: WRITTEN,
  harvest_lots: WRITTEN,
  // beside: 200 open ones of a farm (MOST_OPEN), and one mark for each of their due days
  tasks: WRITTEN,
  task_marks: WRITTEN,
  // beside: 2 GiB of a farm (MOST_BYTES_OF_FARM), and 500 in 24 hours (MOST_A_DAY)
  photos: WRITTEN,
  // at most one of an hour and one of a month in which something was measured
  measurement_sums: rowsOf('measurements'),
  measurement_gaps: rowsOf('ponds'),
  transfers: WRITTEN,
  expenses: WRITTEN,
  schedules: {
    by: 'number',
    of: 'control_points',
    most: ['gateway/features/control/schedules/save-schedule.ts', 'MOST_SCHEDULES'],
    driven: [BOUNDS_TEST, 'two hundred schedules'],
  },
  subscriptions: rowsOf('users'),
  farm_science: rowsOf('farms'),
  farm_console: rowsOf('farms'),
  notification_channels: {
    by: 'number',
    of: 'users',
    most: ['gateway/features/alarms/notifications/save-channel.ts', 'MOST_CHANNELS'],
    driven: ['test/features/alarms/notifications/channels.test.ts', 'are at most twenty'],
  },
  access_tokens: {
    by: 'number',
    of: 'users',
    most: ['gateway/features/people/access-tokens/create-token.ts', 'MOST_LIVE'],
    driven: [
      'test/features/people/access-tokens/access-tokens.test.ts',
      'more than fifty live tokens are refused',
    ],
  },
  invitations: {
    by: 'number',
    of: 'farms',
    most: ['gateway/features/people/invitations/invite.ts', 'MOST_OPEN'],
    driven: [
      'test/features/people/invitations/invitations.test.ts',
      'a farm has at most fifty open invitations',
    ],
  },
  // accounts
  sessions: {
    by: 'number',
    of: 'users',
    most: ['gateway/features/people/accounts/sessions.ts', 'MOST_SESSIONS'],
    driven: ['test/features/people/accounts/session-list.test.ts', 'a hundred are listed'],
  },
  session_generations: rowsOf('users'),
  second_factors: rowsOf('users'),
  address_proofs: rowsOf('users'),
  local_users: rowsOf('users'),
  usage_crossings: rowsOf('subscriptions'),
  token_uses: rowsOf('access_tokens'),
  provider_subscriptions: rowsOf('users'),
  passkeys: {
    by: 'number',
    of: 'users',
    most: ['gateway/features/people/second-factor/passkey-routes.ts', 'MOST'],
    driven: [DRIVEN_TEST, 'twenty passkeys'],
  },
  revoked_tokens: {
    by: 'age',
    kept: ['gateway/features/people/accounts/log-in.ts', 'REMEMBERED_S'],
    rate: 'logins, each of which costs a hash of its password',
    driven: [
      'test/features/people/accounts/accounts.test.ts',
      'logged-out tokens that expired long ago are swept out',
    ],
  },
  password_resets: {
    by: 'age',
    kept: [SWEEP, 'RESETS_KEPT_MS'],
    rate: 'codes of a source and of an address',
    driven: [BOUNDS_TEST, 'what has run out goes'],
  },
  push_actions: {
    by: 'age',
    kept: [SWEEP, 'ACTIONS_KEPT_MS'],
    rate: 'two of an alarm that goes to a browser; without a trusted clock their number',
    driven: [BOUNDS_TEST, 'what has run out goes'],
  },
  invitation_letters: rowsOf('invitations'),
  idempotent_answers: {
    by: 'age',
    kept: [SWEEP, 'ANSWERS_KEPT_MS'],
    rate: 'what is written in a day; without a trusted clock their number',
    driven: [
      'test/adapters/sql/sweep-below-deleted.test.ts',
      'answers kept for repeated entries stay bounded',
    ],
  },
  // devices
  presence: rowsOf('control_points'),
  device_keys: rowsOf('control_points'),
  first_key_uses: rowsOf('control_points'),
  board_labels: rowsOf('control_points'),
  stored_images: rowsOf('photos'),
  image_bytes: rowsOf('stored_images'),
  siren_settings: rowsOf('farms'),
  relays: rowsOf('control_points'),
  relay_meters: rowsOf('relays'),
  device_marks: {
    by: 'number',
    of: 'instance',
    most: ['gateway/features/equipment/adoption/adoption-queue.ts', 'MOST_KEPT'],
    driven: [BOUNDS_TEST, 'a thousand marks of devices'],
  },
  firmware_images: {
    by: 'number',
    of: 'instance',
    most: ['gateway/features/equipment/firmware/store-firmware.ts', 'MOST_IMAGES'],
    driven: [DRIVEN_TEST, 'twenty images'],
  },
  firmware_rollouts: {
    by: 'number',
    of: 'farms',
    most: ['gateway/features/equipment/firmware/begin-rollout.ts', 'ROLLOUTS_KEPT'],
    driven: [DRIVEN_TEST, 'fifty rollouts of a farm'],
  },
  firmware_targets: {
    by: 'number',
    of: 'firmware_rollouts',
    most: ['gateway/features/equipment/firmware/begin-rollout.ts', 'MOST_TARGETS'],
    driven: [DRIVEN_TEST, 'five hundred controllers at most'],
  },
  probe_buses: {
    by: 'number',
    of: 'farms',
    most: ['gateway/features/equipment/probes/set-up-bus.ts', 'MOST_BUSES'],
    driven: [BOUNDS_TEST, 'sixteen buses'],
  },
  probe_profiles: {
    by: 'number',
    of: 'farms',
    most: ['gateway/features/equipment/probes/profile-routes.ts', 'MOST_PROFILES'],
    driven: [DRIVEN_TEST, 'sixty-four profiles'],
  },
  probes: {
    by: 'number',
    of: 'farms',
    most: ['gateway/features/equipment/probes/set-up-probe.ts', 'MOST_PROBES'],
    driven: [DRIVEN_TEST, 'a hundred and twenty-eight probes'],
  },
  imports: {
    by: 'number',
    of: 'farms',
    most: ['gateway/features/production/imports/import-progress.ts', 'MOST_RECORDS'],
    driven: [DRIVEN_TEST, 'a hundred records and fifty layouts'],
  },
  // one for some rows of the journals that they name
  import_chunks: WRITTEN,
  import_layouts: {
    by: 'number',
    of: 'farms',
    most: ['gateway/features/production/imports/import-sent.ts', 'MOST_LAYOUTS'],
    driven: [DRIVEN_TEST, 'a hundred records and fifty layouts'],
  },
  // news
  deliveries: {
    by: 'number',
    of: 'users',
    most: ['gateway/features/alarms/notifications/notify.ts', 'MOST_PENDING'],
    driven: ['test/features/alarms/delivery/delivery.test.ts', 'is bounded per person'],
  },
  arrived_news: rowsOf('notifications'),
  // payments: what a provider signed
  payment_events: {
    by: 'age',
    kept: [SWEEP, 'EVENTS_KEPT_MS'],
    rate: 'what the provider of payments signed',
    driven: [BOUNDS_TEST, 'what has run out goes'],
  },
  payment_objects: rowsOf('users'),
  // the sync
  numeric_ids: WRITTEN,
  guards: WRITTEN,
  sync_register: WRITTEN,
  sync_seen: rowsOf('sync_register'),
  sync_bases: rowsOf('sync_register'),
  sync_change: {
    by: 'number',
    of: 'sync_stream',
    most: ['gateway/adapters/sync/forget-feed.ts', 'MOST_PENDING'],
    driven: ['test/sync/hosted-feeds.test.ts', 'is forgotten as far as it was fetched, a month later'],
  },
  sync_marks: {
    by: 'age',
    kept: ['gateway/adapters/sync/forget-feed.ts', 'KEPT_MS'],
    rate: 'what a gateway tells in a day',
    driven: [DRIVEN_TEST, 'goes after thirty days'],
  },
  sync_restamps: {
    by: 'age',
    kept: ['gateway/adapters/sync/forget-feed.ts', 'SILENT_MS'],
    rate: 'what a gateway tells in a day',
    driven: [DRIVEN_TEST, 'brought back after ninety'],
  },
  sync_parked: {
    by: 'number',
    of: 'sync_stream',
    most: ['gateway/store/merge/conflicts.ts', 'MOST_ROWS'],
    driven: ['test/sync/hosted-protocol.test.ts', 'of what fits nowhere keeps only so many %s'],
  },
  lost_people: {
    by: 'number',
    of: 'sync_stream',
    most: ['gateway/store/merge/conflicts.ts', 'MOST_ROWS'],
    driven: [KEEP_TEST, 'of people whom it says were lost'],
  },
  sync_conflicts: {
    by: 'number',
    of: 'sync_stream',
    most: ['gateway/store/merge/conflicts.ts', 'MOST_ROWS'],
    driven: [KEEP_TEST, 'of edits that lost are so many %s'],
  },
  sync_stream: rowsOf('gateways'),
  sync_farms: rowsOf('farms'),
  sync_time_returns: rowsOf('instance_values'),
  gateways: WRITTEN,
  pairings: {
    by: 'number',
    of: 'instance',
    most: ['gateway/features/cloud/pairing/start-pairing.ts', 'MOST_WAITING'],
    driven: [BOUNDS_TEST, 'five thousand pairings'],
  },
  commands: {
    by: 'age',
    kept: [SWEEP, 'COMMANDS_KEPT_MS'],
    rate: 'what is written in a day',
    driven: [BOUNDS_TEST, 'what has run out goes'],
  },
  commands_taken: {
    by: 'number',
    of: 'instance',
    most: [SWEEP, 'TAKEN_KEPT'],
    driven: [BOUNDS_TEST, 'orders from afar that a box took'],
  },
  // the instance itself
  instance_values: rowsOf('users'),
  leases: rowsOf('instance_values'),
  schema_migrations: rowsOf('instance_values'),
  schema_expansions: rowsOf('instance_values'),
  // PostgreSQL: what processes count together
  request_counts: {
    by: 'age',
    kept: [SWEEP, 'COUNTS_KEPT_MS'],
    rate: 'sources and accounts that ask',
    driven: [DRIVEN_TEST, 'is counted for an hour'],
  },
  open_requests: rowsOf('users'),
};

/** Where a walk along `rows of` and `number of` ends. */
export const ENDS: ReadonlySet<string> = new Set(['instance']);
