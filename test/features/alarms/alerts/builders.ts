import { alert } from '#contract/resources/alerts.ts';
import type { Alerting, EpisodeAlert } from '#core/alerting.ts';
import { type Commit, type Committed, insertIfAbsent, update } from '#core/changes.ts';
import { NO_ACTIVITY } from '#core/device-activity.ts';
import { isoOf } from '#core/kernel.ts';
import type { AlertRow } from '#features/alarms/alerts/alerting.ts';
import type { DeviceFacts, Listening, OpenAlert } from '#features/alarms/alerts/ports.ts';

export const FARM = '0190a000-0000-7000-8000-0000000000f1';
export const START = Date.UTC(2026, 2, 2, 12);

export function aDevice(facts: Partial<DeviceFacts> = {}): DeviceFacts {
  return {
    controlPointId: '0190a000-0000-7000-8000-0000000000c1',
    farmId: FARM,
    cod: 'CP-1',
    ponds: [{ id: '0190a000-0000-7000-8000-0000000000b1', cod: 'V-01' }],
    simulator: null,
    target: 'OFF',
    current: 'OFF',
    currentSince: START,
    version: 1,
    epoch: 'e1',
    lastReportAt: START,
    lastReportMonotonic: 0,
    isOnline: true,
    via: 'mqtt',
    powerOk: null,
    motorCurrentMa: null,
    activity: NO_ACTIVITY,
    limits: { minOnMs: 0, minOffMs: 0, startDelayMs: 0 },
    orderedBy: 'LOCAL',
    wasOrdered: true,
    orderState: null,
    hasKey: true,
    isStocked: false,
    trouble: null,
    ...facts,
  };
}

export const listeningSince = (sinceMonotonic: number, previousUntil: number | null = null): Listening => ({
  startedMonotonic: sinceMonotonic,
  sinceMonotonic,
  pauses: [],
  previousUntil,
  heartbeatIntervalMs: 30_000,
});

export function anEpisodeAlert(facts: Partial<EpisodeAlert> = {}): EpisodeAlert {
  return {
    id: 'a1',
    episode_id: 'e1',
    severity: 'MEDIUM',
    triggered_at: isoOf(START),
    acknowledged_at: null,
    acknowledged_by: null,
    acknowledge_note: null,
    silenced_until: null,
    silenced_by: null,
    silence_reason: null,
    shelved_until: null,
    shelved_by: null,
    shelve_reason: null,
    told_at: isoOf(START),
    told_severity: 'MEDIUM',
    ...facts,
  };
}

/** An alert store in memory: enough for the watch, fast enough for thousands of random sequences. */
export function memoryAlerts() {
  const rows = new Map<string, AlertRow>();
  let commits = 0;
  const alerting: Alerting = {
    async raise(cause) {
      if (rows.has(cause.cause)) return [];
      const row = { ...blank, ...cause, id: cause.cause, status: 'ACTIVE' as const };
      return [insertIfAbsent(alert, { ...row, triggered_at: isoOf(START) })];
    },
    async resolve({ type, control_point_id, farm_id }) {
      return [...rows.values()]
        .filter((row) => row.status === 'ACTIVE' && row.type === type)
        .filter((row) => control_point_id === undefined || row.control_point_id === control_point_id)
        .filter((row) => farm_id === undefined || row.farm_id === farm_id)
        .map((row) => update(alert, row.id, { status: 'RESOLVED', folded_into: null }));
    },
    revise: async () => null,
    restate: async (id, now) => [update(alert, id, { severity: now.severity, message: now.message })],
  };
  const commit: Commit = async ({ changes: all }) => {
    // the store holds alerts alone
    const changes = all.filter(({ resource }) => resource.name === alert.name);
    if (changes.length === 0) return { rows: [] };
    commits += 1;
    const committed = changes.flatMap((change): Committed['rows'][number][] => {
      if (change.op !== 'insert' && change.op !== 'update') return [];
      const id = change.op === 'insert' ? change.row.id : change.id;
      const before = rows.get(id) ?? null;
      const set = change.op === 'insert' ? change.row : change.set;
      const after = { ...before, ...set } as AlertRow;
      rows.set(id, after);
      return [{ table: 'alerts', id, before, after, rev: 1, hidden: false }];
    });
    return { rows: committed };
  };
  return {
    alerting,
    commit,
    all: () => [...rows.values()],
    active: () => [...rows.values()].filter(({ status }) => status === 'ACTIVE'),
    commits: () => commits,
    silences: async () => [],
    queries: {
      openOfTypes: async (): Promise<OpenAlert[]> =>
        [...rows.values()].filter(({ status }) => status === 'ACTIVE'),
    },
  };
}

const blank = {
  pond_id: null,
  parameter: null,
  value: null,
  threshold: null,
  resolved_at: null,
  resolved_by: null,
  episode_id: 'e',
  folded_into: null,
  acknowledged_at: null,
  acknowledged_by: null,
  acknowledge_note: null,
  silenced_until: null,
  silenced_by: null,
  silence_reason: null,
  shelved_until: null,
  shelved_by: null,
  shelve_reason: null,
  told_at: null,
  told_severity: null,
  source: 'automatic' as const,
  clock_quality: 'trusted' as const,
  created_at: isoOf(START),
  updated_at: null,
};
