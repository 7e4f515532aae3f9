import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Violation } from '../history.ts';
import type { ChangeRow, OnDisk } from '../ledger.ts';

// The change log from its first row: no gap, every link of the chain, stamps that only grow, heads that fit.

const CHAIN_BYTES = 16;

export function changeLogIsWhole(disk: OnDisk): Violation[] {
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
