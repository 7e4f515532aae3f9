import type { Violation, Write } from '../history.ts';
import { ENTITY, type OnDisk } from '../ledger.ts';

// The logs tell what happened, once: each order has one audit entry, each entry its order, people's orders their name
// and reason.

export function logsTellTheStory(writes: readonly Write[], disk: OnDisk, userId: string): Violation[] {
  return [...ordersAndEntries(disk), ...targetsHaveOrders(disk), ...people(writes, disk, userId)];
}

type Details = { version?: number; reason?: string };
// the audit writes an object
const detailsOf = (text: string | null) => JSON.parse(text ?? '{}') as Details;

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
