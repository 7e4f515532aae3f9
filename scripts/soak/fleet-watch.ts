import { levelHeard } from '#sim/controller/level-end.ts';
import type { Fleet } from '#sim/fleet/fleet.ts';
import type { Sight } from './history.ts';

/** Told in whole seconds, and on its way for a moment. */
const END_TOLD_MS = 3_000;

export type FleetWatch = {
  sights: Sight[];
  /** What moves in here is forced: the power is cut under it. */
  forced: <Answer>(run: () => Answer) => Answer;
  /** Lines stopped carrying, or the disk is spoilt, and nobody is told. */
  mark: (kind: 'break' | 'spoilt') => void;
};

/** Notes what each controller was told, when its relay moved, and when it lost the gateway. */
export function watchFleet(fleet: Fleet): FleetWatch {
  const sights: Sight[] = [];
  const lastLevels = new Map<string, string>();
  let isForced = false;
  fleet.listen((event) => {
    const at = { device: event.device_id, ms: event.atMs };
    if (event.kind === 'effect') {
      if (event.effect.kind === 'relay') sights.push({ ...at, kind: 'relay', to: event.effect.to, isForced });
      // without power, and with a new start before it: alone as without a line
      if (event.effect.kind === 'disconnect') sights.push({ ...at, kind: 'break' });
      return;
    }
    const { message } = event;
    if (message.kind === 'disconnected' || message.kind === 'http_failed') {
      sights.push({ ...at, kind: 'break' });
      lastLevels.delete(event.device_id);
      return;
    }
    const level =
      message.kind === 'desired'
        ? message.level
        : message.kind === 'http_answer'
          ? levelHeard(message.answer)
          : null;
    if (level === null) return;
    const { epoch, version, target } = level;
    const ends =
      level.ends === undefined
        ? {}
        : { ends: { atMs: event.atMs + level.ends.untilS * 1000, next: level.ends.then } };
    // a step of the clock brings the end of a schedule's level nearer
    const end = ends.ends === undefined ? '' : Math.round(ends.ends.atMs / END_TOLD_MS);
    const name = `${epoch} ${version} ${target} ${level.ends?.then ?? ''} ${end}`;
    // the same level again, as every poll tells it
    if (lastLevels.get(event.device_id) === name) return;
    lastLevels.set(event.device_id, name);
    sights.push({ ...at, kind: 'level', epoch, version, target, ...ends });
  });
  return {
    sights,
    forced(run) {
      isForced = true;
      try {
        return run();
      } finally {
        isForced = false;
      }
    },
    mark(kind) {
      const ms = fleet.clock.nowMs();
      for (const { device_id } of fleet.states()) sights.push({ device: device_id, ms, kind });
      lastLevels.clear();
    },
  };
}
