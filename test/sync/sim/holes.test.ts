import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { batch } from '#contract/resources/batches.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { notification } from '#contract/resources/notifications.ts';
import { user } from '#contract/resources/users.ts';
import { insert, update } from '#core/changes.ts';
import { batchRow, controlPointRow } from '#test/farm-rows.ts';
import { goBack } from './faults.ts';
import { CALM } from './network.ts';
import { FARM, OWNER } from './paired-farm.ts';
import {
  agreed,
  aPond,
  farmInStep,
  MINUTE_MS,
  NO_LINE,
  nameOn,
  pondsOn,
  pushWithoutAnswer,
  rename,
} from './small-farm.ts';
import { freshImage } from './sqlite-replica.ts';
import { createPairedWorld, type World } from './world.ts';

// Ways in which a first draft of the protocol lost or doubled something; each was found by chance once.

const ALIKE = 'says: both sides were compared and are alike';
const MONTH_MS = 30 * 24 * 60 * MINUTE_MS;

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

describe('a clock that is a month ahead', () => {
  it('does not win over what is written later, though the confirmation was lost and the edit came twice', async () => {
    const world = await aFarmInStep();
    world.setClock('gateway', MONTH_MS);
    await rename(world, 'gateway', 'from the month ahead');
    await pushWithoutAnswer(world);
    await rename(world, 'hosted', 'written later');
    await agreed(world);
    expect([await nameOn(world, 'gateway'), await nameOn(world, 'hosted')]).toEqual([
      'written later',
      'written later',
    ]);
  });

  it('wins over an edit in the cloud of before it, and people are told of that one though a failover lost the note', async () => {
    const world = await aFarmInStep();
    world.network.setWeather(NO_LINE);
    await rename(world, 'hosted', 'in the cloud');
    const disk = await world.hosted.replica.image();
    await world.pass(MINUTE_MS);
    world.setClock('gateway', MONTH_MS);
    await rename(world, 'gateway', 'from the month ahead');
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await nameOn(world, 'hosted')).toBe('from the month ahead');
    await goBack(world, 'hosted', disk, true);
    world.nextTimeline();
    await agreed(world);
    expect(await nameOn(world, 'hosted')).toBe('from the month ahead');
    const lost = await world.gateway.replica.read('select dropped_json from sync_conflicts');
    expect(lost).toEqual([{ dropped_json: '{"name":"in the cloud"}' }]);
  });

  it('does not win when the gateway hears of the later edit before its own push is confirmed', async () => {
    const world = await aFarmInStep();
    world.setClock('gateway', MONTH_MS);
    await rename(world, 'gateway', 'from the month ahead');
    await pushWithoutAnswer(world);
    await rename(world, 'hosted', 'written later');
    // pulls go through, pushes do not
    world.network.loseNext('push', 20);
    await world.pass(10 * MINUTE_MS);
    expect(await nameOn(world, 'gateway')).toBe('written later');
    await agreed(world);
    expect(await nameOn(world, 'hosted')).toBe('written later');
  });

  it('leaves a trace of what it wins against in the cloud, where the row was told as it stands after a comparison', async () => {
    const world = await aFarmInStep();
    world.setClock('gateway', MONTH_MS);
    await rename(world, 'gateway', 'from the month ahead');
    // the snapshot comes, what follows it does not
    world.network.loseNext('push', 2);
    await world.gateway.run().paired();
    await world.pass(5_000);
    await rename(world, 'hosted', 'written in the cloud meanwhile');
    await agreed(world);
    const lost = await world.hosted.replica.read('select field_group, dropped_json from sync_conflicts');
    expect([await nameOn(world, 'hosted'), lost]).toEqual([
      'from the month ahead',
      [{ field_group: 'name', dropped_json: '{"name":"written in the cloud meanwhile"}' }],
    ]);
  });

  it('does not win on a card that goes back to before its stamps were set right', async () => {
    const world = await aFarmInStep();
    world.setClock('gateway', MONTH_MS);
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'from the month ahead');
    const card = await world.gateway.replica.image();
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    await rename(world, 'hosted', 'written later');
    await world.pass(10 * MINUTE_MS);
    await goBack(world, 'gateway', card);
    await agreed(world);
    expect([await nameOn(world, 'gateway'), await nameOn(world, 'hosted')]).toEqual([
      'written later',
      'written later',
    ]);
  });

  it('does not win on a card that goes back to before the epoch in which its stamps were set right', async () => {
    const world = await aFarmInStep();
    world.setClock('gateway', MONTH_MS);
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'from the month ahead');
    const card = await world.gateway.replica.image();
    // its word is told by a comparison, in an epoch of which that card knows nothing
    await world.gateway.run().paired();
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    await rename(world, 'hosted', 'written later');
    await world.pass(10 * MINUTE_MS);
    await goBack(world, 'gateway', card);
    await agreed(world);
    expect([await nameOn(world, 'gateway'), await nameOn(world, 'hosted')]).toEqual([
      'written later',
      'written later',
    ]);
  });
});

describe('a card that goes back', () => {
  it('keeps what was sent before it and what was written after it under the same numbers', async () => {
    const world = await aFarmInStep();
    const card = await world.gateway.replica.image();
    await world.write('gateway', aPond('V-01'));
    await world.write('gateway', aPond('V-02'));
    await world.pass(5 * MINUTE_MS);
    expect(await pondsOn(world, 'hosted')).toEqual(['V-01', 'V-02']);
    await goBack(world, 'gateway', card);
    world.network.setWeather(NO_LINE);
    await world.write('gateway', aPond('V-03'));
    await world.write('gateway', aPond('V-04'));
    await agreed(world);
    expect(await pondsOn(world, 'gateway')).toEqual(['V-01', 'V-02', 'V-03', 'V-04']);
    expect(await pondsOn(world, 'hosted')).toEqual(['V-01', 'V-02', 'V-03', 'V-04']);
  });

  it('gets back what it had sent, though it has nothing to send', async () => {
    const world = await aFarmInStep();
    const card = await world.gateway.replica.image();
    await world.write('gateway', aPond('V-01'));
    await world.pass(5 * MINUTE_MS);
    await goBack(world, 'gateway', card);
    await agreed(world);
    expect(await pondsOn(world, 'gateway')).toEqual(['V-01']);
  });
});

describe('a card that was replaced by an empty one', () => {
  const NOTICE = '60000000-0000-4000-8000-000000000001';
  const notice = (created_at: string) =>
    insert(notification, {
      id: NOTICE,
      user_id: OWNER,
      farm_id: FARM,
      type: 'SYSTEM',
      title: 'of half a year ago',
      message: '',
      data: {},
      is_read: false,
      read_at: null,
      created_at,
    });
  const read = update(notification, NOTICE, { is_read: true, read_at: '2026-03-02T12:00:00.000Z' });

  async function anEmptyCard(): Promise<World> {
    const world = await createPairedWorld({ seed: 1, image });
    worlds.push(world);
    const empty = await world.gateway.replica.image();
    await world.pass(2 * MINUTE_MS);
    await world.write('hosted', notice('2025-09-01T12:00:00.000Z'));
    await world.pass(2 * MINUTE_MS);
    await goBack(world, 'gateway', empty);
    await world.pass(10 * MINUTE_MS);
    expect(await world.gateway.replica.read(`select id from notifications where id = '${NOTICE}'`)).toEqual(
      [],
    );
    return world;
  }

  it('takes no part of history that it did not ask for, and keeps nothing of it aside', async () => {
    const world = await anEmptyCard();
    await world.write('hosted', read);
    await agreed(world);
    expect(await world.gateway.replica.read('select reason from sync_parked')).toEqual([]);
  });

  it('keeps aside what was changed of a row that waits aside itself', async () => {
    const world = await anEmptyCard();
    await world.gateway.replica.execute(
      `insert into sync_parked (id, stream_id, lane, seq, entity, row_id, reason, change_json, parked_at, tries, tried_schema)
        values ('${FARM}', 1, 'core', 0, ${notification.entity}, '${NOTICE}', 'parent:farms/${OWNER}', '{}', '2026-03-01T12:00:00.000Z', 1, 99)`,
    );
    await world.write('hosted', read);
    await world.pass(2 * MINUTE_MS);
    expect(await world.gateway.replica.read('select reason from sync_parked order by reason')).toEqual([
      { reason: `absent:notifications/${NOTICE}` },
      { reason: `parent:farms/${OWNER}` },
    ]);
  });
});

describe('another life of the hosted database', () => {
  const resyncs = (world: World) => world.gateway.run().client.state().counts.resyncs;

  it('that lost nothing of a gateway costs it no comparison of every row, and the sums are compared once', async () => {
    const world = await farmInStep({ image, compares: true });
    worlds.push(world);
    await world.write('gateway', aPond('V-01'));
    await world.write('hosted', aPond('V-02'));
    await world.pass(30 * MINUTE_MS);
    const before = resyncs(world);
    const compared = world.counts[ALIKE] ?? 0;
    world.nextTimeline();
    await rename(world, 'gateway', 'written since');
    await world.pass(15 * MINUTE_MS);
    expect(await nameOn(world, 'hosted')).toBe('written since');
    expect(resyncs(world)).toBe(before);
    expect(world.counts[ALIKE]).toBe(compared + 1);
    const stood = await world.hosted.replica.read('select timeline from sync_stream where stream_id = 2');
    expect(stood).toEqual([{ timeline: 'life-2 ' }]);
  });

  it('that lost what the gateway had heard of is compared row by row, though the gateway writes on meanwhile', async () => {
    const world = await aFarmInStep();
    const before = await world.hosted.replica.image();
    await rename(world, 'hosted', 'heard at the farm');
    await world.pass(5 * MINUTE_MS);
    const known = resyncs(world);
    await goBack(world, 'hosted', before);
    world.nextTimeline();
    await world.write('gateway', aPond('V-01'));
    await agreed(world);
    expect(await nameOn(world, 'hosted')).toBe('heard at the farm');
    expect(resyncs(world)).toBe(known + 1);
  });
});

describe('a hosted instance that loses its last commits', () => {
  it.each([
    ['and lives on under another timeline', true],
    ['without anybody knowing', false],
  ])('is told again what it had confirmed, %s', async (_, isKnown) => {
    const world = await aFarmInStep();
    const before = await world.hosted.replica.image();
    await world.write('gateway', aPond('V-01'));
    await rename(world, 'gateway', 'sent and confirmed');
    await world.pass(5 * MINUTE_MS);
    await goBack(world, 'hosted', before);
    if (isKnown) world.nextTimeline();
    await world.write('hosted', aPond('V-02'));
    await agreed(world);
    expect(await pondsOn(world, 'hosted')).toEqual(['V-01', 'V-02']);
    expect(await nameOn(world, 'hosted')).toBe('sent and confirmed');
  });

  it.each([
    ['is asked whether a later e-mail counts that the gateway had heard, where it knows of it', true],
    ['has the last word on an e-mail, where nobody is asked', false],
  ])('%s', async (_, isKnown) => {
    const world = await aFarmInStep();
    const before = await world.hosted.replica.image();
    const later = { email: 'nova@fazenda.br', email_key: 'nova@fazenda.br' };
    await world.write('hosted', update(user, OWNER, later));
    await world.pass(5 * MINUTE_MS);
    await goBack(world, 'hosted', before);
    if (isKnown) world.nextTimeline();
    await agreed(world);
    const email = `select email from users where id = '${OWNER}'`;
    expect(await world.hosted.replica.read(email)).toEqual([{ email: 'maria@fazenda.br' }]);
    expect(await world.gateway.replica.read(email)).toEqual([
      { email: isKnown ? 'nova@fazenda.br' : 'maria@fazenda.br' },
    ]);
    const asked = await world.hosted.replica.read('select kind, email from lost_people');
    expect(asked).toEqual(isKnown ? [{ kind: 'email', email: 'nova@fazenda.br' }] : []);
  });

  it('leaves a later e-mail at the farm until somebody answered, though days later everything is compared', async () => {
    const world = await aFarmInStep();
    const before = await world.hosted.replica.image();
    await world.write(
      'hosted',
      update(user, OWNER, { email: 'nova@fazenda.br', email_key: 'nova@fazenda.br' }),
    );
    await world.pass(5 * MINUTE_MS);
    await goBack(world, 'hosted', before);
    world.nextTimeline();
    await world.pass(10 * MINUTE_MS);
    for (const side of ['gateway', 'hosted'] as const) world.setClock(side, 26 * 60 * MINUTE_MS);
    const compared = async () => {
      await world.gateway.run().paired();
      await agreed(world);
      return world.gateway.replica.read(`select email from users where id = '${OWNER}'`);
    };
    expect(await compared()).toEqual([{ email: 'nova@fazenda.br' }]);
    await world.hosted.replica.execute("update lost_people set state = 'left'");
    expect(await compared()).toEqual([{ email: 'maria@fazenda.br' }]);
  });

  it('does not take other changes under the same numbers for those it lost', async () => {
    const world = await aFarmInStep();
    await world.write('hosted', aPond('V-01'));
    const before = await world.hosted.replica.image();
    await rename(world, 'hosted', 'told to the gateway');
    await world.pass(5 * MINUTE_MS);
    expect(await nameOn(world, 'gateway')).toBe('told to the gateway');
    await goBack(world, 'hosted', before);
    await world.write('hosted', aPond('V-02'));
    await agreed(world);
    expect(await nameOn(world, 'hosted')).toBe('told to the gateway');
    expect(await pondsOn(world, 'gateway')).toEqual(['V-01', 'V-02']);
  });
});

describe('a pond that is on no disk any more', () => {
  it('leaves what was told below it aside on the hosted instance, where it is the only copy', async () => {
    const world = await aFarmInStep();
    const card = await world.gateway.replica.image();
    const before = await world.hosted.replica.image();
    await world.write('hosted', aPond('V-01'));
    await world.pass(5 * MINUTE_MS);
    expect(await pondsOn(world, 'gateway')).toEqual(['V-01']);
    await goBack(world, 'hosted', before);
    world.network.loseNext('snapshot', 50);
    const ids = { batch: '60000000-0000-4000-8000-000000000001', farm: FARM };
    const row = batchRow({ ...ids, pond: '40000000-0000-4000-8000-000000000001' }, OWNER);
    await world.write('gateway', insert(batch, row));
    await world.pass(1_000);
    const aside = () => world.hosted.replica.read('select row_id, reason from sync_parked');
    const waiting = [{ row_id: row.id, reason: `parent:ponds/${row.pond_id}` }];
    expect(await aside()).toEqual(waiting);
    await goBack(world, 'gateway', card);
    world.network.loseNext('snapshot', 0);
    await agreed(world);
    expect([await pondsOn(world, 'gateway'), await pondsOn(world, 'hosted')]).toEqual([[], []]);
    expect(await aside()).toEqual(waiting);
  });
});

describe('two motors of one name at the gateway', () => {
  it('are told to the hosted instance as they are, and no more until somebody names one of them anew', async () => {
    const world = await aFarmInStep();
    const [first, second] = [1, 2].map((n) => `50000000-0000-4000-8000-00000000000${n}`) as [string, string];
    for (const [n, id] of [first, second].entries()) {
      const row = { ...controlPointRow(id, FARM, OWNER), cod: `CP-${n}`, device_id: 'aer-1' };
      await world.write('gateway', insert(controlPoint, row));
      await world.pass(5 * MINUTE_MS);
    }
    const heads = async () => [
      ...(await world.gateway.replica.read(
        'select core_seq, in_core_seq from sync_stream where stream_id = 1',
      )),
      ...(await world.hosted.replica.read(
        'select core_seq, in_core_seq from sync_stream where stream_id = 2',
      )),
    ];
    const before = await heads();
    await world.pass(60 * MINUTE_MS);
    expect(await heads()).toEqual(before);
    const names = 'select id, device_id from control_points order by id';
    expect(await world.hosted.replica.read(names)).toEqual(await world.gateway.replica.read(names));
    await world.write('gateway', update(controlPoint, second, { device_id: 'aer-2' }));
    await agreed(world);
    const named = await world.hosted.replica.read(names);
    expect(named.map((row) => row['device_id'])).toEqual(['aer-1', 'aer-2']);
  });
});

describe('a line that holds everything back', () => {
  it('does not make what it brings any younger: its age is counted from the question', async () => {
    const ages: number[] = [];
    const world = await farmInStep({
      image,
      parts: {
        gateway: {
          store: (store) => ({
            ...store,
            take(taking) {
              if (taking.changes.length > 0) ages.push(taking.told?.elapsedMs() ?? Number.NaN);
              return store.take(taking);
            },
          }),
        },
      },
    });
    worlds.push(world);
    ages.length = 0;
    const wayMs = 8_000;
    world.network.setWeather({ ...CALM, delayMs: { usual: wayMs, slow: wayMs, slowShare: 0 } });
    await rename(world, 'hosted', 'by the cloud');
    await world.pass(5 * MINUTE_MS);
    expect(await nameOn(world, 'gateway')).toBe('by the cloud');
    expect(ages).toHaveLength(1);
    expect(ages[0]).toBeGreaterThanOrEqual(wayMs);
  });
});
