import { firmwareRollout, firmwareTarget, type RolloutInput } from '#contract/resources/firmware.ts';
import { type GuardSeen, update } from '#core/changes.ts';
import { conflict } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { rolloutAudit } from './begin-rollout.ts';
import type { Rollout, Target } from './ports.ts';
import type { RolloutBook } from './rollout-book.ts';
import { withdrawn } from './rollout-rules.ts';

type Found = { rollout: Rollout; targets: readonly Target[] };

/**
 * Decides that a rollout is paused, goes on, or ends. A controller that restarts already goes on to its end. Throws 409
 * ROLLOUT_OVER for one that is over; asking for what is so already changes nothing.
 */
export function changeRollout(
  deps: Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>,
  { rollout, targets, guard }: Found & { guard: GuardSeen },
  wish: { state: 'running' | 'paused' | 'cancelled'; reason: string | null; userId: string },
): Decision<Found> {
  if (rollout.state === wish.state) return { answer: { rollout, targets } };
  if (rollout.state !== 'running' && rollout.state !== 'paused') {
    throw conflict(`This rollout is over (${rollout.state}). Begin a new one.`, 'ROLLOUT_OVER');
  }
  const at = isoOf(deps.now());
  const isEnd = wish.state === 'cancelled';
  const set = { state: wish.state, reason: wish.reason, finished_at: isEnd ? at : null };
  const ended = isEnd ? withdrawn(targets, 'ROLLOUT_CANCELLED') : [];
  // a restart that was allowed and has not begun does not begin in a pause
  const held = wish.state === 'paused' ? targets.filter(({ state }) => state === 'approved') : [];
  const changed = new Map([
    ...ended.map(({ target, set: to }) => [target.id, { ...to, state_at: at }] as const),
    ...held.map(({ id }) => [id, { state: 'ready' as const, state_at: at }] as const),
  ]);
  const { state, userId, reason } = wish;
  return {
    answer: {
      rollout: { ...rollout, ...set },
      targets: targets.map((target) => ({ ...target, ...changed.get(target.id) })),
    },
    changes: [
      update(firmwareRollout, rollout.id, set),
      ...[...changed].map(([id, to]) => update(firmwareTarget, id, to)),
      rolloutAudit(deps, rollout, {
        action: `firmware_rollout_${state}`,
        userId,
        ...(reason === null ? {} : { reason }),
      }),
    ],
    guards: [guard],
  };
}

/**
 * The wish that brings the controllers a rollout has updated back to what they ran before, with the same window and
 * waves. Throws 409 while it runs, where none was updated, or the store has not the one version they had.
 */
export function backwards(book: Pick<RolloutBook, 'images'>, { rollout, targets }: Found): RolloutInput {
  if (rollout.state === 'running' || rollout.state === 'paused')
    throw conflict('This rollout is not over. Cancel it first.', 'ROLLOUT_RUNNING');
  const updated = targets.filter(({ state }) => state === 'done');
  const versions = new Set(updated.map(({ from_version }) => from_version));
  const [version = null] = versions;
  if (updated.length === 0) throw conflict('This rollout updated no controller.', 'NOTHING_TO_ROLL_BACK');
  const image = book.images().find((known) => known.chip === rollout.chip && known.version === version);
  if (versions.size > 1 || image === undefined) {
    const named = [...versions].map((known) => known ?? '?').join(', ');
    throw conflict(
      `They ran ${named} before. Put that firmware into the store, and begin a rollout of it with allow_older for each version.`,
      'VERSION_NOT_IN_STORE',
    );
  }
  const { window_from: from, window_to: to, farm_id, canary_size, wave_size, soak_s, max_failures } = rollout;
  return {
    farm_id,
    firmware_id: image.id,
    control_point_ids: updated.map(({ control_point_id }) => control_point_id),
    window: from === null || to === null ? null : { from, to },
    canary_size,
    wave_size,
    soak_s,
    max_failures,
    allow_older: true,
  };
}
