import * as z from 'zod';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { deviceKey, instanceValue, presence } from '#contract/resources/local-tables.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { SWITCH_STATES } from '#contract/words.ts';
import { type Change, purge, put, type Unit, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { readHlc } from '#store/hlc.ts';
import type { ControlView, ControlViews, Schedule } from '../control-view.ts';
import { REMOTE_EXPIRES_IN_S } from '../remote-order.ts';
import { manualOrdersOf, ruleFactsOf, ruleOf } from './control-facts.ts';
import { endedByChange, endOrders, rulesBeforeChange } from './keep-what-holds.ts';
import { endedOrders } from './manual-orders.ts';
import type { ScheduleRule } from './schedule-events.ts';
import { baseAfterChange, latestEvent } from './wanted-state.ts';

// What the hosted instance changed of schedules, settings and farms comes to the gateway as plain rows. How a control
// point stood before them is noted in the very commit that takes them over, so that what a change on the gateway does
// besides (keep what holds, raise the revisions controllers compare) is done after it, also over a power cut.

const pointBefore = z.object({
  base: z.enum(SWITCH_STATES),
  /** A program before this one did not note it. */
  is_pause: z.boolean().default(false),
  /** Orders of people that schedules had ended, so that they stay ended. */
  over: z.array(z.string()),
  zone: z.string(),
  settings: z.string(),
  rules: z.record(z.string(), z.string()),
  device_id: z.string(),
  keys: z.array(z.string()),
});
type PointBefore = z.infer<typeof pointBefore>;
const markBody = z.object({ at: z.number(), points: z.record(z.string(), pointBefore) });
export type Mark = { id: string } & z.infer<typeof markBody>;

export const MARK_PREFIX = 'merged_before:';

export function readMark({ id, value }: { id: string; value: string }): Mark {
  return { id, ...markBody.parse(JSON.parse(value)) };
}

export const putMark = ({ id, ...body }: Mark): Change =>
  put(instanceValue, { id, value: JSON.stringify(body) });

type Views = Pick<ControlViews, 'byId' | 'byPart' | 'ofFarm'>;
type Arriving = { entity: number; id: string; body: Record<string, unknown> | null };

/** Control points that a unit of the other instance may touch. */
export function touchedPoints(views: Views, unit: Unit): ControlView[] {
  const rows: readonly Arriving[] = [...(unit.incoming?.changes ?? []), ...(unit.snapshot?.rows ?? [])];
  const ids = new Set<string>();
  const schedules = rows.filter(({ entity }) => entity === schedule.entity);
  for (const { entity, id } of rows) {
    if (entity === controlPoint.entity) ids.add(id);
    if (entity === farm.entity) for (const view of views.ofFarm(id)) ids.add(view.row.id);
  }
  for (const { id, body } of schedules) {
    // where it was, and where it is made or moved
    for (const pointId of [views.byPart(id)?.row.id, pointNamed(body)])
      if (typeof pointId === 'string') ids.add(pointId);
  }
  return [...ids].flatMap((id) => views.byId(id) ?? []);
}

function pointNamed(body: Arriving['body']): unknown {
  const place = body?.['place'];
  return typeof place === 'object' && place !== null && 'control_point_id' in place
    ? place.control_point_id
    : body?.['control_point_id'];
}

export function markOf(id: string, at: number, views: readonly ControlView[]): Mark {
  return { id, at, points: Object.fromEntries(views.map((view) => [view.row.id, beforeOf(view, at)])) };
}

function beforeOf(view: ControlView, at: number): PointBefore {
  const facts = ruleFactsOf(view, at);
  const stored = new Set(view.manualOrders.map(({ id }) => id));
  const over = endedOrders(manualOrdersOf(view, at), at, latestEvent(facts));
  const { target, isPause } = rulesBeforeChange(view, at);
  return {
    base: target,
    is_pause: isPause,
    over: over.flatMap(({ id, until }) => (stored.has(id) && (until === null || until > at) ? [id] : [])),
    zone: view.zone,
    settings: settingsText(view),
    rules: Object.fromEntries(view.schedules.map((row) => [row.id, ruleText(ruleOf(row))])),
    device_id: view.row.device_id,
    keys: view.keys.map(({ id }) => id),
  };
}

const settingsText = ({ row }: ControlView): string =>
  JSON.stringify(controlPoint.groups['settings']?.fields.map((name) => row[name as keyof typeof row]) ?? []);

function ruleText({ id: _id, ...rule }: ScheduleRule): string {
  return JSON.stringify(rule);
}

/** Whether a schedule that is to be applied at once came in time for that; asked when its rows are about to be written. */
export type CameInTime = (scheduleId: string) => boolean;

/** Where a schedule stands that is no longer at the control point; null: nowhere. */
export type Following = {
  at: number;
  isInTime: CameInTime;
  elsewhere: (scheduleId: string) => Schedule | null;
};

/** What was left undone by an earlier run, or came with a comparison, is late. */
export const NONE_IN_TIME: CameInTime = () => false;

/**
 * Counted from the stamp of the edit to the moment the hosted instance told it, both by its clock, and on from when it was
 * asked, by the one here: nothing that held the answer back on its way is left out.
 */
export function cameInTime({ incoming }: Unit): CameInTime {
  const { told, changes = [] } = incoming ?? {};
  if (told === undefined) return NONE_IN_TIME;
  const edited = new Map<string, number>();
  for (const { entity, id, hlc, over, body } of changes) {
    if (entity !== schedule.entity) continue;
    const by = Date.parse(String(body?.['updated_at'] ?? body?.['created_at']));
    // a stream that counts ahead of the clock must not lengthen it
    edited.set(id, Math.min(readHlc(over?.['rule'] ?? hlc).ms, Number.isNaN(by) ? Infinity : by));
  }
  return (id) => {
    const at = edited.get(id);
    return at !== undefined && told.atMs - at + told.elapsedMs() <= REMOTE_EXPIRES_IN_S * 1000;
  };
}

/** Schedules that would have turned OFF at once, and came too late for that. */
export function voidApplied(
  view: ControlView,
  before: PointBefore,
  { at, isInTime, elsewhere }: Following,
): string[] {
  const { schedules, zone } = ruleFactsOf(view, at);
  const rules = { target: before.base, isPause: before.is_pause };
  const applied = baseAfterChange(rules, { now: at, zone, schedules }, true);
  if (before.base !== 'ON' || applied.target === 'ON') return [];
  return changedRules(view, before, elsewhere).flatMap(([id, rule]) =>
    rule.effective_from === 0 && rule.is_active && !isInTime(id) ? [id] : [],
  );
}

/** New ones, changed ones, and those that were moved away, as they decide elsewhere now. */
function changedRules(
  view: ControlView,
  before: PointBefore,
  elsewhere: Following['elsewhere'],
): [string, ScheduleRule][] {
  const standing = view.schedules.map((row): [string, ScheduleRule] => [row.id, ruleOf(row)]);
  const ids = new Set(standing.map(([id]) => id));
  const away = Object.keys(before.rules).flatMap((id): [string, ScheduleRule][] => {
    const moved = ids.has(id) ? null : elsewhere(id);
    return moved === null ? [] : [[id, ruleOf(moved)]];
  });
  return [...standing.filter(([id, rule]) => before.rules[id] !== ruleText(rule)), ...away];
}

/** The rows that belong to what came, for one control point; `view` is how it stands now, null when it is gone. */
export function changesAfter(
  id: string,
  view: ControlView | null,
  before: PointBefore,
  { at, isInTime, elsewhere }: Following,
): Change[] {
  if (view === null) return [...before.keys.map((key) => purge(deviceKey, key)), purge(presence, id)];
  const changed = changedRules(view, before, elsewhere);
  const standing = new Set(view.schedules.map((row) => row.id));
  const isRuleChange =
    changed.length > 0 ||
    Object.keys(before.rules).some((ruleId) => !standing.has(ruleId)) ||
    before.zone !== view.zone;
  const isConfigChange = before.settings !== settingsText(view);
  const left = isRuleChange ? leftByMerge(view, changed, before, { at, isInTime, elsewhere }) : null;
  const set = {
    ...(left === null ? {} : { ...left.set, schedule_rev: view.row.schedule_rev + 1 }),
    ...(isConfigChange ? { config_rev: view.row.config_rev + 1 } : {}),
  };
  // another device is another identity: the keys stay with the old one
  const keys =
    view.row.device_id === before.device_id ? [] : view.keys.filter((key) => before.keys.includes(key.id));
  return [
    ...(Object.keys(set).length === 0 ? [] : [update(controlPoint, view.row, set)]),
    ...(left === null ? [] : endOrders(view, left.over, at)),
    ...keys.map((key) => purge(deviceKey, key.id)),
  ];
}

/**
 * `apply_now` of a schedule is an `effective_from` of long ago. It is an order that stops motors, so it counts for as long
 * as one; after that the schedule stands, and what runs goes on until its next event.
 */
function leftByMerge(
  view: ControlView,
  changed: readonly (readonly [string, ScheduleRule])[],
  before: PointBefore,
  { at, isInTime }: Following,
) {
  const { schedules, zone } = ruleFactsOf(view, at);
  const isApplied = changed.some(([id, rule]) => rule.effective_from === 0 && isInTime(id));
  const rules = { target: before.base, isPause: before.is_pause };
  const base = baseAfterChange(rules, { now: at, zone, schedules }, isApplied);
  const ended = endedByChange(manualOrdersOf(view, at), at, { schedules, zone, isApplied });
  return {
    set: { base_target: base.target, base_at: isoOf(base.at) },
    over: new Set([...before.over, ...ended.map(({ id }) => id)]),
  };
}
