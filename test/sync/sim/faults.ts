import { CALM, ROUGH } from './network.ts';
import type { Image } from './replica.ts';
import type { World } from './world.ts';

// What goes wrong, and what of it is nobody's fault: a write whose only copy was on a disk that is gone.

const FAULTS = {
  'line gets rough': 6,
  'line gets calm': 3,
  'line half open': 2,
  'gateway restarts': 3,
  'hosted restarts': 2,
  'gateway dies at a statement': 6,
  'hosted dies at a statement': 6,
  'gateway goes back to an older card': 2,
  'hosted goes back to an older image': 1,
  'hosted fails over': 2,
  'gateway clock jumps': 3,
  'gateway clock in 1970': 1,
  'hosted clock jumps': 1,
  'hosted clock is set wrong': 1,
  'hosted clock is set right': 1,
  'gateway disk fills': 1,
  'gateway disk is freed': 2,
  'hosted forgets its feed': 1,
  'gateway forgets what is confirmed': 1,
} as const;
export type Fault = keyof typeof FAULTS;
export const ALL_FAULTS: Readonly<Record<Fault, number>> = FAULTS;

/** Rare ways to go wrong need company: every third seed looks at clocks, every third at disks that go back. */
const CLOCKS: Partial<Record<Fault, number>> = {
  'gateway clock jumps': 6,
  'gateway goes back to an older card': 3,
  'line gets rough': 4,
  'line gets calm': 3,
  'gateway restarts': 1,
  'hosted clock is set wrong': 1,
  'hosted clock is set right': 2,
};
const DISKS: Partial<Record<Fault, number>> = {
  'hosted fails over': 4,
  'hosted goes back to an older image': 2,
  'gateway goes back to an older card': 4,
  'line gets rough': 2,
  'line gets calm': 4,
  'gateway clock jumps': 2,
  'hosted dies at a statement': 1,
};
const KINDS = [FAULTS, CLOCKS, DISKS] as const;
export const faultsOfSeed = (seed: number): Readonly<Partial<Record<Fault, number>>> =>
  KINDS[seed % KINDS.length] ?? FAULTS;

/** Copies of the two disks, oldest first. */
export type Images = { gateway: Image[]; hosted: Image[] };

const GATEWAY_IMAGES = 8;
const HOSTED_IMAGES = 6;
/** Commits that a replica lags behind, most. */
const LAG = 3;
const HOUR_MS = 3_600_000;
const SLIGHTLY_MS = 60_000;
/** A zone that was taken for another, a battery that ended, a year that was typed. */
const WRONG_MS = [10 * 60_000, 3 * HOUR_MS, 40 * 24 * HOUR_MS, 2 * 365 * 24 * HOUR_MS] as const;
const IN_1970_MS = -56 * 365.25 * 24 * HOUR_MS;

/** Takes copies now and then of the card, and of the hosted disk after every step, as a lagging replica has them. */
export async function keepImages(world: World, images: Images, hostedShare: number): Promise<void> {
  if (world.chance.of(0.15)) images.gateway.push(await world.gateway.replica.image());
  if (hostedShare === 1 || world.chance.of(hostedShare))
    images.hosted.push(await world.hosted.replica.image());
  if (images.gateway.length > GATEWAY_IMAGES) images.gateway.splice(world.chance.between(0, 2), 1);
  if (images.hosted.length > HOSTED_IMAGES) images.hosted.shift();
}

export async function strike(
  world: World,
  images: Images,
  weights: Readonly<Partial<Record<Fault, number>>>,
): Promise<void> {
  const { chance, network, gateway, hosted } = world;
  // weights of the faults that were chosen
  const fault = chance.weighted(weights as Record<Fault, number>);
  world.counts[fault] = (world.counts[fault] ?? 0) + 1;
  world.trace(`${world.time.now()} FAULT ${fault}`);
  switch (fault) {
    case 'line gets rough':
      return network.setWeather(ROUGH);
    case 'line gets calm':
      return network.setWeather(CALM);
    case 'line half open':
      return network.setWeather({ ...CALM, isHalfOpen: true });
    case 'gateway restarts':
      return gateway.start();
    case 'hosted restarts':
      return hosted.start();
    case 'gateway dies at a statement':
      return gateway.run().breakable.dieBefore(chance.between(1, 60));
    case 'hosted dies at a statement':
      return hosted.run().breakable.dieBefore(chance.between(1, 80));
    case 'gateway goes back to an older card':
      return goBack(world, 'gateway', chance.pickOrNull(images.gateway));
    case 'hosted goes back to an older image':
      return goBack(world, 'hosted', images.hosted[0] ?? null);
    case 'hosted fails over': {
      await goBack(world, 'hosted', images.hosted.at(-1 - chance.between(0, LAG)) ?? null, true);
      return world.nextTimeline();
    }
    case 'gateway clock jumps':
      return world.setClock('gateway', chance.between(-30 * 24, 30 * 24) * HOUR_MS);
    case 'gateway clock in 1970':
      return world.setClock('gateway', IN_1970_MS);
    case 'hosted clock jumps':
      return world.setClock('hosted', chance.between(-SLIGHTLY_MS, SLIGHTLY_MS));
    case 'hosted clock is set wrong':
      return world.setClock('hosted', chance.pick(WRONG_MS) * chance.pick([1, 1, -1]));
    case 'hosted clock is set right':
      return setRight(world);
    case 'gateway disk fills':
      return gateway.run().breakable.fillDisk(true);
    case 'gateway disk is freed':
      return gateway.run().breakable.fillDisk(false);
    case 'hosted forgets its feed':
      return hosted.replica.execute(FORGET_FEED);
    case 'gateway forgets what is confirmed':
      return gateway.replica.execute(FORGET_CONFIRMED);
  }
}

/** What the documents ask for: the clock is set, and the process started again. */
async function setRight(world: World): Promise<void> {
  if (Math.abs(world.clockOffset('hosted')) <= SLIGHTLY_MS) return;
  world.setClock('hosted', 0);
  await world.hosted.start();
}

/** What a long silence comes to: only the last two changes are still there. */
const FORGET_FEED = `
  delete from sync_change where stream_id = 2 and seq < (select core_seq - 1 from sync_stream where stream_id = 2);
  update sync_stream set floor_seq = core_seq - 1 where stream_id = 2 and core_seq > 2;`;
const FORGET_CONFIRMED = ['core', 'history']
  .map(
    (lane) => `delete from sync_change where stream_id = 1 and lane = '${lane}'
      and seq <= (select acked_${lane}_seq from sync_stream where stream_id = 1);`,
  )
  .join('');

/** A disk as it was earlier. What neither it nor the other disk has is gone with it. */
export async function goBack(
  world: World,
  side: 'gateway' | 'hosted',
  image: Image | null,
  isAnotherLife = false,
): Promise<void> {
  if (image === null) return;
  world.ledger.excuseKeptAside(side, await world.states());
  await image();
  await world[side].start();
  const gone = await world.excuse(side, isAnotherLife);
  world.counts['writes gone with a disk'] = (world.counts['writes gone with a disk'] ?? 0) + gone;
}

/** The power is back wherever it went. */
export async function revive({ gateway, hosted }: World): Promise<void> {
  if (gateway.run().breakable.isDead()) await gateway.start();
  if (hosted.run().breakable.isDead()) await hosted.start();
}

export async function heal(world: World): Promise<void> {
  world.network.setWeather(CALM);
  for (const { run } of [world.gateway, world.hosted]) {
    run().breakable.fillDisk(false);
    run().breakable.dieBefore(null);
  }
  await revive(world);
  await setRight(world);
}
