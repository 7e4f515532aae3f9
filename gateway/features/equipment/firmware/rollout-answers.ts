import type {
  ControllerFirmware,
  FirmwareAnswer,
  RolloutAnswer,
  RolloutDetail,
} from '#contract/resources/firmware.ts';
import type { Language } from '#core/notifying.ts';
import { type ControlView, type ControlViews, isOnline } from '#features/control/control-view.ts';
import { stopWords, targetWords, waitWords } from './firmware-words.ts';
import type { Image, Rollout, Target } from './ports.ts';
import { OPEN, type RolloutBook, UNDER_WAY } from './rollout-book.ts';
import { failuresAmong } from './rollout-rules.ts';
import type { Waits } from './run-rollouts.ts';

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
  return [...deps.views.all()]
    .filter(({ row }) => row.farm_id === farmId && deps.takesFirmware(row.id))
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
