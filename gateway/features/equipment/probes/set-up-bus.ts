import { type ProbeBusCreate, type ProbeBusUpdate, probeBus } from '#contract/resources/probes.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, purge, update } from '#core/changes.ts';
import { conflict, invalidField, taken } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { BusRow, ProbeQueries } from './ports.ts';

const PRIVATE_V4 = [/^127\./, /^10\./, /^192\.168\./, /^172\.(1[6-9]|2\d|3[01])\./, /^169\.254\./];

const PRIVATE_V6 = /^(::1|f[cd][\da-f:]+|fe[89ab][\da-f:]+)$/;

export type SetUpDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard'> & {
  queries: ProbeQueries;
};

/** Buses of one farm, most: a box has few ports. */
const MOST_BUSES = 16;
/** Names who sets up buses and probes here; those at the same moment look again. */
const GUARD = 'probe_setup';

/** Decides a new bus. Throws 400 for a port that another bus has, 409 beyond the most, 422 for an address that will not do. */
export async function createBus(
  deps: SetUpDeps,
  userId: string,
  input: ProbeBusCreate,
): Promise<Decision<BusRow>> {
  const guard = await setUpGuard(deps);
  const rows = await deps.queries.busesOf(input.farm_id);
  if (rows.length >= MOST_BUSES) throw conflict(`A farm has at most ${MOST_BUSES} buses`, 'TOO_MANY');
  const row: BusRow = wellFormed({
    ...input,
    device: input.device ?? null,
    host: input.host ?? null,
    id: deps.newId(),
    created_at: isoOf(deps.now()),
    updated_at: null,
  });
  await requireFreePlace(deps, row);
  return {
    answer: row,
    changes: [insert(probeBus, row), entry(deps, userId, row, 'create')],
    guards: [guard],
  };
}

export async function changeBus(
  deps: SetUpDeps,
  userId: string,
  current: BusRow,
  input: ProbeBusUpdate,
): Promise<Decision<BusRow>> {
  const guard = await setUpGuard(deps);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const row = wellFormed({ ...current, ...Object.fromEntries(given), updated_at: isoOf(deps.now()) });
  await requireFreePlace(deps, row);
  const { id, ...set } = row;
  return {
    answer: row,
    changes: [update(probeBus, id, set), entry(deps, userId, row, 'update')],
    guards: [guard],
  };
}

/** Decides the end of a bus. Throws 409 while a probe hangs on it. */
export async function deleteBus(deps: SetUpDeps, userId: string, current: BusRow): Promise<Decision<void>> {
  const guard = await setUpGuard(deps);
  const probes = await deps.queries.probesOf(current.farm_id);
  const own = probes.filter(({ probe_bus_id }) => probe_bus_id === current.id).map(({ name }) => name);
  if (own.length > 0)
    throw conflict(`Probes hang on this bus (${own.join(', ')}); delete or move them first`, 'BUS_IN_USE');
  return {
    answer: undefined,
    changes: [purge(probeBus, current.id), entry(deps, userId, current, 'delete')],
    guards: [guard],
  };
}

export const setUpGuard = (deps: Pick<Kernel, 'guard'>) => deps.guard(GUARD, GUARD);

/** A bus has the place of its kind and no other. */
function wellFormed(row: BusRow): BusRow {
  if (row.kind === 'serial') {
    if (row.device === null)
      throw invalidField(422, 'device', 'a serial bus needs its port, for example /dev/ttyUSB0');
    if (!/^(\/dev\/[\w./:@+-]+|\/tmp\/[\w./-]+|COM\d{1,3})$/.test(row.device) || row.device.includes('..'))
      throw invalidField(422, 'device', 'must be a serial port, for example /dev/ttyUSB0 or COM3');
    return { ...row, host: null };
  }
  if (row.host === null) throw invalidField(422, 'host', 'a bus over the network needs an address');
  if (!isFarmHost(row.host))
    throw invalidField(422, 'host', 'must be an address of the farm network, for example 192.168.1.50');
  return { ...row, device: null };
}

/** Two programs, or two buses, at one line would garble each other's answers. */
async function requireFreePlace({ queries }: SetUpDeps, row: BusRow): Promise<void> {
  for (const other of await queries.buses()) {
    if (other.id === row.id) continue;
    if (row.device !== null && other.device === row.device)
      throw taken('device', `The bus "${other.name}" uses ${row.device} already`);
    if (row.host !== null && other.host === row.host && other.port === row.port)
      throw taken('host', `The bus "${other.name}" uses ${row.host}:${row.port} already`);
  }
}

function entry(deps: SetUpDeps, userId: string, row: BusRow, action: string): Change {
  const { kind, device, host, port, baud, parity, stop_bits, is_enabled } = row;
  return audit(deps, {
    farm_id: row.farm_id,
    entity_type: 'SENSOR',
    entity_id: row.id,
    entity_name: row.name,
    action,
    user_id: userId,
    details: { kind, device, host, port, baud, parity, stop_bits, is_enabled },
  });
}

/**
 * True for an address of a farm's own network and for a name that can only be on it. What a name leads to is checked
 * again when it is called.
 */
function isFarmHost(host: string): boolean {
  if (/^\d+(\.\d+){3}$/.test(host)) {
    const isAddress = host.split('.').every((part) => Number(part) <= 255);
    return isAddress && PRIVATE_V4.some((range) => range.test(host));
  }
  if (host.includes(':')) return PRIVATE_V6.test(host);
  return /^[a-z\d]([a-z\d-]{0,62})(\.local)?$/.test(host) && !/^\d+$/.test(host);
}
