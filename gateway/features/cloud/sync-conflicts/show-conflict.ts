import type { Resource } from '#contract/resource.ts';
import type { SyncConflictAnswer } from '#contract/resources/sync-conflicts.ts';
import { isoOf } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import { readHlc } from '#store/hlc.ts';
import { resourceOfEntity } from '#store/merge/shared-tables.ts';
import { ruleText } from './conflict-words.ts';
import type { FoundRow, ShownConflict } from './ports.ts';
import { whyNotRestorable } from './restorable.ts';

/** Nobody is shown what others log in with. */
const SECRET = new Set(['password_hash', 'password_version', 'email_key', 'numeric_id', 'rev', 'hidden']);
const NAMES = ['name', 'cod', 'batch_code', 'description', 'title'];

export function conflictAnswer(
  conflict: ShownConflict,
  found: FoundRow | null,
  { language, role }: { language: Language; role: 'gateway' | 'hosted' },
): SyncConflictAnswer {
  const resource = resourceOfEntity(conflict.entity);
  const [kept, dropped] = [valuesOf(conflict.kept_json), valuesOf(conflict.dropped_json)];
  return {
    id: conflict.id,
    farm_id: conflict.farm_id,
    state: conflict.state,
    rule: conflict.rule,
    rule_text: ruleText(conflict.rule, language),
    table: resource?.name ?? `table ${conflict.entity} of a newer version`,
    row_id: conflict.row_id,
    row_name: nameOf(found),
    fields: [...new Set([...Object.keys(kept), ...Object.keys(dropped)])],
    kept: version(kept, conflict.kept_by, conflict.kept_by_name, conflict.kept_hlc),
    dropped: version(dropped, conflict.dropped_by, conflict.dropped_by_name, conflict.dropped_hlc),
    is_restorable:
      conflict.state === 'open' &&
      resource !== null &&
      whyNotRestorable(resource as Resource, conflict, role) === null,
    found_at: conflict.found_at,
    settled_at: conflict.settled_at,
    settled_by: conflict.settled_by,
  };
}

const version = (
  values: Record<string, unknown>,
  by: string | null,
  name: string | null,
  hlc: string,
): SyncConflictAnswer['kept'] => ({ values, by, by_name: name, at: isoOf(hlc === '' ? 0 : readHlc(hlc).ms) });

function valuesOf(json: string): Record<string, unknown> {
  // core/sync/conflicts.ts writes objects of fields
  const values = JSON.parse(json) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(values).filter(([field]) => !SECRET.has(field)));
}

export function nameOf(found: FoundRow | null): string | null {
  for (const field of NAMES) {
    const value = found?.row[field];
    if (typeof value === 'string' && value !== '') return value.slice(0, 255);
  }
  return null;
}
