import type { OtaProgress } from '#contract/mqtt/ota.ts';
import { firmwareTarget, type TargetReason, type TargetState } from '#contract/resources/firmware.ts';
import { audit } from '#core/audit.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type { FirmwareQueries, Rollout, Target } from './ports.ts';
import { jobOf, OPEN, type RolloutBook } from './rollout-book.ts';
import { MOST_ATTEMPTS } from './rollout-rules.ts';

export type ProgressDeps = Kernel & {
  book: RolloutBook;
  queries: Pick<FirmwareQueries, 'targetById' | 'rolloutById'>;
};

type Told = { state: TargetState; reason?: TargetReason | null; attempt?: number; wave?: null };

/**
 * What a controller tells of its update. Undefined: nothing was to be stored, as with most steps of a download. What
 * names another controller's job, or one that is long over, changes nothing.
 */
export function onProgress(
  deps: ProgressDeps,
  controlPointId: string,
  progress: OtaProgress,
): Promise<void> | undefined {
  const open = deps.book.openTargetOf(controlPointId);
  if (open !== null && jobOf(open) === progress.job) {
    deps.book.heard(open.id, progress.done ?? null);
    return toldOf(open, progress, deps.book.liveById(open.rollout_id)?.rollout ?? null) === null
      ? undefined
      : store(deps, controlPointId, progress);
  }
  // one that was given up may come back and say how it went
  return progress.state === 'done' || progress.state === 'rolled_back'
    ? store(deps, controlPointId, progress)
    : undefined;
}

async function store(deps: ProgressDeps, controlPointId: string, progress: OtaProgress): Promise<void> {
  const id = progress.job.split('.')[0] ?? '';
  const first = await deps.queries.targetById(id);
  if (first === null || first.control_point_id !== controlPointId || jobOf(first) !== progress.job) {
    deps.log.debug(
      { controlPointId, job: progress.job },
      'a controller told of an update that is none of its',
    );
    return;
  }
  await perform(deps, null, async () => {
    const guard = await deps.guard('firmware_rollout', first.rollout_id);
    const target = await deps.queries.targetById(id);
    const rollout = await deps.queries.rolloutById(first.rollout_id);
    const told = target === null || rollout === null ? null : toldOf(target, progress, rollout);
    if (target === null || rollout === null || told === null) return { answer: undefined };
    return {
      answer: undefined,
      changes: [
        update(firmwareTarget, id, {
          ...told,
          detail: progress.detail ?? null,
          state_at: isoOf(deps.now()),
        }),
        ...outcomeAudit(deps, { target, rollout, told, progress }),
      ],
      guards: [guard],
    };
  });
}

/** What the row becomes; null: it stays as it is. */
function toldOf(target: Target, progress: OtaProgress, rollout: Rollout | null): Told | null {
  const { state } = target;
  // given up, or called back too late: how it went is still told
  const mayComeBack = state === 'cancelled' || (state === 'failed' && target.reason === 'LOST');
  if (!OPEN.includes(state) && !mayComeBack) return null;
  switch (progress.state) {
    case 'downloading':
      return state === 'offered' ? { state: 'downloading' } : null;
    case 'ready':
      return state === 'offered' || state === 'downloading' ? { state: 'ready' } : null;
    case 'installing':
      return state === 'installing' || state === 'confirming' ? null : { state: 'installing' };
    case 'confirming':
      return state === 'confirming' ? null : { state: 'confirming' };
    case 'done':
      return progress.version !== undefined && progress.version === rollout?.version
        ? { state: 'done', reason: null }
        : { state: 'failed', reason: 'WRONG_VERSION' };
    case 'rolled_back':
      return { state: 'rolled_back', reason: progress.reason ?? 'OTHER' };
    case 'failed':
      return failed(target, progress.reason ?? 'OTHER');
  }
}

function failed(target: Target, reason: TargetReason): Told {
  const mayTryAgain = reason === 'DOWNLOAD_FAILED' && target.attempt < MOST_ATTEMPTS;
  return mayTryAgain
    ? { state: 'waiting', reason, attempt: target.attempt + 1, wave: null }
    : { state: 'failed', reason };
}

function outcomeAudit(
  deps: ProgressDeps,
  facts: { target: Target; rollout: Rollout; told: Told; progress: OtaProgress },
): Change[] {
  const { target, rollout, told, progress } = facts;
  const action = ACTION[told.state];
  if (action === undefined) return [];
  const change = audit(deps, {
    farm_id: target.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: target.control_point_id,
    entity_name: target.cod,
    action,
    user_id: null,
    origin: 'DEVICE',
    details: {
      rollout_id: rollout.id,
      version: rollout.version,
      from: target.from_version,
      ...(told.reason == null ? {} : { reason: told.reason }),
      ...(progress.detail === undefined ? {} : { detail: progress.detail }),
    },
    cause: `firmware:${jobOf(target)}:${told.state}`,
  });
  return [change];
}

const ACTION: Readonly<Partial<Record<TargetState, string>>> = {
  done: 'firmware_updated',
  failed: 'firmware_failed',
  rolled_back: 'firmware_rolled_back',
};
