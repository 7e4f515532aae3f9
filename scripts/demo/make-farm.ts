import * as z from 'zod';
import type { Language, MemberRole } from '#contract/words.ts';
import type { TransportKind } from '#sim/controller/state.ts';
import { asPerson, type Person } from './interface.ts';
import type { PastController } from './past-fleet.ts';

// A shrimp farm on the lower Jaguaribe, Ceará: four nursery ponds that breathe all day, sixteen fattening ponds that
// need air from dusk to dawn, two feeders.

export const FARM = {
  name: 'Fazenda Barra do Jaguaribe',
  description: 'Litopenaeus vannamei, four nursery and sixteen fattening ponds',
  address: {
    street: 'Estrada do Canoé',
    number: 1400,
    city: 'Aracati',
    state: 'CE',
    zip_code: '62800-000',
    lat: '-4.5617',
    lng: '-37.7697',
    is_primary: true,
  },
} as const;

const DESCRIPTIONS: Readonly<Record<Language, string>> = {
  'pt-BR': 'Litopenaeus vannamei, quatro berçários e dezesseis viveiros de engorda',
  en: FARM.description,
  es: 'Litopenaeus vannamei, cuatro precrías y dieciséis piscinas de engorde',
};
const farmIn = (language: Language) => ({ ...FARM, description: DESCRIPTIONS[language] });

export const OWNER = { name: 'Marina Duarte', email: 'demo@fazenda.example' } as const;

export const MEMBERS: readonly { name: string; email: string; role: MemberRole }[] = [
  { name: 'Raimundo Alves', email: 'manager@fazenda.example', role: 'MANAGER' },
  { name: 'Jéssica Lima', email: 'technician@fazenda.example', role: 'TECHNICIAN' },
  { name: 'Cícero Nunes', email: 'operator@fazenda.example', role: 'OPERATOR' },
  { name: 'Caio Teles', email: 'viewer@fazenda.example', role: 'VIEWER' },
];

type PlannedAerator = { name: string; device_id: string; power_kw: number };
type PlannedPond = {
  cod: string;
  pond_type: 'NURSERY' | 'FATTENING';
  size_m2: number;
  depth_m: number;
  aerators: readonly PlannedAerator[];
};
type PlannedPoint = {
  cod: string;
  device_id: string;
  transport: TransportKind;
  feeder: 'A' | 'B';
  /** Without schedule: nursery ponds always breathe. */
  base: 'ON' | 'OFF';
  ponds: readonly PlannedPond[];
};

const NURSERY_M2 = [420, 420, 480, 510];
const FATTENING_M2 = [
  6_200, 6_400, 7_100, 7_350, 8_000, 8_200, 8_150, 9_400, 9_600, 10_100, 10_250, 10_900, 11_300, 11_800,
  12_000, 12_400,
];
/** Ponds V-01 to V-16 on the control points CP-02 to CP-08. */
const PONDS_PER_POINT = [2, 2, 2, 2, 2, 3, 3];

export const POINTS: readonly PlannedPoint[] = [nurseryPoint(), ...fatteningPoints()];

/** The controller that fell silent half an hour ago and stays so. */
export const SILENT = 'CP-08';
/** The controller whose contactor sticks while you look. */
export const STUCK = 'CP-05';

function powerOf({ ponds }: PlannedPoint): number {
  return ponds.flatMap(({ aerators }) => aerators).reduce((sum, { power_kw }) => sum + power_kw, 0);
}

function nurseryPoint(): PlannedPoint {
  const ponds = NURSERY_M2.map((size_m2, index) => pond('NURSERY', index + 1, size_m2));
  return { cod: 'CP-01', device_id: 'aer-ctl-01', transport: 'mqtt', feeder: 'A', base: 'ON', ponds };
}

function fatteningPoints(): PlannedPoint[] {
  const starts = PONDS_PER_POINT.map((_count, index) =>
    PONDS_PER_POINT.slice(0, index).reduce((sum, count) => sum + count, 0),
  );
  return PONDS_PER_POINT.map((count, index): PlannedPoint => {
    const first = starts[index] ?? 0;
    const number = `0${index + 2}`;
    return {
      cod: `CP-${number}`,
      device_id: `aer-ctl-${number}`,
      // older panels poll; the newer ones hold a connection
      transport: index % 3 === 2 ? 'http' : 'mqtt',
      feeder: index < 4 ? 'A' : 'B',
      base: 'OFF',
      ponds: FATTENING_M2.slice(first, first + count).map((size_m2, place) =>
        pond('FATTENING', first + place + 1, size_m2),
      ),
    };
  });
}

function pond(pond_type: PlannedPond['pond_type'], number: number, size_m2: number): PlannedPond {
  const isNursery = pond_type === 'NURSERY';
  const cod = `${isNursery ? 'N' : 'V'}-${String(number).padStart(2, '0')}`;
  // 2 hp paddle wheels, one for every 3,000 m²; a nursery tank has one small blower
  const count = isNursery ? 1 : Math.round(size_m2 / 3_000);
  return {
    cod,
    pond_type,
    size_m2,
    depth_m: isNursery ? 1.1 : 1.4 + (number % 3) / 10,
    aerators: Array.from({ length: count }, (_each, index) => ({
      name: isNursery ? `Blower ${cod}` : `Paddle wheel ${cod}/${index + 1}`,
      device_id: `${isNursery ? 'blw' : 'pdw'}-${cod.toLowerCase()}-${index + 1}`,
      power_kw: isNursery ? 0.75 : 1.5,
    })),
  };
}

// The farm of the plan, made through the public interface as its owner would.

type MadeController = PastController & { cod: string; transport: PlannedPoint['transport'] };
export type MadeFarm = {
  farmId: string;
  owner: Person;
  manager: Person;
  technician: Person;
  operator: Person;
  controlPointIds: ReadonlyMap<string, string>;
  controllers: MadeController[];
};

const withId = z.object({ id: z.string() });
const login = z.object({ access_token: z.string() });
const issuedKey = z.object({ device_id: z.string(), mqtt_id: z.string(), key: z.string() });

/** Makes people, farm, control points with keys, ponds and aerators. All people have the same password. */
export async function makeFarm(base: string, password: string, language: Language = 'en'): Promise<MadeFarm> {
  const owner = await register(base, { ...OWNER, language, role: 'OWNER' }, password);
  const farm = await owner.person.post(`/farms/${owner.id}`, farmIn(language), withId);
  const people = new Map<string, Person>();
  for (const { role, ...who } of MEMBERS) {
    // what they may do on the farm their membership says, not the account
    const member = await register(base, { ...who, role: 'VIEWER' }, password, owner.person);
    const asked = await owner.person.post(`/farms/${farm.id}/members`, { user_id: member.id, role }, withId);
    await member.person.send('POST', '/invitations/accept', { invitation_id: asked.id });
    people.set(role, member.person);
  }
  const controlPointIds = new Map<string, string>();
  const controllers: MadeController[] = [];
  for (const [place, point] of POINTS.entries()) {
    const made = await makePoint(owner.person, farm.id, point, place);
    controlPointIds.set(point.cod, made.id);
    controllers.push(made.controller);
  }
  return {
    farmId: farm.id,
    owner: owner.person,
    manager: people.get('MANAGER') ?? owner.person,
    technician: people.get('TECHNICIAN') ?? owner.person,
    operator: people.get('OPERATOR') ?? owner.person,
    controlPointIds,
    controllers,
  };
}

async function register(
  base: string,
  who: { name: string; email: string; role: string; language?: string },
  password: string,
  // the owner makes the accounts of others
  by: Person = asPerson(base, null),
): Promise<{ id: string; person: Person }> {
  const anyone = asPerson(base, null);
  const { id } = await by.post('/auth/register', { ...who, password }, withId);
  // the week that follows is longer than a short token lives
  const asked = { email: who.email, password, remember_me: true };
  const { access_token } = await anyone.post('/auth/login', asked, login);
  return { id, person: asPerson(base, access_token) };
}

async function makePoint(
  owner: Person,
  farm_id: string,
  plan: PlannedPoint,
  place: number,
): Promise<{ id: string; controller: MadeController }> {
  const { cod, device_id, base, feeder, transport } = plan;
  const { id } = await owner.post(
    '/control-points/',
    { farm_id, cod, device_id, target_status: base },
    withId,
  );
  await owner.send('PUT', `/control-points/${id}/settings`, {
    fail_safe: 'SCHEDULE',
    start_group: feeder,
    start_order: place,
  });
  for (const { aerators, ...pond } of plan.ponds) {
    const made = await owner.post(
      '/ponds/',
      { farm_id, control_point_id: id, ...pond, aerator_count: aerators.length },
      withId,
    );
    for (const aerator of aerators) await owner.send('POST', '/aerators/', { pond_id: made.id, ...aerator });
  }
  const issued = await owner.post(`/control-points/${id}/device-key`, {}, issuedKey);
  return { id, controller: { ...issued, cod, transport, feeder, power_kw: powerOf(plan) } };
}
