import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type {
  AlertRow,
  ChangeRow,
  LogRow,
  OnDisk,
  OrderRow,
  Point,
  Sight,
  StepDone,
  Write,
} from '../../scripts/soak/history.ts';
import type { Evidence } from '../../scripts/soak/oracle/judge.ts';

// A small campaign in which everything went well, to plant faults in.

export const T0 = Date.UTC(2026, 2, 2, 20);
export const iso = (ms: number) => new Date(ms).toISOString();
const USER = 'user-1';

export function aPoint(fields: Partial<Point> = {}): Point {
  return {
    id: 'cp-1',
    device_id: 'aer-1',
    mqtt_id: 'aer-1',
    key: '',
    transport: 'mqtt',
    feeder: 'F0',
    made_at: T0,
    made_target: 'OFF',
    min_on_s: 20,
    min_off_s: 30,
    isProbe: false,
    ...fields,
  };
}

export function anOrder(fields: Partial<Write> & { version?: number; target?: 'ON' | 'OFF' } = {}): Write {
  const { version = 1, target = 'ON', ...rest } = fields;
  return {
    kind: 'order',
    target,
    for_s: null,
    tag: `tag-${version}`,
    id: 'cp-1',
    pointId: 'cp-1',
    sentAt: T0 + version * 1000,
    answeredAt: T0 + version * 1000 + 5,
    status: 200,
    outcome: 'acked',
    at: T0 + version * 1000,
    version,
    ...rest,
  } as Write;
}

/** What the gateway leaves behind for these orders. */
export function diskWith(orders: readonly Write[]): OnDisk {
  const rows = orders.flatMap((write): OrderRow[] =>
    write.kind !== 'order'
      ? []
      : [
          {
            id: `order-${write.version}`,
            control_point_id: write.id,
            target_status: write.target,
            origin: 'LOCAL',
            issued_by: USER,
            reason: write.tag,
            version: write.version ?? 0,
            epoch: 'e',
            issued_at: iso(write.at ?? 0),
            hold_until: null,
            state: 'APPLIED',
          },
        ],
  );
  const changes = chained(
    rows.flatMap((row, place) => [
      {
        entity: 7,
        id: row.control_point_id,
        tx: place + 1,
        body: { shadow: { target_status: row.target_status } },
      },
      { entity: 8, id: row.id, tx: place + 1, body: { ...row } },
    ]),
  );
  const last = rows.at(-1);
  return {
    integrity: 'ok',
    heads: {
      core_seq: changes.length,
      core_chain: changes.at(-1)?.chain ?? '',
      history_seq: 0,
      history_chain: '',
    },
    changes,
    orders: rows,
    logs: rows.map(entryOf),
    alerts: [],
    points: [
      {
        id: 'cp-1',
        target_status: last?.target_status ?? 'OFF',
        current_status: last?.target_status ?? 'OFF',
        version: last?.version ?? 0,
        epoch: 'e',
      },
    ],
    schedules: [],
    ponds: [],
    notifications: 0,
  };
}

function entryOf(row: OrderRow): LogRow {
  return {
    id: `log-${row.id}`,
    entity_id: row.control_point_id,
    action: row.target_status === 'ON' ? 'turn_on' : 'turn_off',
    user_id: USER,
    origin: 'LOCAL',
    details: JSON.stringify({ version: row.version, reason: row.reason }),
    timestamp: row.issued_at,
  };
}

function chained(
  entries: readonly { entity: number; id: string; tx: number; body: Record<string, unknown> }[],
): ChangeRow[] {
  let chain = '';
  return entries.map(({ entity, id, tx, body }, place) => {
    const hlc = `${(T0 + place).toString(16).padStart(12, '0')}.0000.0001`;
    const text = canonicalize({ entity, id, op: 1, cl: 1, hlc, base: null, body, sv: 1 }) ?? '';
    chain = createHash('sha256')
      .update(Buffer.from(chain, 'hex'))
      .update(text)
      .digest()
      .subarray(0, 16)
      .toString('hex');
    return {
      lane: 'core',
      seq: place + 1,
      tx,
      entity,
      id,
      op: 1,
      cl: 1,
      hlc,
      base_json: null,
      body_json: JSON.stringify(body),
      schema_version: 1,
      chain,
    };
  });
}

export function anAlert(fields: Partial<AlertRow>): AlertRow {
  return {
    id: 'alert-1',
    control_point_id: 'cp-1',
    type: 'DEVICE_OFFLINE',
    status: 'RESOLVED',
    triggered_at: iso(T0 + 10_000),
    resolved_at: iso(T0 + 20_000),
    folded_into: null,
    ...fields,
  };
}

export function aCampaign(): Evidence {
  const writes = [anOrder({ version: 1 }), anOrder({ version: 2, target: 'OFF' })];
  const level = (ms: number, version: number, target: 'ON' | 'OFF'): Sight => ({
    device: 'aer-1',
    ms,
    kind: 'level',
    epoch: 'e',
    version,
    target,
  });
  const relay = (ms: number, to: 'ON' | 'OFF'): Sight => ({
    device: 'aer-1',
    ms,
    kind: 'relay',
    to,
    isForced: false,
  });
  const step: StepDone = {
    step: { kind: 'calm', forS: 100 },
    from: T0,
    to: T0 + 100_000,
    kills: 0,
    restartMs: [],
    convergedS: 1,
    notes: [],
  };
  return {
    points: [aPoint()],
    userId: USER,
    writes,
    publishes: [],
    sights: [level(1_000, 1, 'ON'), relay(1_500, 'ON'), level(40_000, 2, 'OFF'), relay(41_000, 'OFF')],
    steps: [step],
    disk: diskWith(writes),
  };
}
