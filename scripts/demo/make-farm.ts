import * as z from 'zod';
import { farmIn, MEMBERS, OWNER, type PlannedPoint, POINTS, powerOf } from './farm-plan.ts';
import { asPerson, type Person } from './interface.ts';
import type { PastController } from './past-fleet.ts';

// The farm of the plan, made through the public interface as its owner would.

export type MadeController = PastController & { cod: string; transport: PlannedPoint['transport'] };
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
export async function makeFarm(
  base: string,
  password: string,
  language: 'pt-BR' | 'en' = 'en',
): Promise<MadeFarm> {
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
