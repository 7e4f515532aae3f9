import { sql } from 'kysely';
import { alert } from '#contract/resources/alerts.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import { type ChannelKind, notificationChannel } from '#contract/resources/notification-channels.ts';
import { notification } from '#contract/resources/notifications.ts';
import { isoOf } from '#core/kernel.ts';
import type {
  AlertNow,
  Delivery,
  DeliveryStore,
  Job,
  Notification,
} from '#features/alarms/delivery/ports.ts';
import type { Database, Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

/** How long a process of many may keep what it took; then another one sends it. */
const LEASE_MS = 2 * 60_000;
/** No wait is longer: what is due later was put off by a clock that was wrong. */
const LONGEST_WAIT_MS = 26 * 3_600_000;
const SLICE = 500;
const SENT_KEPT_MS = 7 * 24 * 3_600_000;
const DEAD_KEPT_MS = 30 * 24 * 3_600_000;
/** While nothing tells how old they are; more than a month of a farm in trouble. */
const DONE_KEPT = 10_000;
const PENDING_KEPT_MS = 8 * 24 * 3_600_000;

// indexes hold for these very words, so they are no parameters
const isPending = sql<boolean>`state = 'PENDING'`;

export function deliveryStore({ read: db, dialect }: Pick<Database, 'read' | 'dialect'>): DeliveryStore {
  return {
    async take(kind, { isCritical, now, limit, exceptChannels }) {
      const due = db
        .selectFrom('deliveries')
        .where('kind', '=', kind)
        .where('is_critical', '=', isCritical ? 1 : 0)
        .where(isPending)
        .where('next_at', '<=', isoOf(now))
        .$if(exceptChannels.length > 0, (query) => query.where('channel_id', 'not in', exceptChannels))
        .orderBy('next_at')
        .orderBy('id')
        .limit(limit);
      // one process alone knows what it is sending
      if (dialect === 'sqlite') return jobsOf(db, (await due.selectAll().execute()).map(decoded));
      // as a plain subquery it may be run once for each row, and take more than it may
      const taken = await db
        .with('due', () => due.select('id').forUpdate().skipLocked())
        .updateTable('deliveries')
        .set({ next_at: isoOf(now + LEASE_MS) })
        .where('id', 'in', (query) => query.selectFrom('due').select('id'))
        .returningAll()
        .execute();
      const rows = taken.map(decoded).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
      return jobsOf(db, rows);
    },
    async release(ids, at) {
      if (dialect === 'sqlite' || ids.length === 0) return;
      await db
        .updateTable('deliveries')
        .set({ next_at: isoOf(at) })
        .where('id', 'in', ids)
        .where(isPending)
        .execute();
    },
    async waitingFor(channelId) {
      const rows = await db
        .selectFrom('deliveries')
        .selectAll()
        .where('channel_id', '=', channelId)
        .where(isPending)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return jobsOf(db, rows.map(decoded));
    },
    async postpone(channelId, until) {
      await db
        .updateTable('deliveries')
        .set({ next_at: isoOf(until) })
        .where('channel_id', '=', channelId)
        .where(isPending)
        .where('next_at', '<', isoOf(until))
        .execute();
    },
  };
}

const decoded = (row: Record<string, unknown>): Delivery => decodeRow(delivery, row);

/** Everything that decides about these deliveries, a statement per table. */
async function jobsOf(db: Db, rows: readonly Delivery[]): Promise<Job[]> {
  if (rows.length === 0) return [];
  const notifications = await notificationsOf(
    db,
    rows.flatMap(({ notification_id }) => notification_id ?? []),
  );
  const channels = await channelsOf(db, unique(rows.map(({ channel_id }) => channel_id)));
  const readerIds = unique(rows.map(({ user_id }) => user_id));
  const readers = await readersOf(db, readerIds);
  const farmIds = unique([...notifications.values()].flatMap(({ farm_id }) => farm_id ?? []));
  const farms = await farmNamesOf(db, farmIds);
  const onFarm = await whoIsOn(db, farmIds, readerIds);
  const alerts = await alertsOf(db, unique([...notifications.values()].flatMap(alertIdIn)));
  return rows.map((row): Job => {
    const told = notifications.get(row.notification_id ?? '') ?? null;
    const [alertId] = told === null ? [] : alertIdIn(told);
    return {
      delivery: row,
      channel: channels.get(row.channel_id) ?? null,
      reader: readers.get(row.user_id) ?? null,
      notification: told,
      isReadersFarm: told?.farm_id == null || onFarm.has(`${told.farm_id} ${row.user_id}`),
      farmName: farms.get(told?.farm_id ?? '') ?? null,
      alert: alerts.get(alertId ?? '') ?? null,
    };
  });
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

function alertIdIn({ data }: Pick<Notification, 'data'>): string[] {
  const id = data['alert_id'];
  return typeof id === 'string' ? [id] : [];
}

async function notificationsOf(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, Notification>();
  const rows = await db
    .selectFrom('notifications')
    .selectAll()
    .where('id', 'in', ids)
    .where('hidden', '=', 0)
    .execute();
  return new Map(rows.map((row) => [row.id, decodeRow(notification, row)]));
}

async function channelsOf(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom('notification_channels')
    .selectAll()
    .where('id', 'in', ids)
    .where('hidden', '=', 0)
    .execute();
  return new Map(rows.map((row) => [row.id, decodeRow(notificationChannel, row)]));
}

async function readersOf(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'language'])
    .where('id', 'in', ids)
    .where('is_active', '=', 1)
    .where('hidden', '=', 0)
    .execute();
  return new Map(rows.map(({ id, language }) => [id, { language }]));
}

async function farmNamesOf(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const rows = await db.selectFrom('farms').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Of these readers, who owns these farms or is a member of them. */
async function whoIsOn(db: Db, farmIds: readonly string[], userIds: readonly string[]): Promise<Set<string>> {
  if (farmIds.length === 0) return new Set();
  const owned = db
    .selectFrom('farms')
    .select(['id as farm_id', 'owner_id as user_id'])
    .where('id', 'in', farmIds);
  const joined = db
    .selectFrom('farm_members')
    .select(['farm_id', 'user_id'])
    .where('farm_id', 'in', farmIds)
    .where('user_id', 'in', userIds)
    .where('hidden', '=', 0);
  const rows = await owned.unionAll(joined).execute();
  return new Set(rows.map(({ farm_id, user_id }) => `${farm_id} ${user_id}`));
}

async function alertsOf(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, AlertNow>();
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where('id', 'in', ids)
    .where('hidden', '=', 0)
    .execute();
  return new Map<string, AlertNow>(rows.map((row) => [row.id, decodeRow(alert, row)]));
}

/** How many wait or were given up, for the figures. */
export function deliveryCounts(db: Db) {
  return async (state: 'PENDING' | 'DEAD', kind: ChannelKind): Promise<number> => {
    const row = await db
      .selectFrom('deliveries')
      .select((count) => count.fn.countAll<number>().as('n'))
      .where('kind', '=', kind)
      .where(state === 'PENDING' ? isPending : sql<boolean>`state = 'DEAD'`)
      .executeTakeFirst();
    return Number(row?.n ?? 0);
  };
}

/**
 * Removes what has been kept long enough, in slices, and brings back what a wrong clock put off. By a clock that is not to
 * be trusted nothing has been kept for long: of what is done the newest stay.
 */
export async function sweepDeliveries(
  db: Db,
  { now, quality, kept = DONE_KEPT }: { now: number; quality: 'trusted' | 'estimated'; kept?: number },
): Promise<void> {
  if (quality === 'trusted') await removeOld(db, now);
  else
    await removeInSlices(db, (rows) =>
      rows.where('done_at', 'is not', null).orderBy('done_at', 'desc').orderBy('id', 'desc').offset(kept),
    );
  await dueAgain(db, now);
}

async function removeOld(db: Db, now: number): Promise<void> {
  const before = (ms: number) => isoOf(now - ms);
  await removeInSlices(db, (rows) =>
    rows.where('done_at', '<', before(SENT_KEPT_MS)).where('state', '=', 'SENT'),
  );
  await removeInSlices(db, (rows) => rows.where('done_at', '<', before(DEAD_KEPT_MS)));
  await removeInSlices(db, (rows) => rows.where(isPending).where('created_at', '<', before(PENDING_KEPT_MS)));
}

/**
 * The clock stepped: what was put in line in this run, by the time before the step, is as old as it was. A box that stood
 * without power for weeks and hears the time at last must not take its first alarm for an old one.
 */
export async function followStep(
  db: Db,
  { now, steppedByMs, runningMs }: { now: number; steppedByMs: number; runningMs: number },
): Promise<void> {
  const before = now - steppedByMs;
  const waiting = await db
    .selectFrom('deliveries')
    .select(['id', 'created_at'])
    .where(isPending)
    .where('created_at', '>=', isoOf(before - runningMs))
    .where('created_at', '<=', isoOf(before))
    .execute();
  for (const { id, created_at } of waiting)
    await db
      .updateTable('deliveries')
      .set({ created_at: isoOf(Date.parse(created_at) + steppedByMs) })
      .where('id', '=', id)
      .execute();
  await dueAgain(db, now);
}

/** What is due later than anything can be is due now. */
async function dueAgain(db: Db, now: number): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ next_at: isoOf(now) })
    .where(isPending)
    .where('next_at', '>', isoOf(now + LONGEST_WAIT_MS))
    .execute();
}

const someDeliveries = (db: Db) => db.selectFrom('deliveries').select('id').limit(SLICE);
type SomeDeliveries = ReturnType<typeof someDeliveries>;

async function removeInSlices(db: Db, which: (rows: SomeDeliveries) => SomeDeliveries): Promise<void> {
  for (;;) {
    const due = await which(someDeliveries(db)).execute();
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    await db.deleteFrom('deliveries').where('id', 'in', ids).execute();
    if (due.length < SLICE) return;
  }
}

/** When SMS were sent in that time to the person whose delivery this is, ms, oldest first. */
export function smsSent(db: Db) {
  return async (deliveryId: string, { from, to }: { from: number; to: number }): Promise<number[]> => {
    const rows = await db
      .selectFrom('deliveries')
      .select('done_at')
      .where('kind', '=', 'SMS')
      .where('state', '=', 'SENT')
      .where('done_at', '>=', isoOf(from))
      // a clock that ran ahead must not have used up the hours to come
      .where('done_at', '<=', isoOf(to))
      .where('user_id', '=', (own) =>
        own.selectFrom('deliveries as own').select('own.user_id').where('own.id', '=', deliveryId),
      )
      .orderBy('done_at')
      .limit(1_000)
      .execute();
    return rows.flatMap(({ done_at }) => (done_at === null ? [] : [Date.parse(done_at)]));
  };
}
