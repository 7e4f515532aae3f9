import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { deviceKey, firstKeyUse } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { relay } from '#contract/resources/relays.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { user } from '#contract/resources/users.ts';
import type { Committed, CommittedRow } from '#core/changes.ts';

/** The tables of which controlling needs the rows. */
export const CONTROL_TABLES = [
  user,
  farm,
  farmMember,
  subscription,
  pond,
  aerator,
  controlPoint,
  schedule,
  deviceKey,
  firstKeyUse,
  relay,
];
const TABLES = new Set<string>(CONTROL_TABLES.map(({ name }) => name));
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
