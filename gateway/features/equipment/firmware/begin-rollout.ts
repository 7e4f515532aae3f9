import { firmwareRollout, firmwareTarget, type RolloutInput } from '#contract/resources/firmware.ts';
import { audit } from '#core/audit.ts';
import { type Change, type GuardSeen, insert, purge, update } from '#core/changes.ts';
import { conflict, invalidField } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlView, ControlViews } from '#features/control/control-view.ts';
import type { FirmwareQueries, Image, Rollout, Target } from './ports.ts';
import type { RolloutBook } from './rollout-book.ts';
import { withdrawn } from './rollout-rules.ts';

const CANARY_SIZE = 1;
const WAVE_SIZE = 3;
const SOAK_S = 600;
const MOST_TARGETS = 500;
const MOST_OPEN_ON_FARM = 10;
/** Those that are over, of one farm; the oldest go when a new one begins. */
const ROLLOUTS_KEPT = 50;

export type BeginDeps = Kernel & {
  book: RolloutBook;
  views: ControlViews;
  queries: Pick<FirmwareQueries, 'rolloutsOf' | 'targetsOf'>;
  takesFirmware: (controlPointId: string) => boolean;
};

/**
 * Decides a rollout to the controllers that the wish names. Throws 422 for firmware, ponds or control points that are not
 * there, 409 NO_CONTROLLERS when none is left, 409 IN_ROLLOUT for one that is in another rollout.
 */
export async function beginRollout(
  deps: BeginDeps,
  wish: RolloutInput,
  userId: string,
): Promise<Decision<{ rollout: Rollout; targets: Target[] }>> {
  const guards = [
    await deps.guard('firmware_farm', wish.farm_id),
    await deps.guard('firmware', wish.firmware_id),
  ];
  const image = deps.book.imageById(wish.firmware_id);
  if (image === null) throw invalidField(422, 'firmware_id', 'names no firmware in the store');
  const chosen = chosenControllers(deps, wish);
  for (const { row } of chosen) {
    const open = deps.book.openTargetOf(row.id);
    if (open !== null) {
      throw conflict(`${row.cod} is in a rollout that is not over. Cancel that one first.`, 'IN_ROLLOUT');
    }
  }
  const before = await deps.queries.rolloutsOf(wish.farm_id, ROLLOUTS_KEPT + 200);
  const open = before.filter(({ state }) => state === 'running' || state === 'paused');
  if (open.length >= MOST_OPEN_ON_FARM) {
    throw conflict(
      `${MOST_OPEN_ON_FARM} rollouts of this farm are not over. Cancel one first.`,
      'TOO_MANY_ROLLOUTS',
    );
  }
  const rollout = newRollout(deps, { wish, image, userId });
  const targets = chosen.map((view, place) => newTarget(deps, rollout, { view, place }));
  return {
    answer: { rollout, targets },
    changes: [
      insert(firmwareRollout, rollout),
      ...targets.map((target) => insert(firmwareTarget, target)),
      rolloutAudit(deps, rollout, { action: 'firmware_rollout_begun', userId, controllers: targets.length }),
      ...(await forgotten(deps, before)),
    ],
    guards,
  };
}

function chosenControllers(deps: BeginDeps, wish: RolloutInput): ControlView[] {
  const onFarm = deps.views.ofFarm(wish.farm_id);
  const points = wish.control_point_ids ?? null;
  const ponds = wish.pond_ids ?? null;
  const strangers = (points ?? []).filter((id) => !onFarm.some(({ row }) => row.id === id));
  if (strangers[0] !== undefined)
    throw invalidField(422, 'control_point_ids', `names no control point of this farm: ${strangers[0]}`);
  const airs = (view: ControlView, pondId: string) => view.ponds.some(({ id }) => id === pondId);
  const dry = (ponds ?? []).find((pondId) => !onFarm.some((view) => airs(view, pondId)));
  if (dry !== undefined) throw invalidField(422, 'pond_ids', `no control point of this farm airs it: ${dry}`);
  const chosen = onFarm
    .filter(({ row }) => deps.takesFirmware(row.id))
    .filter(
      (view) =>
        (points === null && ponds === null) ||
        (points ?? []).includes(view.row.id) ||
        (ponds ?? []).some((pondId) => airs(view, pondId)),
    )
    .sort((a, b) => a.row.cod.localeCompare(b.row.cod, 'en', { numeric: true }));
  if (chosen.length === 0)
    throw conflict('No controller there takes firmware over the air.', 'NO_CONTROLLERS');
  if (chosen.length > MOST_TARGETS)
    throw invalidField(422, 'control_point_ids', `a rollout takes at most ${MOST_TARGETS} controllers`);
  return chosen;
}

function newRollout(
  deps: BeginDeps,
  { wish, image, userId }: { wish: RolloutInput; image: Image; userId: string },
): Rollout {
  return {
    id: deps.newId(),
    farm_id: wish.farm_id,
    firmware_id: image.id,
    chip: image.chip,
    version: image.version,
    state: 'running',
    window_from: wish.window?.from ?? null,
    window_to: wish.window?.to ?? null,
    canary_size: wish.canary_size ?? CANARY_SIZE,
    wave_size: wish.wave_size ?? WAVE_SIZE,
    soak_s: wish.soak_s ?? SOAK_S,
    max_failures: wish.max_failures ?? 0,
    allow_older: wish.allow_older ?? false,
    reason: null,
    created_by: userId,
    created_at: isoOf(deps.now()),
    finished_at: null,
  };
}

function newTarget(
  deps: BeginDeps,
  rollout: Rollout,
  { view, place }: { view: ControlView; place: number },
): Target {
  return {
    id: deps.newId(),
    rollout_id: rollout.id,
    farm_id: rollout.farm_id,
    control_point_id: view.row.id,
    cod: view.row.cod,
    device_id: view.row.device_id,
    place,
    wave: null,
    state: 'waiting',
    reason: null,
    detail: null,
    attempt: 1,
    from_version: view.presence.firmwareVersion,
    state_at: rollout.created_at,
  };
}

/** Old rollouts of the farm beyond those that are kept. */
async function forgotten(deps: BeginDeps, newestFirst: readonly Rollout[]): Promise<Change[]> {
  const old = newestFirst.slice(ROLLOUTS_KEPT - 1).filter(({ id }) => deps.book.liveById(id) === null);
  const targets = await deps.queries.targetsOf(old.map(({ id }) => id));
  return [
    ...old.map(({ id }) => purge(firmwareRollout, id)),
    ...targets.map(({ id }) => purge(firmwareTarget, id)),
  ];
}

function rolloutAudit(
  deps: Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>,
  rollout: Rollout,
  { action, userId, ...details }: { action: string; userId: string } & Record<string, unknown>,
): Change {
  return audit(deps, {
    farm_id: rollout.farm_id,
    entity_type: 'SYSTEM',
    entity_id: rollout.id,
    entity_name: `firmware ${rollout.version}`,
    action,
    user_id: userId,
    details: { version: rollout.version, ...details },
  });
}

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
