import type { OnDisk, Point, Publish, Violation, Write } from '../history.ts';
import { type Effect, effectsOf, emptyFound, find } from '../resolve.ts';

// Acknowledged means there, refused means not there.

/** Of what a probe said, and of what the audit tells of it. */
const LAST_SHOWN = 100;

/** Writes under way at once: their changes stand in another order than they were sent in. */
const IN_FLIGHT = 100;

export function durableWrites(writes: readonly Write[], disk: OnDisk): Violation[] {
  const found = emptyFound();
  find(found, disk.changes);
  const isThere = (write: Write) =>
    write.kind.endsWith('_delete') ? found.deletedAt.has(write.id) : found.byTag.has(write.tag);
  const known = stillInLog(writes, disk, isThere);
  const lost = known.filter((write) => write.outcome === 'acked' && !isThere(write));
  const sneaked = writes.filter(
    (write) => write.outcome === 'refused' && !write.kind.endsWith('_delete') && isThere(write),
  );
  return [
    ...lost.map((write) => ({
      rule: 'acknowledged is there',
      what: `${write.kind} is lost`,
      context: write,
    })),
    ...sneaked.map((write) => ({
      rule: 'refused is not there',
      what: `${write.kind} is there`,
      context: write,
    })),
    ...lastWrites(effectsOf(writes, found), disk),
    ...orderVersions(writes, disk),
  ];
}

/** The program keeps the newest changes alone: of the writes before the first that is found nothing can be said. */
function stillInLog(
  writes: readonly Write[],
  { changes }: OnDisk,
  isThere: (write: Write) => boolean,
): readonly Write[] {
  const first = changes.find(({ lane }) => lane === 'core')?.seq ?? 1;
  return first <= 1 ? writes : writes.slice(Math.max(0, writes.findIndex(isThere)) + IN_FLIGHT);
}

/** Each schedule and pond stands as its last write left it. */
function lastWrites(effects: readonly Effect[], disk: OnDisk): Violation[] {
  const rows = new Map([...disk.schedules, ...disk.ponds].map((row) => [row.id, row]));
  const lastById = new Map<string, Write>();
  for (const { write } of effects) if (write.kind !== 'order') lastById.set(write.id, write);
  return [...lastById.values()].flatMap((write) => {
    const row = rows.get(write.id);
    const isDeleted = write.kind.endsWith('_delete');
    const fits = isDeleted ? row?.hidden === 1 : row?.hidden === 0 && row.tag === write.tag;
    if (fits) return [];
    return [{ rule: 'the last write stands', what: `${write.kind} does not stand`, context: { write, row } }];
  });
}

function orderVersions(writes: readonly Write[], disk: OnDisk): Violation[] {
  const byReason = new Map(disk.orders.map((row) => [row.reason, row]));
  return writes.flatMap((write) => {
    if (write.kind !== 'order' || write.outcome !== 'acked') return [];
    const row = byReason.get(write.tag);
    if (row === undefined || (row.version === write.version && row.target_status === write.target)) return [];
    return [
      { rule: 'an answer is true', what: 'the order has another version or target', context: { write, row } },
    ];
  });
}

/** What a controller's message changed is on the disk once the broker acknowledged it. */
export function durablePublishes(
  publishes: readonly Publish[],
  points: readonly Point[],
  disk: OnDisk,
): Violation[] {
  return points
    .filter(({ isProbe }) => isProbe)
    .flatMap((point) => {
      const own = publishes.filter(({ pointId }) => pointId === point.id);
      const logs = disk.logs.filter(({ entity_id }) => entity_id === point.id);
      return [...lostEvents(own, logs), ...lostStatuses(own, logs, point, disk)];
    });
}

/** Of a controller that told too many the gateway stores one line for many (`folded`): these are there as a number. */
function lostEvents(own: readonly Publish[], logs: OnDisk['logs']): Violation[] {
  const told = new Map<string, number>();
  let folded = 0;
  for (const { action, details } of logs) {
    if (action !== 'device_brownout') continue;
    // the audit writes an object
    const entry = JSON.parse(details ?? '{}') as { event_id?: string; folded?: number };
    told.set(entry.event_id ?? '', (told.get(entry.event_id ?? '') ?? 0) + 1);
    folded += Math.max(0, (entry.folded ?? 1) - 1);
  }
  const twice = [...told].filter(([, times]) => times > 1);
  const unnamed = own.filter(
    ({ what, ackedAt }) => 'event' in what && ackedAt !== null && !told.has(what.event),
  );
  const lost = unnamed.slice(folded);
  return [
    ...lost.map((publish) => ({ rule: 'PUBACK means there', what: 'an event is lost', context: publish })),
    ...twice.map(([event, times]) => ({
      rule: 'an event is told once',
      what: 'an event is in the audit more than once',
      context: { event, times },
    })),
  ];
}

/**
 * Changes of status that the audit has at the least: two acknowledged after each other that differ are one. What a line lost is
 * sent again behind what came after it, so only those count whose acknowledgements came in the order in which they were sent.
 */
export function leastChanges(statuses: readonly Publish[]): number {
  let changes = 0;
  let before: { status: unknown; ackedAt: number } | null = null;
  for (const { what, ackedAt } of statuses) {
    if (ackedAt === null || !('status' in what) || (before !== null && ackedAt <= before.ackedAt)) continue;
    if (before !== null && before.status !== what.status) changes += 1;
    before = { status: what.status, ackedAt };
  }
  return changes;
}

function lostStatuses(
  own: readonly Publish[],
  logs: OnDisk['logs'],
  point: Point,
  disk: OnDisk,
): Violation[] {
  const statuses = own.filter(({ what }) => 'status' in what);
  const violations: Violation[] = [];
  const last = statuses.at(-1);
  const row = disk.points.find(({ id }) => id === point.id);
  if (
    last !== undefined &&
    'status' in last.what &&
    last.ackedAt !== null &&
    row?.current_status !== last.what.status
  ) {
    violations.push({ rule: 'PUBACK means there', what: 'the last status is lost', context: { last, row } });
  }
  const changes = leastChanges(statuses);
  const told = logs.filter(({ action }) => action === 'status_changed').length;
  if (told < changes) {
    violations.push({
      rule: 'PUBACK means there',
      what: 'changes of status are missing in the audit',
      context: {
        device: point.device_id,
        acknowledged: changes,
        told,
        // which of them it is shows only beside what the audit has
        said: statuses.slice(-LAST_SHOWN),
        audit: logs.filter(({ action }) => action === 'status_changed').slice(-LAST_SHOWN),
      },
    });
  }
  return violations;
}
