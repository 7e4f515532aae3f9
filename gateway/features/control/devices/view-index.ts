import type { ControlView } from '../control-view.ts';

/** Where the views of control are found by what belongs to them. A hosted instance has 100,000: nobody walks all for one. */
export function createViewIndex() {
  const viewsById = new Map<string, ControlView>();
  const idsByDeviceId = new Map<string, Set<string>>();
  const idsByMqttId = new Map<string, string>();
  const idsByFarm = new Map<string, Set<string>>();
  /** Grows with every farm that comes or goes. */
  let farmChanges = 0;
  /** Control points by the ids of their ponds, schedules and keys. */
  const idsByPart = new Map<string, string>();
  const unflushed = new Set<string>();

  const byId = (id: string | undefined): ControlView | null =>
    id === undefined ? null : (viewsById.get(id) ?? null);
  const viewsOf = (ids: ReadonlySet<string> | undefined): ControlView[] =>
    [...(ids ?? [])].flatMap((id) => byId(id) ?? []);

  function linkParts(old: ControlView | null, view: ControlView | null): void {
    for (const parts of ['ponds', 'schedules', 'keys'] as const) {
      if (old?.[parts] === view?.[parts]) continue;
      // what moved to another control point may be linked there already
      for (const { id } of old?.[parts] ?? []) if (idsByPart.get(id) === old?.row.id) idsByPart.delete(id);
      if (view !== null) for (const { id } of view[parts]) idsByPart.set(id, view.row.id);
    }
  }

  function unlink({ row, mqttId }: ControlView): void {
    takeOut(idsByDeviceId, row.device_id, row.id);
    if (takeOut(idsByFarm, row.farm_id, row.id)) farmChanges += 1;
    // the name may already belong to another control point
    if (idsByMqttId.get(mqttId) === row.id) idsByMqttId.delete(mqttId);
  }

  return {
    byId,
    byDeviceId: (deviceId: string) => viewsOf(idsByDeviceId.get(deviceId)),
    byMqttId: (mqttId: string) => byId(idsByMqttId.get(mqttId)),
    ofFarm: (farmId: string) => viewsOf(idsByFarm.get(farmId)),
    /** The one that a pond, a schedule or a key belongs to. */
    byPart: (id: string) => byId(idsByPart.get(id)),
    /** Those with control points. */
    farmIds: () => idsByFarm.keys(),
    farmChanges: () => farmChanges,
    all: () => viewsById.values(),
    unflushed,
    keep(view: ControlView): void {
      const { id, device_id, farm_id } = view.row;
      const old = byId(id);
      const isRenamed = old !== null && (old.row.device_id !== device_id || old.row.farm_id !== farm_id);
      if (isRenamed) unlink(old);
      viewsById.set(id, view);
      if (old === null || isRenamed) {
        putIn(idsByDeviceId, device_id, id);
        if (putIn(idsByFarm, farm_id, id)) farmChanges += 1;
      }
      idsByMqttId.set(view.mqttId, id);
      linkParts(old, view);
    },
    drop(id: string): void {
      const view = byId(id);
      if (view === null) return;
      unlink(view);
      linkParts(view, null);
      viewsById.delete(id);
      unflushed.delete(id);
    },
  };
}

/** Answers whether the name is new. */
function putIn(ids: Map<string, Set<string>>, name: string, id: string): boolean {
  const known = ids.get(name);
  if (known === undefined) ids.set(name, new Set([id]));
  else known.add(id);
  return known === undefined;
}

/** Answers whether the name is gone. */
function takeOut(ids: Map<string, Set<string>>, name: string, id: string): boolean {
  const known = ids.get(name);
  known?.delete(id);
  return known?.size === 0 && ids.delete(name);
}
