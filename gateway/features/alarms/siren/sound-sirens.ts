import { alert } from '#contract/resources/alerts.ts';
import { type SirenState, sirenSettings } from '#contract/resources/sirens.ts';
import { marksAfterStep } from '#core/alerting.ts';
import { onTables, type RowListener, rowsOf } from '#core/changes.ts';
import type { ClockStep } from '#core/clock-trust.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { type ControlView, currentOf, targetOf } from '#features/control/control-view.ts';
import type { SirenAlert, SirenQueries, SirenSettings } from './ports.ts';

/** What is remembered of a farm's sirens. Instants are ms of the clock that only grows. */
type SirenMemory = {
  /** Episodes that waited for somebody at the last look. */
  waiting: ReadonlySet<string>;
  /** When the sound began that goes on, or comes again after its pauses. */
  soundsSince: number;
  hushedUntil: number;
  testUntil: number;
};

type SirenTimes = { soundMs: number; pauseMs: number };

/** `until` is when time alone changes it; null: it does not. */
type SirenNow = { state: SirenState; isOn: boolean; until: number | null };

export const SILENT: SirenMemory = {
  waiting: new Set(),
  soundsSince: Number.NEGATIVE_INFINITY,
  hushedUntil: Number.NEGATIVE_INFINITY,
  testUntil: Number.NEGATIVE_INFINITY,
};

/** What follows from the alerts that wait now: one that did not wait before is heard at once, hushed or not. */
export function remembered(before: SirenMemory, waiting: ReadonlySet<string>, now: number): SirenMemory {
  const isNew = [...waiting].some((episode) => !before.waiting.has(episode));
  if (isNew) return { ...before, waiting, soundsSince: now, hushedUntil: Number.NEGATIVE_INFINITY };
  if (waiting.size === 0) return { ...SILENT, testUntil: before.testUntil };
  return { ...before, waiting };
}

/** It sounds, pauses, and sounds again while somebody is waited for; a hush ends in the sound. */
export function sirenNow(memory: SirenMemory, { soundMs, pauseMs }: SirenTimes, now: number): SirenNow {
  if (now < memory.testUntil) return { state: 'testing', isOn: true, until: memory.testUntil };
  if (memory.waiting.size === 0) return { state: 'quiet', isOn: false, until: null };
  if (now < memory.hushedUntil) return { state: 'hushed', isOn: false, until: memory.hushedUntil };
  const begin = Math.max(memory.soundsSince, memory.hushedUntil);
  const round = soundMs + pauseMs;
  const into = (now - begin) % round;
  const isOn = into < soundMs;
  return { state: isOn ? 'sounding' : 'pausing', isOn, until: now + (isOn ? soundMs : round) - into };
}

type SoundSirensDeps = Pick<Kernel, 'now'> & {
  monotonic: () => number;
  queries: SirenQueries;
  /** Whether an alert still waits for somebody: critical, told, and nobody acknowledged, silenced or resolved it. */
  isUnanswered: (row: SirenAlert, now: number) => boolean;
};

export type Sirens = {
  /** Reads what waits; called once before the first look at the control points. */
  load: () => Promise<void>;
  follow: RowListener;
  /** How the sirens of a farm stand now; the alerts that make them sound, newest first. */
  look: (farmId: string) => SirenNow & { alerts: SirenAlert[] };
  settingsOf: (farmId: string) => Pick<SirenSettings, 'sound_minutes' | 'pause_minutes'>;
  /** The silence of an alert keeps its length over a step of the clock: at once, the rows follow. */
  followClockStep: (step: ClockStep) => void;
  test: (farmId: string, ms: number) => void;
  hush: (farmId: string, ms: number) => void;
};

/** What nobody answered for a day is not sounded by a restart; the escalation holds it the same way. */
const LOOK_BACK_MS = 24 * 3_600_000;
const MOST = 1_000;
/** Farms whose siren's turns are remembered; one that fell out begins its turn anew. */
const MOST_FARMS = 50_000;
const MINUTE = 60_000;
const DEFAULTS = { sound_minutes: 5, pause_minutes: 5 } as const;

/**
 * The sirens of this gateway, in memory. A level, looked at every second: what a stop or a full disk missed is seen by
 * the next look, and after a restart what still waits sounds anew. No quiet hours: only what is critical comes here.
 */
export function createSirens(deps: SoundSirensDeps): Sirens {
  /** The newest alert of each critical episode that is not over. */
  const newestByEpisode = new Map<string, SirenAlert>();
  const memoryByFarm = new NewestMap<string, SirenMemory>(MOST_FARMS);
  const settingsByFarm = new Map<string, SirenSettings>();

  function keep(row: SirenAlert): void {
    const known = newestByEpisode.get(row.episode_id);
    if (known !== undefined && known.id !== row.id && known.triggered_at > row.triggered_at) return;
    newestByEpisode.set(row.episode_id, row);
  }

  function waitingOn(farmId: string): SirenAlert[] {
    const now = deps.now();
    return [...newestByEpisode.values()]
      .filter((row) => row.farm_id === farmId && deps.isUnanswered(row, now))
      .toSorted((a, b) => (a.triggered_at < b.triggered_at ? 1 : -1));
  }

  const memoryOf = (farmId: string) => memoryByFarm.get(farmId) ?? SILENT;
  const settingsOf: Sirens['settingsOf'] = (farmId) => settingsByFarm.get(farmId) ?? DEFAULTS;

  return {
    settingsOf,
    async load() {
      for (const settings of await deps.queries.allSettings()) settingsByFarm.set(settings.id, settings);
      for (const row of await deps.queries.unanswered(isoOf(deps.now() - LOOK_BACK_MS), MOST)) keep(row);
    },
    follow: onTables([alert, sirenSettings], (committed) => {
      for (const { after, hidden } of rowsOf(committed, alert)) {
        const isOver = hidden || after.status === 'RESOLVED';
        if (!isOver && after.severity === 'HIGH') keep(after);
        else if (newestByEpisode.get(after.episode_id)?.id === after.id)
          newestByEpisode.delete(after.episode_id);
      }
      for (const { id, after, hidden } of rowsOf(committed, sirenSettings)) {
        if (hidden) settingsByFarm.delete(id);
        else settingsByFarm.set(id, after);
      }
    }),
    look(farmId) {
      const alerts = waitingOn(farmId);
      const now = deps.monotonic();
      const memory = remembered(memoryOf(farmId), new Set(alerts.map((row) => row.episode_id)), now);
      memoryByFarm.set(farmId, memory);
      const { sound_minutes, pause_minutes } = settingsOf(farmId);
      const times = { soundMs: sound_minutes * MINUTE, pauseMs: pause_minutes * MINUTE };
      return { ...sirenNow(memory, times, now), alerts };
    },
    followClockStep(step) {
      for (const [episode, row] of newestByEpisode) {
        const marks = marksAfterStep(row, step);
        if (marks !== null) newestByEpisode.set(episode, { ...row, ...marks });
      }
    },
    test(farmId, ms) {
      memoryByFarm.set(farmId, { ...memoryOf(farmId), testUntil: deps.monotonic() + ms });
    },
    hush(farmId, ms) {
      memoryByFarm.set(farmId, {
        ...memoryOf(farmId),
        hushedUntil: deps.monotonic() + ms,
        testUntil: Number.NEGATIVE_INFINITY,
      });
    },
  };
}

type TellSirensDeps = {
  sirens: Pick<Sirens, 'look'>;
  /** Every control point that is a siren. */
  all: () => readonly ControlView[];
  isOnline: (view: ControlView) => boolean;
  changed: (farmId: string) => void;
};

/** Looked at every second: time alone makes a siren pause and sound, and a silent controller tells nobody. */
export function createSirenTeller({ sirens, all, isOnline, changed }: TellSirensDeps): { look: () => void } {
  const toldByFarm = new Map<string, string>();
  return {
    look() {
      const viewsByFarm = Map.groupBy(all(), ({ row }) => row.farm_id);
      for (const farmId of toldByFarm.keys()) if (!viewsByFarm.has(farmId)) viewsByFarm.set(farmId, []);
      for (const [farmId, views] of viewsByFarm) {
        const stands = views.length === 0 ? '' : standing(sirens.look(farmId), views, isOnline);
        if (toldByFarm.get(farmId) === stands) continue;
        if (views.length === 0) toldByFarm.delete(farmId);
        else toldByFarm.set(farmId, stands);
        changed(farmId);
      }
    },
  };
}

function standing(
  { state, until, alerts }: ReturnType<Sirens['look']>,
  views: readonly ControlView[],
  isOnline: (view: ControlView) => boolean,
): string {
  return JSON.stringify([
    state,
    // a hush that was prolonged; the rest of a second is no news
    until === null ? null : Math.round(until / 1000),
    alerts.map(({ id }) => id),
    views.map((view) => {
      const { id, cod, locked_out } = view.row;
      const { current_status } = currentOf(view);
      return [id, cod, isOnline(view), locked_out, current_status, targetOf(view).target_status];
    }),
  ]);
}
