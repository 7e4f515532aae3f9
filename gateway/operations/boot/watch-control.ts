import type { Committed, CommittedRow } from '#core/changes.ts';

const TABLES = new Set([
  'users',
  'farms',
  'farm_members',
  'subscriptions',
  'ponds',
  'aerators',
  'control_points',
  'schedules',
  'device_keys',
  'first_key_uses',
  'relays',
]);
/** Change by orders and schedules, all day. */
const TARGET_FIELDS = new Set(['target_status', 'version', 'target_origin', 'last_command_at', 'updated_at']);
/** Change by what controllers report: they report it again. */
const REPORTED_FIELDS = new Set(['current_status', 'current_since']);

/** What a unit changed of the configuration of control: what people set, only targets, or nothing that counts. */
export function controlChangeOf(committed: Committed): 'config' | 'state' | null {
  let found: 'state' | null = null;
  for (const row of committed.rows) {
    if (!TABLES.has(row.table)) continue;
    const changed = changedFields(row);
    if (row.table !== 'control_points' || changed === null) return 'config';
    const counting = changed.filter((field) => !REPORTED_FIELDS.has(field));
    if (counting.some((field) => !TARGET_FIELDS.has(field))) return 'config';
    if (counting.length > 0) found = 'state';
  }
  return found;
}

/** null: the row came or went. */
function changedFields({ before, after, hidden }: CommittedRow): string[] | null {
  if (before === null || hidden) return null;
  return Object.keys(after).filter((field) => after[field] !== before[field]);
}
