import type { HeartbeatAnswer, HeartbeatFields, ShadowReported } from '#contract/mqtt/messages.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, update } from '#core/changes.ts';
import {
  type ControlView,
  type ControlViews,
  currentOf,
  noteCurrent,
  type Presence,
  targetOf,
} from '#core/control-view.ts';
import { notFound, StorageUnavailable } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { configRevOf, issuedAtS, type LevelDeps, scheduleRevOf } from './levels.ts';

export type ReportDeps = Kernel &
  LevelDeps & {
    monotonic: () => number;
    views: ControlViews & { refresh: (id: string) => Promise<ControlView | null> };
    /** Tells those who watch presence (event stream, alerts); called after memory and disk know. */
    presenceChanged: (controlPointId: string) => void;
  };

export type ReportedBy = { via: 'mqtt' | 'http'; authenticated: boolean };

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
): Promise<HeartbeatAnswer> {
  const view = deps.views.byId(controlPointId);
  const isSaved = await saved(takeHeartbeat(deps, controlPointId, fields, by));
  const known = deps.views.byId(controlPointId) ?? view;
  if (known === null) throw notFound('Control point');
  return { ...heartbeatAnswerOf(deps, known), ...(isSaved ? {} : { warnings: [NOT_SAVED] }) };
}

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
  fields: HeartbeatFields,
  by: ReportedBy,
): Promise<void> | undefined {
  const view = deps.views.byId(controlPointId);
  if (view === null) throw notFound('Control point');
  heard(deps, view.presence, by.via);
  takeFields(view.presence, fields, deps.now());
  if (!isStoring(view.presence) && decideReport(deps, view, fields, by).length === 0) {
    deps.presenceChanged(controlPointId);
    return undefined;
  }
  return storeInTurn(deps, view, (fresh) => decideReport(deps, fresh, fields, by)).finally(() =>
    deps.presenceChanged(controlPointId),
  );
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
  heard(deps, presence, 'mqtt');
  presence.deferredUntil = report.ack === 'deferred' ? deps.now() + (report.until_s ?? 0) * 1000 : null;
  const fields = {
    current_status: report.current_status,
    version: report.version,
    epoch: report.epoch,
    ...(report.source === undefined ? {} : { source: report.source }),
  };
  takeFields(presence, fields, deps.now());
  const by: ReportedBy = { via: 'mqtt', authenticated: true };
  const decide = (fresh: ControlView) => [
    ...decideReport(deps, fresh, fields, by),
    ...acknowledged(deps, fresh, report),
  ];
  try {
    if (isStoring(presence) || decide(view).length > 0) await storeInTurn(deps, view, decide);
  } finally {
    deps.presenceChanged(controlPointId);
  }
}

function heard(deps: ReportDeps, presence: Presence, via: 'mqtt' | 'http'): void {
  presence.lastReportAt = deps.now();
  presence.lastReportMonotonic = deps.monotonic();
  presence.via = via;
  presence.isLost = false;
  presence.isDirty = true;
}

function takeFields(presence: Presence, fields: HeartbeatFields, atMs: number): void {
  noteCurrent(presence, fields.current_status, atMs);
  presence.consumption = fields.consumption ?? presence.consumption;
  presence.source = fields.source ?? presence.source;
  presence.reportedVersion = fields.version ?? presence.reportedVersion;
  presence.powerOk = fields.power_ok ?? presence.powerOk;
  presence.motorCurrentMa = fields.motor_current_ma ?? presence.motorCurrentMa;
  presence.rssi = fields.rssi ?? presence.rssi;
  presence.firmwareVersion = fields.firmware_version ?? presence.firmwareVersion;
  presence.uptimeS = fields.uptime_s ?? presence.uptimeS;
  presence.bootId = fields.boot_id ?? presence.bootId;
}

/** The rows a report changes; usually none. */
function decideReport(
  deps: ReportDeps,
  view: ControlView,
  fields: HeartbeatFields,
  by: ReportedBy,
): Change[] {
  const { row } = view;
  const { current_status, epoch, version } = fields;
  const isOther = current_status !== row.current_status;
  // A card restored from yesterday knows an older version than its controllers: they would ignore every order until
  // ours passed theirs.
  const isBehind = epoch === row.epoch && version !== undefined && version > targetOf(view).version;
  const done = appliedOrder(view, fields);
  if (!isOther && !isBehind && done === null) return [];
  const at = isoOf(deps.now());
  const set = {
    // by its own time, though the disk may take it much later
    ...(isOther ? { current_status, current_since: currentOf(view).current_since ?? at } : {}),
    ...(isBehind ? { version: version + 1 } : {}),
  };
  return [
    ...(isOther ? [statusAudit(deps, view, fields, by)] : []),
    ...(isOther || isBehind ? [update(controlPoint, row, set)] : []),
    ...(done === null ? [] : [update(order, done.id, { state: 'APPLIED' as const, state_at: at })]),
  ];
}

/** The open order that this report shows to be done; null: none. */
function appliedOrder(view: ControlView, fields: HeartbeatFields): ControlView['openOrder'] {
  const open = view.openOrder;
  if (open === null || open.target_status !== fields.current_status) return null;
  // an older report may still be under way when an order is given
  return fields.version !== undefined && fields.version < open.version ? null : open;
}

function acknowledged(deps: ReportDeps, view: ControlView, report: ShadowReported): Change[] {
  const open = view.openOrder;
  if (open === null || report.version !== open.version || report.epoch !== open.epoch) return [];
  const state = report.ack === 'deferred' ? 'ACKED' : report.ack === 'refused' ? 'REJECTED' : null;
  if (state === null || state === open.state) return [];
  return [update(order, open.id, { state, state_at: isoOf(deps.now()) })];
}

function statusAudit(deps: ReportDeps, view: ControlView, fields: HeartbeatFields, by: ReportedBy): Change {
  return audit(deps, {
    farm_id: view.row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: view.row.id,
    entity_name: view.row.cod,
    action: 'status_changed',
    user_id: null,
    origin: 'DEVICE',
    details: {
      from: view.row.current_status,
      to: fields.current_status,
      target: targetOf(view).target_status satisfies SwitchState,
      via: by.via,
      authenticated: by.authenticated,
      ...(fields.source === undefined ? {} : { source: fields.source }),
    },
  });
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
    server_time: isoOf(deps.now()),
    poll_interval_s: deps.heartbeatS,
    schedule_rev: scheduleRevOf(deps, view),
    config_rev: configRevOf(deps, view),
  };
}
