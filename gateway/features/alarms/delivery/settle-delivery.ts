import { delivery } from '#contract/resources/local-tables.ts';
import {
  type ChannelKind,
  notificationChannel,
  type OfferedAction,
} from '#contract/resources/notification-channels.ts';
import { type Change, insertIfAbsent, purge, remove, update } from '#core/changes.ts';
import { StaleError, StorageUnavailable } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Language, Notify } from '#core/notifying.ts';
import type { DeadlyLevel } from '#science/advice/alert-advice.ts';
import { type ComposeDeps, composeMessage, sumUp } from './compose-message.ts';
import { decideDelivery } from './decide-delivery.ts';
import type { Channel, Delivery, DeliveryStore, Job, Outcome, Send } from './ports.ts';

/** One address may be wrong in a way that looks like an outage; three different ones in a row are one. */
const STRIKES = 3;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;

type OutageWatch = {
  note: (outcome: Outcome, channelId: string) => void;
  rest: (ms: number) => void;
  isResting: () => boolean;
};

/** Sees that there is no way out at all, so that a thousand messages do not each find out. */
export function createOutageWatch(
  deps: Pick<Kernel, 'random'> & { monotonic: () => number; hasOneWayOut: boolean },
): OutageWatch {
  const unreachable = new Set<string>();
  const state = { restUntil: 0, rests: 0 };
  const rest = (ms: number) => {
    state.restUntil = Math.max(state.restUntil, deps.monotonic() + ms);
  };
  return {
    note(outcome, channelId) {
      if (outcome.is === 'later') return outcome.of === 'all' ? rest(outcome.afterMs) : undefined;
      if (!deps.hasOneWayOut) return;
      if (outcome.is !== 'unreachable') {
        unreachable.clear();
        state.rests = 0;
        return;
      }
      unreachable.add(channelId);
      if (unreachable.size < STRIKES) return;
      unreachable.clear();
      const most = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** state.rests);
      state.rests = Math.min(state.rests + 1, 10);
      rest(most / 2 + (deps.random() * most) / 2);
    },
    rest,
    isResting: () => deps.monotonic() < state.restUntil,
  };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const MOST_ATTEMPTS = 12;
const FIRST_WAIT_MS = 30 * SECOND;
/** No wait, and nothing a receiver asks for, is longer. */
const LONGEST_WAIT_MS = 24 * HOUR;
/** Without a way out: look again soon at first, then every few minutes. */
const OUTAGE_WAIT_MS = { least: 30 * SECOND, most: 10 * MINUTE } as const;

type Next =
  | { state: 'PENDING'; attempts: number; at: number; why: string }
  | { state: 'DEAD'; attempts: number; why: string };

/**
 * What follows from a failed attempt. Waits double from 30 s and are drawn anew each time from nothing to the whole (full
 * jitter), so that many that failed together do not come back together; twelve attempts take 17 hours at most, unless
 * the receiver asks for more time.
 */
export function nextAfter(
  outcome: Exclude<Outcome, { is: 'sent' }>,
  { attempts, createdAt }: { attempts: number; createdAt: number },
  { now, random }: { now: number; random: () => number },
): Next {
  const tried = attempts + 1;
  switch (outcome.is) {
    case 'refused':
    case 'gone':
      return { state: 'DEAD', attempts: tried, why: outcome.why };
    case 'unreachable':
      return {
        state: 'PENDING',
        attempts,
        at: now + outageWait(now - createdAt, random()),
        why: outcome.why,
      };
    case 'later':
      return { state: 'PENDING', attempts, at: now + outcome.afterMs, why: outcome.why };
    case 'retry': {
      const { why, afterMs = 0 } = outcome;
      if (tried >= MOST_ATTEMPTS) return { state: 'DEAD', attempts: tried, why };
      const wait = Math.max(SECOND, random() * FIRST_WAIT_MS * 2 ** attempts);
      const at = now + Math.min(LONGEST_WAIT_MS, Math.max(wait, afterMs));
      return { state: 'PENDING', attempts: tried, at, why };
    }
  }
}

function outageWait(ageMs: number, random: number): number {
  const most = Math.min(OUTAGE_WAIT_MS.most, Math.max(2 * OUTAGE_WAIT_MS.least, ageMs / 4));
  return OUTAGE_WAIT_MS.least + random * (most - OUTAGE_WAIT_MS.least);
}

type Trouble = 'failed' | 'gone' | 'browserGone';

const KINDS: Readonly<Record<ChannelKind, Readonly<Record<Language, string>>>> = {
  EMAIL: { 'pt-BR': 'e-mail', en: 'e-mail', es: 'correo' },
  WEB_PUSH: { 'pt-BR': 'aviso no navegador', en: 'browser', es: 'aviso en el navegador' },
  WEBHOOK: { 'pt-BR': 'webhook', en: 'webhook', es: 'webhook' },
  SMS: { 'pt-BR': 'SMS', en: 'SMS', es: 'SMS' },
};

const MESSAGES: Readonly<Record<Trouble, Readonly<Record<Language, string>>>> = {
  failed: {
    'pt-BR':
      'Uma mensagem para um dos seus canais não pôde ser entregue. Abra os canais de aviso para ver o motivo e corrija o endereço.',
    en: 'A message to one of your channels was given up. Open the channels to see why, and correct the address.',
    es: 'Un mensaje para uno de sus canales no se pudo entregar. Abra los canales de aviso para ver el motivo y corrija la dirección.',
  },
  gone: {
    'pt-BR':
      'Um dos seus canais não existe mais e foi desligado. Abra os canais de aviso e cadastre de novo.',
    en: 'One of your channels no longer exists and was switched off. Open the channels and set it up again.',
    es: 'Uno de sus canales ya no existe y fue desactivado. Abra los canales de aviso y regístrelo de nuevo.',
  },
  browserGone: {
    'pt-BR':
      'Um celular ou navegador deixou de receber avisos e saiu dos seus canais. Se ainda o usa, abra nele o painel, em Canais de aviso, e ligue de novo.',
    en: 'A phone or browser no longer takes notifications and left your channels. If you still use it, open the console on it, Channels, and turn it on again.',
    es: 'Un celular o navegador dejó de recibir avisos y salió de sus canales. Si todavía lo usa, abra en él el panel, en Canales de aviso, y actívelo de nuevo.',
  },
};

export type SettleDeps = Pick<Kernel, 'now' | 'clockQuality' | 'random' | 'idOf' | 'log'> &
  ComposeDeps & {
    store: Pick<DeliveryStore, 'waitingFor'>;
    send: Send;
    /** The figures of the farm a notification tells of, which the advice in it goes by. */
    scienceOf: (farmId: string) => Promise<{ water: NonNullable<DeadlyLevel> }>;
    /** Nothing is fed in this pond. */
    isPondEmpty: (pondId: string) => Promise<boolean>;
    /** What the reader may do from the message, and the rows that make it count; absent where nothing can be. */
    offer?: (told: {
      deliveryId: string;
      alertId: string;
      channel: Channel;
    }) => Promise<{ actions: OfferedAction[]; changes: Change[] }>;
    notify: Notify;
    count: (outcome: Outcome['is'] | 'given_up') => void;
    outage: OutageWatch;
    saveTogether: (changes: readonly Change[]) => Promise<void>;
    /** Raised when the program stops. */
    stop: AbortSignal;
  };

/** What becomes of the next one to the same channel: its turn, or not before then. */
export type Settled = { goesOn: true } | { goesOn: false; until: number | null };

const NEXT: Settled = { goesOn: true };
const NOT_NOW: Settled = { goesOn: false, until: null };
/** A disk that does not take what became of a delivery is given time. */
const DISK_REST_MS = 10_000;
const SAVE_ATTEMPTS = 3;
/** Of those that were deleted meanwhile nobody comes again. */
const MOST_UNSAVED = 20_000;

/** `folded` collects what went into a summary; `leave` is called when the sending itself has ended. */
type Settle = (job: Job, folded: Set<string>, leave: () => void) => Promise<Settled>;

/** Makes what does with one due delivery all there is to be done. */
export function createSettle(deps: SettleDeps): Settle {
  /** Sent, but the disk did not take it: written down when it comes again, instead of being sent again. */
  const sentUnsaved = new NewestMap<string, Change[]>(MOST_UNSAVED);

  async function settle(job: Job, folded: Set<string>, leave: () => void): Promise<Settled> {
    try {
      return await decided(job, folded, leave);
    } catch (error) {
      if (deps.stop.aborted) throw error;
      const { id, channel_id: channelId, kind } = job.delivery;
      deps.log.error({ err: error, kind, channelId, id }, 'a delivery failed by a fault of ours');
      return failed(job, { is: 'retry', why: 'an error of this instance' }, null);
    }
  }

  async function decided(job: Job, folded: Set<string>, leave: () => void): Promise<Settled> {
    const { id, attempts } = job.delivery;
    const unsaved = sentUnsaved.get(id);
    if (unsaved !== undefined) return save(id, unsaved);
    const now = deps.now();
    const decision = decideDelivery(deps.clockOf, job, { now, quality: deps.clockQuality() });
    switch (decision.do) {
      case 'drop':
        return save(id, [purge(delivery, id)]);
      case 'wait':
        return save(id, [update(delivery, id, { next_at: isoOf(decision.until) })]);
      case 'bury':
        return save(id, [ended(id, { state: 'DEAD', attempts, why: decision.why }, now)]);
      case 'fold':
        return fold(job, folded, now);
      case 'send':
        return job.channel === null ? NEXT : attempt(job, job.channel, leave);
    }
  }

  /** A message goes out also where the farm's figures cannot be read: then what is grave is told as what may kill. */
  async function waterOf({ notification }: Job): Promise<DeadlyLevel> {
    const farmId = notification?.farm_id ?? null;
    if (farmId === null) return null;
    const pondId = notification?.data['pond_id'];
    try {
      const { water } = await deps.scienceOf(farmId);
      const isPondEmpty = typeof pondId === 'string' && (await deps.isPondEmpty(pondId));
      return { ...water, isPondEmpty };
    } catch {
      return null;
    }
  }

  /** What cannot be offered keeps no alarm from going out. */
  async function offeredFor({ delivery, notification }: Job, channel: Channel): Promise<OfferedAction[]> {
    const alertId = notification?.data['alert_id'];
    if (deps.offer === undefined || typeof alertId !== 'string') return [];
    try {
      const { actions, changes } = await deps.offer({ deliveryId: delivery.id, alertId, channel });
      if (changes.length > 0) await deps.saveTogether(changes);
      return actions;
    } catch (error) {
      deps.log.warn(
        { err: error, id: delivery.id },
        'a notification goes out without what can be done from it',
      );
      return [];
    }
  }

  async function attempt(job: Job, channel: Channel, leave: () => void): Promise<Settled> {
    const water = await waterOf(job);
    const actions = await offeredFor(job, channel);
    const message = composeMessage(deps, { job, channel, water }, deps.now());
    const outcome = await deps.send({ ...message, actions }, deps.stop);
    deps.outage.note(outcome, channel.id);
    leave();
    const { id, attempts, purpose } = job.delivery;
    const isNews = purpose === 'NOTICE' || purpose === 'SUMMARY';
    if (outcome.is !== 'sent') return failed(job, outcome, isNews ? channel : null);
    deps.count('sent');
    const changes = [ended(id, { state: 'SENT', attempts: attempts + 1, why: null }, deps.now())];
    sentUnsaved.set(id, changes);
    return save(id, changes);
  }

  /** Writes down a failure; `toTell`: the channel whose owner hears of it when it was the last attempt. */
  async function failed(
    { delivery: { id, kind, attempts, created_at, channel_id } }: Job,
    outcome: Exclude<Outcome, { is: 'sent' }>,
    toTell: Channel | null,
  ): Promise<Settled> {
    const now = deps.now();
    const clock = { now, random: deps.random };
    const next = nextAfter(outcome, { attempts, createdAt: Date.parse(created_at) }, clock);
    deps.count(next.state === 'DEAD' && outcome.is === 'retry' ? 'given_up' : outcome.is);
    if (outcome.is === 'unreachable')
      deps.log.warn({ kind, why: outcome.why }, 'a delivery found no way out');
    if (next.state === 'PENDING') {
      const set = { attempts: next.attempts, next_at: isoOf(next.at), last_error: next.why };
      await save(id, [update(delivery, id, set)]);
      return { goesOn: false, until: next.at };
    }
    const isGone = outcome.is === 'gone';
    const told = toTell === null ? [] : await channelTrouble(deps, toTell, { isGone, at: now });
    const closed = isGone ? [closedFor(kind, channel_id, now)] : [];
    const saved = await save(id, [ended(id, next, now), ...told, ...closed]);
    return isGone ? NOT_NOW : saved;
  }

  async function fold(job: Job, folded: Set<string>, now: number): Promise<Settled> {
    const waiting = await deps.store.waitingFor(job.delivery.channel_id);
    const clock = { now, quality: deps.clockQuality() };
    const all = waiting.filter((one) => decideDelivery(deps.clockOf, one, clock).do === 'fold');
    for (const one of all) folded.add(one.delivery.id);
    const summary: Delivery = {
      ...job.delivery,
      id: deps.idOf(`summary:${job.delivery.channel_id}:${job.delivery.id}`),
      notification_id: null,
      purpose: 'SUMMARY',
      is_critical: false,
      body: sumUp(all),
      attempts: 0,
      next_at: isoOf(now),
      last_error: null,
      created_at: isoOf(now),
    };
    return save(job.delivery.id, [
      insertIfAbsent(delivery, summary),
      ...all.map((one) => purge(delivery, one.delivery.id)),
    ]);
  }

  async function save(id: string, changes: Change[]): Promise<Settled> {
    for (let left = SAVE_ATTEMPTS; left > 0; left -= 1) {
      try {
        await deps.saveTogether(changes);
        break;
      } catch (error) {
        if (error instanceof StorageUnavailable) {
          deps.log.warn({ err: error }, 'what became of a delivery could not be written down yet');
          deps.outage.rest(DISK_REST_MS);
          return NOT_NOW;
        }
        // two at once, or it was deleted meanwhile with its channel or its account: then there is nothing to write
        if (!(error instanceof StaleError)) throw error;
      }
    }
    sentUnsaved.delete(id);
    return NEXT;
  }

  return settle;
}

/**
 * The other end is no more. A browser that subscribes again has another address, so this one would only take a place; at
 * another address nothing is sent until its owner says otherwise.
 */
function closedFor(kind: ChannelKind, channelId: string, now: number): Change {
  if (kind === 'WEB_PUSH') return remove(notificationChannel, channelId);
  return update(notificationChannel, channelId, { is_active: false, updated_at: isoOf(now) });
}

function ended(
  id: string,
  { state, attempts, why }: { state: 'SENT' | 'DEAD'; attempts: number; why: string | null },
  now: number,
): Change {
  return update(delivery, id, { state, attempts, last_error: why, done_at: isoOf(now) });
}

/**
 * Tells the owner of a channel that it does not work, in the list only: through channels it could go round in circles.
 * Once a day, however much is given up.
 */
async function channelTrouble(
  deps: { notify: Notify },
  channel: Pick<Channel, 'id' | 'user_id' | 'kind' | 'rev'>,
  { isGone, at }: { isGone: boolean; at: number },
): Promise<Change[]> {
  const event = isGone ? `${channel.id}:gone:${channel.rev}` : `${channel.id}:${isoOf(at).slice(0, 10)}`;
  const kind = KINDS[channel.kind];
  const trouble = !isGone ? 'failed' : channel.kind === 'WEB_PUSH' ? 'browserGone' : 'gone';
  const changes = await deps.notify(
    { userIds: [channel.user_id] },
    {
      type: 'SYSTEM',
      title: (language) =>
        ({
          'pt-BR': `Os avisos não estão chegando (${kind['pt-BR']})`,
          en: `Notifications do not arrive (${kind.en})`,
          es: `Los avisos no están llegando (${kind.es})`,
        })[language],
      message: (language) => MESSAGES[trouble][language],
      data: { event: isGone ? 'channel_gone' : 'channel_failed', channel_id: channel.id, kind: channel.kind },
      cause: `channel_failed:${event}`,
    },
  );
  return changes.filter(({ resource }) => resource.name !== delivery.name);
}
