import { randomUUID } from 'node:crypto';
import { OPS, type SyncLane, type WireChange } from '#contract/sync/wire.ts';
import { formatHlc } from '#store/hlc.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';

// Changes as the other instance tells them, of farms that exist nowhere else: numbered, stamped and chained.

const AT = '2026-03-01T12:00:00.000Z';
export const TOLD_AT_MS = Date.parse(AT);

export type ToldFarm = {
  streamId: number;
  id: string;
  pond: string;
  owner: string;
  measured: string[];
  lanes: Record<SyncLane, { seq: number; chain: string }>;
  stamps: number;
};

export const KINDS = ['new measurements', 'edited measurements', 'new ponds'] as const;
export type Kind = (typeof KINDS)[number];
export const laneOf = (kind: Kind): SyncLane => (kind === 'new ponds' ? 'core' : 'history');

export function newToldFarm(streamId: number): ToldFarm {
  const none = { seq: 0, chain: '' };
  const ids = { id: randomUUID(), pond: randomUUID(), owner: randomUUID() };
  return { streamId, ...ids, measured: [], lanes: { core: { ...none }, history: { ...none } }, stamps: 0 };
}

/** The owner, the farm and a pond: what the rest rests on. */
export function foundation(farm: ToldFarm): WireChange[] {
  const at = { created_at: AT, updated_at: null };
  const user = {
    id: farm.owner,
    numeric_id: farm.streamId,
    email: 'ana',
    email_key: `${farm.owner}@ana`,
    name: 'Ana',
    phone_number: null,
    role: 'OWNER',
    is_active: true,
    password_hash: 'x',
    password_version: 1,
    language: null,
    ...at,
  };
  const place = { description: null, address_id: null, lat: null, lng: null, timezone: 'America/Fortaleza' };
  return [
    told(farm, 'core', { entity: 1, id: farm.owner, body: user }),
    told(farm, 'core', {
      entity: 3,
      id: farm.id,
      body: { id: farm.id, name: 'Norte', owner_id: farm.owner, ...place, ...at },
    }),
    told(farm, 'core', { entity: 5, id: farm.pond, body: pond(farm.pond, farm.id) }),
  ];
}

/** The nth batch of a kind; edits are of measurements that were told before. */
export function batchOf(
  kind: Kind,
  farm: ToldFarm,
  { nth, rows }: { nth: number; rows: number },
): WireChange[] {
  const each = Array.from({ length: rows }, (_row, place) => place);
  switch (kind) {
    case 'new measurements':
      return each.map((place) => {
        const id = randomUUID();
        farm.measured.push(id);
        return told(farm, 'history', { entity: 19, id, body: measurementRow(id, farm.pond, place) });
      });
    case 'edited measurements':
      return farm.measured.slice(nth * rows, (nth + 1) * rows).map((id) =>
        told(farm, 'history', {
          entity: 19,
          id,
          base: { notes: '' },
          body: { notes: { notes: 'turva' }, updated_at: AT },
        }),
      );
    case 'new ponds':
      return each.map(() => {
        const id = randomUUID();
        return told(farm, 'core', { entity: 5, id, body: pond(id, farm.id) });
      });
  }
}

function told(
  farm: ToldFarm,
  lane: SyncLane,
  fields: Pick<WireChange, 'entity' | 'id' | 'body'> & Partial<WireChange>,
): WireChange {
  farm.stamps += 1;
  const point = farm.lanes[lane];
  const change: WireChange = {
    seq: point.seq + 1,
    tx: 1,
    op: OPS.put,
    cl: 1,
    hlc: formatHlc(TOLD_AT_MS + Math.floor(farm.stamps / 60_000), farm.stamps % 60_000, '0abc0001'),
    over: null,
    base: null,
    actor: null,
    sv: 1,
    chain: '',
    ...fields,
  };
  change.chain = chainAfter(point.chain, change);
  farm.lanes[lane] = { seq: change.seq, chain: change.chain };
  return change;
}

export const measurementRow = (id: string, pond_id: string, n: number) => ({
  id,
  pond_id,
  measurement_date: AT,
  temperature: 28 + n / 100,
  dissolved_oxygen: 5.2,
  ph: 8.1,
  salinity: 12,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: 40,
  notes: null,
  source: 'probe',
  created_by: null,
  clock_quality: 'trusted',
  created_at: AT,
  updated_at: null,
});

const pond = (id: string, farm_id: string) => ({
  id,
  numeric_id: Number.parseInt(id.slice(0, 8), 16),
  farm_id,
  cod: `V-${id.slice(0, 4)}`,
  pond_type: null,
  size_m2: 2000,
  depth_m: 1.5,
  lat: null,
  lng: null,
  aerator_count: 0,
  control_point_id: null,
  created_at: AT,
  updated_at: null,
});
