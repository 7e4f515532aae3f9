import { alert } from '#contract/resources/alerts.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { composeHere } from '../in-process.ts';
import { answerCalls } from '../remote.ts';

// What a gateway writes while its link is down for a month: mostly readings, and the registers of its control points.

const DAY_MS = 86_400_000;
const READ_EVERY_MS = 300_000;
const ORDERS_A_DAY = 4;
const LOGS_PER_READINGS = 0.3;

type Written = { core: number; history: number };

const handlers = {
  /** So many days before now, through `commit`, as the program would; its stamps are of now. */
  async write({ data, days }: { data: string; days: number }): Promise<Written> {
    const { kernel, database } = await composeHere(data);
    const before = await heads(database);
    const { read } = database;
    const points = await read
      .selectFrom('control_points')
      .select(['id', 'farm_id', 'version', 'epoch', 'cod'])
      .execute();
    const ponds = await read.selectFrom('ponds').select(['id', 'farm_id']).execute();
    const startMs = Date.now() - days * DAY_MS;
    const versions = new Map(points.map(({ id, version }) => [id, version]));
    let logs = 0;
    for (let at = startMs; at < startMs + days * DAY_MS; at += READ_EVERY_MS) {
      const changes: Change[] = ponds.map(({ id }) => insert(measurement, reading(kernel.newId(), id, at)));
      logs += ponds.length * LOGS_PER_READINGS;
      for (; logs >= 1; logs -= 1) {
        const point = points[Math.floor(Math.random() * points.length)];
        if (point !== undefined) changes.push(insert(logEntry, entry(kernel.newId(), point, at)));
      }
      await kernel.commit({ actor: null, changes });
      const nth = Math.round((at - startMs) / READ_EVERY_MS);
      if (nth % Math.round(DAY_MS / READ_EVERY_MS / ORDERS_A_DAY) !== 0) continue;
      for (const [place, point] of points.entries()) {
        // so that half of them end as they did not begin
        if (nth === 0 && place % 2 === 1) continue;
        const version = (versions.get(point.id) ?? 1) + 1;
        versions.set(point.id, version);
        for (const unit of switching(kernel.newId(), { ...point, version }, at)) {
          await kernel.commit({ actor: null, changes: unit });
        }
      }
      const [pond] = ponds;
      if (pond !== undefined)
        for (const unit of alarm(kernel, pond, at)) await kernel.commit({ actor: null, changes: unit });
    }
    const after = await heads(database);
    await database.close();
    return { core: after.core - before.core, history: after.history - before.history };
  },
};

export type MonthOffline = typeof handlers;
answerCalls(handlers);

type Instance = Awaited<ReturnType<typeof composeHere>>;

async function heads({ read }: Instance['database']): Promise<Written> {
  const row = await read
    .selectFrom('sync_stream')
    .select(['core_seq', 'history_seq'])
    .where('stream_id', '=', 1)
    .executeTakeFirstOrThrow();
  return { core: row.core_seq, history: row.history_seq };
}

const around = (middle: number, spread: number, digits: number) =>
  Number((middle + (Math.random() - 0.5) * spread).toFixed(digits));

function reading(id: string, pond_id: string, at: number) {
  return {
    id,
    pond_id,
    measurement_date: isoOf(at),
    temperature: around(28.5, 3, 1),
    dissolved_oxygen: around(5.5, 3, 2),
    ph: around(8, 0.6, 2),
    salinity: around(14, 2, 1),
    alkalinity: null,
    ammonia: null,
    nitrite: null,
    nitrate: null,
    transparency: null,
    notes: null,
    source: 'probe' as const,
    created_by: null,
    clock_quality: 'trusted' as const,
    created_at: isoOf(at + 412),
    updated_at: null,
  };
}

type Point = { id: string; farm_id: string; version: number; epoch: string; cod: string };

function entry(id: string, { id: entity_id, farm_id, cod }: Point, at: number) {
  const isOn = Math.random() < 0.5;
  return {
    id,
    farm_id,
    entity_type: 'CONTROL_POINT' as const,
    entity_id,
    entity_name: cod,
    action: isOn ? 'device_on' : 'device_off',
    user_id: null,
    origin: 'SCHEDULE' as const,
    details: { current_status: isOn ? 'ON' : 'OFF', consumption: around(4, 1, 2) },
    timestamp: isoOf(at + 731),
    clock_quality: 'trusted' as const,
  };
}

/** An order of a schedule, and how the controller followed. */
function switching(id: string, point: Point, at: number): Change[][] {
  const target_status = point.version % 2 === 0 ? ('ON' as const) : ('OFF' as const);
  const [issued_at, applied_at] = [isoOf(at), isoOf(at + 2_300)];
  const made = {
    id,
    control_point_id: point.id,
    target_status,
    origin: 'SCHEDULE' as const,
    issued_by: null,
    reason: null,
    version: point.version,
    epoch: point.epoch,
    issued_at,
    hold_until: null,
    state: 'SENT' as const,
    state_at: issued_at,
    clock_quality: 'trusted' as const,
  };
  const target = { target_status, version: point.version, target_origin: 'SCHEDULE' as const };
  return [
    [insert(order, made), update(controlPoint, point.id, { ...target, last_command_at: issued_at })],
    [
      update(order, id, { state: 'APPLIED', state_at: applied_at }),
      update(controlPoint, point.id, { current_status: target_status, current_since: applied_at }),
    ],
  ];
}

function alarm({ newId }: Instance['kernel'], pond: { id: string; farm_id: string }, at: number): Change[][] {
  const id = newId();
  const times = { triggered_at: isoOf(at), created_at: isoOf(at), updated_at: null };
  const made = {
    id,
    farm_id: pond.farm_id,
    control_point_id: null,
    pond_id: pond.id,
    type: 'LOW_OXYGEN' as const,
    severity: 'HIGH' as const,
    message: 'Dissolved oxygen is low',
    parameter: 'dissolved_oxygen',
    value: around(2.8, 0.8, 2),
    threshold: 3,
    status: 'ACTIVE' as const,
    resolved_at: null,
    resolved_by: null,
    episode_id: newId(),
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
    told_at: isoOf(at),
    told_severity: 'HIGH' as const,
    source: 'automatic' as const,
    clock_quality: 'trusted' as const,
    ...times,
  };
  return [
    [insert(alert, made)],
    [update(alert, id, { status: 'RESOLVED', resolved_at: isoOf(at + 1_800_000) })],
  ];
}
