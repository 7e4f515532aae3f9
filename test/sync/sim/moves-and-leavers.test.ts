import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { farmMember } from '#contract/resources/farms.ts';
import { NO_PASSWORD, user } from '#contract/resources/users.ts';
import { insert, remove, update } from '#core/changes.ts';
import { bind, takeOff } from './moves.ts';
import { CALM } from './network.ts';
import { FARM } from './paired-farm.ts';
import { agreed, farmInStep, MINUTE_MS, NO_LINE, nameOn, namesOn, rename } from './small-farm.ts';
import { freshImage } from './sqlite-replica.ts';
import type { World } from './world.ts';

// What simulated pairs found when farms moved and people left while the gateway was away.

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});
const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function aFarmInStep(): Promise<World> {
  const world = await farmInStep({ image });
  worlds.push(world);
  return world;
}

const PERSON = '10000000-0000-4000-8000-000000000009';
const MEMBER = '11000000-0000-4000-8000-000000000009';
const AT = '2026-03-01T12:00:00.000Z';

/** Somebody of the farm, who has signed in at the box where that knows the person. */
async function aMember(world: World, since = AT): Promise<void> {
  const person = {
    id: PERSON,
    numeric_id: 9,
    email: 'joana@fazenda.br',
    email_key: 'joana@fazenda.br',
    name: 'Joana',
    phone_number: null,
    role: 'TECHNICIAN' as const,
    is_active: true,
    password_hash: 'of the cloud',
    password_version: 1,
    language: null,
    created_at: AT,
    updated_at: null,
  };
  const member = { id: MEMBER, farm_id: FARM, user_id: PERSON, role: 'TECHNICIAN' as const };
  await world.write('hosted', insert(user, person));
  await world.write('hosted', insert(farmMember, { ...member, created_at: since, updated_at: null }));
  await world.pass(5 * MINUTE_MS);
  if ((await atBox(world)) !== undefined)
    await world.write('gateway', update(user, PERSON, { password_hash: 'of the box' }));
}

const atBox = async ({ gateway }: World) =>
  (await gateway.replica.read(`select is_active, password_hash, email from users where id = '${PERSON}'`))[0];
const GONE = { is_active: 0, password_hash: NO_PASSWORD, email: `${PERSON}@local.invalid` };

const aside = ({ hosted }: World) => hosted.replica.read('select row_id, reason from sync_parked');

describe('a farm that was taken off its gateway and comes back', () => {
  it('takes what was written there before the gateway heard of it, and nothing waits aside any more', async () => {
    const world = await aFarmInStep();
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'by the box that had not heard');
    expect(await takeOff(world, FARM)).toBe(true);
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await nameOn(world, 'hosted')).toBe('Fazenda Aurora');
    expect(await aside(world)).toEqual([{ row_id: FARM, reason: `tenant:farms/${FARM}` }]);
    expect(await bind(world, FARM)).toBe(true);
    await agreed(world);
    expect(await namesOn(world)).toEqual(Array(2).fill('by the box that had not heard'));
    expect(await aside(world)).toEqual([]);
  });

  it('is not mixed up meanwhile with what the gateway tells under the same number after a comparison', async () => {
    const world = await aFarmInStep();
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'by the box that had not heard');
    await takeOff(world, FARM);
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await aside(world)).toEqual([{ row_id: FARM, reason: `tenant:farms/${FARM}` }]);
    await world.gateway.run().paired();
    await world.pass(10 * MINUTE_MS);
    const kept = await world.gateway.replica.read('select row_id from sync_parked');
    const there = new Set((await aside(world)).map(({ row_id }) => row_id));
    expect(kept.filter(({ row_id }) => !there.has(row_id))).toEqual([]);
  });
});

describe('who was on a farm', () => {
  it('that was taken off the gateway signs in there no more, though the gateway compares everything meanwhile', async () => {
    const world = await aFarmInStep();
    await aMember(world);
    world.network.setWeather(NO_LINE);
    await takeOff(world, FARM);
    await world.gateway.run().paired();
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await atBox(world)).toEqual(GONE);
  });

  it('since it was taken off the gateway is nothing to that gateway, not even by name', async () => {
    const world = await aFarmInStep();
    world.network.setWeather(NO_LINE);
    await takeOff(world, FARM);
    // long after the farm went
    await aMember(world, '2099-01-01T00:00:00.000Z');
    await world.gateway.run().paired();
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await atBox(world)).toBeUndefined();
    expect(JSON.stringify(await world.gateway.replica.read('select name from users'))).not.toContain('Joana');
  });

  it('and was removed before the box told of a verifier leaves nothing aside', async () => {
    const world = await aFarmInStep();
    await aMember(world);
    world.network.setWeather(NO_LINE);
    await world.write('gateway', update(user, PERSON, { password_hash: 'of the box, again' }));
    await world.write('hosted', remove(farmMember, MEMBER));
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await atBox(world)).toEqual(GONE);
    expect(await aside(world)).toEqual([]);
    await world.write(
      'hosted',
      insert(farmMember, {
        id: PERSON.replace(/^1/, '2'),
        farm_id: FARM,
        user_id: PERSON,
        role: 'VIEWER',
        created_at: AT,
        updated_at: null,
      }),
    );
    await agreed(world);
    expect((await atBox(world))?.['email']).toBe('joana@fazenda.br');
  });
});
