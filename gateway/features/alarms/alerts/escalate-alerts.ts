import { alert } from '#contract/resources/alerts.ts';
import { type Change, onTables, type RowListener, rowsOf, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { escalationMessage, escalationTitle, titleOf } from './alert-words.ts';
import { type AlertRow, alertData, SYSTEM_TYPES } from './alerting.ts';
import { isNoticeDeferred, isQuiet } from './episode-rules.ts';
import type { Alert, AlertQueries } from './ports.ts';
import { storedWords, type TroubleIn } from './stored-words.ts';
import { oneAtATime } from './watch-devices.ts';

const MINUTE = 60_000;

/** first: to those who have channels. all: to everyone who may act. */
type EscalationStep = { to: 'first' | 'all'; afterMs: number; minutes: number };

export const STEPS: readonly EscalationStep[] = [
  { to: 'first', afterMs: 2 * MINUTE, minutes: 2 },
  { to: 'all', afterMs: 5 * MINUTE, minutes: 5 },
];

/** The latest step that is due and was not taken; an earlier one that was slept through is not made up for. */
export function dueStep(elapsedMs: number, taken: EscalationStep | null): EscalationStep | null {
  const due = STEPS.findLast(({ afterMs }) => elapsedMs >= afterMs) ?? null;
  return due === null || (taken !== null && due.afterMs <= taken.afterMs) ? null : due;
}

/** Whether an alert still waits for somebody: critical, told, and nobody acknowledged, silenced, shelved or resolved it. */
export function isUnanswered(
  alert: Pick<
    Alert,
    | 'status'
    | 'severity'
    | 'acknowledged_at'
    | 'silenced_until'
    | 'shelved_until'
    | 'folded_into'
    | 'told_at'
    | 'told_severity'
  >,
  now: number,
): boolean {
  return (
    alert.status === 'ACTIVE' &&
    alert.severity === 'HIGH' &&
    alert.told_at !== null &&
    alert.told_severity === 'HIGH' &&
    alert.acknowledged_at === null &&
    alert.folded_into === null &&
    !isQuiet(alert, now)
  );
}

export type EscalationDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'log'> & {
  monotonic: () => number;
  queries: Pick<AlertQueries, 'unanswered' | 'openOfEpisode' | 'namesOf'>;
  notify: Notify;
  troubleIn: TroubleIn;
  /** Who may act on a farm, and who of them has a channel that is open. */
  peopleOf: (farmId: string) => Promise<{ userId: string; hasChannel: boolean }[]>;
  /** Other processes raise alerts in the same database: what they raised is read each time. */
  isShared: boolean;
};

type Escalation = { tick: () => Promise<void>; follow: RowListener };

/** What nobody answered for a day is not made louder by a restart. */
const LOOK_BACK_MS = 24 * 3_600_000;
const MOST = 1_000;

type Watched = {
  farmId: string;
  /** Names the telling: an episode that tells again begins anew. */
  toldAt: string;
  /** How long it had been told when it was first seen, and when that was on the clock that only grows. */
  elapsedMs: number;
  seenAt: number;
  taken: EscalationStep | null;
};

/**
 * Makes a critical alert louder while nobody answers. Time is counted on the monotonic clock of this run; what an
 * earlier run told counts by the wall clock where that is trusted, else from the start of this one.
 */
export function createEscalation(deps: EscalationDeps): Escalation {
  const watchedByEpisode = new Map<string, Watched>();
  const state = { isLoaded: false };

  async function load(): Promise<void> {
    const rows = await deps.queries.unanswered(isoOf(deps.now() - LOOK_BACK_MS), MOST);
    const stillThere = new Set(rows.map(({ episode_id }) => episode_id));
    for (const episode of watchedByEpisode.keys())
      if (!stillThere.has(episode)) watchedByEpisode.delete(episode);
    for (const row of rows) watch(row, elapsedOf(row));
    state.isLoaded = true;
  }

  function elapsedOf({ told_at }: Pick<AlertRow, 'told_at'>): number {
    if (deps.clockQuality() !== 'trusted' || told_at === null) return 0;
    return Math.max(0, deps.now() - Date.parse(told_at));
  }

  function watch(row: AlertRow, elapsedMs: number): void {
    const { episode_id, farm_id, told_at } = row;
    const known = watchedByEpisode.get(episode_id);
    if (told_at === null || !isUnanswered(row, deps.now()) || (known && known.toldAt >= told_at)) return;
    const seenAt = deps.monotonic();
    watchedByEpisode.set(episode_id, { farmId: farm_id, toldAt: told_at, elapsedMs, seenAt, taken: null });
  }

  const follow = onTables([alert], (committed) => {
    for (const { before, after, hidden } of rowsOf(committed, alert)) {
      const isOver =
        hidden || after.status === 'RESOLVED' || after.acknowledged_at !== null || after.severity !== 'HIGH';
      // one that goes and comes again has been waiting since it was told
      if (!isOver) watch(after, isNoticeDeferred(after) ? elapsedOf(after) : 0);
      // a milder alert of the episode may be answered while the critical one is not
      else if ((before ?? after).severity === 'HIGH') watchedByEpisode.delete(after.episode_id);
    }
  });

  async function look(): Promise<void> {
    if (!state.isLoaded || deps.isShared) await load();
    for (const [episodeId, watched] of watchedByEpisode) {
      const elapsed = watched.elapsedMs + deps.monotonic() - watched.seenAt;
      const step = dueStep(elapsed, watched.taken);
      if (step === null) continue;
      try {
        await escalate(episodeId, watched, step);
        watched.taken = step;
      } catch (error) {
        // one farm's trouble must not keep another's alert quiet
        deps.log.warn({ err: error, episodeId }, 'an alert could not be made louder; it is tried again');
      }
    }
  }

  async function escalate(
    episodeId: string,
    { farmId, toldAt }: Watched,
    step: EscalationStep,
  ): Promise<void> {
    await perform(deps, null, async () => {
      // what lists show and people act on is the newest of its episode
      const [row] = await deps.queries.openOfEpisode(farmId, episodeId, 1);
      if (row === undefined || !isUnanswered(row, deps.now())) return { answer: null };
      const about = row.pond_id ?? row.control_point_id ?? farmId;
      const cause = `escalation:${row.type}:${about}:${toldAt}:${step.minutes}`;
      const told = await louder(deps, row, step, cause);
      // sets nothing, and fails when somebody answers at this very moment
      return { answer: null, changes: told.length === 0 ? [] : [...told, update(alert, row, {})] };
    });
  }

  async function lookOrSay(): Promise<void> {
    await look().catch((error: unknown) =>
      deps.log.warn({ err: error }, 'alerts nobody answered could not be looked at; it is tried again'),
    );
  }

  return { tick: oneAtATime(lookOrSay), follow };
}

async function louder(
  deps: EscalationDeps,
  row: Alert,
  { to, minutes }: EscalationStep,
  cause: string,
): Promise<Change[]> {
  const names = await deps.queries.namesOf(row);
  if (names === null) return [];
  const people = await deps.peopleOf(row.farm_id);
  const words = storedWords(row, names, deps.troubleIn);
  return deps.notify(
    { userIds: people.filter(({ hasChannel }) => to === 'all' || hasChannel).map(({ userId }) => userId) },
    {
      type: SYSTEM_TYPES.includes(row.type) ? 'SYSTEM' : 'ALERT',
      severity: row.severity,
      farmId: row.farm_id,
      title: (language) => escalationTitle(titleOf(row.type, names, language), minutes, language),
      message: (language) => escalationMessage(words(language), language),
      data: { ...alertData(row, names), escalation: minutes },
      cause,
    },
  );
}
