import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { NO_PASSWORD, user } from '#contract/resources/users.ts';
import { insert, remove, update } from '#core/changes.ts';
import type { SyncTransport } from '../../../gateway/sync/ports.ts';
import { goBack } from './faults.ts';
import { bind, takeOff } from './moves.ts';
import { CALM } from './network.ts';
import { FARM } from './paired-farm.ts';
import * as today from './program.ts';
import {
  agreed,
  aPond,
  farmInStep,
  MINUTE_MS,
  NO_LINE,
  nameOn,
  namesOn,
  pondsOn,
  pushWithoutAnswer,
  rename,
} from './small-farm.ts';
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

  it('is not mixed up meanwhile with another farm, of which changes are told under the same numbers', async () => {
    const world = await aFarmInStep();
    const other = FARM.replace(/1$/, '2');
    const [row] = await world.gateway.replica.read(`select * from farms where id = '${FARM}'`);
    const ofFarm = { owner_id: String(row?.['owner_id']), timezone: 'America/Fortaleza', address_id: null };
    const untold = { description: null, lat: null, lng: null, created_at: AT, updated_at: null };
    await world.write('gateway', insert(farm, { id: other, name: 'Aurora 2', ...ofFarm, ...untold }));
    await world.pass(MINUTE_MS);
    world.network.setWeather(NO_LINE);
    for (const name of ['one', 'two', 'three']) await rename(world, 'gateway', name);
    await takeOff(world, FARM);
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    await world.gateway.run().paired();
    await world.pass(10 * MINUTE_MS);
    for (const name of ['four', 'five', 'six']) await world.write('gateway', update(farm, other, { name }));
    // told twice, so that the answer to the second tells what became of the first
    await pushWithoutAnswer(world);
    await world.pass(10 * MINUTE_MS);
    const kept = await world.gateway.replica.read('select row_id from sync_parked');
    expect(kept).toContainEqual({ row_id: FARM });
    expect(kept).not.toContainEqual({ row_id: other });
  });

  it('is not found to differ meanwhile, day after day, though the card of the gateway has it still', async () => {
    const world = await farmInStep({ image, programs: { gateway: today, hosted: today } });
    worlds.push(world);
    await takeOff(world, FARM);
    await rename(world, 'hosted', 'by who runs it now');
    await world.pass(50 * 60 * MINUTE_MS);
    const said = Object.entries(world.counts).filter(([what]) => what.includes('sides were compared'));
    expect(said).toEqual([['says: both sides were compared and are alike', 3]]);
  });

  it('has what was edited in the cloud meanwhile, though the box told the row as it had been and a clock there was behind', async () => {
    const world = await aFarmInStep();
    await takeOff(world, FARM);
    await world.pass(MINUTE_MS);
    // to a clock that shows less, what was made at noon and is known there would be of the future
    world.setClock('hosted', -15 * MINUTE_MS);
    await world.write('hosted', update(farm, FARM, { lat: '-4.5', lng: '-37.7' }));
    await world.gateway.run().paired();
    await world.pass(2 * MINUTE_MS);
    world.setClock('hosted', 0);
    await bind(world, FARM);
    await agreed(world);
    for (const { replica } of [world.gateway, world.hosted]) {
      const [row] = await replica.read(`select lat from farms where id = '${FARM}'`);
      expect(row).toEqual({ lat: '-4.5' });
      expect(await replica.read('select field_group, dropped_json from sync_conflicts')).toEqual([]);
    }
  });

  it('takes what was changed of a pond that waited aside, though the card of the gateway went back since', async () => {
    const world = await aFarmInStep();
    const card = await world.gateway.replica.image();
    world.network.setWeather(NO_LINE);
    await takeOff(world, FARM);
    await world.write('gateway', aPond('V-01'));
    const [{ id } = { id: '' }] = await world.gateway.replica.read('select id from ponds');
    await world.write('gateway', update(pond, String(id), { cod: 'V-01 north' }));
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    const waiting = [`absent:ponds/${id}`, `tenant:ponds/${id}`];
    const reasons = async () =>
      (await aside(world))
        .filter(({ row_id }) => row_id === id)
        .map(({ reason }) => String(reason))
        .toSorted();
    expect(await reasons()).toEqual(waiting);
    await goBack(world, 'gateway', card);
    await world.pass(10 * MINUTE_MS);
    expect(await pondsOn(world, 'gateway')).toEqual([]);
    expect(await reasons()).toEqual(waiting);
    await bind(world, FARM);
    await agreed(world);
    expect([await pondsOn(world, 'gateway'), await pondsOn(world, 'hosted')]).toEqual([
      ['V-01 north'],
      ['V-01 north'],
    ]);
  });

  it('tells people of an edit in the cloud that lost against what waited aside', async () => {
    const world = await aFarmInStep();
    world.network.setWeather(NO_LINE);
    await takeOff(world, FARM);
    await rename(world, 'hosted', 'in the cloud');
    await world.pass(MINUTE_MS);
    await rename(world, 'gateway', 'by the box that had not heard');
    // it tells its rows as they stand, not what its edit was made over
    await world.gateway.run().paired();
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await nameOn(world, 'hosted')).toBe('in the cloud');
    await bind(world, FARM);
    await agreed(world);
    expect(await namesOn(world)).toEqual(Array(2).fill('by the box that had not heard'));
    const lost = await world.hosted.replica.read('select row_id, dropped_json from sync_conflicts');
    expect(lost).toEqual([{ row_id: FARM, dropped_json: '{"name":"in the cloud"}' }]);
  });

  it('tells people of an edit in the cloud that the gateway never heard, though its comparison went past it', async () => {
    const world = await aFarmInStep();
    world.network.setWeather(NO_LINE);
    await rename(world, 'hosted', 'in the cloud');
    await world.pass(MINUTE_MS);
    await rename(world, 'gateway', 'by the box that had not heard');
    await takeOff(world, FARM);
    // it takes its place in the feed from the comparison, which tells nothing of the farm
    await world.gateway.run().paired();
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await nameOn(world, 'hosted')).toBe('in the cloud');
    await bind(world, FARM);
    await agreed(world);
    expect(await namesOn(world)).toEqual(Array(2).fill('by the box that had not heard'));
    const lost = await world.hosted.replica.read('select row_id, dropped_json from sync_conflicts');
    expect(lost).toEqual([{ row_id: FARM, dropped_json: '{"name":"in the cloud"}' }]);
  });
});

describe('a farm that is taken off its gateway between two pages of a comparison', () => {
  it.each([
    ['before the farm was told', 1],
    ['when the farm was told, and its ponds were not', 4],
  ])('tells people of every edit of the cloud that loses when it comes back: %s', async (_, pages) => {
    const page = { told: Number.NEGATIVE_INFINITY };
    const transport = (line: SyncTransport): SyncTransport => ({
      async ask(kind, body, how) {
        if (kind !== 'snapshot' || page.told < 0) return line.ask(kind, body, how);
        // a body of this kind is an object
        const answer = await line.ask(kind, { ...(body as object), limit: 1 }, how);
        page.told += 1;
        if (page.told === pages) await takeOff(world, FARM);
        return answer;
      },
    });
    const world = await farmInStep({ image, parts: { gateway: { transport } } });
    worlds.push(world);
    await world.write('gateway', aPond('V-01'));
    await world.pass(MINUTE_MS);
    const [{ id } = { id: '' }] = await world.gateway.replica.read('select id from ponds');
    world.network.setWeather(NO_LINE);
    for (const side of ['hosted', 'gateway'] as const) {
      await rename(world, side, `farm of the ${side}`);
      await world.write(side, update(pond, String(id), { cod: `pond of the ${side}` }));
      await world.pass(MINUTE_MS);
    }
    await world.gateway.run().paired();
    page.told = 0;
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(page.told).toBeGreaterThan(pages);
    await bind(world, FARM);
    await agreed(world);
    expect(await namesOn(world)).toEqual(Array(2).fill('farm of the gateway'));
    const lost = await world.hosted.replica.read(
      'select dropped_json from sync_conflicts order by dropped_json',
    );
    expect(lost).toEqual([
      { dropped_json: '{"cod":"pond of the hosted"}' },
      { dropped_json: '{"name":"farm of the hosted"}' },
    ]);
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

  it('that was taken off the gateway by a clock that was behind signs in there no more', async () => {
    const world = await aFarmInStep();
    await aMember(world, new Date(world.wallTime('hosted')).toISOString());
    world.network.setWeather(NO_LINE);
    world.setClock('hosted', -40 * 24 * 60 * MINUTE_MS);
    await takeOff(world, FARM);
    await world.gateway.run().paired();
    world.setClock('hosted', 0);
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await atBox(world)).toEqual(GONE);
  });

  it.each([
    ['hears of it by the feed', async () => undefined],
    ['compares everything meanwhile', (world: World) => world.gateway.run().paired()],
  ])(
    'and whose account a failover lost is gone from the box with the farm, which %s',
    async (_, meanwhile) => {
      const world = await aFarmInStep();
      const before = await world.hosted.replica.image();
      await aMember(world);
      await goBack(world, 'hosted', before, true);
      world.nextTimeline();
      await world.pass(10 * MINUTE_MS);
      // until somebody decides whether the account counts, the person goes on at the farm
      expect(await atBox(world)).toMatchObject({ is_active: 1, email: 'joana@fazenda.br' });
      await takeOff(world, FARM);
      await meanwhile(world);
      await world.pass(10 * MINUTE_MS);
      expect(await atBox(world)).toEqual(GONE);
    },
  );

  it.each([
    ['had joined while the farm was away', true],
    ['had joined before the farm was away', false],
  ])(
    'that came back to the gateway, which a restored cloud forgot, signs in there no more: who %s',
    async (_, isLater) => {
      const world = await aFarmInStep();
      if (!isLater) await aMember(world);
      await takeOff(world, FARM);
      await world.pass(5 * MINUTE_MS);
      if (isLater) await aMember(world, new Date(world.wallTime('hosted')).toISOString());
      const before = await world.hosted.replica.image();
      expect(await bind(world, FARM)).toBe(true);
      await world.pass(10 * MINUTE_MS);
      expect(await atBox(world)).toMatchObject({ is_active: 1, email: 'joana@fazenda.br' });
      await goBack(world, 'hosted', before);
      await world.pass(10 * MINUTE_MS);
      expect(await atBox(world)).toEqual(GONE);
      // and is told once
      const told = () => world.hosted.replica.read(`select seq from sync_change where id = '${PERSON}'`);
      const once = await told();
      await world.gateway.run().paired();
      await world.pass(10 * MINUTE_MS);
      expect((await told()).length).toBe(once.length);
    },
  );

  it('that came back to the gateway, which a restored cloud forgot together with their account, signs in there no more, and it is asked about', async () => {
    const world = await aFarmInStep();
    await takeOff(world, FARM);
    await world.pass(5 * MINUTE_MS);
    const before = await world.hosted.replica.image();
    await aMember(world, new Date(world.wallTime('hosted')).toISOString());
    expect(await bind(world, FARM)).toBe(true);
    await world.pass(10 * MINUTE_MS);
    expect(await atBox(world)).toMatchObject({ is_active: 1 });
    await goBack(world, 'hosted', before);
    await world.pass(10 * MINUTE_MS);
    expect(await atBox(world)).toEqual(GONE);
    const asked = await world.hosted.replica.read('select kind, user_id, email, state from lost_people');
    expect(asked).toEqual([{ kind: 'account', user_id: PERSON, email: 'joana@fazenda.br', state: 'open' }]);
    // a comparison tells of the membership once more: the box has heard that the person left
    const told = () => world.hosted.replica.read(`select seq from sync_change where id = '${PERSON}'`);
    const once = await told();
    for (let n = 0; n < 2; n += 1) {
      await world.gateway.run().paired();
      await world.pass(10 * MINUTE_MS);
    }
    expect(await told()).toEqual(once);
    expect(await atBox(world)).toEqual(GONE);
  });

  it('that was taken off the gateway before a failover lost their account is known by name alone, as somebody of that box', async () => {
    const world = await aFarmInStep();
    const before = await world.hosted.replica.image();
    await aMember(world);
    await takeOff(world, FARM);
    await world.pass(5 * MINUTE_MS);
    expect(await atBox(world)).toEqual(GONE);
    await goBack(world, 'hosted', before, true);
    world.nextTimeline();
    await world.pass(10 * MINUTE_MS);
    const known = await world.hosted.replica.read(
      'select local_users.name, state, users.email, is_active from local_users join users on users.id = local_users.id',
    );
    expect(known).toEqual([{ name: 'Joana', state: 'local', email: GONE.email, is_active: 0 }]);
    await agreed(world);
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

  it('that was taken off the gateway leaves nothing aside of a password that was changed at the box', async () => {
    const world = await aFarmInStep();
    await aMember(world);
    world.network.setWeather(NO_LINE);
    await takeOff(world, FARM);
    await world.write('gateway', update(user, PERSON, { password_hash: 'of the box, again' }));
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await atBox(world)).toEqual(GONE);
    expect(await aside(world)).toEqual([]);
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

  it.each([
    ['a new e-mail of theirs reaches the box', 'joana.nova@fazenda.br'],
    ['both sides say the same of them', null],
  ])('and is told with a verifier by a box whose clock is ahead of the cloud: %s', async (_, email) => {
    const world = await aFarmInStep();
    await aMember(world);
    // what was made at noon is of the future to a clock that shows less
    world.setClock('hosted', -15 * MINUTE_MS);
    world.network.loseNext('push', 2);
    await world.gateway.run().paired();
    await world.pass(5_000);
    if (email !== null) await world.write('hosted', update(user, PERSON, { email, email_key: email }));
    await world.pass(2 * MINUTE_MS);
    world.setClock('hosted', 0);
    await agreed(world);
    expect(await atBox(world)).toEqual({
      is_active: 1,
      password_hash: 'of the box',
      email: email ?? 'joana@fazenda.br',
    });
  });
});
