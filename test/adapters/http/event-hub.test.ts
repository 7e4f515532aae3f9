import { describe, expect, test } from 'vitest';
import { createEventHub } from '#adapters/http/event-hub.ts';
import type { FarmRole, UserRole } from '#contract/words.ts';
import type { CommitListener } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { alertRow } from '#test/farm-rows.ts';

const FARM = '0190a5d0-0000-7000-8000-00000000000a';
const BEATS_A_MINUTE = 12;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A hub whose world the test holds: who may see what, when a snapshot is ready, how fast a client reads. */
function aHub() {
  const world = {
    farms: [FARM],
    role: 'OWNER' as FarmRole,
    holds: true,
    account: 'OWNER' as UserRole,
    refusal: 401 as 401 | 403,
    behind: 0,
    written: [] as string[],
    ended: [] as string[],
  };
  const listeners: CommitListener[] = [];
  const snapshots: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  const hub = createEventHub({
    onCommit: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
    farmsOf: async () => new Map(world.farms.map((id) => [id, world.role])),
    snapshotFor: (_userId, farms) =>
      new Promise((resolve) => {
        snapshots.push(() => resolve({ farms }));
      }),
    farmOfControlPoint: async () => FARM,
    farmOfPond: async () => FARM,
    openOfEpisodes: async () => [],
    authenticate: async (bearer) => {
      if (!world.holds) throw new AppError(world.refusal, 'no');
      return {
        userId: bearer,
        role: world.account,
        tokenId: `of ${bearer}`,
        tokenExpiresAt: 1_000,
        scopes: null,
      };
    },
    now: () => 0,
    later: (_ms, run) => void waiting.push(run),
    onError: (error) => {
      throw error;
    },
  });
  return {
    hub,
    world,
    open(user = 'maria') {
      return hub.open(
        { bearer: user, onlyFarm: null },
        {
          write: (text) => void world.written.push(text),
          behindBytes: () => world.behind,
          end: (how) => void world.ended.push(how),
        },
      );
    },
    async snapshotReady() {
      snapshots.shift()?.();
      await settled();
    },
    raise(id: string) {
      const after = alertRow({ id, farm_id: FARM, control_point_id: null });
      const row = { table: 'alerts', id, before: null, after, rev: 1, hidden: false };
      for (const listener of listeners) listener({ rows: [row] });
    },
    secondPasses() {
      for (const run of waiting.splice(0)) run();
    },
    async minute() {
      for (let beat = 0; beat < BEATS_A_MINUTE; beat += 1) hub.beat();
      await settled();
    },
    heard: () =>
      world.written.map((text) => /event: (\w+)/.exec(text)?.[1]).filter((name) => name !== undefined),
  };
}

describe('an event stream', () => {
  test('tells what happened while its snapshot was read behind the snapshot', async () => {
    const { open, raise, snapshotReady, heard } = aHub();
    void open();
    await settled();
    raise('a-1');
    expect(heard()).toEqual([]);
    await snapshotReady();
    expect(heard()).toEqual(['snapshot', 'alert']);
  });

  test('hears within a minute what another process changed', async () => {
    const { open, snapshotReady, minute, world, heard } = aHub();
    void open();
    await settled();
    await snapshotReady();
    world.farms = [];
    await minute();
    await snapshotReady();
    expect(world.written.at(-1)).toContain('{"farms":[]}');
    world.holds = false;
    await minute();
    expect(heard()).toEqual(['snapshot', 'snapshot', 'closed']);
    expect(world.ended).toEqual(['after_writing']);
  });

  test('ends too where its token counts and opens none any more, as before a second factor', async () => {
    const { open, snapshotReady, minute, world, heard } = aHub();
    void open();
    await settled();
    await snapshotReady();
    Object.assign(world, { holds: false, refusal: 403 });
    await minute();
    expect(heard()).toEqual(['snapshot', 'closed']);
  });

  test('whose client does not read is cut off at 256 KiB, without a word', async () => {
    const { hub, open, snapshotReady, world, raise, heard } = aHub();
    void open();
    await settled();
    await snapshotReady();
    world.behind = 262_144;
    raise('a-1');
    expect([heard(), world.ended]).toEqual([['snapshot'], ['now']]);
    expect([hub.openStreams(), hub.droppedStreams()]).toEqual([0, 1]);
  });

  test('more than 500 are too many for an instance', async () => {
    const { hub, open } = aHub();
    for (let user = 0; user < 500; user += 1) void open(`user ${user}`);
    await settled();
    expect(hub.openStreams()).toBe(500);
    await expect(open('one more')).rejects.toMatchObject({
      status: 503,
      extras: { code: 'TOO_MANY_STREAMS' },
    });
  });

  test('25 accounts with all that each may have keep nobody out: the greediest give way, as far as it is fair', async () => {
    const { hub, open, world, heard } = aHub();
    for (let stream = 0; stream < 500; stream += 1) void open(`greedy ${stream % 25}`);
    await settled();
    expect(hub.openStreams()).toBe(500);
    // four farms, each with its wall, its phones and its owner
    for (let stream = 0; stream < 40; stream += 1) void open(`farm ${stream % 4}`);
    await settled();
    expect(hub.openStreams()).toBe(500);
    expect(heard().filter((event) => event === 'closed')).toHaveLength(40);
    expect(world.written.at(-1)).toContain('making_room');
    // a greedy one that comes back takes nothing from who has fewer
    await expect(open('greedy 0')).rejects.toMatchObject({ status: 503 });
    // nor does somebody without a farm from who watches one
    world.farms = [];
    await expect(open('nobody of a farm')).rejects.toMatchObject({ status: 503 });
  });
});

test('what a controller said before everybody left is not told to who comes after its next word', async () => {
  const { hub, world, open, snapshotReady, secondPasses } = aHub();
  const says = (current_status: 'ON' | 'OFF') =>
    hub.tell(FARM, 'presence', {
      control_point_id: 'one',
      current_status,
      consumption: 0,
      last_heartbeat: null,
      is_online: true,
    });
  const opened = async () => {
    const stream = open();
    await settled();
    await snapshotReady();
    return stream;
  };
  const first = await opened();
  says('ON');
  first.abandon();
  says('OFF');
  await opened();
  secondPasses();

  expect(world.written.filter((text) => text.includes('presence'))).toEqual([]);
});

describe('what no row tells of', () => {
  const changedIn = (written: readonly string[]) =>
    written
      .filter((text) => text.includes('event: changed'))
      .map((text) => JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '') as unknown);
  async function watched(role: FarmRole) {
    const hub = aHub();
    hub.world.role = role;
    void hub.open();
    await settled();
    await hub.snapshotReady();
    return hub;
  }

  test('is told at once, then once a second at most, and the last word comes', async () => {
    const { hub, world, secondPasses } = await watched('TECHNICIAN');
    for (let reading = 0; reading < 3; reading += 1)
      hub.tellChanged('probes', { farmId: FARM, who: 'viewers' });
    hub.tellChanged('relays', { farmId: FARM, who: 'viewers' });
    hub.tellChanged('bench', 'operators');
    expect(changedIn(world.written)).toEqual([
      { farm_id: FARM, kinds: ['probes'] },
      { farm_id: null, kinds: ['bench'] },
    ]);
    secondPasses();
    expect(changedIn(world.written).slice(2)).toEqual([{ farm_id: FARM, kinds: ['probes', 'relays'] }]);
    secondPasses();
    secondPasses();
    hub.tellChanged('probes', { farmId: FARM, who: 'viewers' });
    expect(changedIn(world.written)).toHaveLength(4);
  });

  test('of the box goes to an ADMIN as long as that is one', async () => {
    const hub = aHub();
    Object.assign(hub.world, { farms: [], account: 'ADMIN' });
    void hub.open();
    await settled();
    await hub.snapshotReady();
    hub.hub.tellChanged('adoption', 'operators');
    hub.secondPasses();
    hub.world.account = 'OWNER';
    await hub.minute();
    hub.hub.tellChanged('bench', 'operators');
    expect(changedIn(hub.world.written)).toEqual([{ farm_id: null, kinds: ['adoption'] }]);
  });

  test('goes to those who may ask: what is the box’s or an operator’s is not for viewers', async () => {
    const { hub, world } = await watched('VIEWER');
    hub.tellChanged('adoption', 'operators');
    hub.tellChanged('device_keys', { farmId: FARM, who: 'operators' });
    hub.tellChanged('notification_channels', { userId: 'joão' });
    hub.tellChanged('probes', { farmId: '0190a5d0-0000-7000-8000-00000000000b', who: 'viewers' });
    hub.tellChanged('notification_channels', { userId: 'maria' });
    hub.tellChanged('siren', { farmId: FARM, who: 'viewers' });
    expect(changedIn(world.written)).toEqual([
      { farm_id: null, kinds: ['notification_channels'] },
      { farm_id: FARM, kinds: ['siren'] },
    ]);
  });
});
