import type { ControlView } from '#core/control-view.ts';
import type { DeviceLink, Levels } from '#core/device-link.ts';
import { configOf, type LevelDeps, scheduleOf, shadowOf } from './levels.ts';

/** Keeps the broker's retained levels equal to what they should be; publishes only what differs from the last time. */
export function createLevelPublisher(deps: LevelDeps & { link: () => DeviceLink | null }) {
  const publishedById = new Map<
    string,
    { mqttId: string; shadow: string; config: string; schedule: string }
  >();

  function levelsOf(view: ControlView): Levels {
    return {
      mqttId: view.mqttId,
      shadow: shadowOf(deps, view),
      config: configOf(deps, view),
      schedule: scheduleOf(deps, view),
    };
  }

  function publish(view: ControlView): void {
    const link = deps.link();
    if (link === null) return;
    const levels = levelsOf(view);
    const before = publishedById.get(view.row.id);
    const known = before?.mqttId === view.mqttId ? before : undefined;
    if (before && !known) link.forget(before.mqttId);
    const now = {
      mqttId: view.mqttId,
      shadow: JSON.stringify(levels.shadow),
      config: `${levels.config.rev} ${levels.config.hash}`,
      schedule: `${levels.schedule.rev} ${levels.schedule.hash}`,
    };
    publishedById.set(view.row.id, now);
    if (known?.shadow !== now.shadow) link.publishShadow(view.mqttId, levels.shadow);
    if (known?.config !== now.config) link.publishConfig(view.mqttId, levels.config);
    if (known?.schedule !== now.schedule) link.publishSchedule(view.mqttId, levels.schedule);
  }

  function forget(view: ControlView): void {
    publishedById.delete(view.row.id);
    deps.link()?.forget(view.mqttId);
  }

  return {
    levelsOf,
    publish,
    /** After a committed change of a control point: its levels, or the end of its connection. */
    follow(before: ControlView | null, after: ControlView | null): void {
      if (before !== null && (after === null || lostKey(before, after))) forget(before);
      if (after !== null) publish(after);
    },
  };
}

/** A key that is gone must not keep a connection that was opened with it. */
function lostKey(before: ControlView, after: ControlView): boolean {
  const opens = (view: ControlView, id: string) =>
    view.keys.some((key) => key.id === id && key.state !== 'pending' && key.state !== 'revoked');
  return before.keys.some(({ id }) => opens(before, id) && !opens(after, id));
}
