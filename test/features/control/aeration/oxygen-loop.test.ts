import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schedule } from '#features/control/control-view.ts';
import { aPond, DUSK, MINUTE, type SimulatedPond } from './a-pond.ts';

/** A probe that sends every ten minutes. */
async function probe(pond: SimulatedPond, ...values: number[]): Promise<void> {
  for (const value of values) {
    await pond.pass(10);
    await pond.measure(value);
  }
}

const nightAeration: Schedule = {
  id: '0195a000-0000-7000-8000-000000000009',
  control_point_id: '0195a000-0000-7000-8000-000000000002',
  action: 'ON',
  start_time: new Date(DUSK - 24 * 60 * MINUTE).toISOString(),
  end_time: new Date(DUSK - 12 * 60 * MINUTE).toISOString(),
  repeat_pattern: 'DAILY',
  days_of_week: null,
  is_active: true,
  description: null,
  effective_from: new Date(0).toISOString(),
  created_at: new Date(0).toISOString(),
  updated_at: null,
  rev: 1,
};

describe('a night with a probe', () => {
  test('oxygen falls and the motor runs until it has recovered, fifteen minutes at least', async () => {
    const pond = await aPond();
    await probe(pond, 5.5, 4.8, 4.1);
    expect(pond.motor()).toBe('OFF');
    await probe(pond, 4);
    expect(pond.motor()).toBe('ON');
    expect(pond.view().row.target_origin).toBe('SAFETY');
    expect(pond.lastReason()).toBe('oxygen in pond V-01: 4.00 mg/L, at or below the ON level (4.00 mg/L)');
    await pond.pass(5);
    await pond.measure(5.4);
    expect(pond.motor()).toBe('ON');
    await pond.pass(9);
    expect(pond.motor()).toBe('ON');
    await pond.pass(1);
    expect(pond.motor()).toBe('OFF');
    expect(pond.lastReason()).toBe(
      'oxygen in pond V-01: 5.40 mg/L 10 min ago, at or above the OFF level (5.00 mg/L)',
    );
    expect(pond.orders.map(({ origin }) => origin)).toEqual(['SAFETY', 'SAFETY']);
  });

  test('an operator finds each turn in the log once', async () => {
    const pond = await aPond();
    await probe(pond, 4.5, 3.9, 3.7, 2.8, 2.7, 3.8, 4.4);
    await probe(pond, 5.2, 5.4);
    expect(pond.log.map(({ sentence }) => sentence)).toEqual([
      'oxygen asks for aeration',
      'oxygen emergency: aeration is ON whatever was ordered',
      'oxygen asks for aeration',
      'oxygen is high enough: aeration may rest',
    ]);
    expect(pond.log[1]?.fields).toMatchObject({ pond: 'V-01', oxygenMgL: 2.8, levelMgL: 3 });
  });

  test('a person may turn it off, until it is an emergency', async () => {
    const pond = await aPond();
    await probe(pond, 3.9);
    pond.order('OFF');
    expect(pond.motor()).toBe('OFF');
    await probe(pond, 3.5, 3.1);
    expect(pond.motor()).toBe('OFF');
    await probe(pond, 3);
    expect(pond.motor()).toBe('ON');
    await probe(pond, 3.4, 3.5);
    expect(pond.motor()).toBe('ON');
    // over: what the person ordered holds again
    await probe(pond, 3.6);
    expect(pond.motor()).toBe('OFF');
  });

  test('nothing starts what is locked out', async () => {
    const pond = await aPond();
    pond.lockOut(true);
    await probe(pond, 3.5, 2.1, 0.4);
    expect(pond.motor()).toBe('OFF');
    pond.lockOut(false);
    expect(pond.motor()).toBe('ON');
  });

  test('the probe falls silent: ON, and ON it stays by day until somebody has measured', async () => {
    const pond = await aPond();
    await probe(pond, 6, 6, 6, 6);
    await pond.pass(20);
    expect(pond.motor()).toBe('OFF');
    await pond.pass(1);
    expect(pond.motor()).toBe('ON');
    expect(pond.lastReason()).toBe(
      'oxygen in pond V-01: 6.00 mg/L 21 min ago, the probe has fallen silent at night',
    );
    await pond.pass(14 * 60, 10);
    expect(pond.motor()).toBe('ON');
    await pond.measure(6.5, { source: 'manual' });
    expect(pond.motor()).toBe('OFF');
  });

  test('by day a silent probe changes nothing', async () => {
    const pond = await aPond();
    await pond.pass(13 * 60, 60);
    await probe(pond, 6, 6, 6, 6);
    await pond.pass(9 * 60, 10);
    expect(pond.motor()).toBe('OFF');
    // and at dusk it does
    await pond.pass(3 * 60, 10);
    expect(pond.motor()).toBe('ON');
  });

  test('while it sends and all is well the motor rests against its schedule; silent, the schedule holds again', async () => {
    const pond = await aPond({ schedules: [nightAeration] });
    pond.tick();
    expect(pond.motor()).toBe('ON');
    await probe(pond, 7, 7, 7, 7);
    expect(pond.motor()).toBe('OFF');
    await probe(pond, 4.4);
    expect(pond.motor()).toBe('OFF');
    await pond.pass(21);
    expect(pond.motor()).toBe('ON');
  });

  test('a value no pond can have is no reading', async () => {
    const pond = await aPond();
    await probe(pond, 4.6, 3.9);
    await probe(pond, 48);
    expect(pond.motor()).toBe('ON');
  });

  test('a reading that the disk did not take counts', async () => {
    const pond = await aPond();
    await probe(pond, 6);
    const [row] = pond.rows;
    if (row === undefined) throw new Error('no reading');
    pond.hear({ ...row, id: '0195a000-0000-7000-8002-000000000001', dissolved_oxygen: 2.5 });
    expect(pond.motor()).toBe('ON');
  });
});

describe('a pond measured by hand', () => {
  test('twice a day is not silence', async () => {
    const pond = await aPond();
    for (const value of [6, 5.1, 6.2, 4.6]) {
      await pond.measure(value, { source: 'manual' });
      await pond.pass(12 * 60, 10);
      expect(pond.motor()).toBe('OFF');
    }
    expect(pond.orders).toEqual([]);
  });

  test('a low reading holds through the night, a late entry does not end it, a fresh one does', async () => {
    const pond = await aPond();
    await pond.measure(3.6, { source: 'manual' });
    expect(pond.motor()).toBe('ON');
    await pond.pass(9 * 60, 5);
    expect(pond.motor()).toBe('ON');
    await pond.measure(5.5, { source: 'manual', minutesAgo: 40 });
    expect(pond.motor()).toBe('ON');
    await pond.measure(5.2, { source: 'manual', minutesAgo: 5 });
    expect(pond.motor()).toBe('OFF');
  });

  test('an old entry does not hide the newest reading', async () => {
    const pond = await aPond();
    await pond.measure(3.6, { source: 'manual' });
    await pond.measure(7, { source: 'manual', minutesAgo: 300 });
    await pond.measure(7, { source: 'import' });
    expect(pond.motor()).toBe('ON');
  });

  test('a corrected slip of the pen ends what it began; one that is only taken back does not', async () => {
    const corrected = await aPond();
    const slip = await corrected.measure(0.55, { source: 'manual' });
    expect(corrected.motor()).toBe('ON');
    await corrected.pass(16);
    await corrected.correct(slip, 5.5);
    expect(corrected.motor()).toBe('OFF');

    const gone = await aPond();
    const id = await gone.measure(0.55, { source: 'manual' });
    await gone.pass(16);
    await gone.takeBack(id);
    expect(gone.motor()).toBe('ON');
    await gone.restart();
    expect(gone.motor()).toBe('ON');
    await gone.measure(5.5, { source: 'manual' });
    expect(gone.motor()).toBe('OFF');
  });
});

describe('a slip of the pen that is found hours later', () => {
  test('the pond stands as if the value had been right at once', async () => {
    for (const right of [5.5, 4.5]) {
      const pond = await aPond({ schedules: [nightAeration] });
      await pond.pass(14 * 60, 30);
      expect(pond.motor()).toBe('OFF');
      const slip = await pond.measure(0.45, { source: 'manual' });
      pond.order('OFF');
      expect(pond.motor()).toBe('ON');
      await pond.pass(120, 5);
      await pond.correct(slip, right);
      expect(pond.motor()).toBe('OFF');
      await pond.restart(1);
      expect(pond.motor()).toBe('OFF');
      expect(pond.demands()).toEqual([]);
    }
  });

  test('what began before it goes on, no worse than it was', async () => {
    const pond = await aPond();
    await pond.measure(3.6, { source: 'manual' });
    await pond.pass(60, 5);
    const slip = await pond.measure(0.5, { source: 'manual' });
    expect(pond.demands()).toMatchObject([{ kind: 'EMERGENCY_OXYGEN' }]);
    await pond.pass(60, 5);
    await pond.correct(slip, 4.5);
    expect(pond.demands()).toMatchObject([{ kind: 'SET_POINT', target: 'ON' }]);
    await pond.pass(30 * 60, 10);
    expect(pond.motor()).toBe('ON');
    // a low reading of yesterday that nobody has answered is not ended by a correction of another
    const other = await pond.measure(3.9, { source: 'manual' });
    await pond.pass(60, 5);
    await pond.correct(other, 4.9);
    expect(pond.motor()).toBe('ON');
  });

  test('of two slips the second goes on until it is corrected, too', async () => {
    const pond = await aPond();
    const first = await pond.measure(0.5, { source: 'manual' });
    await pond.pass(60, 5);
    const second = await pond.measure(0.6, { source: 'manual' });
    await pond.pass(60, 5);
    await pond.correct(first, 5);
    expect(pond.motor()).toBe('ON');
    await pond.correct(second, 6);
    expect(pond.motor()).toBe('OFF');
  });

  test('the motor has its minimum run all the same', async () => {
    const pond = await aPond();
    const slip = await pond.measure(0.45, { source: 'manual' });
    await pond.pass(5);
    await pond.correct(slip, 4.5);
    await pond.pass(9);
    expect(pond.motor()).toBe('ON');
    await pond.pass(2);
    expect(pond.motor()).toBe('OFF');
  });

  test('with a clock that is not to be trusted it lets nothing go', async () => {
    const pond = await aPond();
    const slip = await pond.measure(0.45, { source: 'manual' });
    await pond.pass(60, 5);
    await pond.setClock(0, false);
    await pond.correct(slip, 4.5);
    await pond.pass(30, 5);
    expect(pond.motor()).toBe('ON');
  });
});

describe('the box dies and comes back', () => {
  test('within the band it goes on as it was, also when a schedule had it ON already', async () => {
    for (const schedules of [[], [nightAeration]]) {
      const pond = await aPond({ schedules });
      // low at four in the morning, a little better at five, and the schedule ends at six
      await pond.pass(10 * 60, 30);
      await probe(pond, 4.6, 3.9, 4.2, 4.4);
      expect(pond.motor()).toBe('ON');
      await pond.restart(2);
      expect(pond.motor()).toBe('ON');
      await pond.pass(3 * 60, 5);
      expect(pond.motor()).toBe('ON');
    }
  });

  test('a reading that came late lets nothing go while a newer one, since taken back, still stood', async () => {
    const pond = await aPond();
    pond.lockOut(true);
    const low = await pond.measure(0.4);
    await pond.measure(6, { minutesAgo: 3 });
    await pond.pass(26);
    await pond.takeBack(low);
    await pond.restart();
    pond.lockOut(false);
    expect(pond.motor()).toBe('ON');
    await pond.measure(6);
    expect(pond.motor()).toBe('OFF');
  });

  test('it does not begin the minimum run again', async () => {
    const pond = await aPond();
    await probe(pond, 3.9);
    await pond.pass(5);
    await pond.measure(5.5);
    await pond.restart(5);
    expect(pond.motor()).toBe('ON');
    await pond.pass(5);
    expect(pond.motor()).toBe('OFF');
    expect(pond.orders).toHaveLength(2);
  });

  test('after hours without power at night it starts ON, for nobody knows', async () => {
    const pond = await aPond();
    await probe(pond, 6, 6, 6, 6);
    await pond.restart(180);
    expect(pond.motor()).toBe('ON');
  });

  test('with a clock that is not to be trusted stored readings let nothing go, and new ones count by their age', async () => {
    const pond = await aPond();
    await probe(pond, 3.8, 4.5);
    await pond.pass(10);
    await pond.measure(5.6);
    pond.world.isTrusted = false;
    pond.world.clockError = -40 * 365 * 24 * 60 * MINUTE;
    const stillOn = await aPond();
    await probe(stillOn, 3.8, 5.6);
    stillOn.world.isTrusted = false;
    stillOn.world.clockError = -60 * MINUTE;
    await stillOn.restart();
    expect(stillOn.motor()).toBe('ON');
    await stillOn.pass(16);
    expect(stillOn.motor()).toBe('ON');
    await probe(stillOn, 5.6, 5.6, 5.6, 5.6);
    expect(stillOn.motor()).toBe('OFF');
    await probe(stillOn, 2.9);
    expect(stillOn.motor()).toBe('ON');
    // the time comes: nothing jumps
    await stillOn.setClock(0, true);
    expect(stillOn.motor()).toBe('ON');
  });
});

describe('opting in and out', () => {
  test('without set points nothing is asked for, whatever is measured', async () => {
    const pond = await aPond({ do_on: null, do_off: null, do_emergency: null });
    await probe(pond, 6, 6, 6, 6, 3, 0.5);
    await pond.pass(600, 10);
    expect(pond.orders).toEqual([]);
    expect(pond.log).toEqual([]);
  });

  test('set points hold at once for what was measured before', async () => {
    const pond = await aPond({ do_on: null, do_off: null, do_emergency: null });
    await probe(pond, 4.6, 3.7);
    await pond.set({ do_on: 4 });
    await pond.pass(1);
    expect(pond.motor()).toBe('ON');
    await pond.set({ do_on: null });
    expect(pond.motor()).toBe('OFF');
  });
});

const RUNS = Number(process.env['RUNS'] ?? 300);

// -- Whatever happens ---------------------------------------------------------------------------------------------

const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('measure' as const),
      oxygen: fc.integer({ min: 0, max: 90 }),
      minutesAgo: fc.constantFrom(0, 0, 0, 3, 45),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      minutes: fc.constantFrom(1, 5, 10, 16, 25, 120),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restart' as const), minutes: fc.constantFrom(0, 1, 30, 300) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      minutes: fc.constantFrom(0, -180, -30, 30, 180),
      isTrusted: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      target: fc.constantFrom('ON' as const, 'OFF' as const),
      minutes: fc.constantFrom(null, 10, 60),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lock' as const), isLocked: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('takeBack' as const), which: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('correct' as const),
      which: fc.nat(3),
      oxygen: fc.integer({ min: 0, max: 90 }),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

/** What is true of the water, whatever the clock of the box says: readings with the true time they were taken. */
type Truth = { id: string; oxygenMgL: number; takenMs: number };

async function live(
  acts: readonly Act[],
  check: (pond: SimulatedPond, truth: readonly Truth[]) => void,
  settings: Parameters<typeof aPond>[0] = {},
) {
  const pond = await aPond(settings);
  let truth: Truth[] = [];
  for (const next of acts) {
    switch (next.do) {
      case 'measure': {
        const id = await pond.measure(next.oxygen / 10, { minutesAgo: next.minutesAgo });
        truth = [
          ...truth,
          { id, oxygenMgL: next.oxygen / 10, takenMs: pond.world.trueMs - next.minutesAgo * MINUTE },
        ];
        break;
      }
      case 'pass':
        for (let gone = 0; gone < next.minutes; gone += 5) {
          await pond.pass(Math.min(5, next.minutes - gone), 5);
          check(pond, truth);
        }
        break;
      case 'restart':
        await pond.restart(next.minutes);
        break;
      case 'clock':
        await pond.setClock(next.minutes, next.isTrusted);
        break;
      case 'order':
        pond.order(next.target, next.minutes);
        break;
      case 'lock':
        if (next.isLocked !== pond.view().row.locked_out) pond.lockOut(next.isLocked);
        break;
      case 'takeBack': {
        const gone = truth.at(-1 - next.which);
        if (gone === undefined) break;
        truth = truth.filter(({ id }) => id !== gone.id);
        await pond.takeBack(gone.id);
        break;
      }
      case 'correct': {
        const wrong = truth.at(-1 - next.which);
        if (wrong === undefined) break;
        const right = { ...wrong, oxygenMgL: next.oxygen / 10 };
        truth = truth.map((one) => (one === wrong ? right : one));
        await pond.correct(right.id, right.oxygenMgL);
        break;
      }
    }
    check(pond, truth);
    pond.tick();
    check(pond, truth);
  }
  return pond;
}

/** The clock is right, but not always known to be; the program is back within a minute. */
const withRightClock = fc.array(act, { minLength: 5, maxLength: 40 }).map((acts) =>
  acts.map((one): Act => {
    if (one.do === 'clock') return { ...one, minutes: 0 };
    return one.do === 'restart' ? { ...one, minutes: one.minutes > 0 ? 1 : 0 } : one;
  }),
);

/** The box may be without power for hours, and its clock wrong while it is not trusted. */
const withOutages = fc
  .array(act, { minLength: 5, maxLength: 40 })
  .map((acts) =>
    acts.map((one): Act => (one.do === 'clock' && one.isTrusted ? { ...one, minutes: 0 } : one)),
  );

/** A clock that is trusted and wrong all the same, under a program that goes on running. */
const withAnyClock = fc
  .array(act, { minLength: 5, maxLength: 40 })
  .map((acts) => acts.filter((one) => one.do !== 'restart'));

describe.each([
  ['restarts, and a clock that loses its trust', withRightClock],
  ['a clock that steps as it likes', withAnyClock],
])('whatever comes, with %s', (_what, sequences) => {
  test('oxygen lets go of a motor only on a fresh good reading', { timeout: 180_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (acts) => {
        let asked = false;
        let boots = 1;
        // a correction lets go of what its slip began, which is another fact
        const uncorrected = acts.filter((one) => one.do !== 'correct');
        await live(uncorrected, (pond, truth) => {
          const [demand] = pond.demands();
          const asks = demand?.target === 'ON';
          // under an order of a person a restart may take its ON for that of oxygen, and the next one not; behind a lock-out no
          // motor tells the next run that oxygen had asked, as it does while nobody knows how old the readings are
          const isUnsure =
            pond.world.boots > boots && (pond.view().manualOrders.length > 0 || pond.view().row.locked_out);
          boots = pond.world.boots;
          if (isUnsure) asked = false;
          if (asked && !asks) {
            const fresh = truth.filter(({ takenMs }) => pond.world.trueMs - takenMs <= 20 * MINUTE);
            expect(fresh.some(({ oxygenMgL }) => oxygenMgL >= 5)).toBe(true);
          }
          asked = asks;
        });
      }),
      { numRuns: RUNS },
    );
  });
});

describe.each([
  ['restarts, and a clock that loses its trust', withRightClock],
  ['a clock that steps as it likes', withAnyClock],
  ['outages of hours', withOutages],
])('whatever comes, with %s', (_what, sequences) => {
  test('nothing starts what is locked out, and everything else airs a pond in an emergency', {
    timeout: 180_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (acts) => {
        await live(acts, (pond, truth) => {
          const { row } = pond.view();
          const [newest] = [...truth].sort((a, b) => b.takenMs - a.takenMs || (a.id < b.id ? 1 : -1));
          const isRecent = newest !== undefined && pond.world.trueMs - newest.takenMs < 20 * 60 * MINUTE;
          const isEmergency = isRecent && newest.oxygenMgL <= 3;
          if (row.locked_out) expect(row.target_status).toBe('OFF');
          else if (isEmergency) expect(row.target_status).toBe('ON');
        });
      }),
      { numRuns: RUNS },
    );
  });
});

test('whatever comes, a corrected slip lets go of nothing that would be held without it', {
  timeout: 180_000,
}, async () => {
  const oxygen = fc.integer({ min: 0, max: 90 });
  const minutes = fc.constantFrom(0, 5, 16, 25, 120, 900);
  const asks = (pond: SimulatedPond) => pond.demands().some(({ target }) => target === 'ON');
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 15 }),
      fc.record({ slip: oxygen, right: oxygen, before: minutes, after: minutes }),
      async (acts, { slip, right, before, after }) => {
        const life = acts.filter((one) => one.do === 'measure' || one.do === 'pass');
        const wanted: boolean[] = [];
        for (const values of [[slip, right], [right]]) {
          await live(life, () => undefined).then(async (pond) => {
            const id = await pond.measure((values[0] ?? 0) / 10);
            await pond.pass(before, 5);
            if (values[1] !== undefined) await pond.correct(id, values[1] / 10);
            await pond.pass(after, 5);
            wanted.push(asks(pond));
          });
        }
        const [corrected, rightAtOnce] = wanted;
        if (rightAtOnce) expect(corrected).toBe(true);
      },
    ),
    { numRuns: RUNS },
  );
});

test('whatever comes, without set points oxygen asks for nothing', async () => {
  await fc.assert(
    fc.asyncProperty(withRightClock, async (acts) => {
      await live(acts, (pond) => expect(pond.demands()).toEqual([]), {
        do_on: null,
        do_off: null,
        do_emergency: null,
      });
    }),
    { numRuns: 50 },
  );
});
