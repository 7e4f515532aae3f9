import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { numericId } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { numberOf } from '#core/numeric-id.ts';
import type { Language } from '#science/advice/language.ts';
import type { Chance } from './chance.ts';
import { type Emit, iso, written, ZONE } from './grown.ts';

// What a farm is made of before anything lives on it. Sizes follow the classes of Brazilian farms.

export const FARM_SIZES = {
  small: { nursery: 1, fattening: 3, aerators: 8, controlPoints: 2, people: 1 },
  medium: { nursery: 3, fattening: 17, aerators: 80, controlPoints: 10, people: 3 },
  large: { nursery: 16, fattening: 104, aerators: 600, controlPoints: 40, people: 6 },
} as const;
export type FarmSize = keyof typeof FARM_SIZES;

export type PondPlace = {
  id: string;
  cod: string;
  isNursery: boolean;
  areaM2: number;
  depthM: number;
  powerKw: number;
  controlPointId: string | null;
};
export type Person = { id: string; language: Language };
export type Places = {
  farmId: string;
  ownerId: string;
  /** Everybody who may act on the farm: the owner, who keeps its books, and those who switch its motors. */
  people: readonly [Person, ...Person[]];
  ponds: readonly PondPlace[];
  controlPoints: readonly { id: string; cod: string }[];
};

/** Who writes down what is weighed and measured: the owner or a manager may. */
export const recorderOf = ({ people }: Places): string => (people[1] ?? people[0]).id;
/** Who switches motors by hand. */
export const operatorOf = ({ people }: Places): string => (people.at(-1) ?? people[0]).id;

type Making = { chance: Chance; emit: Emit; unixMs: number };

/** Makes people, farm, control points, ponds and aerators. Without an owner it makes one, who cannot sign in. */
export function makePlaces(making: Making, size: FarmSize, ownerId: string | null): Places {
  const { chance, emit, unixMs } = making;
  const plan = FARM_SIZES[size];
  const owner = ownerId ?? makePerson(making, 'OWNER');
  const farmId = chance.uuid(unixMs);
  emit(farm, {
    id: farmId,
    name: {
      small: 'Sítio Camurupim',
      medium: 'Fazenda Porto do Mangue',
      large: 'Fazenda Grande do Jaguaribe',
    }[size],
    description: null,
    owner_id: owner,
    address_id: null,
    lat: '-4.5617',
    lng: '-37.7697',
    timezone: ZONE,
    created_at: iso(unixMs),
    updated_at: null,
  });
  const members = Array.from({ length: plan.people - 1 }, (_each, index) =>
    makeMember(making, farmId, index === 0 ? 'MANAGER' : 'TECHNICIAN'),
  );
  const controlPoints = Array.from({ length: plan.controlPoints }, (_each, index) =>
    makeControlPoint(making, { farmId, owner, number: index + 1 }),
  );
  const count = plan.nursery + plan.fattening;
  const ponds = Array.from({ length: count }, (_each, index) =>
    makePond(making, {
      farmId,
      isNursery: index < plan.nursery,
      number: index < plan.nursery ? index + 1 : index + 1 - plan.nursery,
      controlPointId: controlPoints[index % controlPoints.length]?.id ?? null,
      // what does not divide evenly goes to the first ponds
      aerators: Math.floor(plan.aerators / count) + (index < plan.aerators % count ? 1 : 0),
    }),
  );
  const speaking = (id: string): Person => ({ id, language: 'pt-BR' });
  return {
    farmId,
    ownerId: owner,
    people: [speaking(owner), ...members.map(speaking)],
    ponds,
    controlPoints,
  };
}

function makePerson({ chance, emit, unixMs }: Making, role: 'OWNER' | 'MANAGER' | 'TECHNICIAN'): string {
  const id = chance.uuid(unixMs);
  const email = `${id.slice(-12)}@fazenda.example`;
  emit(user, {
    id,
    numeric_id: numberOf(id, 0),
    email,
    email_key: email,
    name: chance.oneOf(['Antônio Moura', 'Francisca Lima', 'José Bezerra', 'Luzia Campos', 'Raimunda Alves']),
    phone_number: null,
    role,
    is_active: true,
    // no password has this hash
    password_hash: '!',
    password_version: 1,
    language: 'pt-BR',
    created_at: iso(unixMs),
    updated_at: null,
  });
  emit(numericId, { id: String(numberOf(id, 0)), entity: 'user', uuid: id });
  return id;
}

function makeMember(making: Making, farmId: string, role: 'MANAGER' | 'TECHNICIAN'): string {
  const userId = makePerson(making, role);
  const created_at = iso(making.unixMs);
  const id = making.chance.uuid(making.unixMs);
  making.emit(farmMember, { id, farm_id: farmId, user_id: userId, role, created_at, updated_at: null });
  return userId;
}

function makeControlPoint(
  { chance, emit, unixMs }: Making,
  of: { farmId: string; owner: string; number: number },
): Places['controlPoints'][number] {
  const id = chance.uuid(unixMs);
  const cod = `QC-${String(of.number).padStart(2, '0')}-${id.slice(-4)}`;
  const created_at = iso(unixMs);
  emit(controlPoint, {
    id,
    farm_id: of.farmId,
    owner_id: of.owner,
    cod,
    device_id: `ctl-${id.slice(-12)}`,
    target_status: 'OFF',
    version: 1,
    epoch: id.slice(-8),
    target_origin: 'LOCAL',
    current_status: 'OFF',
    current_since: created_at,
    last_command_at: null,
    base_target: 'OFF',
    base_at: created_at,
    fail_safe: 'SCHEDULE',
    min_on_s: 60,
    min_off_s: 60,
    start_group: 'A',
    start_order: of.number,
    do_on: null,
    do_off: null,
    do_emergency: null,
    locked_out: false,
    lock_out_reason: null,
    lock_out_by: null,
    lock_out_at: null,
    config_rev: 1,
    schedule_rev: 1,
    is_siren: false,
    is_simulated: false,
    allow_unkeyed: null,
    created_at,
    updated_at: null,
  });
  return { id, cod };
}

function makePond(
  { chance, emit, unixMs }: Making,
  of: { farmId: string; isNursery: boolean; number: number; controlPointId: string | null; aerators: number },
): PondPlace {
  const { farmId, isNursery, controlPointId } = of;
  const id = chance.uuid(unixMs);
  const cod = `${isNursery ? 'B' : 'V'}-${String(of.number).padStart(2, '0')}`;
  const areaM2 = isNursery ? chance.whole(40, 60) * 10 : chance.whole(25, 60) * 100;
  const depthM = written(chance.between(1.2, 1.6), 1);
  const created_at = iso(unixMs);
  const power_kw = isNursery ? 0.75 : 1.5;
  emit(pond, {
    id,
    numeric_id: numberOf(id, 0),
    farm_id: farmId,
    cod,
    pond_type: isNursery ? 'NURSERY' : 'FATTENING',
    size_m2: areaM2,
    depth_m: depthM,
    lat: null,
    lng: null,
    aerator_count: of.aerators,
    control_point_id: controlPointId,
    created_at,
    updated_at: null,
  });
  emit(numericId, { id: String(numberOf(id, 0)), entity: 'pond', uuid: id });
  for (let n = 1; n <= of.aerators; n += 1) {
    emit(aerator, {
      id: chance.uuid(unixMs),
      pond_id: id,
      name: `Aerador ${cod}/${n}`,
      device_id: `aer-${id.slice(-12)}-${n}`,
      power_kw,
      status: 'OFF',
      last_command_at: null,
      created_at,
      updated_at: null,
    });
  }
  return { id, cod, isNursery, areaM2, depthM, powerKw: of.aerators * power_kw, controlPointId };
}
