import type { DeviceEvent, HeartbeatFields, ShadowReported } from '#contract/mqtt/messages.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type ControlView, type ControlViews, currentOf, targetOf } from '../control-view.ts';
import type { Write, WriteBudget } from './write-budget.ts';

// A controller that has used up what it may make the disk write in a day: what it says still counts at once in memory, in
// control and in alarms, and is stored as one line per kind now and then, with how often it came, from when to when.

/** Between two lines while it goes on, and at the longest where they cost more than the day gives. */
const LINE_EVERY_MS = 10 * 60_000;
const LINE_AT_LAST_MS = 60 * 60_000;
/** After it has been quiet for so long its last state is stored, and what it says next is stored as it comes. */
const QUIET_MS = 60_000;

type Span = { count: number; firstAt: number; lastAt: number };
type Folded = {
  since: number;
  status: Span | null;
  events: Map<DeviceEvent['k'], Span & { last: DeviceEvent }>;
  /** What ours is to become, so that its controller obeys again; null: it does. */
  version: number | null;
  lineAtMonotonic: number;
  saidAtMonotonic: number;
  /** All of it, also what has been stored in lines. */
  total: number;
};

type FoldDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  monotonic: () => number;
  views: Pick<ControlViews, 'byId'>;
  budget: WriteBudget;
  /** It begins: people are told. */
  began: (view: ControlView) => void;
};

export type ReportFolding = ReturnType<typeof createReportFolding>;

export function createReportFolding(deps: FoldDeps) {
  const foldedById = new Map<string, Folded>();

  function begin(view: ControlView): Folded {
    const known = foldedById.get(view.row.id);
    if (known !== undefined) return known;
    const now = deps.monotonic();
    const folded: Folded = {
      since: deps.now(),
      status: null,
      events: new Map(),
      version: null,
      lineAtMonotonic: now,
      saidAtMonotonic: now,
      total: 0,
    };
    foldedById.set(view.row.id, folded);
    deps.began(view);
    return folded;
  }

  function counted<Known extends Span>(known: Known | null | undefined): Span {
    const now = deps.now();
    return { count: (known?.count ?? 0) + 1, firstAt: known?.firstAt ?? now, lastAt: now };
  }

  function mayStore(view: ControlView, what: Write): boolean {
    const { id } = view.row;
    if (foldedById.has(id)) return false;
    if (deps.budget.has(id, what)) return true;
    begin(view);
    return false;
  }

  function isDue(id: string, { lineAtMonotonic, saidAtMonotonic }: Folded): boolean {
    const now = deps.monotonic();
    const sinceLine = now - lineAtMonotonic;
    if (sinceLine >= LINE_AT_LAST_MS) return true;
    const isTime = sinceLine >= LINE_EVERY_MS || now - saidAtMonotonic >= QUIET_MS;
    return isTime && deps.budget.has(id, 'status');
  }

  function linesOf(view: ControlView, { status, events, version }: Folded): Change[] {
    const { row } = view;
    const isBehind = version !== null && version > targetOf(view).version;
    const current = currentOf(view);
    const isOther = current.current_status !== row.current_status;
    const entry = (action: string, span: Span, details: Record<string, unknown>) =>
      audit(deps, {
        farm_id: row.farm_id,
        entity_type: 'CONTROL_POINT',
        entity_id: row.id,
        entity_name: row.cod,
        action,
        user_id: null,
        origin: 'DEVICE',
        at: span.lastAt,
        details: {
          ...details,
          folded: span.count,
          first_at: isoOf(span.firstAt),
          last_at: isoOf(span.lastAt),
        },
      });
    return [
      ...(status === null
        ? []
        : [
            entry('status_changed', status, {
              from: row.current_status,
              to: current.current_status satisfies SwitchState | null,
              target: targetOf(view).target_status,
              via: view.presence.via,
            }),
          ]),
      // whatever else changes the row meanwhile, this is the newest word of its controller
      ...(isOther || isBehind
        ? [update(controlPoint, row.id, { ...(isOther ? current : {}), ...(isBehind ? { version } : {}) })]
        : []),
      ...[...events].map(([kind, span]) => entry(`device_${kind}`, span, { event_id: span.last.id })),
    ];
  }

  return {
    /** Whether it is stored as it comes, and then to be charged. False: it is to be given to one of those below. */
    mayStore,
    isFolding: (controlPointId: string): boolean => foldedById.has(controlPointId),
    /** It was stored. */
    charge: (controlPointId: string, what: Write): void => deps.budget.charge(controlPointId, what),
    /** Its motor changed, and the row does not say so yet. */
    addStatus(view: ControlView): void {
      const folded = begin(view);
      folded.status = counted(folded.status);
      folded.saidAtMonotonic = deps.monotonic();
      folded.total += 1;
    },
    addVersion(view: ControlView, version: number): void {
      begin(view).version = version;
    },
    addEvent(view: ControlView, event: DeviceEvent): void {
      const folded = begin(view);
      folded.events.set(event.k, { ...counted(folded.events.get(event.k)), last: event });
      folded.saidAtMonotonic = deps.monotonic();
      folded.total += 1;
    },
    /** Lines that are due, or all at a stop; `stored` is to be called when they are on disk. */
    lines(which: 'due' | 'all'): { changes: Change[]; stored: () => void } {
      const due = [...foldedById].filter(([id, folded]) => which === 'all' || isDue(id, folded));
      const written = due.flatMap(([id, folded]) => {
        const view = deps.views.byId(id);
        if (view === null) {
          foldedById.delete(id);
          deps.budget.forget(id);
          return [];
        }
        return [
          {
            id,
            folded,
            status: folded.status,
            events: new Map(folded.events),
            changes: linesOf(view, folded),
          },
        ];
      });
      return {
        changes: written.flatMap(({ changes }) => changes),
        stored() {
          for (const { id, folded, status, events, changes } of written) {
            for (const _line of changes) deps.budget.charge(id, 'event');
            settle(id, folded, { status, events });
          }
        },
      };
    },
    /** How much of each control point is folded now, for whoever looks for trouble. */
    figures: (): ReadonlyMap<string, { since: number; count: number }> =>
      new Map([...foldedById].map(([id, { since, total }]) => [id, { since, count: total }])),
  };

  /** What came while the lines were being stored stays for the next ones. */
  function settle(id: string, folded: Folded, { status, events }: Pick<Folded, 'status' | 'events'>): void {
    const now = deps.monotonic();
    folded.lineAtMonotonic = now;
    folded.version = null;
    folded.status = rest(folded.status, status);
    for (const [kind, span] of events) {
      const known = folded.events.get(kind);
      const left = known === undefined ? null : rest(known, span);
      if (known === undefined || left === null) folded.events.delete(kind);
      else folded.events.set(kind, { ...left, last: known.last });
    }
    const isOver = folded.status === null && folded.events.size === 0;
    if (isOver && now - folded.saidAtMonotonic >= QUIET_MS) foldedById.delete(id);
  }
}

function rest(now: Span | null, stored: Span | null): Span | null {
  if (now === null || stored === null) return now;
  const count = now.count - stored.count;
  return count === 0 ? null : { count, firstAt: stored.lastAt, lastAt: now.lastAt };
}

// The rows that a report changes; usually none.

export type ReportedBy = { via: 'mqtt' | 'http'; authenticated: boolean };

type ChangeDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>;

/**
 * How far before the version last sent a controller may be: it knows orders that a card restored from yesterday does not.
 * What is further names no order that ever was, and must not use up the numbers.
 */
const MOST_AHEAD = 1_000;

/** The version that a report makes ours; null: it leaves ours as it is. */
export function versionAfter(
  view: ControlView,
  { version, epoch }: Pick<HeartbeatFields, 'version' | 'epoch'>,
): number | null {
  const sent = targetOf(view).version;
  if (version === undefined || epoch !== view.row.epoch || version <= sent) return null;
  return isTooFarAhead(view, { version, epoch }) ? null : Math.min(version + 1, sent + MOST_AHEAD);
}

export const isTooFarAhead = (
  view: ControlView,
  { version = 0, epoch }: Pick<HeartbeatFields, 'version' | 'epoch'>,
): boolean => epoch === view.row.epoch && version > targetOf(view).version + MOST_AHEAD;

export function changesOf(
  deps: ChangeDeps,
  view: ControlView,
  fields: HeartbeatFields,
  by: ReportedBy,
): Change[] {
  const { row } = view;
  const { current_status } = fields;
  const isOther = current_status !== row.current_status;
  // A card restored from yesterday knows an older version than its controllers: they would ignore every order until
  // ours passed theirs.
  const version = versionAfter(view, fields);
  const done = by.authenticated ? appliedOrder(view, fields) : null;
  if (!isOther && version === null && done === null) return [];
  const at = isoOf(deps.now());
  const set = {
    // by its own time, though the disk may take it much later
    ...(isOther ? { current_status, current_since: currentOf(view).current_since ?? at } : {}),
    ...(version === null ? {} : { version }),
  };
  return [
    ...(isOther ? [statusAudit(deps, view, fields, by)] : []),
    ...(isOther || version !== null ? [update(controlPoint, row, set)] : []),
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

/** What a controller's answer to a level makes of the order behind it. */
export function acknowledgedOrder(
  deps: Pick<Kernel, 'now'>,
  view: ControlView,
  report: ShadowReported,
): Change[] {
  const open = view.openOrder;
  if (open === null || report.version !== open.version || report.epoch !== open.epoch) return [];
  const state = report.ack === 'deferred' ? 'ACKED' : report.ack === 'refused' ? 'REJECTED' : null;
  if (state === null || state === open.state) return [];
  return [update(order, open.id, { state, state_at: isoOf(deps.now()) })];
}

function statusAudit(deps: ChangeDeps, view: ControlView, fields: HeartbeatFields, by: ReportedBy): Change {
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
