import type { FirmwareDesired } from '#contract/mqtt/ota.ts';
import {
  firmwareImage,
  firmwareRollout,
  firmwareTarget,
  OPEN_TARGET_STATES,
  TARGETS_UNDER_WAY,
  type TargetState,
} from '#contract/resources/firmware.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import type { FirmwareQueries, Image, Rollout, Target } from './ports.ts';

export const UNDER_WAY: readonly TargetState[] = TARGETS_UNDER_WAY;
/** From here on the controller restarts: nothing calls it back. */
export const RESTARTING: readonly TargetState[] = ['approved', 'installing', 'confirming'];
export const OPEN: readonly TargetState[] = OPEN_TARGET_STATES;

/** Nothing more is begun in it; controllers that restart go on to their end. */
export const isOver = ({ state }: Pick<Rollout, 'state'>): boolean =>
  state !== 'running' && state !== 'paused';

export type LiveRollout = { rollout: Rollout; image: Image | null; targets: readonly Target[] };

type BookDeps = {
  queries: Pick<FirmwareQueries, 'images' | 'openRollouts' | 'targetsOf'>;
  /** Milliseconds since 1970. */
  now: () => number;
  monotonic: () => number;
};

export type RolloutBook = ReturnType<typeof createRolloutBook>;

/** Names one attempt of one controller. */
export const jobOf = ({ id, attempt }: Pick<Target, 'id' | 'attempt'>): string => `${id}.${attempt}`;

/**
 * The store's images, and every rollout that is not over, in memory: what is wanted of a controller is asked at each of
 * its connects. Follows every committed unit. How long a controller says nothing is counted here, by the monotonic clock
 * and from this run on: while the gateway itself was off it could hear nobody, and a clock that is set is no silence.
 */
export function createRolloutBook({ queries, now, monotonic }: BookDeps) {
  const imagesById = new Map<string, Image>();
  const rolloutsById = new Map<string, Rollout>();
  const targetsByRollout = new Map<string, Map<string, Target>>();
  /** Control point → its target that is not over: there is one at most. */
  const openByControlPoint = new Map<string, Target>();
  /** What a controller last told of its download; not worth a row. */
  const heardByTarget = new Map<string, { atMs: number; bytes: number | null }>();
  /** Since when this run of the gateway knows it where it stands. */
  const standsSinceMs = new Map<string, number>();
  /** For how long it had stood there when this run began. */
  const stoodBeforeMs = new Map<string, number>();

  function keepTarget(target: Target): void {
    const targets = targetsByRollout.get(target.rollout_id) ?? new Map<string, Target>();
    const before = targets.get(target.id);
    if (before?.state !== target.state || before.state_at !== target.state_at) {
      standsSinceMs.set(target.id, monotonic());
      stoodBeforeMs.delete(target.id);
    }
    targets.set(target.id, target);
    targetsByRollout.set(target.rollout_id, targets);
    const open = openByControlPoint.get(target.control_point_id);
    if (OPEN.includes(target.state)) openByControlPoint.set(target.control_point_id, target);
    else if (open?.id === target.id) openByControlPoint.delete(target.control_point_id);
  }

  function dropIfOver(rollout: Rollout): void {
    const targets = [...(targetsByRollout.get(rollout.id)?.values() ?? [])];
    if (!isOver(rollout) || targets.some(({ state }) => OPEN.includes(state))) return;
    rolloutsById.delete(rollout.id);
    targetsByRollout.delete(rollout.id);
    for (const { id } of targets) {
      heardByTarget.delete(id);
      standsSinceMs.delete(id);
      stoodBeforeMs.delete(id);
    }
  }

  function wantedOf(controlPointId: string): FirmwareDesired | null {
    const target = openByControlPoint.get(controlPointId);
    if (target === undefined || !UNDER_WAY.includes(target.state)) return null;
    const rollout = rolloutsById.get(target.rollout_id);
    const image = rollout === undefined ? undefined : imagesById.get(rollout.firmware_id);
    if (rollout === undefined || image === undefined) return null;
    // called back; once it says that it restarts already, it is to go on to its end
    if (target.state === 'approved' && isOver(rollout)) return null;
    return {
      job: jobOf(target),
      version: image.version,
      chip: image.chip,
      path: `/api/v1/devices/firmware/${jobOf(target)}`,
      size: image.size,
      sha256: image.sha256,
      sig: image.signature,
      older: rollout.allow_older,
      go: RESTARTING.includes(target.state),
    };
  }

  const standsForMs = (targetId: string): number =>
    monotonic() - (standsSinceMs.get(targetId) ?? monotonic());

  return {
    async load(): Promise<void> {
      for (const image of await queries.images()) imagesById.set(image.id, image);
      const rollouts = await queries.openRollouts();
      for (const rollout of rollouts) rolloutsById.set(rollout.id, rollout);
      for (const target of await queries.targetsOf(rollouts.map(({ id }) => id))) {
        keepTarget(target);
        stoodBeforeMs.set(target.id, Math.max(0, now() - Date.parse(target.state_at)));
      }
    },
    /** Answers the control points of which something else may be wanted now. */
    /** The tables that `follow` looks at. */
    tables: [firmwareImage, firmwareRollout, firmwareTarget],
    follow(committed: Committed): string[] {
      for (const { id, after, hidden } of rowsOf(committed, firmwareImage)) {
        if (hidden) imagesById.delete(id);
        else imagesById.set(id, after);
      }
      const rollouts = rowsOf(committed, firmwareRollout);
      for (const { id, after, hidden } of rollouts) {
        if (!hidden && (rolloutsById.has(id) || after.state === 'running')) rolloutsById.set(id, after);
      }
      const targets = rowsOf(committed, firmwareTarget);
      for (const { after, hidden } of targets) {
        if (!hidden && rolloutsById.has(after.rollout_id)) keepTarget(after);
      }
      const touched = new Set([
        ...rollouts.map(({ id }) => id),
        ...targets.map(({ after }) => after.rollout_id),
      ]);
      for (const id of touched) {
        const rollout = rolloutsById.get(id);
        if (rollout !== undefined) dropIfOver(rollout);
      }
      return targets
        .filter(
          ({ before, after }) =>
            before !== null && (before.state !== after.state || before.reason !== after.reason),
        )
        .map(({ after }) => after.control_point_id);
    },
    images: (): Image[] => [...imagesById.values()],
    imageById: (id: string): Image | null => imagesById.get(id) ?? null,
    isInUse: (imageId: string): boolean =>
      [...rolloutsById.values()].some(({ firmware_id }) => firmware_id === imageId),
    live: (): LiveRollout[] =>
      [...rolloutsById.values()].map((rollout) => ({
        rollout,
        image: imagesById.get(rollout.firmware_id) ?? null,
        targets: [...(targetsByRollout.get(rollout.id)?.values() ?? [])],
      })),
    liveById(id: string): LiveRollout | null {
      const rollout = rolloutsById.get(id);
      if (rollout === undefined) return null;
      const image = imagesById.get(rollout.firmware_id) ?? null;
      return { rollout, image, targets: [...(targetsByRollout.get(id)?.values() ?? [])] };
    },
    openTargetOf: (controlPointId: string): Target | null => openByControlPoint.get(controlPointId) ?? null,
    wantedOf,
    /** What a controller may fetch under that name now. */
    offerOf(job: string): { target: Target; image: Image } | null {
      for (const target of openByControlPoint.values()) {
        if (jobOf(target) !== job || !UNDER_WAY.includes(target.state)) continue;
        const image = imagesById.get(rolloutsById.get(target.rollout_id)?.firmware_id ?? '');
        return image === undefined ? null : { target, image };
      }
      return null;
    },
    heard: (targetId: string, bytes: number | null): void =>
      void heardByTarget.set(targetId, { atMs: monotonic(), bytes }),
    bytesOf: (targetId: string): number | null => heardByTarget.get(targetId)?.bytes ?? null,
    /** For how long it stands where it is, as far as this run of the gateway saw. */
    standsForMs: ({ id }: Target): number => standsForMs(id),
    /** The same, and what it had stood before this run. */
    ageMs: ({ id }: Target): number => standsForMs(id) + (stoodBeforeMs.get(id) ?? 0),
    /** For how long it stands, or since its controller last told of its download. */
    silentForMs({ id }: Target): number {
      const heard = heardByTarget.get(id);
      return Math.min(
        standsForMs(id),
        heard === undefined ? Number.POSITIVE_INFINITY : monotonic() - heard.atMs,
      );
    },
  };
}
