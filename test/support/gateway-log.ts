import type { LogPoint, PushRequest, WireChange } from '#contract/sync/wire.ts';
import { formatHlc } from '#store/hlc.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';

const ZERO: LogPoint = { seq: 0, chain: '' };
const NODE = '00abcdef';

/** The log of a gateway as it writes it, without a gateway: ponds that somebody makes and renames. */
export function gatewayLog(farmId: string, startMs = Date.UTC(2026, 2, 1, 12)) {
  const rows: WireChange[] = [];
  const state = { chain: '', ms: startMs };

  function add(
    change: Pick<WireChange, 'entity' | 'id' | 'op' | 'cl' | 'base' | 'body'> & { hlc?: string },
  ): WireChange {
    state.ms += 1;
    const row = {
      seq: rows.length + 1,
      tx: rows.length + 1,
      hlc: formatHlc(state.ms, 0, NODE),
      over: null,
      actor: null,
      sv: 1,
      ...change,
    };
    state.chain = chainAfter(state.chain, row);
    const chained: WireChange = { ...row, chain: state.chain };
    rows.push(chained);
    return chained;
  }

  return {
    rows,
    /** A pond that is made; `n` tells them apart. */
    pond: (n: number, fields: Record<string, unknown> = {}, hlc?: string) =>
      add({
        entity: 5,
        id: pondId(n),
        op: 1,
        cl: 1,
        base: null,
        body: { ...pondRow(n, farmId), ...fields },
        ...(hlc === undefined ? {} : { hlc }),
      }),
    /** As the wire has it: rows `from` to `to`, both included. */
    push(from: number, to: number, more: Partial<PushRequest> = {}): PushRequest {
      const before = rows[from - 2];
      return {
        epoch: 1,
        lane: 'core',
        after: before === undefined ? ZERO : { seq: before.seq, chain: before.chain },
        cursor: ZERO,
        needs_core: 0,
        rows: rows.slice(from - 1, to),
        ...more,
      };
    },
    head: (): LogPoint => {
      const last = rows.at(-1);
      return last === undefined ? ZERO : { seq: last.seq, chain: last.chain };
    },
  };
}

export const pondId = (n: number): string => `40000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function pondRow(n: number, farmId: string): Record<string, unknown> {
  return {
    id: pondId(n),
    numeric_id: 1_000 + n,
    farm_id: farmId,
    cod: `V-${n}`,
    pond_type: 'FATTENING',
    size_m2: 900,
    depth_m: 1.2,
    lat: null,
    lng: null,
    aerator_count: 0,
    control_point_id: null,
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: null,
  };
}
