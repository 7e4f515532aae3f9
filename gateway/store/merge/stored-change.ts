import type { WireChange } from '#contract/sync/wire.ts';

/** A row of sync_change. */
export type StoredChange = {
  seq: number;
  tx: number;
  entity: number;
  id: string;
  op: number;
  cl: number;
  hlc: string;
  over_json: string | null;
  base_json: string | null;
  body_json: string | null;
  actor: string | null;
  schema_version: number;
  chain: string;
};

/** A change of the log as it goes over the line. */
export function wireChangeOf(row: StoredChange): WireChange {
  const { seq, tx, entity, id, cl, hlc, actor, chain } = row;
  // the change log writes these three as objects, and `op` as one of the four
  const object = (text: string | null) =>
    text === null ? null : (JSON.parse(text) as Record<string, never>);
  return {
    seq,
    tx,
    entity,
    id,
    op: row.op as WireChange['op'],
    cl,
    hlc,
    over: object(row.over_json),
    base: object(row.base_json),
    body: object(row.body_json),
    actor,
    sv: row.schema_version,
    chain,
  };
}
