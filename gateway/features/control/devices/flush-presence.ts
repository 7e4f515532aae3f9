import type { PresenceItem } from '#contract/events/stream.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { deviceKey, presence } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { type Change, type Committed, put, rowsOf } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type ControlView, type ControlViews, currentOf, isOnline } from '../control-view.ts';
import type { Registry } from './registry.ts';

/** Rows of one commit: a hosted instance hears tens of thousands in half a minute, and answers others in between. */
const FLUSHED_AT_ONCE = 2_000;

/**
 * Puts what was heard since the last time into the narrow presence table, what else is to be kept with the first of it.
 * Called every 30 s and at stop.
 */
export async function flushPresence(
  deps: Pick<Kernel, 'commit'> & { views: Pick<ControlViews, 'byId' | 'unflushed'> },
  also: readonly Change[] = [],
): Promise<void> {
  const { byId, unflushed } = deps.views;
  // what is heard meanwhile is the next flush's
  const ids = [...unflushed];
  unflushed.clear();
  for (let at = 0; at === 0 || at < ids.length; at += FLUSHED_AT_ONCE) {
    const puts = ids.slice(at, at + FLUSHED_AT_ONCE).flatMap((id) => putOf(byId(id)));
    const changes = at === 0 ? [...puts, ...also] : puts;
    if (changes.length === 0) continue;
    try {
      await deps.commit({ changes, actor: null });
    } catch (error) {
      for (const id of ids.slice(at)) unflushed.add(id);
      throw error;
    }
  }
}

/** None for a control point that is gone, or of which nobody heard. */
function putOf(view: ControlView | null): Change[] {
  if (view === null || view.presence.lastReportAt === null) return [];
  const { lastReportAt: heard_at_ms, consumption } = view.presence;
  return [put(presence, { id: view.row.id, heard_at_ms, consumption })];
}

/** A controller's newest word, for the event stream and the cards; null for one this process does not know. */
export function presenceItemOf(
  deps: { now: () => number; onlineAfterMs: number },
  view: ControlView | null,
): PresenceItem | null {
  const lastReportAt = view?.presence.lastReportAt ?? null;
  if (view === null || lastReportAt === null) return null;
  const { row, presence } = view;
  return {
    control_point_id: row.id,
    is_online: isOnline(presence, deps.now(), deps.onlineAfterMs),
    last_heartbeat: isoOf(lastReportAt),
    current_status: currentOf(view).current_status,
    consumption: presence.consumption,
    source: presence.source,
    motor_current_ma: presence.motorCurrentMa,
    rssi: presence.rssi,
    power_ok: presence.powerOk,
    is_proved: presence.isProved ?? null,
  };
}

type Name = { table: string; id: string };

/**
 * Reads again what another process changed: `committed` as the rows stand now, `gone` names of rows that are removed for
 * good. What they were before nobody told, so views are made anew instead of being changed.
 */
export async function followOtherProcesses(
  registry: Pick<Registry, 'byPart' | 'follow' | 'refresh'>,
  committed: Committed,
  gone: readonly Name[],
): Promise<void> {
  // a farm's zone and name are known before the views that show them are read
  registry.follow({ rows: committed.rows.filter(({ table }) => table === farm.name) });
  const ids = new Set<string>();
  for (const { id } of rowsOf(committed, controlPoint)) ids.add(id);
  for (const resource of [schedule, order, deviceKey])
    for (const { after } of rowsOf<{ id: string; control_point_id: string }>(committed, resource))
      ids.add(after.control_point_id);
  for (const { after } of rowsOf(committed, pond))
    if (after.control_point_id !== null) ids.add(after.control_point_id);
  const ponds = new Set([
    ...rowsOf(committed, pond).map(({ id }) => id),
    ...rowsOf(committed, aerator).map(({ after }) => after.pond_id),
  ]);
  // where they were before nobody told
  const parts = [
    ...ponds,
    ...rowsOf(committed, schedule).map(({ id }) => id),
    ...gone.filter(({ table }) => table === deviceKey.name).map(({ id }) => id),
  ];
  for (const part of parts) {
    const view = registry.byPart(part);
    if (view !== null) ids.add(view.row.id);
  }
  for (const id of ids) await registry.refresh(id);
}
