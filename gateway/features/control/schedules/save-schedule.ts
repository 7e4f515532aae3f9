import type * as z from 'zod';
import { isDateOnly } from '#contract/fields.ts';
import type { RowOf } from '#contract/resource.ts';
import { schedule, type scheduleChange, type scheduleCreate } from '#contract/resources/schedules.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, remove, update } from '#core/changes.ts';
import { AppError, conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import type { ControlView, Schedule } from '../control-view.ts';
import type { FarmGateways } from '../remote-order.ts';
import { ruleFactsOf, ruleOf } from './control-facts.ts';
import { type ChangedRules, keepWhatHolds, leftBehind } from './keep-what-holds.ts';
import { instantOfLocal } from './local-time.ts';
import { checkSchedule, sameScheduleKey } from './schedule-rules.ts';
import { type ChangeEffect, effectOfChange } from './takes-effect.ts';

export type ScheduleDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  /** Reads a control point with its schedules anew; null when it is gone. */
  freshView: (controlPointId: string) => Promise<ControlView | null>;
  idTaken: (id: string) => Promise<boolean>;
  gateways: Pick<FarmGateways, 'hasGateway'>;
};

/** Most schedules of one control point. */
const MOST_SCHEDULES = 200;
const SINCE_EVER = '1970-01-01T00:00:00.000Z';

/** A schedule as it is stored now, and what that does at this moment. */
export type SavedSchedule = { row: Schedule } & ChangeEffect;
type By = { userId: string; language: Language };

/** What a caller sent: bare dates are read in the farm's zone, so the texts as they came are needed too. */
export type ScheduleTexts = Readonly<Record<string, unknown>>;

/**
 * Decides a schedule of a control point. One with the same action, repeat pattern and start is changed instead of made
 * twice. Throws 422 with every violated rule.
 */
export async function createSchedule(
  deps: ScheduleDeps,
  where: { controlPointId: string } & By,
  input: z.infer<typeof scheduleCreate>,
  texts: ScheduleTexts,
): Promise<Decision<SavedSchedule>> {
  const { view, guard } = await load(deps, where.controlPointId);
  refuseSiren(view);
  const times = timesIn(view.zone, input, texts);
  const at = isoOf(deps.now());
  const wanted = {
    action: input.action,
    start_time: times.start_time ?? input.start_time,
    end_time: times.end_time ?? null,
    repeat_pattern: input.repeat_pattern,
    days_of_week: daysOf(input.days_of_week),
    is_active: input.is_active,
    description: input.description ?? null,
    effective_from: input.apply_now ? SINCE_EVER : at,
  };
  refuseViolations(wanted, view.zone);
  const same = view.schedules.find((known) => keyOf(known, view.zone) === keyOf(wanted, view.zone));
  if (same) {
    const after = { ...same, ...wanted, updated_at: at, rev: same.rev + 1 };
    return changed(deps, {
      view,
      by: where,
      change: update(schedule, same, wanted),
      before: same,
      after,
      isApplied: input.apply_now,
      guards: [guard],
    });
  }
  if (input.id !== undefined && (await deps.idTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  refuseMany(view);
  const row: RowOf<typeof schedule> = {
    id: input.id ?? deps.newId(),
    control_point_id: view.row.id,
    ...wanted,
    created_at: at,
    updated_at: null,
  };
  const after = { ...row, rev: 1 };
  return changed(deps, {
    view,
    by: where,
    change: insert(schedule, row),
    before: null,
    after,
    isApplied: input.apply_now,
    guards: [guard],
  });
}

/** Decides new values of a schedule. What it then turns ON goes ON at once; OFF waits for the next event. */
export async function changeSchedule(
  deps: ScheduleDeps,
  which: { schedule: Schedule } & By,
  input: z.infer<typeof scheduleChange>,
  texts: ScheduleTexts,
): Promise<Decision<SavedSchedule>> {
  const { view, guard } = await load(deps, which.schedule.control_point_id);
  const current = view.schedules.find(({ id }) => id === which.schedule.id);
  if (current === undefined) throw notFound('Schedule');
  const {
    apply_now,
    days_of_week,
    control_point_id: point = current.control_point_id,
    ...fields
  } = { ...input, ...timesIn(view.zone, input, texts) };
  const to = point === current.control_point_id ? null : await loadOnFarm(deps, point, view.row.farm_id);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const days = days_of_week === undefined ? {} : { days_of_week: daysOf(days_of_week) };
  const set: Partial<Schedule> = { ...given, ...days, ...(to === null ? {} : { control_point_id: point }) };
  if (Object.keys(set).length === 0 && apply_now === undefined)
    return { answer: { row: current, ...unchanged(deps, view, { id: current.id, by: which }) } };
  const at = isoOf(deps.now());
  const isRuleChange = Object.keys(set).some((field) => field !== 'description') || apply_now === true;
  const stamped = {
    ...set,
    ...(isRuleChange ? { effective_from: apply_now ? SINCE_EVER : at } : {}),
    updated_at: at,
  };
  const after = { ...current, ...stamped, rev: current.rev + 1 };
  refuseViolations(after, view.zone);
  if (to !== null) refuseTwin(to.view, after);
  const change = update(schedule, current, stamped);
  if (!isRuleChange) {
    const answer = { row: after, ...unchanged(deps, view, { id: after.id, by: which }) };
    return { answer, changes: [change], guards: [guard] };
  }
  return changed(deps, {
    view,
    by: which,
    change,
    before: current,
    after,
    isApplied: apply_now,
    guards: to === null ? [guard] : [guard, to.guard],
    to: to?.view,
  });
}

/** Decides the end of a schedule. What the others then turn ON goes ON at once; what runs goes on until the next event. */
export async function deleteSchedule(
  deps: ScheduleDeps,
  which: { schedule: Schedule } & By,
): Promise<Decision<SavedSchedule>> {
  const { view, guard } = await load(deps, which.schedule.control_point_id);
  const current = view.schedules.find(({ id }) => id === which.schedule.id);
  if (current === undefined) throw notFound('Schedule');
  return changed(deps, {
    view,
    by: which,
    change: remove(schedule, current),
    before: current,
    after: current,
    isApplied: false,
    isDeleted: true,
    guards: [guard],
  });
}

async function load(deps: ScheduleDeps, controlPointId: string) {
  const guard = await deps.guard('control_point', controlPointId);
  const view = await deps.freshView(controlPointId);
  if (view === null) throw notFound('Control point');
  return { view, guard };
}

/** One of another farm is told like one that is not there. */
async function loadOnFarm(deps: ScheduleDeps, controlPointId: string, farmId: string) {
  const guard = await deps.guard('control_point', controlPointId);
  const view = await deps.freshView(controlPointId);
  if (view === null || view.row.farm_id !== farmId)
    throw invalidField(422, 'control_point_id', 'no such control point on this farm');
  refuseSiren(view);
  refuseMany(view);
  return { view, guard };
}

function refuseSiren({ row }: ControlView): void {
  if (row.is_siren)
    throw conflict(`${row.cod} is a siren: critical alerts drive it, no schedule does`, 'IS_SIREN');
}

function refuseMany({ schedules }: ControlView): void {
  if (schedules.length < MOST_SCHEDULES) return;
  throw conflict(
    `A control point has at most ${MOST_SCHEDULES} schedules; delete one first`,
    'TOO_MANY_SCHEDULES',
  );
}

/** Two of one action, pattern and start are one. */
function refuseTwin({ schedules, zone, row }: ControlView, moved: Schedule): void {
  if (schedules.some((known) => keyOf(known, zone) === keyOf(moved, zone)))
    throw conflict(
      `${row.cod} has a schedule of that action, pattern and start; change or delete it first`,
      'ALREADY_EXISTS',
    );
}

type ScheduleEdit = {
  /** Where it stands, or stood before it was moved. */
  view: ControlView;
  /** Where it is moved. */
  to?: ControlView | undefined;
  by: By;
  change: Change;
  /** null: there was none. */
  before: Schedule | null;
  after: Schedule;
  isApplied: boolean | undefined;
  isDeleted?: boolean;
  guards: NonNullable<Decision<Schedule>['guards']>;
};

async function changed(deps: ScheduleDeps, edit: ScheduleEdit): Promise<Decision<SavedSchedule>> {
  const { view, to, before, after, by } = edit;
  // what holds now is known where the schedule is run: a gateway keeps it when the change comes to it
  const isElsewhere = await deps.gateways.hasGateway(view.row.farm_id);
  const told = {
    schedule_id: after.id,
    ...(before === null ? {} : { before: toldRule(before) }),
    schedule: edit.isDeleted ? 'deleted' : toldRule(after),
  };
  const stays = !edit.isDeleted && to === undefined;
  const here = atPoint(deps, edit, { view, isIn: stays, isElsewhere });
  if (to === undefined)
    return {
      answer: { row: after, ...here.effect },
      guards: edit.guards,
      changes: [edit.change, ...here.kept, logged(deps, view, by, told)],
    };
  const there = atPoint(deps, edit, { view: to, isIn: true, isElsewhere });
  const goesOn = here.effect.warnings.filter(({ code }) => code === 'KEEPS_RUNNING');
  return {
    answer: {
      row: after,
      takes_effect: there.effect.takes_effect,
      warnings: [...there.effect.warnings, ...goesOn],
    },
    guards: edit.guards,
    changes: [
      edit.change,
      ...here.kept,
      ...there.kept,
      logged(deps, view, by, { ...told, moved_to: to.row.id }),
      logged(deps, to, by, { ...told, moved_from: view.row.id }),
    ],
  };
}

/** What a change of a schedule does at a control point that has it, or has it no longer, after the change. */
function atPoint(
  deps: ScheduleDeps,
  { after, isApplied, by }: ScheduleEdit,
  { view, isIn, isElsewhere }: { view: ControlView; isIn: boolean; isElsewhere: boolean },
): { effect: ChangeEffect; kept: Change[] } {
  const now = deps.now();
  const others = ruleFactsOf(view, now).schedules.filter(({ id }) => id !== after.id);
  const rules: ChangedRules = {
    schedules: isIn ? [...others, ruleOf(after)] : others,
    zone: view.zone,
    isApplied: isApplied === true,
  };
  const change = { view, scheduleId: after.id, now, language: by.language };
  return {
    effect: effectOfChange(change, rules, leftBehind(view, now, rules)),
    kept: isElsewhere ? [] : keepWhatHolds(deps, view, rules),
  };
}

const logged = (
  deps: ScheduleDeps,
  { row }: ControlView,
  { userId }: By,
  details: Record<string, unknown>,
): Change =>
  audit(deps, {
    farm_id: row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: row.id,
    entity_name: row.cod,
    action: 'update',
    user_id: userId,
    details,
  });

/** Of a schedule whose rule stays as it is: what it does at this moment. */
function unchanged(deps: ScheduleDeps, view: ControlView, of: { id: string; by: By }): ChangeEffect {
  const now = deps.now();
  const { schedules, zone, base } = ruleFactsOf(view, now);
  const change = { view, scheduleId: of.id, now, language: of.by.language };
  return effectOfChange(change, { schedules, zone, isApplied: false }, { base, over: new Set() });
}

/** What the audit log tells of a schedule. */
function toldRule({ action, repeat_pattern, start_time, end_time, days_of_week, is_active }: Schedule) {
  return { action, repeat_pattern, start_time, end_time, days_of_week, is_active };
}

function refuseViolations(
  row: Omit<Schedule, 'rev' | 'id' | 'control_point_id' | 'created_at' | 'updated_at'>,
  zone: string,
): void {
  const violations = checkSchedule(
    { ...ruleOf({ ...row, id: '', control_point_id: '', created_at: '', updated_at: null }) },
    zone,
  );
  const [first] = violations;
  if (first === undefined) return;
  throw new AppError(422, `${first.path}: ${first.message}`, {
    code: 'VALIDATION_ERROR',
    errors: violations.map(({ path, code, message }) => ({ path, code: code.toUpperCase(), message })),
  });
}

function keyOf(row: Parameters<typeof refuseViolations>[0], zone: string): string {
  return sameScheduleKey(
    ruleOf({ ...row, id: '', control_point_id: '', created_at: '', updated_at: null }),
    zone,
  );
}

function daysOf(days: readonly number[] | null | undefined): number[] | null {
  return days && days.length > 0 ? [...days].sort((a, b) => a - b) : null;
}

/** Times as given, bare dates as the start of that day in the farm's zone. */
function timesIn(
  zone: string,
  input: { start_time?: string | undefined; end_time?: string | null | undefined },
  texts: ScheduleTexts,
): { start_time?: string | undefined; end_time?: string | null | undefined } {
  const read = (name: 'start_time' | 'end_time') => {
    const text = texts[name];
    return typeof text === 'string' && isDateOnly(text)
      ? isoOf(startOfLocalDay(zone, text.trim()))
      : undefined;
  };
  const start = read('start_time') ?? input.start_time;
  const end = read('end_time') ?? input.end_time;
  return {
    ...(start === undefined ? {} : { start_time: start }),
    ...(end === undefined ? {} : { end_time: end }),
  };
}

function startOfLocalDay(zone: string, date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return instantOfLocal(zone, { year, month, day }, { hour: 0, minute: 0, second: 0, millisecond: 0 });
}
