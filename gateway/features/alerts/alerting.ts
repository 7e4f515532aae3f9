import type { RowOf } from '#contract/resource.ts';
import { alert } from '#contract/resources/alerts.ts';
import type { AlertType } from '#contract/words.ts';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import { audit } from '#core/audit.ts';
import { type Change, insertIfAbsent, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { measuredWords, titleOf, type Words } from './alert-words.ts';
import { inheritedBy, isQuiet, isToBeTold } from './episode-rules.ts';
import type { Alert, AlertQueries, EpisodeAlert, Notify, SubjectNames } from './ports.ts';

export type AlertingDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: Pick<
    AlertQueries,
    'idTaken' | 'namesOf' | 'openEpisode' | 'shelvedAlerts' | 'openAlerts' | 'foldedInto'
  >;
  notify: Notify;
};

/** A cause that can be said in both languages; `message` is then its Portuguese. */
export type WordedCause = AlertCause & { words?: Words };

export type AlertRow = RowOf<typeof alert>;

/** Most alerts one unit resolves; what is left is resolved by the next. */
const MOST_AT_ONCE = 500;

/** The one way alerts of the program itself come and go. */
export function createAlerting(deps: AlertingDeps): Alerting {
  return {
    async raise(cause: WordedCause) {
      const raised = await newAlert(deps, cause, { id: deps.idOf(cause.cause), userId: null });
      return raised?.changes ?? [];
    },
    async resolve({ at, ...which }) {
      const { control_point_id, pond_id, farm_id } = which;
      // of nothing in particular would be of everything
      if ((control_point_id ?? pond_id ?? farm_id) === undefined) return [];
      const open = await deps.queries.openAlerts(which, MOST_AT_ONCE);
      return resolveAlerts(deps, open, { userId: null, at: at ?? deps.now() });
    },
  };
}

/**
 * An alert with its audit entry and notifications; null when it exists already, or what it is about is gone.
 * A person's alert (`userId`) is its own episode: it is neither folded nor resolved by the program.
 */
export async function newAlert(
  deps: AlertingDeps,
  cause: WordedCause,
  by: { id: string; userId: string | null },
): Promise<{ row: AlertRow; changes: Change[] } | null> {
  const isManual = by.userId !== null;
  if (await deps.queries.idTaken(by.id)) return null;
  const names = await deps.queries.namesOf(cause);
  if (names === null) return null;
  const now = deps.now();
  const at = cause.at ?? now;
  const earlier = isManual ? [] : await earlierOf(deps, cause);
  const [shelf] = isManual ? [] : await deps.queries.shelvedAlerts(cause.type, cause, isoOf(now));
  const inherited = inheritedBy(cause.severity, earlier.at(-1), shelf, now);
  const row: AlertRow = {
    ...inherited,
    id: by.id,
    farm_id: cause.farm_id,
    control_point_id: cause.control_point_id,
    pond_id: cause.pond_id,
    type: cause.type,
    severity: cause.severity,
    message: cause.words?.('pt-BR') ?? cause.message,
    parameter: cause.parameter ?? null,
    value: cause.value ?? null,
    threshold: cause.threshold ?? null,
    status: 'ACTIVE',
    triggered_at: isoOf(at),
    resolved_at: null,
    resolved_by: null,
    episode_id: episodeOf(deps, cause, earlier) ?? by.id,
    folded_into: null,
    source: isManual ? 'manual' : 'automatic',
    clock_quality: deps.clockQuality(),
    created_at: isoOf(now),
    updated_at: null,
  };
  const isTold = !isQuiet(row, now) && isToBeTold(earlier, { at, severity: row.severity });
  const told = isTold ? await noticeOf(deps, cause, row, names) : [];
  return { row, changes: [insertIfAbsent(alert, row), created(deps, row, names, by.userId), ...told] };
}

function episodeOf(
  deps: AlertingDeps,
  cause: AlertCause,
  earlier: readonly EpisodeAlert[],
): string | undefined {
  return cause.episode === undefined ? earlier.at(-1)?.episode_id : deps.idOf(`episode:${cause.episode}`);
}

async function earlierOf(deps: AlertingDeps, cause: AlertCause): Promise<EpisodeAlert[]> {
  const open = await deps.queries.openEpisode(cause.type, cause);
  const episode = episodeOf(deps, cause, open);
  return open.filter((earlier) => earlier.episode_id === episode);
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

const SYSTEM_TYPES: readonly AlertType[] = ['CLOCK_UNTRUSTED', 'DISK_FULL'];

function noticeOf(
  deps: AlertingDeps,
  cause: WordedCause,
  row: AlertRow,
  names: SubjectNames,
): Promise<Change[]> {
  const ponds = names.pond ? [names.pond] : (names.controlPoint?.ponds ?? []);
  const words = cause.words ?? measuredWords(cause, names) ?? (() => row.message);
  return deps.notify({
    farmId: row.farm_id,
    type: SYSTEM_TYPES.includes(row.type) ? 'SYSTEM' : 'ALERT',
    cause: `alert:${row.id}`,
    text: (language) => ({ title: titleOf(row.type, names, language), message: words(language) }),
    data: {
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
      control_point_id: row.control_point_id,
      control_point_cod: names.controlPoint?.cod ?? null,
      ponds: ponds.map(({ id, cod }) => ({ id, cod })),
    },
  });
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
  for (const folded of await deps.queries.foldedInto(open, MOST_AT_ONCE)) {
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
