import type { Point, StepDone, Violation } from '../history.ts';
import type { AlertRow, OnDisk } from '../ledger.ts';

// No storm: a trouble is told once per controller, a power cut once per farm, and people once per alert.

const LONGEST_UNTOLD_S = 600;
/** A step ends before its alerts do. */
const AFTERWARDS_MS = 120_000;

export function noAlertStorm(
  disk: OnDisk,
  steps: readonly StepDone[],
  points: readonly Point[],
): Violation[] {
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

/** Alerts that a level of orders may raise again with every order; the others once per step and thing. */
const PER_ORDER = new Set(['COMMAND_NOT_CONFIRMED', 'NO_CURRENT']);

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
