import {
  type ControllerFirmware,
  type FirmwareAnswer,
  firmwareRollout,
  firmwareTarget,
  type RolloutAnswer,
  type RolloutDetail,
  type RolloutWait,
} from '#contract/resources/firmware.ts';
import { audit } from '#core/audit.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Language, Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { type ZoneClock, zoneClocks } from '#core/zone-clock.ts';
import { type ControlView, type ControlViews, isOnline } from '#features/control/control-view.ts';
import { endNews, stopWords, targetWords, waitWords } from './firmware-words.ts';
import type { FirmwareQueries, Image, Rollout, Target } from './ports.ts';
import { type LiveRollout, OPEN, type RolloutBook, UNDER_WAY } from './rollout-book.ts';
import {
  type Controller,
  failuresAmong,
  type Moment,
  mayRestart,
  nextStep,
  type RolloutStep,
} from './rollout-rules.ts';

export type AnswerDeps = {
  now: () => number;
  book: RolloutBook;
  views: ControlViews;
  waits: Waits;
  onlineAfterMs: number;
  takesFirmware: (controlPointId: string) => boolean;
};

export function imageAnswer({ book }: Pick<AnswerDeps, 'book'>, image: Image): FirmwareAnswer {
  const { signature: _signature, ...shown } = image;
  return { ...shown, is_in_use: book.isInUse(image.id) };
}

export function rolloutAnswer(
  deps: Pick<AnswerDeps, 'waits'>,
  { rollout, targets }: { rollout: Rollout; targets: readonly Target[] },
  language: Language,
): RolloutAnswer {
  const { window_from: from, window_to: to, ...row } = rollout;
  const wait = rollout.state === 'running' ? deps.waits.get(rollout.id) : undefined;
  const count = (test: (target: Target) => boolean) => targets.filter(test).length;
  return {
    ...row,
    reason: rollout.state === 'stopped' ? stopWords(targets, language) : rollout.reason,
    waiting_for:
      wait === undefined ? null : { code: wait.code, message: waitWords(wait.code, wait.alarms, language) },
    window: from === null || to === null ? null : { from, to },
    counts: {
      total: targets.length,
      waiting: count(({ state }) => state === 'waiting'),
      under_way: count(({ state }) => UNDER_WAY.includes(state)),
      done: count(({ state }) => state === 'done'),
      failed: failuresAmong(targets),
      left_out: count(({ state }) => state === 'skipped' || state === 'cancelled'),
    },
  };
}

export function rolloutDetail(
  deps: Pick<AnswerDeps, 'waits' | 'book'>,
  found: { rollout: Rollout; targets: readonly Target[] },
  { language, size }: { language: Language; size: number },
): RolloutDetail {
  return {
    ...rolloutAnswer(deps, found, language),
    targets: found.targets
      .toSorted((a, b) => a.place - b.place)
      .map((target) => {
        const { rollout_id: _rollout, farm_id: _farm, place: _place, ...row } = target;
        return {
          ...row,
          message: targetWords(target, language),
          bytes_done: target.state === 'downloading' ? deps.book.bytesOf(target.id) : null,
          bytes_total: size,
        };
      }),
  };
}

export function controllersOf(deps: AnswerDeps, farmId: string): ControllerFirmware[] {
  return deps.views
    .ofFarm(farmId)
    .filter(({ row }) => deps.takesFirmware(row.id))
    .sort((a, b) => a.row.cod.localeCompare(b.row.cod, 'en', { numeric: true }))
    .map((view) => controllerAnswer(deps, view));
}

function controllerAnswer(deps: AnswerDeps, { row, ponds, presence }: ControlView): ControllerFirmware {
  const target = deps.book.openTargetOf(row.id);
  const open = target !== null && OPEN.includes(target.state) ? target : null;
  return {
    control_point_id: row.id,
    cod: row.cod,
    device_id: row.device_id,
    ponds: ponds.map(({ cod }) => cod),
    firmware_version: presence.firmwareVersion,
    is_online: isOnline(presence, deps.now(), deps.onlineAfterMs),
    can_update: presence.isConnected && !presence.isLost,
    rollout_id: open?.rollout_id ?? null,
    state: open?.state ?? null,
  };
}

type RunDeps = Kernel & {
  book: RolloutBook;
  views: ControlViews;
  queries: Pick<FirmwareQueries, 'oxygenAlarms' | 'airedByAerators'>;
  notify: Notify;
  /** False for control points that are no controllers of this protocol: relays of other makers. */
  takesFirmware: (controlPointId: string) => boolean;
  /** A rollout of this farm waits for something else than before. */
  changed: (farmId: string) => void;
};

type Wait = { code: RolloutWait; alarms: readonly string[] };
/** What a rollout waits for, as last looked at; for people. */
type Waits = ReadonlyMap<string, Wait>;

/** The pulse of all rollouts: every two seconds one look. Without a rollout it costs nothing. */
export function createRolloutPulse(deps: RunDeps) {
  const waits = new Map<string, Wait>();
  const clocks = zoneClocks();

  async function look(): Promise<void> {
    const live = deps.book.live();
    for (const id of waits.keys()) if (!live.some(({ rollout }) => rollout.id === id)) waits.delete(id);
    if (live.length === 0) return;
    const aired = await pondsByController(deps);
    for (const { rollout } of live) {
      try {
        await lookAt(rollout.id, aired);
      } catch (error) {
        // one that cannot be stored now must not keep the others
        deps.log.warn({ err: error, rolloutId: rollout.id }, 'a rollout could not go on; it is tried again');
      }
    }
  }

  async function lookAt(rolloutId: string, aired: PondsByController): Promise<void> {
    const { answer } = await perform(deps, null, async () => {
      const guard = await deps.guard('firmware_rollout', rolloutId);
      const found = deps.book.liveById(rolloutId);
      if (found === null) return { answer: null };
      const moment = await momentOf(deps, found, { aired, clocks });
      const step = nextStep(found.rollout, found.targets, moment);
      const wait: Wait | null = step.wait === null ? null : { code: step.wait, alarms: moment.alarms };
      const changes = await changesOf(deps, found, step);
      return {
        answer: { farmId: found.rollout.farm_id, wait },
        changes,
        guards: changes.length > 0 ? [guard] : [],
      };
    });
    if (answer !== null) noteWait(rolloutId, answer);
  }

  /** Told only when what was decided is stored. */
  function noteWait(rolloutId: string, { farmId, wait }: { farmId: string; wait: Wait | null }): void {
    const before = waitText(waits.get(rolloutId));
    if (wait === null) waits.delete(rolloutId);
    else waits.set(rolloutId, wait);
    if (waitText(waits.get(rolloutId)) !== before) deps.changed(farmId);
  }

  return { look, waits: waits as Waits };
}

const waitText = (wait: Wait | undefined): string =>
  wait === undefined ? '' : `${wait.code} ${wait.alarms.join(' ')}`;

type PondsByController = ReadonlyMap<string, readonly string[]>;

/** Every pond a control point airs: its own, and those of aerators that hang on it. */
async function pondsByController({ views, queries }: RunDeps): Promise<PondsByController> {
  const ponds = new Map([...views.all()].map((view) => [view.row.id, view.ponds.map(({ id }) => id)]));
  for (const { controlPointId, pondId } of await queries.airedByAerators())
    ponds.get(controlPointId)?.push(pondId);
  return ponds;
}

async function momentOf(
  deps: RunDeps,
  { rollout }: LiveRollout,
  { aired, clocks }: { aired: PondsByController; clocks: (zone: string) => ZoneClock },
): Promise<Moment> {
  const alarms = await deps.queries.oxygenAlarms(rollout.farm_id);
  const others = deps.book.live().filter((one) => one.rollout.id !== rollout.id);
  const restarting = others.flatMap(({ targets }) =>
    targets.filter((target) => mayRestart(target, controllerOf(deps, target.control_point_id, aired))),
  );
  return {
    nowMs: deps.now(),
    isClockTrusted: deps.clockQuality() === 'trusted',
    zone: clocks(zoneOf(deps.views, rollout.farm_id)),
    alarms: alarms.map(({ type, where }) => (where === null ? type : `${type} (${where})`)),
    controller: (id) => controllerOf(deps, id, aired),
    busyPonds: new Set(restarting.flatMap(({ control_point_id: id }) => aired.get(id) ?? [])),
    standsForMs: deps.book.standsForMs,
    silentForMs: deps.book.silentForMs,
    ageMs: deps.book.ageMs,
  };
}

function zoneOf(views: ControlViews, farmId: string): string {
  return views.ofFarm(farmId)[0]?.zone ?? 'UTC';
}

function controllerOf(deps: RunDeps, id: string, aired: PondsByController): Controller | null {
  const view = deps.views.byId(id);
  if (view === null || !deps.takesFirmware(id)) return null;
  const { isConnected, isLost, firmwareVersion } = view.presence;
  return { isConnected: isConnected && !isLost, version: firmwareVersion, ponds: aired.get(id) ?? [] };
}

async function changesOf(deps: RunDeps, found: LiveRollout, step: RolloutStep): Promise<Change[]> {
  const at = isoOf(deps.now());
  const changes: Change[] = step.changes.map(({ target, set }) =>
    update(firmwareTarget, target.id, {
      ...set,
      state_at: at,
      ...(set.state === 'offered'
        ? { from_version: deps.views.byId(target.control_point_id)?.presence.firmwareVersion ?? null }
        : {}),
    }),
  );
  if (step.state === null) return changes;
  const { rollout, targets } = found;
  const news = endNews(rollout, targets, step.state);
  return [
    ...changes,
    update(firmwareRollout, rollout.id, {
      state: step.state,
      finished_at: at,
    }),
    audit(deps, {
      farm_id: rollout.farm_id,
      entity_type: 'SYSTEM',
      entity_id: rollout.id,
      entity_name: `firmware ${rollout.version}`,
      action: `firmware_rollout_${step.state}`,
      user_id: null,
      details: { version: rollout.version },
      cause: `firmware_rollout:${rollout.id}:${step.state}`,
      isOfBoth: true,
    }),
    ...(await deps.notify(
      { farmId: rollout.farm_id, who: 'operators' },
      {
        ...news,
        type: 'SYSTEM',
        data: { event: 'firmware_rollout', rollout_id: rollout.id, state: step.state },
        cause: `firmware_rollout:${rollout.id}:${step.state}`,
        ...(step.state === 'stopped' ? { severity: 'MEDIUM' as const } : {}),
      },
    )),
  ];
}
