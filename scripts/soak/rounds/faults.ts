import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { StartedGateway } from '../../../test/real/started-gateway.ts';
import type { Chance } from '../../../test/sync/sim/chance.ts';
import { packageOf, TODAY, whyNoVersion } from '../../versions/version-package.ts';
import { atRest, type Farm } from './farm.ts';
import type { Ledger } from './ledger.ts';

// What goes wrong in a round, from the blow to the moment when everything runs again. People go on working meanwhile.

export type Blow = { farm: Farm; chance: Chance; ledger: Ledger; say: (what: string) => void };
type Fault = {
  weight: number;
  run: (blow: Blow) => Promise<void>;
  /** What an older program did not know is filled in by a comparison, which waits until nothing is under way. */
  patienceMs?: number;
};

/** Of before today: each knows less, and what it knows less of is in use by then. */
export const OLDER = ['8d199167', '37870d5'] as const;
const A_COMPARISON_MS = 480_000;

const hold = ({ chance }: Blow) => pause(chance.between(0, 600));
const some = ({ farm, chance }: Blow): StartedGateway => farm.hosted[chance.between(0, 1)] ?? farm.hosted[0];
const serving = ({ farm }: Blow): StartedGateway => farm.hosted[farm.leading.to] ?? farm.hosted[0];
const cardImage = ({ farm }: Blow) => join(farm.root, 'card');

async function killed(process: StartedGateway, blow: Blow): Promise<void> {
  await process.kill();
  await hold(blow);
  await process.start();
}

export const FAULTS = {
  calm: { weight: 4, run: hold },
  'gateway killed': {
    weight: 12,
    async run(blow) {
      const { farm, chance } = blow;
      await farm.gateway.kill();
      if (chance.of(0.4)) farm.copyCard(cardImage(blow));
      await hold(blow);
      await farm.gateway.start();
    },
  },
  'hosted process killed': { weight: 10, run: (blow) => killed(some(blow), blow) },
  'both hosted processes killed': {
    weight: 4,
    async run(blow) {
      const { hosted } = blow.farm;
      for (const process of hosted) await process.kill();
      await hold(blow);
      await Promise.all(hosted.map((process) => process.start()));
    },
  },
  'everything killed': {
    weight: 3,
    async run(blow) {
      const { hosted, gateway } = blow.farm;
      const all = [gateway, ...hosted];
      await Promise.all(all.map((process) => process.kill()));
      await Promise.all(all.map((process) => process.start()));
    },
  },
  'line cut': {
    weight: 8,
    async run(blow) {
      blow.farm.line().cut();
      await hold(blow);
      blow.farm.line().restore();
    },
  },
  'line half open': {
    weight: 8,
    async run(blow) {
      blow.farm.line().swallow();
      await hold(blow);
      blow.farm.line().restore();
    },
  },
  'line slow': {
    weight: 6,
    async run(blow) {
      const { farm, chance } = blow;
      farm.line().set({ roundTripMs: chance.between(50, 500), bytesPerSecond: chance.pick([null, 20_000]) });
      await hold(blow);
      farm.line().set({ roundTripMs: 0, bytesPerSecond: null });
    },
  },
  'balancer leads elsewhere': {
    weight: 6,
    run: ({ farm }) => farm.leadTo(1 - farm.leading.to),
  },
  'gateway frozen': {
    weight: 4,
    async run(blow) {
      blow.farm.gateway.freeze();
      await hold(blow);
      blow.farm.gateway.thaw();
    },
  },
  'hosted process frozen': {
    weight: 4,
    async run(blow) {
      const process = serving(blow);
      process.freeze();
      await hold(blow);
      process.thaw();
    },
  },
  'database killed': { weight: 5, run: ({ farm }) => farm.database.crash() },
  'database fails over': {
    weight: 8,
    async run({ farm, ledger, say }) {
      if (!farm.database.hasImage()) return farm.database.crash();
      const line = farm.line();
      line.cut();
      await farm.database.failOver();
      const before = performance.now();
      const { gateway, hosted } = await farm.states();
      say(`${ledger.excuse([gateway, hosted], before)} writes gone with the database`);
      line.restore();
      await farm.database.keepImage();
    },
  },
  'older card': {
    weight: 8,
    async run(blow) {
      const { farm, ledger, say } = blow;
      if (!existsSync(cardImage(blow))) return killed(farm.gateway, blow);
      const line = farm.line();
      line.cut();
      await farm.gateway.kill();
      // what was under way has come by then
      await pause(150);
      farm.returnCard(cardImage(blow));
      const before = performance.now();
      const { gateway, hosted } = await farm.states();
      say(`${ledger.excuse([gateway, hosted], before)} writes gone with the card`);
      line.restore();
      await farm.gateway.start();
    },
  },
  'copied card': {
    weight: 2,
    async run(blow) {
      const { farm, say } = blow;
      const image = join(farm.root, 'copy');
      await farm.gateway.kill();
      farm.copyCard(image);
      await farm.gateway.start();
      const clone = await farm.startClone(image);
      await hold(blow);
      await farm.endClone(clone);
      rmSync(image, { recursive: true, force: true });
      // where both were heard neither is let in any more
      if ((await atRest(farm, 6_000)) !== null) {
        say('paired again');
        await farm.pair();
        // cards and databases of before know another key
        rmSync(cardImage(blow), { recursive: true, force: true });
        await farm.database.keepImage();
      }
    },
  },
  'gateway clock wrong': {
    weight: 5,
    async run(blow) {
      const { farm, chance } = blow;
      const byS = chance.between(60, 80_000) * chance.pick([1, -1]);
      farm.gateway.stepClock(byS);
      await hold(blow);
      if (chance.of(0.3)) await killed(farm.gateway, blow);
      farm.gateway.stepClock(-byS);
    },
  },
  'hosted clock wrong': {
    weight: 3,
    async run(blow) {
      const { farm, chance } = blow;
      const process = farm.hosted[1 - farm.leading.to] ?? farm.hosted[1];
      const byS = chance.between(10, 90_000) * chance.pick([1, -1]);
      process.stepClock(byS);
      await hold(blow);
      process.stepClock(-byS);
      await process.stop();
      await process.start();
    },
  },
  'gateway of an older version': {
    weight: 0.7,
    patienceMs: A_COMPARISON_MS,
    async run(blow) {
      const { farm } = blow;
      await farm.become(farm.gateway, older(blow));
      await hold(blow);
      await farm.become(farm.gateway, TODAY);
    },
  },
  'hosted process of an older version': {
    weight: 0.7,
    patienceMs: A_COMPARISON_MS,
    async run(blow) {
      const { farm, chance } = blow;
      const [first, second] = chance.of(0.5) ? [0, 1] : [1, 0];
      const [one, other] = [farm.hosted[first ?? 0], farm.hosted[second ?? 1]];
      if (one === undefined || other === undefined) return;
      await farm.become(one, older(blow));
      await farm.leadTo(first ?? 0);
      await hold(blow);
      if (chance.of(0.5)) await farm.leadTo(second ?? 1);
      await farm.become(one, TODAY);
    },
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export const patienceOf = (name: FaultName): number => {
  const fault: Fault = FAULTS[name];
  return fault.patienceMs ?? 0;
};

function older({ chance, say }: Blow) {
  const commit = chance.pick(OLDER);
  const why = whyNoVersion(commit);
  if (why !== null) throw new Error(`${commit}: ${why}`);
  say(`version ${commit}`);
  return packageOf(commit);
}
