import type { RowOf } from '#contract/resource.ts';
import { deviceKey, firstKeyUse } from '#contract/resources/local-tables.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, insertIfAbsent, onTables, purge, rowsOf, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { type ControlView, type DeviceKey, requireReal } from '../control-view.ts';

export type KeyDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  /** 256 random bits, base64url. */
  newKey: () => string;
  /** HMAC-SHA256 with the instance's pepper, hex. */
  hashKey: (key: string) => string;
  /** Compares two hashes in constant time. */
  sameHash: (a: string, b: string) => boolean;
};

/** After a new key's first use the one before stays valid this long: a controller may still be switching over. */
export const OVERLAP_MS = 24 * 3600 * 1000;

/**
 * Decides a new key, pending until its first use, so that issuing it cuts off no running controller. `retiresAt`, ms: one
 * of a rotation, void when it was not used by then. Throws 409 for a control point of the simulator, but to the simulator
 * itself and for a rotation, whose key goes to who has the present one.
 */
export function issueKey(
  deps: KeyDeps,
  view: Pick<ControlView, 'row' | 'keys'>,
  issuedBy: string,
  { retiresAt = null, to = 'anybody' }: { retiresAt?: number | null; to?: 'anybody' | 'its controller' } = {},
): Decision<{ row: RowOf<typeof deviceKey>; key: string }> {
  if (to === 'anybody') requireReal(view.row);
  const key = deps.newKey();
  const row: RowOf<typeof deviceKey> = {
    id: deps.newId(),
    control_point_id: view.row.id,
    key_hash: deps.hashKey(key),
    state: 'pending',
    created_at: isoOf(deps.now()),
    activated_at: null,
    retires_at: retiresAt === null ? null : isoOf(retiresAt),
  };
  // one pending key at a time: a key that was lost before its first use is void
  const lost = view.keys
    .filter((known) => known.state === 'pending')
    .map((known) => purge(deviceKey, known.id));
  return {
    answer: { row, key },
    changes: [...lost, insert(deviceKey, row), keyAudit(deps, view, issuedBy, 'issued')],
  };
}

/** Decides that no key opens anymore. A controller that had one is not served without. */
export function revokeKeys(deps: KeyDeps, view: ControlView, revokedBy: string): Decision<void> {
  const open = view.keys.filter((known) => known.state !== 'revoked');
  if (open.length === 0) return { answer: undefined };
  const changes = open.map((known) =>
    known.state === 'pending'
      ? purge(deviceKey, known.id)
      : update(deviceKey, known.id, { state: 'revoked' }),
  );
  return { answer: undefined, changes: [...changes, keyAudit(deps, view, revokedBy, 'revoked')] };
}

/** The key that opens, or null. Looks at every key of the control point, whichever fits. */
export function matchingKey(deps: KeyDeps, view: ControlView, offered: string): DeviceKey | null {
  const hash = deps.hashKey(offered);
  let found: DeviceKey | null = null;
  for (const known of view.keys) {
    const isRetired = known.retires_at !== null && Date.parse(known.retires_at) <= deps.now();
    const isValid = known.state !== 'revoked' && !isRetired;
    if (deps.sameHash(known.key_hash, hash) && isValid) found = known;
  }
  return found;
}

/**
 * Changes at the first use of a pending key: it becomes the key, the one before retires. None for any later use. A
 * controller that was sent its key keeps the old one until the new one has opened, so that nobody else needs it after.
 */
export function activateKey(deps: KeyDeps, view: ControlView, used: DeviceKey): Change[] {
  if (used.state !== 'pending') return [];
  const now = deps.now();
  const others = view.keys.filter((known) => known.id !== used.id);
  const overlapMs = used.retires_at === null ? OVERLAP_MS : 0;
  return [
    update(deviceKey, used.id, { state: 'active', activated_at: isoOf(now), retires_at: null }),
    // those of the simulator say nothing of the farm's controllers
    ...(view.row.is_simulated
      ? []
      : [insertIfAbsent(firstKeyUse, { id: view.row.id, farm_id: view.row.farm_id, used_at: isoOf(now) })]),
    ...others
      .filter((known) => known.state === 'active')
      .map((known) => update(deviceKey, known.id, { state: 'retiring', retires_at: isoOf(now + overlapMs) })),
    ...others
      .filter((known) => known.state === 'retiring' || known.state === 'revoked')
      .map((known) => purge(deviceKey, known.id)),
  ];
}

/** From the first use of a key on, calls without one are refused. */
export function needsKey(view: Pick<ControlView, 'keys'>): boolean {
  return view.keys.some((known) => known.state !== 'pending');
}

function keyAudit(
  deps: KeyDeps,
  view: Pick<ControlView, 'row'>,
  userId: string,
  what: 'issued' | 'revoked',
): Change {
  return audit(deps, {
    farm_id: view.row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: view.row.id,
    entity_name: view.row.cod,
    action: 'update',
    user_id: userId,
    details: { device_key: what },
  });
}

export type KeyUseQueries = { all: () => Promise<RowOf<typeof firstKeyUse>[]> };

export type KeyUses = ReturnType<typeof createKeyUses>;

/**
 * Where keys were ever used, in memory: calls without one ask for it. Kept apart from the keys, which go with a rotation,
 * a new device or their control point.
 */
export function createKeyUses(queries: KeyUseQueries) {
  const points = new Set<string>();
  const firstByFarm = new Map<string, string>();

  function note({ id, farm_id: farmId, used_at: usedAt }: RowOf<typeof firstKeyUse>): void {
    points.add(id);
    const first = firstByFarm.get(farmId);
    // instants of one form: their order is that of time
    if (first === undefined || usedAt < first) firstByFarm.set(farmId, usedAt);
  }

  return {
    async load(): Promise<void> {
      for (const row of await queries.all()) note(row);
    },
    follow: onTables([firstKeyUse], (committed) => {
      for (const { after } of rowsOf(committed, firstKeyUse)) note(after);
    }),
    /**
     * Whether calls without a key are taken for a control point: never once its own key was used, else as people set it,
     * else unless it had a key before or was made after the first use of any key of its farm.
     */
    allowsUnkeyed({ row, keys }: Pick<ControlView, 'row' | 'keys'>): boolean {
      if (row.is_simulated || needsKey({ keys })) return false;
      if (row.allow_unkeyed !== null) return row.allow_unkeyed;
      const first = firstByFarm.get(row.farm_id);
      return !points.has(row.id) && (first === undefined || first >= row.created_at);
    },
  };
}
