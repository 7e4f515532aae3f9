import { farm as farmTable } from '#contract/resources/farms.ts';
import { insert, update } from '#core/changes.ts';
import { goBack, type Images } from './faults.ts';
import { bind, farmsOn, takeOff } from './moves.ts';
import { CALM } from './network.ts';
import { OWNER } from './paired-farm.ts';
import { peopleDo } from './people.ts';
import { LATER_THINGS, type Row, THINGS } from './things.ts';
import type { World } from './world.ts';

// Chains of events of which each alone is common and all of them in a row are not. What of a chain happens is chance, too.

const MINUTE_MS = 60_000;
const NO_LINE = { ...CALM, lost: 1 };

/** A farm is taken off a gateway that does not hear of it at once, goes on with it, and may compare everything meanwhile. */
export async function farmIsAway(world: World, images: Images): Promise<void> {
  const { chance, network } = world;
  const bound = await farmsOn(world.hosted.replica.read);
  const known = await world.gateway.replica.read('select id from farms where hidden = 0');
  if (known.length === 0) return;
  if (bound.size === 1 && chance.of(0.7)) await secondFarm(world);
  for (const act of ['somebody joins', 'somebody signs in at the box'] as const) {
    if (chance.of(0.7)) await peopleDo(world, act);
    network.setWeather(CALM);
    await world.pass(MINUTE_MS);
  }
  const there = await farmsOn(world.hosted.replica.read);
  const here = await world.gateway.replica.read('select id from farms where hidden = 0 order by id');
  const farmId = chance.pickOrNull(here.map(({ id }) => String(id)).filter((id) => there.has(id)));
  if (farmId === null) return;
  network.setWeather(NO_LINE);
  const card = await world.gateway.replica.image();
  const isFirstInCloud = chance.of(0.5);
  if (isFirstInCloud) await renamed(world, 'hosted', farmId);
  if (!(await takeOff(world, farmId))) return;
  if (!isFirstInCloud) await renamed(world, 'hosted', farmId);
  await world.pass(1_000);
  if (chance.of(0.7)) await renamed(world, 'gateway', farmId);
  if (chance.of(0.7)) await pondIsMade(world, farmId);
  if (chance.of(0.7)) await peopleDo(world, 'a password is changed at the box');
  if (chance.of(0.5)) await world.gateway.run().paired();
  network.setWeather(CALM);
  await world.pass(chance.pick([MINUTE_MS, 5 * MINUTE_MS]));
  if (chance.of(0.4)) {
    images.gateway.push(card);
    await goBack(world, 'gateway', card);
    await world.pass(5 * MINUTE_MS);
  } else if (chance.of(0.5)) {
    await world.gateway.run().paired();
    await world.pass(5 * MINUTE_MS);
    for (let edit = 0; edit < 6; edit += 1) await world.work('gateway', { edit: 30 });
  }
  if (chance.of(0.5)) await bind(world, farmId);
}

/** A clock of the cloud is behind while a box tells of everybody whom it knows: all of that is of the future there. */
export async function clockIsBehind(world: World): Promise<void> {
  const { network, gateway } = world;
  network.setWeather(CALM);
  await world.pass(6 * MINUTE_MS);
  for (const act of ['somebody joins', 'somebody signs in at the box'] as const) {
    await peopleDo(world, act);
    await world.pass(2 * MINUTE_MS);
  }
  world.setClock('hosted', -30 * MINUTE_MS);
  await gateway.run().paired();
  await world.pass(3 * MINUTE_MS);
  world.setClock('hosted', 0);
}

/**
 * A clock of the cloud that was minutes ahead is right again, and something is written over what it had stamped. The gateway
 * hears of the return when the time has come that the clock had shown.
 */
export async function clockComesBack(world: World): Promise<void> {
  const { chance, network, hosted } = world;
  const bound = await farmsOn(hosted.replica.read);
  const known = await hosted.replica.read('select id from farms where hidden = 0 order by id');
  const farmId = chance.pickOrNull(known.map(({ id }) => String(id)).filter((id) => bound.has(id)));
  if (farmId === null) return;
  network.setWeather(CALM);
  // a gateway that could not talk for long tries every five minutes
  await world.pass(6 * MINUTE_MS);
  const aheadMs = chance.pick([10, 30]) * MINUTE_MS;
  world.setClock('hosted', aheadMs);
  await renamed(world, 'hosted', farmId);
  await world.pass(2 * MINUTE_MS);
  network.setWeather(NO_LINE);
  world.setClock('hosted', 0);
  await hosted.start();
  await renamed(world, 'hosted', farmId);
  if (chance.of(0.2)) await renamed(world, 'gateway', farmId);
  await world.pass(chance.of(0.8) ? aheadMs : 2 * MINUTE_MS);
  network.setWeather(CALM);
}

const renamed = (world: World, side: 'gateway' | 'hosted', farmId: string): Promise<unknown> =>
  world.commit(side, [update(farmTable, farmId, { name: `${side[0]}${world.nextWord()}` })]);

async function secondFarm(world: World): Promise<void> {
  const at = new Date(world.wallTime('gateway')).toISOString();
  await world.commit('gateway', [
    insert(farmTable, {
      id: world.chance.uuid(),
      name: `g${world.nextWord()}`,
      description: null,
      owner_id: OWNER,
      address_id: null,
      lat: null,
      lng: null,
      timezone: 'America/Fortaleza',
      created_at: at,
      updated_at: null,
    }),
  ]);
}

/** And named anew, which is told as part of a row. */
async function pondIsMade(world: World, farmId: string): Promise<void> {
  const thing = THINGS.find(({ resource }) => resource.name === 'ponds');
  const at = new Date(world.wallTime('gateway')).toISOString();
  const one = (table: string): Row | null => (table === 'farms' ? { id: farmId } : null);
  const row = thing?.make?.({ chance: world.chance, at, one }, world.chance.uuid(), `g${world.nextWord()}`);
  if (thing === undefined || row === undefined || row === null) return;
  if ((await world.commit('gateway', [insert(thing.resource, row)])) === null) return;
  const set = { lat: `-5.${world.nextWord()}`, lng: '-37.7' };
  await world.commit('gateway', [update(thing.resource, row.id, set)]);
}

/** Where one side is older: the cloud says something that it may not know, and before it hears of that it edits the same group. */
export async function groupIsEdited(world: World): Promise<string | null> {
  const { chance, network } = world;
  const things = LATER_THINGS.filter(({ resource }) => resource.name === 'control_points');
  const thing = chance.pickOrNull(things);
  if (thing === null) return null;
  const { resource, edits } = thing;
  const rows = await world.hosted.replica.read(
    `select * from ${resource.name} where hidden = 0 and id in (${await idsOn(world, resource.name)}) order by id`,
  );
  const found = chance.pickOrNull(rows);
  const group = chance.pickOrNull(Object.keys(edits).filter((name) => hasLater(resource, name)));
  if (found === null || group === null) return null;
  const row = { ...found, id: String(found['id']) };
  const set = () => edits[group]?.(`h${world.nextWord()}`, row, chance, null) ?? {};
  network.setWeather(NO_LINE);
  await world.commit('hosted', [update(resource, row.id, set())]);
  await world.pass(1_000);
  await world.commit('gateway', [update(resource, row.id, set())]);
  if (chance.of(0.7)) await world.gateway.run().paired();
  network.setWeather(CALM);
  await world.pass(2 * MINUTE_MS);
  return 'both edit what one of them may not know';
}

const hasLater = (
  { groups, later }: { groups: Readonly<Record<string, { fields: readonly string[] }>>; later: object },
  name: string,
): boolean => groups[name]?.fields.some((field) => field in later) === true;

async function idsOn(world: World, table: string): Promise<string> {
  const known = await world.gateway.replica.read(`select id from ${table} where hidden = 0`);
  return known.map(({ id }) => `'${String(id)}'`).join(', ');
}
