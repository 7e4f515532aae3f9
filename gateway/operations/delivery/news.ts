import type { AttemptLimits } from '#adapters/http/attempt-limit.ts';
import type { Database } from '#adapters/sql/database.ts';
import { type Leases, unlessAtIt } from '#adapters/sql/lease.ts';
import {
  announcementQueries,
  arrivedQueries,
  notifyQueries,
} from '#adapters/sql/queries/alarms/notifications.ts';
import { programVersion } from '#adapters/system/machine-facts.ts';
import { arrivedNews, instanceValue } from '#contract/resources/local-tables.ts';
import type { ChannelKind } from '#contract/resources/notification-channels.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { onDemand } from '#core/newest-map.ts';
import type { Notify } from '#core/notifying.ts';
import { zoneClocks } from '#core/zone-clock.ts';
import {
  ANNOUNCEMENT_KEY,
  tellAnnouncements,
  VERSION_KEY,
  versionChanged,
} from '#features/alarms/notifications/announce.ts';
import { createNotify } from '#features/alarms/notifications/notify.ts';
import { tellArrived } from '#features/alarms/notifications/tell-arrived.ts';
import type { Config } from '#runtime/config.ts';

type CanSend = Pick<Config, 'smtpUrl' | 'modem' | 'role'>;

/** Push and webhooks need nothing but the network; mail needs a server, SMS a modem. */
export function canSend({ smtpUrl, modem, role }: CanSend): (kind: ChannelKind) => boolean {
  return (kind) => {
    if (kind === 'SMS') return modem !== null && role === 'gateway';
    return kind !== 'EMAIL' || smtpUrl !== null;
  };
}

/**
 * How people are told, for every feature that has news. `sends`: kinds of channels that are worth a line; a command of
 * the operator does not know what the running instance can send, and leaves it to that one.
 */
export function notifierOf(
  sends: (kind: ChannelKind) => boolean,
  kernel: Kernel,
  database: Pick<Database, 'read'>,
): Notify {
  return createNotify({ ...kernel, queries: notifyQueries(database.read), canSend: sends });
}

export type NewsWiring = {
  config: Pick<Config, 'role' | 'smtpUrl' | 'modem'>;
  kernel: Kernel;
  database: Pick<Database, 'read'>;
  notify: Notify;
  attempts: AttemptLimits;
  /** Between the processes of a hosted instance. */
  leases: Pick<Leases, 'take' | 'giveUp'>;
};

/** Longer than it takes to tell what arrived; after a kill another process goes on then. */
const TELL_LEASE_MS = 30_000;

/** News that are told to everybody, and news of the other instance that are still to be told here. */
export function createNews({ config, kernel, database: { read }, notify, attempts, leases }: NewsWiring) {
  const announcing = { ...kernel, notify, queries: announcementQueries(read) };
  const arriving = {
    ...kernel,
    queries: { ...notifyQueries(read), ...arrivedQueries(read) },
    canSend: canSend(config),
    clockOf: zoneClocks(),
    role: config.role,
    perPerson: attempts({ name: 'news that arrived', attempts: 200, windowS: 3600 }),
  };
  const everybody = onDemand(() => tellAnnouncements(announcing));
  /** Each process that tells the same counts it against the person, whose limit would be over too soon. */
  async function tellInTurn(): Promise<void> {
    if ((await arriving.queries.arrived(1)).length === 0) return;
    const run = () => tellArrived(arriving);
    await unlessAtIt(leases, { name: 'news that arrived', ms: TELL_LEASE_MS, run });
  }
  const arrived = onDemand(config.role === 'hosted' ? tellInTurn : () => tellArrived(arriving));
  const look = async () => void (await Promise.all([everybody.ask(), arrived.ask()]));

  return {
    /** Tells all that is still to be told. */
    look,
    /** The tables in which something to tell comes. */
    tables: [instanceValue, arrivedNews],
    /** Whether a commit brought something to tell. */
    isTouchedBy(committed: Committed): boolean {
      // its own progress is committed, too
      const isAnnounced =
        !everybody.isRunning() &&
        rowsOf(committed, instanceValue).some(({ id }) => id.startsWith(ANNOUNCEMENT_KEY));
      return isAnnounced || rowsOf(committed, arrivedNews).some(({ hidden }) => !hidden);
    },
    /** Notes the version of the program, and tells of another one. */
    async tellVersion(): Promise<void> {
      const stored = await read
        .selectFrom('instance_values')
        .select('value')
        .where('id', '=', VERSION_KEY)
        .executeTakeFirst();
      const changes = versionChanged(kernel, { before: stored?.value ?? null, now: programVersion() });
      if (changes.length > 0) await kernel.commit({ changes, actor: null });
    },
  };
}
