import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { isSaveDue } from '#adapters/backup/due.ts';
import { isCode, writeWhole } from '#adapters/backup/safe-files.ts';
import type { Database, Db } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { controlRows, controlStand } from '#adapters/sql/queries/control/control-rows.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { deviceKey, firstKeyUse, instanceValue, numericId } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { relay } from '#contract/resources/relays.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { user } from '#contract/resources/users.ts';
import { type Change, type Committed, type CommittedRow, insert, onTables, put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';

// The last known good configuration: one small file beside the database from which control can go on when the database
// and its snapshots are lost. Passwords are in it as their verifiers and keys of controllers as their hashes, as in the
// database. The pepper of those hashes is in it too: over keys of 256 random bits it hides nothing, and without it every
// controller with a key would be shut out.

const lastGood = z.object({
  format: z.literal(1),
  saved_at: z.string(),
  gateway_id: z.string(),
  sync_epoch: z.int(),
  core_seq: z.int(),
  values: z.record(z.string(), z.string()),
  users: z.array(user.row),
  farms: z.array(farm.row),
  farm_members: z.array(farmMember.row),
  subscriptions: z.array(subscription.row),
  ponds: z.array(pond.row),
  aerators: z.array(aerator.row),
  control_points: z.array(controlPoint.row),
  schedules: z.array(schedule.row),
  orders: z.array(order.row),
  device_keys: z.array(deviceKey.row),
  // a file of an earlier program has none of these
  relays: z.array(relay.row).default([]),
  first_key_uses: z.array(firstKeyUse.row).default([]),
});
export type LastGood = z.infer<typeof lastGood>;

/** `zstd` is the content, compressed and in base64: it is written many times a day, on a card that wears. */
const sealed = z.object({ sha256: z.string(), zstd: z.string() });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const lastGoodFile = (data: string): string => join(data, 'last-good.json');

/** What would be saved now; null while there is nothing to control. */
export async function gatherLastGood(db: Db, savedAt: string): Promise<LastGood | null> {
  const [stand, rows] = [await controlStand(db, OWN_STREAM), await controlRows(db)];
  if (rows.control_points.length === 0 && rows.users.length === 0) return null;
  return { format: 1, saved_at: savedAt, ...stand, ...rows };
}

async function saveLastGood(data: string, good: LastGood): Promise<number> {
  const content = JSON.stringify(good);
  const zstd = zstdCompressSync(content).toString('base64');
  const text = JSON.stringify({ sha256: sha256(content), zstd } satisfies z.infer<typeof sealed>);
  await writeWhole(lastGoodFile(data), [Buffer.from(text)]);
  return text.length;
}

/** `broken`: it is there, but not as it was written. */
export async function readLastGood(data: string): Promise<LastGood | 'absent' | 'broken'> {
  let text: string;
  try {
    text = await readFile(lastGoodFile(data), 'utf8');
  } catch (error) {
    return isCode(error, 'ENOENT') ? 'absent' : 'broken';
  }
  try {
    const { sha256: sum, zstd } = sealed.parse(JSON.parse(text));
    const content = zstdDecompressSync(Buffer.from(zstd, 'base64')).toString();
    return sum === sha256(content) ? lastGood.parse(JSON.parse(content)) : 'broken';
  } catch {
    // cut off, overwritten, of another format: the next rung has to do
    return 'broken';
  }
}

/** Changes that fill an empty database with it. */
export function rowsOfLastGood(good: LastGood): Change[] {
  return [
    ...Object.entries(good.values).map(([id, value]) => put(instanceValue, { id, value })),
    ...good.users.map((row) => insert(user, row)),
    // addresses are not in it
    ...good.farms.map((row) => insert(farm, { ...row, address_id: null })),
    ...good.farm_members.map((row) => insert(farmMember, row)),
    ...good.subscriptions.map((row) => insert(subscription, row)),
    ...good.ponds.map((row) => insert(pond, row)),
    ...good.aerators.map((row) => insert(aerator, row)),
    ...good.control_points.map((row) => insert(controlPoint, row)),
    ...good.schedules.map((row) => insert(schedule, row)),
    ...good.orders.map((row) => insert(order, row)),
    ...good.device_keys.map((row) => insert(deviceKey, row)),
    ...good.first_key_uses.map((row) => insert(firstKeyUse, row)),
    ...good.relays.map((row) => insert(relay, row)),
    ...good.users.map((row) => numberOf('user', row)),
    ...good.ponds.map((row) => numberOf('pond', row)),
  ];
}

const numberOf = (entity: string, row: { id: string; numeric_id: number }): Change =>
  insert(numericId, { id: String(row.numeric_id), entity, uuid: row.id });

/** The tables of which controlling needs the rows. */
export const CONTROL_TABLES = [
  user,
  farm,
  farmMember,
  subscription,
  pond,
  aerator,
  controlPoint,
  schedule,
  deviceKey,
  firstKeyUse,
  relay,
];
const TABLES = new Set<string>(CONTROL_TABLES.map(({ name }) => name));
/** Change by orders and schedules, all day. */
const TARGET_FIELDS = new Set(['target_status', 'version', 'target_origin', 'last_command_at', 'updated_at']);
/** Change by what controllers report: they report it again. */
const REPORTED_FIELDS = new Set(['current_status', 'current_since']);

/** What a unit changed of the configuration of control: what people set, only targets, or nothing that counts. */
export function controlChangeOf(committed: Committed): 'config' | 'state' | null {
  let found: 'state' | null = null;
  for (const row of committed.rows) {
    if (!TABLES.has(row.table)) continue;
    const changed = changedFields(row);
    if (row.table !== 'control_points' || changed === null) return 'config';
    const counting = changed.filter((field) => !REPORTED_FIELDS.has(field));
    if (counting.some((field) => !TARGET_FIELDS.has(field))) return 'config';
    if (counting.length > 0) found = 'state';
  }
  return found;
}

/** null: the row came or went. */
function changedFields({ before, after, hidden }: CommittedRow): string[] | null {
  if (before === null || hidden) return null;
  return Object.keys(after).filter((field) => after[field] !== before[field]);
}

type LastGoodKeeper = {
  /** Saves what is due; called every few seconds, and once more at the end. */
  tick: (which?: { isLast: boolean }) => Promise<void>;
  bytesWritten: () => number;
};

/** Keeps the file of the last known good configuration true, without writing more than it must. */
export function keepLastGood(
  deps: Pick<Kernel, 'now' | 'log'> & { monotonic: () => number; data: string; database: Database },
): LastGoodKeeper {
  const state = {
    // at a start the file may be of a run before
    configChangedAt: deps.monotonic() as number | null,
    stateChangedAt: null as number | null,
    savedHash: null as string | null,
    bytes: 0,
    hasFailed: false,
  };
  deps.database.onRows(
    onTables(CONTROL_TABLES, (committed) => {
      const change = controlChangeOf(committed);
      if (change === 'config') state.configChangedAt ??= deps.monotonic();
      if (change === 'state') state.stateChangedAt ??= deps.monotonic();
    }),
  );

  async function save(): Promise<void> {
    const before = { config: state.configChangedAt, state: state.stateChangedAt };
    const good = await gatherLastGood(deps.database.read, isoOf(deps.now()));
    if (good !== null) {
      state.savedHash ??= await hashOnDisk();
      const hash = hashOf(good);
      if (hash !== state.savedHash) {
        state.bytes += await saveLastGood(deps.data, good);
        state.savedHash = hash;
      }
    }
    // what changed while it was written is saved the next time
    if (state.configChangedAt === before.config) state.configChangedAt = null;
    if (state.stateChangedAt === before.state) state.stateChangedAt = null;
  }

  async function hashOnDisk(): Promise<string> {
    const known = await readLastGood(deps.data);
    return typeof known === 'string' ? known : hashOf(known);
  }

  return {
    bytesWritten: () => state.bytes,
    async tick({ isLast } = { isLast: false }) {
      const hasChanged = state.configChangedAt !== null || state.stateChangedAt !== null;
      if (!hasChanged || (!isLast && !isSaveDue({ monotonic: deps.monotonic(), ...state }))) return;
      try {
        await save();
        state.hasFailed = false;
      } catch (error) {
        if (!state.hasFailed)
          deps.log.warn(
            { err: error },
            'the last known good configuration could not be saved; it is tried again',
          );
        state.hasFailed = true;
      }
    },
  };
}

/** What matters of it: not when it was saved, nor how far the log had come. */
function hashOf(good: LastGood): string {
  const { good_time: _, ...values } = good.values;
  const content = { ...good, saved_at: '', core_seq: 0, values };
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
