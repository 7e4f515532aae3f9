import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import {
  type AlertRow,
  type ChangeRow,
  ENTITY,
  type OnDisk,
  type Point,
  type Publish,
  type Sight,
  type StepDone,
  type Violation,
  type Write,
} from '../history.ts';
import { type Effect, effectsOf, emptyFound, find } from '../resolve.ts';
import { motorsRest, ordersActOnce } from './controllers.ts';
import { durablePublishes, durableWrites } from './durable.ts';
import { scheduleEvents } from './expected.ts';

// No storm: a trouble is told once per controller, a power cut once per farm, and people once per alert.

const LONGEST_UNTOLD_S = 600;

/** A step ends before its alerts do. */
const AFTERWARDS_MS = 120_000;

/** Alerts that a level of orders may raise again with every order; the others once per step and thing. */
const PER_ORDER = new Set(['COMMAND_NOT_CONFIRMED', 'NO_CURRENT']);

type Details = { version?: number; reason?: string };

// the audit writes an object
const detailsOf = (text: string | null) => JSON.parse(text ?? '{}') as Details;

// The change log from its first row: no gap, every link of the chain, stamps that only grow, heads that fit.

const CHAIN_BYTES = 16;

/** All that a campaign left behind. */
export type Evidence = {
  points: readonly Point[];
  userId: string;
  writes: readonly Write[];
  publishes: readonly Publish[];
  sights: readonly Sight[];
  steps: readonly StepDone[];
  disk: OnDisk;
};

/** Every rule over everything, at the end. What has to be right at its time is judged after each step. */
export function judge({ points, userId, writes, publishes, sights, steps, disk }: Evidence): Violation[] {
  return [
    ...durableWrites(writes, disk),
    ...durablePublishes(publishes, points, disk),
    ...changeLogIsWhole(disk),
    ...motorsRest(sights, points),
    ...ordersActOnce(sights),
    ...logsTellTheStory(writes, disk, userId),
    ...triggersAreTold({ writes, points, steps }, disk),
    ...noAlertStorm(disk, steps, points),
  ];
}

// Every event of a schedule is in the audit, once, whatever was broken when it came.

function triggersAreTold(
  {
    writes,
    points,
    steps,
  }: { writes: readonly Write[]; points: readonly Point[]; steps: readonly StepDone[] },
  disk: OnDisk,
): Violation[] {
  const told = new Map<string, number>();
  for (const { action, entity_id, details } of disk.logs) {
    if (action !== 'schedule_trigger') continue;
    // the audit writes an object
    const { schedule_id, due_at, edge } = JSON.parse(details ?? '{}') as Record<string, string>;
    told.set(
      `${entity_id} ${schedule_id} ${due_at} ${edge}`,
      1 + (told.get(`${entity_id} ${schedule_id} ${due_at} ${edge}`) ?? 0),
    );
  }
  const twice = [...told].filter(([, times]) => times > 1);
  const found = emptyFound();
  find(found, disk.changes);
  const effects = Map.groupBy(effectsOf(writes, found), ({ write }) => write.pointId);
  const known = new Set([...told.keys()].map((name) => name.split(' ').slice(0, 3).join(' ')));
  return [
    ...twice.map(([name, times]) => ({
      rule: 'a trigger is told once',
      what: `it is told ${times} times`,
      context: name,
    })),
    ...points.flatMap((point) => untold({ point, effects: effects.get(point.id) ?? [] }, steps, known)),
  ];
}

/** Those that nobody could still miss: the step they fell into was over before their schedule was changed. */
function untold(
  { point, effects }: { point: Point; effects: readonly Effect[] },
  steps: readonly StepDone[],
  known: ReadonlySet<string>,
): Violation[] {
  const lastEnd = steps.at(-1)?.to ?? 0;
  return scheduleEvents(effects, lastEnd).flatMap((event) => {
    const next = steps.findIndex(({ from }) => from > event.at);
    const settledAt = steps[next]?.from ?? Number.POSITIVE_INFINITY;
    if (event.ruleUntil < settledAt) return [];
    if (known.has(`${point.id} ${event.scheduleId} ${new Date(event.at).toISOString()}`)) return [];
    const during = steps[next === -1 ? steps.length - 1 : next - 1]?.step.kind;
    return [
      {
        rule: 'every trigger is told',
        what: `an event during ${during ?? 'the start'} is not in the audit`,
        context: { device: point.device_id, event },
      },
    ];
  });
}

function changeLogIsWhole(disk: OnDisk): Violation[] {
  const violations: Violation[] = [];
  if (disk.integrity !== 'ok') {
    violations.push({ rule: 'integrity_check', what: 'the database is damaged', context: disk.integrity });
  }
  for (const lane of ['core', 'history'] as const) {
    const rows = disk.changes.filter((row) => row.lane === lane);
    const broken = firstBreak(rows);
    if (broken !== null) violations.push(broken);
    const head = { seq: disk.heads[`${lane}_seq`], chain: disk.heads[`${lane}_chain`] };
    const last = rows.at(-1);
    if ((last?.seq ?? 0) !== head.seq || (last?.chain ?? '') !== head.chain) {
      violations.push({
        rule: 'change log',
        what: `the head of ${lane} does not fit`,
        context: { head, last: last?.seq ?? null },
      });
    }
  }
  return violations;
}

function firstBreak(rows: readonly ChangeRow[]): Violation | null {
  let before: ChangeRow | null = null;
  for (const row of rows) {
    const what =
      row.seq !== (before?.seq ?? 0) + 1
        ? 'a gap'
        : row.tx < (before?.tx ?? 0)
          ? 'transactions out of order'
          : before !== null && row.hlc <= before.hlc
            ? 'a stamp that does not grow'
            : row.chain !== linkOf(before?.chain ?? '', row)
              ? 'a broken link'
              : null;
    if (what !== null)
      return { rule: 'change log', what: `${what} in ${row.lane}`, context: { before, row } };
    before = row;
  }
  return null;
}

function linkOf(chain: string, row: ChangeRow): string {
  const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  const text = canonicalize({
    entity: row.entity,
    id: row.id,
    op: row.op,
    cl: row.cl,
    hlc: row.hlc,
    base: parsed(row.base_json),
    body: parsed(row.body_json),
    sv: row.schema_version,
  });
  return createHash('sha256')
    .update(Buffer.from(chain, 'hex'))
    .update(text ?? '')
    .digest()
    .subarray(0, CHAIN_BYTES)
    .toString('hex');
}

// The logs tell what happened, once: each order has one audit entry, each entry its order, people's orders their name
// and reason.

function logsTellTheStory(writes: readonly Write[], disk: OnDisk, userId: string): Violation[] {
  return [...ordersAndEntries(disk), ...targetsHaveOrders(disk), ...people(writes, disk, userId)];
}

function ordersAndEntries(disk: OnDisk): Violation[] {
  const entries = new Map<string, number>();
  for (const { action, entity_id, details } of disk.logs) {
    if (action !== 'turn_on' && action !== 'turn_off') continue;
    const name = `${entity_id} ${detailsOf(details).version} ${action === 'turn_on' ? 'ON' : 'OFF'}`;
    entries.set(name, (entries.get(name) ?? 0) + 1);
  }
  const orders = new Set(
    disk.orders.map((row) => `${row.control_point_id} ${row.version} ${row.target_status}`),
  );
  const wrong = [...orders].filter((name) => entries.get(name) !== 1);
  const alone = [...entries.keys()].filter((name) => !orders.has(name));
  return [
    ...wrong.map((name) => ({
      rule: 'one entry per order',
      what: `an order has ${entries.get(name) ?? 0} entries`,
      context: name,
    })),
    ...alone.map((name) => ({ rule: 'one entry per order', what: 'an entry has no order', context: name })),
  ];
}

/** Every change of a target came with an order, in the same transaction. */
function targetsHaveOrders(disk: OnDisk): Violation[] {
  const orderedIn = new Set(
    disk.changes
      .filter(({ entity }) => entity === ENTITY.order)
      .flatMap(({ tx, body_json }) => {
        // the change log holds JSON objects
        const { control_point_id } = JSON.parse(body_json ?? '{}') as { control_point_id?: string };
        return control_point_id === undefined ? [] : [`${tx} ${control_point_id}`];
      }),
  );
  const targets = new Map<string, string>();
  return disk.changes.flatMap((change) => {
    if (change.entity !== ENTITY.controlPoint) return [];
    const body = JSON.parse(change.body_json ?? '{}') as {
      target_status?: string;
      shadow?: { target_status: string };
    };
    const target = body.shadow?.target_status ?? body.target_status;
    if (target === undefined) return [];
    const before = targets.get(change.id);
    targets.set(change.id, target);
    if (before === undefined || before === target || orderedIn.has(`${change.tx} ${change.id}`)) return [];
    return [{ rule: 'a target has an order', what: 'a target changed without one', context: change }];
  });
}

function people(writes: readonly Write[], disk: OnDisk, userId: string): Violation[] {
  const byReason = new Map(
    disk.logs.filter(({ user_id }) => user_id !== null).map((row) => [detailsOf(row.details).reason, row]),
  );
  return writes.flatMap((write) => {
    if (write.kind !== 'order' || write.outcome !== 'acked') return [];
    const entry = byReason.get(write.tag);
    if (entry?.user_id === userId && entry.entity_id === write.id && entry.origin === 'LOCAL') return [];
    return [
      { rule: 'who and why', what: 'an order of a person is not told as theirs', context: { write, entry } },
    ];
  });
}

function noAlertStorm(disk: OnDisk, steps: readonly StepDone[], points: readonly Point[]): Violation[] {
  const probes = new Set(points.filter(({ isProbe }) => isProbe).map(({ id }) => id));
  const alerts = disk.alerts.filter(({ control_point_id }) => !probes.has(control_point_id ?? ''));
  const violations: Violation[] = [];
  for (const [place, done] of steps.entries()) {
    const until = steps[place + 1]?.from ?? done.to + AFTERWARDS_MS;
    const within = alerts.filter(({ triggered_at }) => isWithin(triggered_at, done.from, until));
    violations.push(...tooMany(within, done), ...unfolded(within, done, points.length - probes.size));
  }
  const active = alerts.filter(({ status, folded_into }) => status === 'ACTIVE' && folded_into === null);
  if (active.length > 0) {
    violations.push({
      rule: 'alerts end',
      what: `${active.length} alerts are still ACTIVE`,
      context: active.slice(0, 5),
    });
  }
  if (disk.notifications > 2 * disk.alerts.length + 10) {
    violations.push({
      rule: 'people are told once',
      what: 'more notifications than alerts',
      context: { notifications: disk.notifications, alerts: disk.alerts.length },
    });
  }
  return violations;
}

function tooMany(within: readonly AlertRow[], { step }: StepDone): Violation[] {
  const counts = new Map<string, AlertRow[]>();
  for (const alert of within) {
    if (PER_ORDER.has(alert.type)) continue;
    const name = `${alert.type} ${alert.control_point_id ?? 'farm'}`;
    counts.set(name, [...(counts.get(name) ?? []), alert]);
  }
  return [...counts]
    .filter(([, rows]) => rows.length > 1)
    .map(([name, rows]) => ({
      rule: 'no alert storm',
      what: `${name}: ${rows.length} alerts in one step`,
      context: { step, rows },
    }));
}

/** A farm in the dark is one alert. */
function unfolded(within: readonly AlertRow[], done: StepDone, controllers: number): Violation[] {
  const { step } = done;
  if (step.kind !== 'power_cut' || step.on !== 'farm' || step.withGateway || step.forS < LONGEST_UNTOLD_S)
    return [];
  const failures = within.filter(({ type }) => type === 'POWER_FAILURE');
  const alone = within.filter(({ type, folded_into }) => type === 'DEVICE_OFFLINE' && folded_into === null);
  if (failures.length === 1 && alone.length === 0) return [];
  return [
    {
      rule: 'a power failure folds',
      what: `${failures.length} POWER_FAILURE, ${alone.length} DEVICE_OFFLINE on their own, ${controllers} controllers`,
      context: { step, alone: alone.slice(0, 3) },
    },
  ];
}

function isWithin(text: string, from: number, until: number): boolean {
  const at = Date.parse(text);
  return at >= from && at < until;
}
