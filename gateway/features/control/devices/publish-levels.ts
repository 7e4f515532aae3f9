import type { HeartbeatFields, ShadowDesired } from '#contract/mqtt/messages.ts';
import { type ControlView, targetOf } from '../control-view.ts';
import type { DeviceLink, Levels } from '../device-link.ts';
import { configOf, configRevOf, type LevelDeps, scheduleOf, scheduleRevOf, shadowOf } from './levels.ts';

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
      shadow: shadowKey(levels.shadow),
      config: `${levels.config.rev} ${levels.config.hash}`,
      schedule: `${levels.schedule.rev} ${levels.schedule.hash}`,
    };
    publishedById.set(view.row.id, now);
    if (known?.shadow !== now.shadow) link.publishShadow(view.mqttId, levels.shadow);
    if (known?.config !== now.config) link.publishConfig(view.mqttId, levels.config);
    if (known?.schedule !== now.schedule) link.publishSchedule(view.mqttId, levels.schedule);
  }

  /** What comes after a level that ends by itself changes with the water too, of which no row tells. */
  function publishEnds(views: Iterable<ControlView>): void {
    const link = deps.link();
    if (link === null) return;
    for (const view of views) {
      const known = publishedById.get(view.row.id);
      if (known === undefined || deps.endOf(view) === null) continue;
      const level = shadowOf(deps, view);
      const shadow = shadowKey(level);
      if (known.shadow === shadow) continue;
      publishedById.set(view.row.id, { ...known, shadow });
      link.publishShadow(view.mqttId, level);
    }
  }

  function forget(view: ControlView): void {
    publishedById.delete(view.row.id);
    deps.link()?.forget(view.mqttId);
  }

  /**
   * Tells a controller again what its heartbeat shows it has not got, once per heartbeat: a level that a controller
   * lost would otherwise wait for its next connect. One that puts an order off hears it again, which does no harm.
   */
  function repeat(view: ControlView, { version, epoch }: Pick<HeartbeatFields, 'version' | 'epoch'>): void {
    const link = deps.link();
    if (link === null) return;
    const target = targetOf(view);
    const isOther = epoch !== undefined && epoch !== target.epoch;
    if (isOther || (version !== undefined && version < target.version)) {
      link.publishShadow(view.mqttId, shadowOf(deps, view));
    }
    const { configRev, scheduleRev } = view.presence;
    if (configRev !== null && configRev !== configRevOf(deps, view)) {
      link.publishConfig(view.mqttId, configOf(deps, view));
    }
    if (scheduleRev !== null && scheduleRev !== scheduleRevOf(deps, view)) {
      link.publishSchedule(view.mqttId, scheduleOf(deps, view));
    }
  }

  return {
    levelsOf,
    publish,
    publishEnds,
    repeat,
    /** After a committed change of a control point: its levels, or the end of its connection. */
    follow(before: ControlView | null, after: ControlView | null): void {
      if (before !== null && (after === null || lostKey(before, after))) forget(before);
      if (after !== null) publish(after);
    },
  };
}

/** A level is news when anything but the seconds left of it differs: those pass at the controller, too. */
function shadowKey({ until, ...level }: ShadowDesired): string {
  return JSON.stringify({ ...level, hasEnd: until !== undefined });
}

/** A key that is gone must not keep a connection that was opened with it. */
function lostKey(before: ControlView, after: ControlView): boolean {
  const opens = (view: ControlView, id: string) =>
    view.keys.some((key) => key.id === id && key.state !== 'pending' && key.state !== 'revoked');
  return before.keys.some(({ id }) => opens(before, id) && !opens(after, id));
}
