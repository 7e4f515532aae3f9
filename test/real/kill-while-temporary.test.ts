import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { heldUpMs as heldUpHereMs } from '#test/held-up.ts';
import { type RealFarm, startFarm } from './a-farm.ts';
import { startRelayFarm } from './relays/a-relay-farm.ts';
import { mountSmallDisk } from './small-disk.ts';
import { canMoveClocks, until } from './started-gateway.ts';
import { beginAll, LASTS_S, type Standing } from './temporary-states.ts';

// Kill X while Y is temporary. Every row of the table is one started gateway with everything temporary begun in it; then
// X strikes. Nothing ends early, and all ends in its time. `TEMPORARY_ROUNDS` repeats the table with other moments.

const ROUNDS = Number(process.env['TEMPORARY_ROUNDS'] ?? 1);
/** A beat of the program, and the next question; what a busy machine holds up does not count. */
const LATE_S = 8;
/** An end by a clock that is shown in whole seconds, and the way of the order. */
const EARLY_S = 3;

type Row = {
  x: string;
  speed: number;
  isKill?: boolean;
  /** Strikes and heals; farm seconds pass meanwhile. `at`: where in the time it strikes, 0 to 1. */
  strike: (farm: RealFarm, passes: (seconds: number) => Promise<void>, at: number) => Promise<void>;
};

const disk = mountSmallDisk(160);
afterAll(() => disk?.unmount());

const ROWS: Row[] = [
  {
    x: 'the gateway is killed and started again',
    speed: 6,
    isKill: true,
    async strike(farm, passes, at) {
      await passes(35 * at);
      await farm.kill();
      await passes(10);
      await farm.start();
    },
  },
  {
    x: 'the gateway stands still',
    speed: 6,
    async strike(farm, passes, at) {
      await passes(20 * at);
      farm.freeze();
      await passes(25);
      farm.thaw();
    },
  },
  {
    x: 'the clock goes back by an hour',
    speed: 1,
    async strike(farm, passes, at) {
      await passes(40 * at);
      farm.stepClock(-3_600);
    },
  },
  {
    x: 'the clock goes forward by an hour',
    speed: 1,
    async strike(farm, passes, at) {
      await passes(40 * at);
      farm.stepClock(3_600);
    },
  },
  {
    x: 'the clock goes forward by a year, which nobody believes',
    speed: 1,
    async strike(farm, passes, at) {
      await passes(40 * at);
      farm.stepClock(31_557_600);
    },
  },
];

describe.skipIf(!canMoveClocks)('nothing temporary ends early or outlasts its time when', () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = ROUNDS === 1 ? 0.5 : Math.random();
    for (const row of ROWS) {
      it.concurrent(`${row.x}, ${Math.round(at * 100)} % into the time`, () => runRow(row, at));
    }
  }

  it.skipIf(disk === null).concurrent('the disk is full', async () => {
    if (disk === null) return;
    const row: Row = {
      x: 'the disk is full',
      speed: 1,
      async strike(_farm, passes) {
        disk.fill();
        await passes(5);
      },
    };
    await runRow(row, 0, { data: disk.data });
  });

  it.concurrent('the power of a relay of the trade is cut within its pause', async () => {
    const farm = await startRelayFarm(6);
    try {
      const point = await farm.point({ fail_safe: 'ON' });
      const relay = await farm.tasmota(point);
      await farm.online(point);
      await farm.order(point, 'on');
      await farm.reaches(relay, 'ON');
      await farm.order(point, 'off', { for_s: LASTS_S });
      await farm.reaches(relay, 'OFF');
      if (relay.kind !== 'tasmota') throw new Error('another relay');
      relay.own.powerCut(5_000);
      await farm.pass(15);
      await farm.reaches(relay, 'OFF');
      await farm.reaches(relay, 'ON');
    } finally {
      await farm.close();
    }
  });
});

async function runRow(row: Row, at: number, more: { data?: string } = {}): Promise<void> {
  const farm = await startFarm({ ...(row.speed === 1 ? {} : { speed: row.speed }), ...more });
  const passes = (seconds: number) => pause((seconds * 1000) / row.speed);
  try {
    const begunAt = performance.now();
    const all = await beginAll(farm);
    const takenS = farmSeconds(begunAt);
    await row.strike(farm, passes, at);
    // nothing is asked of a gateway that is still starting
    const healedS = farmSeconds(begunAt);
    const heldUpMs = () => farm.heldUpMs() + heldUpHereMs();
    const heldUpBeforeMs = heldUpMs();
    const heldUpS = () => ((heldUpMs() - heldUpBeforeMs) * row.speed) / 1000;
    const lastS = () => Math.max(LASTS_S + takenS, healedS) + LATE_S + heldUpS();
    const seen = await Promise.all(all.map((one) => watched(one, row, begunAt, lastS)));
    expect(seen.filter((said) => said !== null)).toEqual([]);
  } finally {
    await farm.close();
  }

  function farmSeconds(since: number): number {
    return ((performance.now() - since) * row.speed) / 1000;
  }

  /** null: as it must be; else what was seen. */
  async function watched(
    { name, holds, endsAfterS, mayEndAtStart = false }: Standing,
    { isKill = false }: Row,
    since: number,
    lastS: () => number,
  ): Promise<string | null> {
    const isOpenEnd = endsAfterS === null;
    const mayBeOver = isKill && mayEndAtStart;
    if (isOpenEnd) {
      await passes(Math.max(0, LASTS_S + LATE_S - farmSeconds(since)));
      return (await holds()) ? null : `${name} ended by itself`;
    }
    let [endedS, latestS] = [0, 0];
    await until(
      async () => {
        // the shown end moves with the clock a moment after it: over is what stays over
        if (await holds()) return true;
        [endedS, latestS] = [farmSeconds(since), lastS()];
        await passes(2);
        return holds();
      },
      (stillHolds) => !stillHolds,
      (3 * LASTS_S * 1000) / row.speed,
    );
    if (endedS < LASTS_S - EARLY_S && !mayBeOver) return `${name} ended after ${Math.round(endedS)} s`;
    return endedS > latestS ? `${name} lasted ${Math.round(endedS)} s` : null;
  }
}
