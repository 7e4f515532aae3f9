import type { Resource } from '#contract/resource.ts';
import { groupValue, keyOf, type ReadRows, type ReplicaState, SYNCED } from './replica-state.ts';

// What the changes that were ever committed come to, by rules that fit on a page: per field group the greatest stamp
// wins, per row the greatest causal length. Both instances must stand where this stands.

export type ModelRow = { cl: number; groups: Map<string, { hlc: string; value: string }> };
export type Model = Map<string, ModelRow>;

type Change = {
  resource: Resource;
  id: string;
  op: number;
  cl: number;
  hlc: string;
  base: Record<string, string> | null;
  over: Record<string, string>;
  body: Record<string, unknown> | null;
};

const PUT = 1;
const RESTORE = 3;
const BY_ENTITY = new Map(SYNCED.map((resource) => [resource.entity, resource]));

/** All changes either side logged for the other, with the stamps that were set anew when they were accepted. */
export async function modelOf(gateway: ReadRows, hosted: ReadRows): Promise<Model> {
  const restamped = new Map<string, string>();
  for (const row of await hosted('select lane, seq, chain, to_hlc from sync_restamps')) {
    restamped.set(
      `${String(row['lane'])} ${String(row['seq'])} ${String(row['chain'])}`,
      String(row['to_hlc']),
    );
  }
  const model: Model = new Map();
  for (const row of await gateway('select * from sync_change')) {
    const place = `${String(row['lane'])} ${String(row['seq'])} ${String(row['chain'])}`;
    fold(model, changeOf({ ...row, hlc: restamped.get(place) ?? row['hlc'] }));
  }
  for (const row of await hosted('select * from sync_change where stream_id = 2')) fold(model, changeOf(row));
  return model;
}

function changeOf(row: Record<string, unknown>): Change {
  const resource = BY_ENTITY.get(Number(row['entity']));
  if (resource === undefined) throw new Error(`nobody should tell of entity ${String(row['entity'])}`);
  const json = (column: string) => {
    const text = row[column];
    // the change log writes objects there
    return typeof text === 'string' ? (JSON.parse(text) as Record<string, never>) : null;
  };
  return {
    resource,
    id: String(row['id']),
    op: Number(row['op']),
    cl: Number(row['cl']),
    hlc: String(row['hlc']),
    base: json('base_json'),
    over: json('over_json') ?? {},
    body: json('body_json'),
  };
}

function fold(model: Model, { resource, id, op, cl, hlc, base, over, body }: Change): void {
  const key = keyOf(resource.name, id);
  const row: ModelRow = model.get(key) ?? { cl: 0, groups: new Map() };
  model.set(key, row);
  row.cl = Math.max(row.cl, cl);
  if ((op !== PUT && op !== RESTORE) || body === null) return;
  const told = base === null ? Object.keys(resource.groups) : Object.keys(base);
  for (const group of told) {
    // the change log writes an edit group by group, and a whole row as it is
    const fields = base === null ? body : (body[group] as Record<string, unknown>);
    const mine = { hlc: over[group] ?? hlc, value: groupValue(resource, group, fields) };
    const theirs = row.groups.get(group);
    const isGreater =
      theirs === undefined || mine.hlc > theirs.hlc || (mine.hlc === theirs.hlc && mine.value > theirs.value);
    if (isGreater) row.groups.set(group, mine);
  }
}

/** Where an instance stands, in the words of the model. */
export function standing(state: ReplicaState): Record<string, unknown> {
  const rows = [...state.rows].map(([key, { resource, row, register }]) => {
    const groups = Object.keys(resource.groups).map((group) => [
      group,
      { hlc: register?.over[group] ?? register?.hlc ?? '', value: groupValue(resource, group, row) },
    ]);
    return [key, { cl: register?.cl ?? 1, groups: Object.fromEntries(groups) }] as const;
  });
  return Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function standingOf(model: Model): Record<string, unknown> {
  const rows = [...model].map(
    ([key, { cl, groups }]) => [key, { cl, groups: Object.fromEntries(groups) }] as const,
  );
  return Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
