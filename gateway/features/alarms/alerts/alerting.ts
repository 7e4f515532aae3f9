import type { RowOf } from '#contract/resource.ts';
import { alert } from '#contract/resources/alerts.ts';
import type { AlertType } from '#contract/words.ts';
import type { AlertCause, KnownSubject, NamedControlPoint, SubjectNames } from '#core/alerting.ts';
import { audit } from '#core/audit.ts';
import { type Change, insertIfAbsent, onTables, type RowListener, rowsOf, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { measuredWords, titleOf } from './alert-words.ts';
import { inheritedBy, isQuiet, isToBeTold, TELL_AGAIN_MS } from './episode-rules.ts';
import type { Alert, AlertQueries, LastTold, OpenAlert } from './ports.ts';

export type AlertingDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: Pick<
    AlertQueries,
    | 'alertById'
    | 'idTaken'
    | 'namesOf'
    | 'newestOpen'
    | 'lastTold'
    | 'shelvedAlerts'
    | 'openAlerts'
    | 'foldedInto'
  >;
  notify: Notify;
};

export type AlertRow = RowOf<typeof alert>;

/** Most alerts of an episode that one unit resolves, so that control does not wait for it; see finish-episodes. */
export const MOST_AT_ONCE = 200;
/** Most controllers that a power failure took along and its end shows again. */
const MOST_FOLDED = 500;

/**
 * An alert with its audit entry and notifications; null when it exists already, or what it is about is gone.
 * A person's alert (`userId`) is its own episode: it is neither folded nor resolved by the program.
 */
export async function newAlert(
  deps: AlertingDeps,
  cause: AlertCause,
  by: { id: string; userId: string | null },
): Promise<{ row: AlertRow; changes: Change[] } | null> {
  if (await deps.queries.idTaken(by.id)) return null;
  const names = await deps.queries.namesOf(cause);
  if (names === null) return null;
  const standsAlone = by.userId !== null || cause.as === 'past';
  const open = standsAlone
    ? null
    : await deps.queries.newestOpen(cause.type, cause, namedEpisode(deps, cause));
  return storedAlert(deps, cause, by, { names, open });
}

export async function storedAlert(
  deps: AlertingDeps,
  cause: AlertCause,
  by: { id: string; userId: string | null },
  { names, open }: KnownSubject,
): Promise<{ row: AlertRow; changes: Change[] }> {
  const now = deps.now();
  const isPast = cause.as === 'past';
  const isManual = by.userId !== null;
  const newest = isPast || isManual ? null : open;
  const shelves = isPast || isManual ? [] : await deps.queries.shelvedAlerts(cause.type, cause, isoOf(now));
  const inherited = inheritedBy(cause.severity, newest, shelves, now);
  const isNews = (cause.as ?? 'news') === 'news';
  // what goes and comes again is one trouble for those who are woken by it
  const last = newest ?? (isNews && !isManual ? await lastTold(deps, cause, now) : null);
  const isTold = isNews && !isQuiet(inherited, now) && isToBeTold(last, cause.severity, now);
  const row: AlertRow = {
    ...inherited,
    told_at: isTold ? isoOf(now) : (last?.told_at ?? null),
    told_severity: isTold ? cause.severity : (last?.told_severity ?? null),
    id: by.id,
    farm_id: cause.farm_id,
    control_point_id: cause.control_point_id,
    pond_id: cause.pond_id,
    type: cause.type,
    severity: cause.severity,
    message: cause.message,
    parameter: cause.parameter ?? null,
    value: cause.value ?? null,
    threshold: cause.threshold ?? null,
    status: isPast ? 'RESOLVED' : 'ACTIVE',
    triggered_at: isoOf(cause.at ?? now),
    resolved_at: isPast ? isoOf(now) : null,
    resolved_by: null,
    episode_id: namedEpisode(deps, cause) ?? newest?.episode_id ?? by.id,
    folded_into: null,
    source: isManual ? 'manual' : 'automatic',
    clock_quality: deps.clockQuality(),
    created_at: isoOf(now),
    updated_at: null,
  };
  // two readings at the same moment tell the same news, so that it is told once
  const news = `alert:${row.episode_id}:${newest?.told_at ?? 'first'}`;
  const told = isTold ? await noticeOf(deps, cause, row, { names, news }) : [];
  return { row, changes: [insertIfAbsent(alert, row), created(deps, row, names, by.userId), ...told] };
}

function lastTold(
  deps: Pick<AlertingDeps, 'queries'>,
  cause: AlertCause,
  now: number,
): Promise<LastTold | null> {
  return deps.queries.lastTold(cause.type, cause, isoOf(now - TELL_AGAIN_MS));
}

function namedEpisode(deps: Pick<AlertingDeps, 'idOf'>, { episode }: AlertCause): string | undefined {
  return episode === undefined ? undefined : deps.idOf(`episode:${episode}`);
}

function created(deps: AlertingDeps, row: AlertRow, names: SubjectNames, userId: string | null): Change {
  const { type, severity, message, value, threshold } = row;
  return audit(deps, {
    ...entityOf(row, names),
    action: 'alert_created',
    user_id: userId,
    details: { alert_id: row.id, type, severity, message, value, threshold },
    at: Date.parse(row.created_at),
    cause: `alert_created:${row.id}`,
    // a measurement may be corrected on both sides
    isOfBoth: true,
  });
}

/** Water is a matter of its probe or its pond; else the control point; else the system. */
function entityOf(row: Pick<AlertRow, 'farm_id' | 'control_point_id' | 'pond_id'>, names: SubjectNames) {
  const { farm_id } = row;
  if (names.pond) {
    return { farm_id, entity_type: 'SENSOR' as const, entity_id: names.pond.id, entity_name: names.pond.cod };
  }
  if (names.controlPoint) {
    const { id, cod } = names.controlPoint;
    return { farm_id, entity_type: 'CONTROL_POINT' as const, entity_id: id, entity_name: cod };
  }
  return { farm_id, entity_type: 'SYSTEM' as const, entity_id: farm_id, entity_name: names.farmName };
}

export const SYSTEM_TYPES: readonly AlertType[] = ['CLOCK_UNTRUSTED', 'DISK_FULL'];

/** `news` names what is told, so that it is told once. */
export function noticeOf(
  deps: AlertingDeps,
  cause: AlertCause,
  row: AlertRow,
  { names, news }: { names: SubjectNames; news: string },
): Promise<Change[]> {
  const words = cause.words ?? measuredWords(cause, names) ?? (() => row.message);
  return deps.notify(
    { farmId: row.farm_id, who: 'attendants' },
    {
      type: SYSTEM_TYPES.includes(row.type) ? 'SYSTEM' : 'ALERT',
      severity: row.severity,
      cause: news,
      title: (language) => titleOf(row.type, names, language),
      message: words,
      data: alertData(row, names, cause.controlPoints),
    },
  );
}

/** What a program finds in the `data` of a notification about an alert; its one pond and control point are the first. */
export function alertData(
  row: AlertRow,
  names: SubjectNames,
  controlPoints: readonly NamedControlPoint[] = names.controlPoint ? [names.controlPoint] : [],
): Record<string, unknown> {
  const aired = new Map(controlPoints.flatMap((each) => each.ponds.map((pond) => [pond.id, pond] as const)));
  const ponds = names.pond ? [names.pond] : [...aired.values()];
  return {
    pond_id: ponds[0]?.id ?? null,
    pond_cod: ponds[0]?.cod ?? null,
    parameter: row.parameter,
    value: row.value,
    threshold: row.threshold,
    alert_id: row.id,
    alert_type: row.type,
    severity: row.severity,
    episode_id: row.episode_id,
    farm_id: row.farm_id,
    control_point_id: names.controlPoint?.id ?? null,
    control_point_cod: names.controlPoint?.cod ?? null,
    control_points: controlPoints.map(({ id, cod }) => ({ id, cod })),
    ponds: ponds.map(({ id, cod }) => ({ id, cod })),
  };
}

/** Changes that end these ACTIVE alerts, with one audit entry per episode; what was folded into them shows again. */
export async function resolveAlerts(
  deps: AlertingDeps,
  open: readonly Alert[],
  { userId, at }: { userId: string | null; at: number },
): Promise<Change[]> {
  if (open.length === 0) return [];
  const resolved_at = isoOf(at);
  const changes = open.map((row) =>
    update(alert, row, { status: 'RESOLVED', resolved_at, resolved_by: userId, updated_at: resolved_at }),
  );
  const endedIds = new Set(open.map(({ id }) => id));
  for (const folded of await deps.queries.foldedInto(open, MOST_FOLDED)) {
    if (!endedIds.has(folded.id)) {
      changes.push(update(alert, folded, { folded_into: null, updated_at: resolved_at }));
    }
  }
  const newestByEpisode = new Map<string, Alert>();
  for (const row of open) {
    if (!newestByEpisode.has(row.episode_id)) newestByEpisode.set(row.episode_id, row);
  }
  for (const row of newestByEpisode.values()) {
    const names = await deps.queries.namesOf(row);
    if (names === null) continue;
    const alerts = open.filter(({ episode_id }) => episode_id === row.episode_id).length;
    changes.push(logged(deps, row, names, { action: 'alert_resolved', userId, details: { alerts } }));
  }
  return changes;
}

/** Audit entry of something done to an alert. */
export function logged(
  deps: AlertingDeps,
  row: Alert,
  names: SubjectNames,
  act: { action: string; userId: string | null; details?: Record<string, unknown> },
): Change {
  return audit(deps, {
    ...entityOf(row, names),
    action: act.action,
    user_id: act.userId,
    details: { alert_id: row.id, type: row.type, message: row.message, ...act.details },
  });
}

/** The program's own ACTIVE alerts of some types in memory, so that a look at a thousand controllers asks nothing. */
export type OpenAlerts = {
  /** Reads them once. */
  load: () => Promise<void>;
  /** Follows every committed unit: a person may have resolved one, or deleted what it is about. */
  follow: RowListener;
  of: (type: AlertType, thingId: string) => OpenAlert | null;
  /** The newest of each type and thing. */
  all: () => Iterable<OpenAlert>;
};

/** `thingOf` names what an alert of these types is about: the control point, or the farm. */
export function createOpenAlerts(deps: {
  queries: Pick<AlertQueries, 'openOfTypes'>;
  types: readonly AlertType[];
  thingOf: (row: OpenAlert) => string | null;
}): OpenAlerts {
  const openByKey = new Map<string, OpenAlert>();
  const endedWhileLoading = new Set<string>();
  let loading: Promise<void> | null = null;
  let isLoaded = false;
  const keyOf = (type: AlertType, thing: string | null) => `${type} ${thing}`;

  function keep(row: OpenAlert): void {
    openByKey.set(keyOf(row.type, deps.thingOf(row)), row);
  }

  async function read(): Promise<void> {
    for (const row of await deps.queries.openOfTypes(deps.types)) {
      if (!endedWhileLoading.has(row.id)) keep(row);
    }
    endedWhileLoading.clear();
    isLoaded = true;
  }

  return {
    load() {
      loading ??= read().catch((error: unknown) => {
        loading = null;
        throw error;
      });
      return loading;
    },
    follow: onTables([alert], (committed) => {
      for (const { after, hidden } of rowsOf(committed, alert)) {
        if (after.source !== 'automatic' || !deps.types.includes(after.type)) continue;
        if (after.status === 'ACTIVE' && !hidden) {
          keep(after);
          continue;
        }
        if (loading !== null && !isLoaded) endedWhileLoading.add(after.id);
        const key = keyOf(after.type, deps.thingOf(after));
        if (openByKey.get(key)?.id === after.id) openByKey.delete(key);
      }
    }),
    of: (type, thingId) => openByKey.get(keyOf(type, thingId)) ?? null,
    all: () => openByKey.values(),
  };
}
