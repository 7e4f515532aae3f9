import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { WireChange } from '#contract/sync/wire.ts';

// The one text of a change (RFC 8785), the same on every engine and after every way through JSON, and the chain of
// hashes over it. The chain covers a change as it was logged first: with its original stamp.

const CHAIN_DIGITS = 32;

type ChangeText = Pick<WireChange, 'entity' | 'id' | 'op' | 'cl' | 'hlc' | 'base' | 'body' | 'over' | 'sv'>;

/** The parts of a change that are stored as JSON text anyway, canonical already. */
type ChangeParts = Pick<ChangeText, 'entity' | 'id' | 'op' | 'cl' | 'hlc' | 'sv'> & {
  baseJson: string | null;
  bodyJson: string | null;
  overJson: string | null;
};

/** Names in order, around what is stored: base, body, cl, entity, hlc, id, op, over unless null, sv. */
export function textOfParts({ baseJson, bodyJson, overJson, ...change }: ChangeParts): string {
  return `{"base":${baseJson},"body":${bodyJson},"cl":${change.cl},"entity":${change.entity},"hlc":"${
    change.hlc
  }","id":${JSON.stringify(change.id)},"op":${change.op},${overJson === null ? '' : `"over":${overJson},`}"sv":${
    change.sv
  }}`;
}

/** First 16 bytes of SHA-256 over the chain before and the text, hex. */
export function chainOfText(chain: string, text: string): string {
  return hash('sha256', Buffer.concat([Buffer.from(chain, 'hex'), Buffer.from(text)])).slice(0, CHAIN_DIGITS);
}

function canonicalChange(change: ChangeText): string {
  const { base, body, over } = change;
  return textOfParts({
    ...change,
    baseJson: jsonOf(base),
    bodyJson: jsonOf(body),
    overJson: jsonOf(over),
  });
}

/** The chain after `change` where it stood at `chain` before; both sides compute it from what they hold. */
export function chainAfter(chain: string, change: ChangeText): string {
  return chainOfText(chain, canonicalChange(change));
}

/** Canonical JSON, null for null. */
export function jsonOf(value: Readonly<Record<string, unknown>> | null): string | null {
  return value === null ? null : (canonicalize(value) ?? null);
}

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

/** A field that holds text; '' where it holds nothing or something else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
