import { addressPolicy } from '#adapters/delivery/address-policy.ts';
import { channelSecrets } from '#adapters/delivery/channel-secrets.ts';
import { smsSender } from '#adapters/delivery/send-sms.ts';
import { createSendThread } from '#adapters/delivery/send-thread/send-thread.ts';
import { newVapidKeys, type VapidKeys } from '#adapters/delivery/vapid-keys.ts';
import type { AttemptLimits } from '#adapters/http/attempt-limit.ts';
import type { Metrics } from '#adapters/http/metrics.ts';
import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import type { Leases } from '#adapters/sql/lease.ts';
import { channelQueries } from '#adapters/sql/queries/alarms/channels.ts';
import {
  deliveryCounts,
  deliveryStore,
  followStep,
  smsSent,
  sweepDeliveries,
} from '#adapters/sql/queries/alarms/deliveries.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { isPondEmpty } from '#adapters/sql/queries/production/batch-facts.ts';
import { letterSeal } from '#adapters/tokens/seal-text.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import {
  CHANNEL_KINDS,
  type ChannelKind,
  notificationChannel,
} from '#contract/resources/notification-channels.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { zoneClocks } from '#core/zone-clock.ts';
import { createDeliveryWorker } from '#features/alarms/delivery/delivery-worker.ts';
import type { Send } from '#features/alarms/delivery/ports.ts';
import { modemRoutes } from '#features/alarms/modem/routes.ts';
import { channelRoutes } from '#features/alarms/notifications/channel-routes.ts';
import { announcementRoute } from '#features/alarms/notifications/routes.ts';
import type { Offer } from '#features/alarms/push-actions/offer-actions.ts';
import { scienceOfFarms } from '#features/farm/science-settings/ports.ts';
import type { Config } from '#runtime/config.ts';
import { canSend, createNews } from './news.ts';
import { openModem } from './open-modem.ts';

/**
 * Most messages under way at once; a mail server wants few connections, a modem does one after the other. Of the other
 * two a single host has half.
 */
const PARALLEL: Readonly<Record<ChannelKind, number>> = { EMAIL: 4, WEB_PUSH: 24, WEBHOOK: 64, SMS: 1 };

/** Its library takes 10 MB, which a box without a mail server has no use for. */
async function mailSender(url: string, from: Config['smtpFrom']) {
  const { mailSender: sender } = await import('#adapters/delivery/send-mail.ts');
  return sender({ url, from });
}

/** What brings notifications to people: channels, the outbox and its workers, announcements to everybody. */
export async function createDeliveries(deps: {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  notify: Notify;
  metrics: Metrics;
  attempts: AttemptLimits;
  tellChanged: TellChanged;
  leases: Pick<Leases, 'take' | 'giveUp'>;
  /** What can be done from a notification of a browser. */
  offer: Offer;
}) {
  const { config, kernel, database, notify, attempts } = deps;
  const { read } = database;
  const startedAt = deps.monotonic();
  const kept = await keptSecrets(deps);
  const secrets = channelSecrets(kept.secret);
  const policy = addressPolicy(config.role, config.outboundNetworks);
  const posting = createSendThread(
    {
      role: config.role,
      inside: config.outboundNetworks,
      channelSecret: kept.secret,
      vapid: kept.vapid,
      contact: contactOf(config),
    },
    {
      died: (error) =>
        kernel.log.error({ err: error }, 'the sending thread died; pushes and webhooks wait for a while'),
    },
  );
  const modem = await openModem(config, deps);
  const mail = config.smtpUrl === null ? null : await mailSender(config.smtpUrl, config.smtpFrom);
  const sendBy: Readonly<Record<ChannelKind, Send | null>> = {
    EMAIL: mail?.send ?? null,
    WEB_PUSH: posting.sendOf('WEB_PUSH'),
    WEBHOOK: posting.sendOf('WEBHOOK'),
    SMS:
      modem === null
        ? null
        : smsSender({
            modem,
            now: kernel.now,
            perHour: config.smsPerHour,
            sentBetween: smsSent(read),
          }),
  };
  const clockOf = zoneClocks();
  const scienceOf = scienceOfFarms(scienceSettingQueries(read));
  const outcomes = new Map<string, number>();
  const workers = CHANNEL_KINDS.flatMap((kind) => {
    const send = sendBy[kind];
    if (send === null) return [];
    const count = (outcome: string) =>
      outcomes.set(`${kind} ${outcome}`, (outcomes.get(`${kind} ${outcome}`) ?? 0) + 1);
    const parallel = PARALLEL[kind];
    const store = deliveryStore(database);
    const { code } = secrets;
    const { monotonic } = deps;
    const worker = createDeliveryWorker({
      ...kernel,
      kind,
      parallel,
      monotonic,
      hasOneWayOut: kind === 'EMAIL' || config.role === 'gateway',
      store,
      send,
      code,
      clockOf,
      scienceOf,
      isPondEmpty: isPondEmpty(read),
      ...(kind === 'WEB_PUSH' ? { offer: deps.offer } : {}),
      notify,
      count,
    });
    return [{ kind, worker }];
  });
  tellFigures(deps, outcomes);
  // as many as people may register there: each of them gets the code that proves the address
  const messagesFrom = attempts({ name: 'messages from', attempts: 300, windowS: 3600 });
  const news = createNews(deps);
  const state = { stopListening: () => undefined as void };

  /** Sends all that is due; resolves when nothing is any more. */
  async function work(): Promise<void> {
    await news.look();
    await Promise.all(workers.map(({ worker }) => worker.work()));
  }
  function look(): void {
    const troubled = (error: unknown) =>
      kernel.log.warn({ err: error }, 'deliveries could not be looked at; it is tried again');
    news.look().catch(troubled);
    for (const { worker } of workers) worker.work().catch(troubled);
  }
  const follow = onTables([delivery, ...news.tables], (committed) => {
    const kinds = new Set(
      rowsOf(committed, delivery).flatMap(({ after }) => (after.state === 'PENDING' ? [after.kind] : [])),
    );
    if (news.isTouchedBy(committed)) look();
    for (const { kind, worker } of workers) {
      // every commit meanwhile would say the same; the next look says it once
      if (kinds.has(kind)) worker.work().catch(() => undefined);
    }
  });

  if (config.role === 'gateway') {
    const shown = [notificationChannel, delivery];
    database.onRows(
      onTables(shown, (committed) => {
        const rows = shown.flatMap((of) => rowsOf<{ id: string; user_id: string }>(committed, of));
        for (const userId of new Set(rows.map(({ after }) => after.user_id)))
          deps.tellChanged('notification_channels', { userId });
      }),
    );
  }

  return {
    routes: [
      ...channelRoutes({
        ...kernel,
        queries: channelQueries(read),
        secrets,
        canSend: canSend(config),
        refusalOf: policy.refusalOf,
        smsCountries: config.smsCountries,
        codes: attempts({ name: 'channel code', attempts: 10, windowS: 3600 }),
        codeTries: attempts({ name: 'channel code try', attempts: 10, windowS: 15 * 60 }),
        tests: attempts({ name: 'channel test', attempts: 20, windowS: 3600 }),
        defaultZone: config.timezone,
        vapidPublicKey: kept.vapid.publicKey,
        messagesFrom,
        notify,
      }),
      announcementRoute(kernel),
      ...(config.role === 'gateway' ? modemRoutes({ modem, smsPerHour: config.smsPerHour }) : []),
    ],
    /** null: this instance has none. */
    modem,
    messagesFrom,
    /** `send` null: this instance sends no mail. */
    letters: { send: mail?.sendLetter ?? null, seal: letterSeal(kept.secret) },
    work,
    /** Puts what is still to be told in line; resolves when all is. */
    tell: news.look,
    /** Every few seconds. */
    look,
    sweep: () => sweepDeliveries(read, { now: kernel.now(), quality: kernel.clockQuality() }),
    followClockStep: (steppedByMs: number) =>
      void followStep(read, {
        now: kernel.now(),
        steppedByMs,
        runningMs: deps.monotonic() - startedAt,
      }).catch((error: unknown) =>
        kernel.log.warn({ err: error }, 'deliveries keep the times of the clock before'),
      ),
    /** From now on what is committed is sent at once. */
    async start(): Promise<void> {
      state.stopListening = database.onRows(follow);
      // a hosted instance is updated every week: that is no news to its people
      if (config.role === 'gateway')
        await news
          .tellVersion()
          .catch((error: unknown) =>
            kernel.log.warn({ err: error }, 'the version of the program could not be noted'),
          );
      look();
      void modem?.look();
    },
    /** `grace` ends when what is under way has had its time. */
    async stop(grace: Promise<unknown>): Promise<void> {
      state.stopListening();
      await Promise.all(workers.map(({ worker }) => worker.stop(grace)));
      await posting.close();
      mail?.close();
      await modem?.close();
    },
  };
}

type KeptDeps = { kernel: Kernel; database: Database };

/**
 * Made on the first start. A disk that is full then must not keep a gateway from starting: no channel knows them yet. A
 * hosted instance starts with what its other processes know, or not at all.
 */
async function keptSecrets({
  config,
  kernel,
  database,
}: KeptDeps & { config: Pick<Config, 'role'> }): Promise<{ secret: string; vapid: VapidKeys }> {
  const make = () => JSON.stringify(newVapidKeys());
  try {
    const secret = await instanceValue(database.read, 'channel_secret');
    // made by the line above, here or in another process
    const vapid = JSON.parse(await instanceValue(database.read, 'vapid_keys', make)) as VapidKeys;
    return { secret, vapid };
  } catch (error) {
    if (config.role === 'hosted') throw error;
    kernel.log.warn(
      { err: error },
      'the keys of notification channels could not be stored; they hold until the next start',
    );
    const vapid = newVapidKeys();
    return { secret: vapid.privateKey, vapid };
  }
}

/** Whom a push service may write to about this sender: an address, else a page. */
function contactOf({ smtpFrom, publicUrl }: Config): string {
  const address = /[^\s<>@]+@[^\s<>@]+/.exec(smtpFrom ?? '')?.[0];
  if (address !== undefined) return `mailto:${address}`;
  return publicUrl?.startsWith('https://') === true ? publicUrl : 'mailto:farm@farm.invalid';
}

function tellFigures(
  { metrics, database }: { metrics: Metrics; database: Database },
  outcomes: ReadonlyMap<string, number>,
): void {
  metrics.counterBy(
    'notification_deliveries_total',
    'Attempts to send a notification, by kind of channel and what became of them',
    ['kind', 'outcome'],
    () => Object.fromEntries(outcomes),
  );
  const countOf = deliveryCounts(database.read);
  const all = async (state: 'PENDING' | 'DEAD') => {
    const counts = await Promise.all(CHANNEL_KINDS.map((kind) => countOf(state, kind)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  metrics.gauge('notification_deliveries_pending', 'Notifications on their way to a channel', () =>
    all('PENDING'),
  );
  metrics.gauge('notification_deliveries_dead', 'Notifications that were given up, of the last 30 days', () =>
    all('DEAD'),
  );
}
