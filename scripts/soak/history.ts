import BetterSqlite from 'better-sqlite3';
import type { Origin, SwitchState } from '#contract/words.ts';
import type { Step } from './plan.ts';

// What happened in a campaign, as plain data: enough for the oracle to judge it again without the gateway. Times are
// farm time, ms since 1970, unless they say otherwise.

export type Point = {
  id: string;
  device_id: string;
  mqtt_id: string;
  key: string;
  transport: 'mqtt' | 'http';
  feeder: string;
  made_at: number;
  made_target: SwitchState;
  min_on_s: number;
  min_off_s: number;
  /** A controller of the load generator's own, which writes only; the fleet has none of that name. */
  isProbe: boolean;
};

/**
 * acked: a success was answered. unsaved: answered with NOT_SAVED. refused: answered 4xx, nothing may be there. unknown:
 * no answer, or 5xx; it may be there or not.
 */
export type Outcome = 'acked' | 'unsaved' | 'refused' | 'unknown';

export type ScheduleBody = {
  action: SwitchState;
  start_time: string;
  end_time: string | null;
  repeat_pattern: 'ONCE' | 'DAILY';
  is_active: boolean;
  description: string;
};

type Asked =
  | { kind: 'order'; target: SwitchState; for_s: number | null }
  | { kind: 'schedule_create' | 'schedule_change'; schedule: ScheduleBody }
  | { kind: 'schedule_delete' }
  | { kind: 'pond_create' | 'pond_change'; cod: string }
  | { kind: 'pond_delete' };

/** One write over HTTP. `tag` is found in what it stored: reason, description or code. */
export type Write = Asked & {
  tag: string;
  /** The thing it is about: control point for an order, else schedule or pond. */
  id: string;
  pointId: string | null;
  sentAt: number;
  answeredAt: number | null;
  status: number | null;
  outcome: Outcome;
  /** Of the answer: when it holds from, and the version of the target. */
  at: number | null;
  version: number | null;
};

/** One message over MQTT of a probe. */
export type Publish = {
  pointId: string;
  what: { event: string } | { status: SwitchState };
  sentAt: number;
  /** When the PUBACK came; null: it never did. */
  ackedAt: number | null;
};

/** What the fleet saw, in order per controller. `ms` is the fleet's clock, which never steps. */
export type Sight = { device: string; ms: number } & (
  | {
      kind: 'level';
      epoch: string;
      version: number;
      target: SwitchState;
      /** It ends by itself then, and this follows. */
      ends?: { atMs: number; next: SwitchState };
    }
  | { kind: 'relay'; to: SwitchState; isForced: boolean }
  | { kind: 'break' }
  /** From here on the disk was spoilt: what it did not take, a restart may have forgotten. */
  | { kind: 'spoilt' }
);

export type StepDone = {
  step: Step;
  from: number;
  to: number;
  kills: number;
  restartMs: number[];
  /** Farm seconds until every controller stood as it should after the step was healed. */
  convergedS: number | null;
  notes: string[];
};

export type Violation = {
  rule: string;
  what: string;
  /** The least that shows it. */
  context: unknown;
};

// What is on the disk, read by a second connection: the change log, and the tables people see.

export const ENTITY = { controlPoint: 7, order: 8, schedule: 9 } as const;

export type ChangeRow = {
  lane: 'core' | 'history';
  seq: number;
  tx: number;
  entity: number;
  id: string;
  op: number;
  cl: number;
  hlc: string;
  base_json: string | null;
  body_json: string | null;
  schema_version: number;
  chain: string;
};

export type OrderRow = {
  id: string;
  control_point_id: string;
  target_status: SwitchState;
  origin: Origin;
  issued_by: string | null;
  reason: string | null;
  version: number;
  epoch: string;
  issued_at: string;
  hold_until: string | null;
  state: string;
};

export type LogRow = {
  id: string;
  entity_id: string;
  action: string;
  user_id: string | null;
  origin: Origin | null;
  details: string | null;
  timestamp: string;
};

export type AlertRow = {
  id: string;
  control_point_id: string | null;
  type: string;
  status: string;
  triggered_at: string;
  resolved_at: string | null;
  folded_into: string | null;
};

type PointRow = {
  id: string;
  target_status: SwitchState;
  current_status: SwitchState | null;
  version: number;
  epoch: string;
};
type NamedRow = { id: string; hidden: number; tag: string | null };

export type OnDisk = {
  integrity: string;
  heads: { core_seq: number; core_chain: string; history_seq: number; history_chain: string };
  changes: ChangeRow[];
  orders: OrderRow[];
  logs: LogRow[];
  alerts: AlertRow[];
  points: PointRow[];
  schedules: NamedRow[];
  ponds: NamedRow[];
  notifications: number;
};

const CHANGES = `select lane, seq, tx, entity, id, op, cl, hlc, base_json, body_json, schema_version, chain
  from sync_change where stream_id = 1`;

/** Everything, once the gateway has stopped. */
export function readDisk(file: string): OnDisk {
  return withDatabase(file, (database) => {
    // the columns are those of each type
    const all = <Row>(sql: string) => database.prepare(sql).all() as Row[];
    const [heads] = all<OnDisk['heads']>(
      'select core_seq, core_chain, history_seq, history_chain from sync_stream where stream_id = 1',
    );
    const [check] = all<{ integrity_check: string }>('pragma integrity_check');
    const [told] = all<{ n: number }>('select count(*) as n from notifications');
    if (heads === undefined) throw new Error('the database has no change log of its own');
    return {
      integrity: check?.integrity_check ?? 'no answer',
      heads,
      changes: all<ChangeRow>(`${CHANGES} order by lane, seq`),
      orders: all<OrderRow>(
        `select id, control_point_id, target_status, origin, issued_by, reason, version, epoch, issued_at, hold_until,
          state from orders order by control_point_id, version`,
      ),
      logs: all<LogRow>(
        `select id, entity_id, action, user_id, origin, details, timestamp from logs
          where entity_type = 'CONTROL_POINT' order by timestamp`,
      ),
      alerts: all<AlertRow>(
        'select id, control_point_id, type, status, triggered_at, resolved_at, folded_into from alerts',
      ),
      points: all<PointRow>('select id, target_status, current_status, version, epoch from control_points'),
      schedules: all<NamedRow>('select id, hidden, description as tag from schedules'),
      ponds: all<NamedRow>('select id, hidden, cod as tag from ponds'),
      notifications: told?.n ?? 0,
    };
  });
}

/** What the change log got since, while the gateway runs. */
export function readChangesSince(file: string, seq: number): ChangeRow[] {
  return withDatabase(
    file,
    (database) =>
      // the columns are those of the type
      database.prepare(`${CHANGES} and lane = 'core' and seq > ? order by seq`).all(seq) as ChangeRow[],
  );
}

function withDatabase<Answer>(file: string, read: (database: BetterSqlite.Database) => Answer): Answer {
  const database = new BetterSqlite(file, { readonly: true, timeout: 5_000 });
  try {
    return read(database);
  } finally {
    database.close();
  }
}
