import type {
  HeartbeatAnswer,
  HeartbeatFields,
  ShadowReported,
  UnprovedAnswer,
} from '#contract/mqtt/messages.ts';
import { order } from '#contract/resources/control-points.ts';
import type { Change } from '#core/changes.ts';
import { afterAnswer, afterBoot, afterState } from '#core/device-activity.ts';
import { notFound, StorageUnavailable } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import {
  type ControlView,
  type ControlViews,
  noteCurrent,
  type Presence,
  targetOf,
} from '../control-view.ts';
import {
  acknowledgedOrder,
  changesOf,
  isTooFarAhead,
  type ReportedBy,
  type ReportFolding,
  versionAfter,
} from './fold-reports.ts';
import { configRevOf, issuedAtS, type LevelDeps, levelEndOf, scheduleRevOf } from './publish-levels.ts';
import type { Write } from './write-budget.ts';

export type ReportDeps = Kernel &
  LevelDeps & {
    monotonic: () => number;
    views: ControlViews & { refresh: (id: string) => Promise<ControlView | null> };
    /** Tells those who watch presence (event stream, alerts); called after memory and disk know. */
    presenceChanged: (controlPointId: string) => void;
    /** The temporary order of this version came to its end at the controller. */
    levelEnded: (controlPointId: string, version: number) => void;
    folding: ReportFolding;
    /** A report named a version that was never sent, by far. */
    versionRefused: (view: ControlView, version: number) => void;
  };

/**
 * The heartbeat of a controller that polls. Presence changes in memory alone; a change of status, or of what became of
 * an order, is on disk before the answer. When the disk does not take it, control goes on: the answer says so, and the
 * next heartbeat tries again. Throws 404 when the control point is gone.
 */
export async function onHeartbeat(
  deps: ReportDeps,
  controlPointId: string,
  fields: HeartbeatFields,
  by: ReportedBy,
): Promise<HeartbeatAnswer | UnprovedAnswer> {
  const view = deps.views.byId(controlPointId);
  const isSaved = await saved(takeHeartbeat(deps, controlPointId, fields, by));
  const known = deps.views.byId(controlPointId) ?? view;
  if (known === null) throw notFound('Control point');
  const { target_status, ...more } = heartbeatAnswerOf(deps, known);
  return { target_status, ...(by.authenticated ? more : {}), ...(isSaved ? {} : { warnings: [NOT_SAVED] }) };
}

/** What counts of the word of somebody who only knows a name: what the motor does, and that it is there. */
const unproved = ({ current_status }: HeartbeatFields): HeartbeatFields => ({ current_status });

const NOT_SAVED = {
  code: 'NOT_SAVED',
  message: 'The disk does not take this report; control goes on, and the next report is stored',
};

async function saved(work: Promise<void> | undefined): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof StorageUnavailable) return false;
    throw error;
  }
}

/**
 * The same for a way whose only answer is the acknowledgement. Undefined: taken, and nothing was to be stored, as with
 * nearly every heartbeat, so nobody has to wait. Rejects with StorageUnavailable when the disk does not take it: control
 * knows, and the sender must not believe that it is stored.
 */
export function takeHeartbeat(
  deps: ReportDeps,
  controlPointId: string,
  said: HeartbeatFields,
  by: ReportedBy,
): Promise<void> | undefined {
  const fields = by.authenticated ? said : unproved(said);
  const view = deps.views.byId(controlPointId);
  if (view === null) throw notFound('Control point');
  heard(deps, view, by);
  const hasChanged = takeFields(deps, view, fields);
  takeEnd(deps, view, fields, by);
  const decide = (fresh: ControlView) => changesOf(deps, fresh, fields, by);
  return storeReport(deps, view, { fields, hasChanged, decide });
}

/**
 * A controller's answer to a level: applied, deferred (and until when), refused, or stale. Rejects with
 * StorageUnavailable as `takeHeartbeat` does.
 */
export async function onShadowReported(
  deps: ReportDeps,
  controlPointId: string,
  report: ShadowReported,
): Promise<void> {
  const view = deps.views.byId(controlPointId);
  if (view === null) return;
  const { presence } = view;
  const by: ReportedBy = { via: 'mqtt', authenticated: true };
  heard(deps, view, by);
  noteAnswer(deps, presence, report);
  presence.deferredUntil = report.ack === 'deferred' ? deps.now() + (report.until_s ?? 0) * 1000 : null;
  const fields = {
    current_status: report.current_status,
    version: report.version,
    epoch: report.epoch,
    ...(report.source === undefined ? {} : { source: report.source }),
  };
  const hasChanged = takeFields(deps, view, fields);
  const decide = (fresh: ControlView) => [
    ...changesOf(deps, fresh, fields, by),
    ...acknowledgedOrder(deps, fresh, report),
  ];
  await storeReport(deps, view, { fields, hasChanged, decide });
}

function heard(deps: ReportDeps, { row, presence }: ControlView, { via, authenticated }: ReportedBy): void {
  presence.lastReportAt = deps.now();
  presence.lastReportMonotonic = deps.monotonic();
  presence.via = via;
  presence.isProved = authenticated;
  presence.isLost = false;
  deps.views.unflushed.add(row.id);
}

/** After `heard`: what came now is set beside what was known. True when the motor stands otherwise than before. */
function takeFields(deps: ReportDeps, view: ControlView, fields: HeartbeatFields): boolean {
  const { presence } = view;
  noteActivity(presence, fields);
  const before = presence.current;
  noteCurrent(presence, fields.current_status, deps.now());
  if (isTooFarAhead(view, fields)) deps.versionRefused(view, fields.version ?? 0);
  else presence.reportedVersion = fields.version ?? presence.reportedVersion;
  presence.consumption = fields.consumption ?? presence.consumption;
  presence.source = fields.source ?? presence.source;
  presence.powerOk = fields.power_ok ?? presence.powerOk;
  presence.motorCurrentMa = fields.motor_current_ma ?? presence.motorCurrentMa;
  presence.rssi = fields.rssi ?? presence.rssi;
  presence.firmwareVersion = fields.firmware_version ?? presence.firmwareVersion;
  presence.uptimeS = fields.uptime_s ?? presence.uptimeS;
  presence.bootId = fields.boot_id ?? presence.bootId;
  return presence.current !== before;
}

/**
 * A controller that counted while this gateway was away knows better what is left: the order is over here too. By its
 * key alone, because it ends what a person ordered.
 */
function takeEnd(
  deps: ReportDeps,
  view: ControlView,
  { ended, version, epoch }: HeartbeatFields,
  by: ReportedBy,
): void {
  const target = targetOf(view);
  const isOurs = version === target.version && epoch === target.epoch;
  if (ended === true && by.authenticated && isOurs) deps.levelEnded(view.row.id, target.version);
}

function noteActivity(presence: Presence, fields: HeartbeatFields): void {
  const at = presence.lastReportMonotonic ?? 0;
  const { current_status: to, source = null, boot_id: bootId, uptime_s: uptimeS } = fields;
  const stated = afterState(presence.activity, presence.current, { at, to, source });
  presence.activity = afterBoot(stated, { at, bootId, uptimeS });
}

function noteAnswer(deps: ReportDeps, presence: Presence, report: ShadowReported): void {
  const { ack, epoch, version, until_s, reason } = report;
  const untilMs = until_s === undefined ? undefined : until_s * 1000;
  const said = { at: deps.monotonic(), ack, epoch, version, untilMs, reason };
  presence.activity = afterAnswer(presence.activity, said);
}

type Reported = {
  fields: HeartbeatFields;
  hasChanged: boolean;
  decide: (view: ControlView) => Change[];
};

/** Undefined: nothing is to be stored, or not now, so nobody has to wait. */
function storeReport(deps: ReportDeps, view: ControlView, reported: Reported): Promise<void> | undefined {
  const { id } = view.row;
  const what = writeOf(deps, view, reported);
  if (what === null) {
    deps.presenceChanged(id);
    return undefined;
  }
  return storeInTurn(deps, view, reported.decide)
    .then(() => {
      if (what !== 'maybe nothing') deps.folding.charge(id, what);
    })
    .finally(() => deps.presenceChanged(id));
}

/**
 * What a report makes the disk write; null: nothing, or not as it comes. What settles an order is stored in any case,
 * because orders are few; all else as far as the day's bytes go.
 */
function writeOf(
  { folding }: ReportDeps,
  view: ControlView,
  { fields, hasChanged, decide }: Reported,
): Write | 'maybe nothing' | null {
  const { id } = view.row;
  const changes = decide(view);
  const isBusy = isStoring(view.presence);
  const isFolding = folding.isFolding(id);
  if (changes.some(({ resource }) => resource.name === order.name)) return 'status';
  const version = versionAfter(view, fields);
  if (!isFolding && changes.length === 0 && !hasChanged) return isBusy ? 'maybe nothing' : null;
  if (!isFolding && changes.length === 0 && !isBusy) return null;
  const what = hasChanged || version === null ? 'status' : 'version';
  if (folding.mayStore(view, what)) return what;
  if (hasChanged) folding.addStatus(view);
  if (version !== null) folding.addVersion(view, version);
  return null;
}

const isStoring = ({ storing }: Presence): boolean => storing != null;

/**
 * One report of a controller after another, also when it came back while the last one of its former connection was being
 * stored: what it said last is what stands in the end.
 */
function storeInTurn(
  deps: ReportDeps,
  { row, presence }: ControlView,
  decide: (view: ControlView) => Change[],
): Promise<void> {
  const work = () => store(deps, row.id, decide);
  const stored = presence.storing == null ? work() : presence.storing.then(work);
  const end = stored
    .catch(() => undefined)
    .then(() => {
      if (presence.storing === end) presence.storing = null;
    });
  presence.storing = end;
  return stored;
}

async function store(deps: ReportDeps, id: string, decide: (view: ControlView) => Change[]): Promise<void> {
  let isRerun = false;
  try {
    await perform(deps, null, async () => {
      const view = isRerun ? await deps.views.refresh(id) : deps.views.byId(id);
      isRerun = true;
      return { answer: undefined, changes: view === null ? [] : decide(view) };
    });
  } catch (error) {
    if (error instanceof StorageUnavailable) {
      deps.log.warn(
        { controlPointId: id, reason: error.reason },
        'a report could not be saved; control goes on from memory',
      );
    }
    throw error;
  }
}

/** What a controller learns from a heartbeat. */
export function heartbeatAnswerOf(deps: LevelDeps, view: ControlView): HeartbeatAnswer {
  const { target_status, epoch, version } = targetOf(view);
  return {
    target_status,
    epoch,
    version,
    issued_at: issuedAtS(view),
    ...levelEndOf(deps, view),
    server_time: isoOf(deps.now()),
    poll_interval_s: deps.heartbeatS,
    schedule_rev: scheduleRevOf(deps, view),
    config_rev: configRevOf(deps, view),
  };
}
