import type { ChannelKind } from '#contract/resources/notification-channels.ts';
import type { Change } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { DeliveryStore, Job } from './ports.ts';
import { createSendGate } from './send-gate.ts';
import { createOutageWatch, createSettle, type SettleDeps, type Settled } from './settle-delivery.ts';

type Waiting = { changes: readonly Change[]; resolve: () => void; reject: (error: unknown) => void };

/** Where many come at once a few more come within this time; alone nobody waits. */
const GATHER_MS = 10;

const MOST_AT_ONCE = 96;

export type DeliveryWorkerDeps = Omit<SettleDeps, 'outage' | 'stop' | 'store' | 'saveTogether'> &
  Pick<Kernel, 'commit' | 'pause'> & {
    kind: ChannelKind;
    /** Most sent at the same time; each channel gets one after the other. */
    parallel: number;
    monotonic: () => number;
    store: DeliveryStore;
    /**
     * Whether no way out for some is none for all: the line of a farm, a mail server. On an instance of many a name that
     * nobody answers for says nothing of the others.
     */
    hasOneWayOut: boolean;
  };

export type DeliveryWorker = {
  /** Looks for what is due and sends it; resolves when nothing is due any more. Calls meanwhile are one. */
  work: () => Promise<void>;
  /** Takes nothing new; what is under way has until `grace`, and is sent again later when it does not end. */
  stop: (grace: Promise<unknown>) => Promise<void>;
};

/** What was taken is given back when its turn has not come by then: a shared database lends it for two minutes. */
const TURN_WITHIN_MS = 75_000;
const TURNS_PER_SLOT = 4;
const TAKEN_AT_ONCE = 4;
/** Reading more than so many in one go would hold up control. */
const MOST_TAKEN = 64;
/** Then others have their turn, and what is critical for the same channel. */
const MOST_IN_A_ROW = 8;
const ASK_AGAIN_MS = 200;
/** A channel whose delivery could not even be written down is not tried again and again meanwhile. */
const HELD_MS = 60_000;

type Group = { channelId: string; jobs: Job[]; isCritical: boolean; takenAt: number };

/** Sends what waits for the channels of one kind. */
export function createDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const { kind, parallel, store } = deps;
  const stopping = new AbortController();
  const outage = createOutageWatch(deps);
  const waiting: Group[] = [];
  const busy = new Map<string, Promise<void>>();
  const saveTogether = createSaveTogether({ ...deps, isBusy: () => busy.size > 1 });
  const gate = createSendGate(parallel);
  const settle = createSettle({ ...deps, outage, saveTogether, stop: stopping.signal });
  const heldUntil = new Map<string, number>();
  const emptyAt: Record<'critical' | 'other', number> = { critical: -1e9, other: -1e9 };
  const state = {
    running: null as Promise<void> | null,
    isWoken: false,
    isStopping: false,
    step: () => undefined as void,
  };
  // while what became of some is written down others are sent
  const turnsFor = (isCritical: boolean) => parallel * (isCritical ? 2 * TURNS_PER_SLOT : TURNS_PER_SLOT);

  function wake(): void {
    state.isWoken = true;
    state.step();
  }

  function work(): Promise<void> {
    wake();
    state.running ??= runOnce();
    return state.running;
  }

  async function runOnce(): Promise<void> {
    try {
      await run();
    } finally {
      state.running = null;
    }
    // asked at the very moment it ended
    if (state.isWoken && !state.isStopping) await work();
  }

  async function run(): Promise<void> {
    for (;;) {
      const { isWoken } = state;
      const wasIdle = busy.size === 0;
      state.isWoken = false;
      if (!state.isStopping && !outage.isResting()) await refill(isWoken || wasIdle);
      startWaiting();
      if (busy.size > 0) {
        if (!state.isWoken) await nextStep();
      } else if (state.isStopping || (wasIdle && !state.isWoken)) return;
    }
  }

  /** Until a channel had its turn, or somebody asks for work. */
  function nextStep(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.step = resolve;
    return promise;
  }

  /** Takes more while there is room in front of the slots. What was found empty just now is asked only on demand. */
  async function refill(isDemanded: boolean): Promise<void> {
    for (const isCritical of [true, false]) {
      const rank = isCritical ? 'critical' : 'other';
      const held = waiting.filter((group) => group.isCritical === isCritical).length;
      if (held >= parallel || (!isDemanded && deps.monotonic() - emptyAt[rank] < ASK_AGAIN_MS)) continue;
      const exceptChannels = [
        ...busy.keys(),
        ...waiting.map(({ channelId }) => channelId),
        ...heldChannels(),
      ];
      const limit = Math.min(parallel * TAKEN_AT_ONCE, MOST_TAKEN);
      const jobs = await store.take(kind, { isCritical, now: deps.now(), limit, exceptChannels });
      if (jobs.length === 0) emptyAt[rank] = deps.monotonic();
      // there may be more, for places that have slots while all these wait for one that has none
      if (jobs.length === limit) void deps.pause(ASK_AGAIN_MS).then(wake);
      const groups = Map.groupBy(jobs, ({ delivery: { channel_id } }) => channel_id);
      for (const [channelId, ofChannel] of groups) {
        const turn = ofChannel.slice(0, MOST_IN_A_ROW);
        waiting.push({ channelId, jobs: turn, isCritical, takenAt: deps.monotonic() });
        await release(ofChannel.slice(MOST_IN_A_ROW), deps.now());
      }
    }
  }

  function startWaiting(): void {
    if (state.isStopping) return;
    if (outage.isResting()) return void releaseWaiting();
    for (const isCritical of [true, false]) {
      while (busy.size < turnsFor(isCritical)) {
        const isNext = (group: Group) => group.isCritical === isCritical && !busy.has(group.channelId);
        const at = waiting.findIndex(isNext);
        const [group] = at < 0 ? [] : waiting.splice(at, 1);
        if (group === undefined) break;
        start(group);
      }
    }
  }

  function start(group: Group): void {
    const { channelId } = group;
    const done = takeTurn(group)
      .catch((error: unknown) => {
        deps.log.warn(
          { err: error, kind, channelId },
          'what became of a delivery is not known; its channel waits',
        );
        hold(channelId);
      })
      .finally(() => {
        busy.delete(channelId);
        state.step();
      });
    busy.set(channelId, done);
  }

  function hold(channelId: string): void {
    heldUntil.set(channelId, deps.monotonic() + HELD_MS);
    // not the fault of one channel
    if (heldUntil.size > parallel) outage.rest(HELD_MS);
  }

  function heldChannels(): string[] {
    for (const [channelId, until] of heldUntil) if (deps.monotonic() >= until) heldUntil.delete(channelId);
    return [...heldUntil.keys()];
  }

  async function takeTurn(group: Group): Promise<void> {
    const { channelId, jobs } = group;
    const folded = new Set<string>();
    const leftFrom = (at: number) => jobs.slice(at).filter(({ delivery: { id } }) => !folded.has(id));
    for (const [at, job] of jobs.entries()) {
      if (folded.has(job.delivery.id)) continue;
      const settled = await settleInTurn(group, job, folded);
      if (settled === null) return release(leftFrom(at), deps.now());
      if (settled.goesOn) continue;
      await release(leftFrom(at + 1), settled.until ?? deps.now());
      // a place that takes nothing now is not tried once for each that waits for it
      if (settled.until !== null) await bestEffort(store.postpone(channelId, settled.until));
      return;
    }
  }

  /** null: its turn did not come in time, or it was cut off by the end of the program. */
  async function settleInTurn(
    { isCritical, takenAt }: Group,
    job: Job,
    folded: Set<string>,
  ): Promise<Settled | null> {
    const leave = await gate.enter(isCritical, placeOf(job));
    try {
      // asked here, not before: there may have been a long line
      const isLate = deps.monotonic() - takenAt > TURN_WITHIN_MS;
      if (state.isStopping || isLate || outage.isResting()) return null;
      return await settle(job, folded, leave);
    } catch (error) {
      if (stopping.signal.aborted) return null;
      throw error;
    } finally {
      leave();
    }
  }

  function placeOf({ channel }: Job): string | null {
    const hasPlaces = kind === 'WEBHOOK' || kind === 'WEB_PUSH';
    return hasPlaces ? (URL.parse(channel?.address ?? '')?.host ?? null) : null;
  }

  /** They come again by themselves, only later. */
  async function release(jobs: readonly Job[], at: number): Promise<void> {
    const ids = jobs.map(({ delivery: { id } }) => id);
    if (ids.length > 0) await bestEffort(store.release(ids, at));
  }

  function releaseWaiting(): Promise<void> {
    return release(
      waiting.splice(0).flatMap(({ jobs }) => jobs),
      deps.now(),
    );
  }

  function bestEffort(write: Promise<void>): Promise<void> {
    return write.catch((error: unknown) =>
      deps.log.warn({ err: error, kind }, 'the order of deliveries could not be changed'),
    );
  }

  return {
    work,
    async stop(grace) {
      state.isStopping = true;
      await Promise.race([Promise.all(busy.values()), grace]);
      stopping.abort();
      // what went wrong in it has been told to those who asked
      await state.running?.catch(() => undefined);
      await Promise.all(busy.values());
      await releaseWaiting();
    },
  };
}

/**
 * Commits what many small decisions change in a few units: each costs the disk a flush, and control waits for it. One
 * that fails takes no other with it. `isBusy` tells that more is about to come.
 */
function createSaveTogether(
  deps: Pick<Kernel, 'commit' | 'pause'> & { isBusy: () => boolean },
): (changes: readonly Change[]) => Promise<void> {
  const waiting: Waiting[] = [];
  const state = { isRunning: false };

  async function run(): Promise<void> {
    state.isRunning = true;
    while (waiting.length > 0) {
      if (deps.isBusy()) await deps.pause(GATHER_MS);
      await saveAll(waiting.splice(0, MOST_AT_ONCE));
    }
    state.isRunning = false;
  }

  async function saveAll(batch: readonly Waiting[]): Promise<void> {
    try {
      await deps.commit({ changes: batch.flatMap(({ changes }) => changes), actor: null });
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1 || error instanceof StorageUnavailable)
        for (const { reject } of batch) reject(error);
      else for (const one of batch) await saveAll([one]);
    }
  }

  return (changes) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ changes, resolve, reject });
    if (!state.isRunning) void run();
    return promise;
  };
}
