import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveryStore, followStep, sweepDeliveries } from '#adapters/sql/queries/alarms/deliveries.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { insert } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { zoneClocks } from '#core/zone-clock.ts';
import { createDeliveryWorker, type DeliveryWorkerDeps } from '#features/alarms/delivery/delivery-worker.ts';
import type { Outcome, Outgoing, Send } from '#features/alarms/delivery/ports.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

onBothEngines('workers of deliveries', (_open, engine) => {
  let app: App;
  let userId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    userId = (await app.signUp()).user.id;
  });
  afterAll(() => app.close());

  function aWorker(send: Send, given: Partial<DeliveryWorkerDeps> = {}) {
    return createDeliveryWorker({
      ...app.kernel,
      kind: 'WEBHOOK',
      parallel: 8,
      monotonic: app.clock.now,
      hasOneWayOut: true,
      store: deliveryStore(app.database),
      send,
      code: () => '',
      clockOf: zoneClocks(),
      scienceOf: async () => SCIENCE_DEFAULTS,
      isPondEmpty: async () => false,
      notify: app.notify,
      count: () => undefined,
      ...given,
    });
  }
  /** Channels with test messages waiting for each. */
  async function waiting(
    channels: number,
    each: number,
    isCritical = true,
    host: (id: string) => string = (id) => `${id}.test`,
  ): Promise<string[]> {
    const at = new Date(app.clock.now()).toISOString();
    const ids = Array.from({ length: channels }, () => app.kernel.newId());
    await app.kernel.commit({
      actor: null,
      changes: ids.flatMap((id) => [
        insert(notificationChannel, {
          id,
          user_id: userId,
          kind: 'WEBHOOK',
          address: `https://${host(id)}/${id}`,
          keys: { generation: '1' },
          types: ['ALERT'],
          min_severity: 'LOW',
          quiet_from: null,
          quiet_to: null,
          timezone: 'Etc/UTC',
          is_active: true,
          verified_at: at,
          created_at: at,
          updated_at: null,
        }),
        ...Array.from({ length: each }, () =>
          insert(delivery, {
            id: app.kernel.newId(),
            notification_id: null,
            channel_id: id,
            user_id: userId,
            kind: 'WEBHOOK',
            purpose: 'TEST',
            is_critical: isCritical,
            body: null,
            state: 'PENDING',
            attempts: 0,
            next_at: at,
            last_error: null,
            created_at: at,
            done_at: null,
          }),
        ),
      ]),
    });
    return ids;
  }
  const statesOf = async (channels: readonly string[]) => {
    const rows = await app.database.read
      .selectFrom('deliveries')
      .select(['state', 'attempts'])
      .where('channel_id', 'in', channels)
      .execute();
    return rows.map(({ state, attempts }) => `${state} ${attempts}`);
  };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  function recorder(outcome: (message: Outgoing) => Outcome = () => ({ is: 'sent' })) {
    const sent: Outgoing[] = [];
    const now = new Map<string, number>();
    const most = { perChannel: 0, together: 0 };
    const send: Send = async (message) => {
      sent.push(message);
      now.set(message.channelId, (now.get(message.channelId) ?? 0) + 1);
      const together = [...now.values()].reduce((sum, n) => sum + n, 0);
      most.perChannel = Math.max(most.perChannel, now.get(message.channelId) ?? 0);
      most.together = Math.max(most.together, together);
      await turn();
      await turn();
      now.set(message.channelId, (now.get(message.channelId) ?? 1) - 1);
      return outcome(message);
    };
    return { sent, send, most };
  }

  it.runIf(engine === 'postgres')('share the work of several processes, each delivery once', async () => {
    const channels = await waiting(40, 5);
    const { sent, send } = recorder();
    const processes = [aWorker(send), aWorker(send), aWorker(send)];
    await Promise.all(processes.map((worker) => worker.work()));
    expect(sent).toHaveLength(200);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(200);
    expect(await statesOf(channels)).toEqual(Array(200).fill('SENT 1'));
  });

  it.runIf(engine === 'postgres')(
    'take over what a process that died was sending, after its lease',
    async () => {
      const channels = await waiting(1, 1);
      const isSending = Promise.withResolvers<void>();
      const died = aWorker(() => {
        isSending.resolve();
        return new Promise(() => undefined);
      });
      void died.work();
      await isSending.promise;
      const { sent, send } = recorder();
      const other = aWorker(send);
      await other.work();
      expect(sent).toEqual([]);
      app.clock.advance(2 * 60_000);
      await other.work();
      expect(sent).toHaveLength(1);
      expect(await statesOf(channels)).toEqual(['SENT 1']);
    },
  );

  it('send to a channel one after the other, and to no more channels than they may', async () => {
    const channels = await waiting(30, 12, false);
    const { sent, send, most } = recorder();
    await aWorker(send).work();
    expect(sent).toHaveLength(360);
    // a quarter of the slots is kept for what is critical
    expect(most.perChannel).toBe(1);
    expect(most.together).toBeLessThanOrEqual(6);
    expect(new Set(await statesOf(channels))).toEqual(new Set(['SENT 1']));
  });

  it('send what is critical before what waited longer', async () => {
    const many = await waiting(40, 2, false);
    app.clock.advance(1000);
    const [urgent = ''] = await waiting(1, 1, true);
    const { sent, send } = recorder();
    await aWorker(send).work();
    expect(sent).toHaveLength(81);
    expect(sent.findIndex(({ channelId }) => channelId === urgent)).toBeLessThan(8);
    expect(await statesOf(many)).toHaveLength(80);
  });

  it('hear of what comes while one slow place keeps them waiting', async () => {
    const [slow = ''] = await waiting(1, 1);
    const answer = Promise.withResolvers<Outcome>();
    const sent: string[] = [];
    const worker = aWorker((message) => {
      sent.push(message.channelId);
      return message.channelId === slow ? answer.promise : Promise.resolve({ is: 'sent' });
    });
    const done = worker.work();
    await expect.poll(() => sent).toEqual([slow]);
    const [next = ''] = await waiting(1, 1);
    void worker.work();
    await expect.poll(() => sent).toEqual([slow, next]);
    answer.resolve({ is: 'sent' });
    await done;
  });

  it('go on with other places while one host answers to nobody', async () => {
    await waiting(40, 1, true, () => 'silent.test');
    const [other = ''] = await waiting(1, 1);
    const answers = Promise.withResolvers<Outcome>();
    const sent: string[] = [];
    const done = aWorker(({ address, channelId }) => {
      sent.push(channelId);
      return address.includes('silent.test') ? answers.promise : Promise.resolve({ is: 'sent' });
    }).work();
    await expect.poll(() => sent).toContain(other);
    answers.resolve({ is: 'sent' });
    await done;
    expect(sent).toHaveLength(41);
  });

  it('do not send again what was sent when the disk did not take the news of it', async () => {
    const channels = await waiting(2, 1);
    const { sent, send } = recorder();
    const disk = { isFull: true };
    const worker = aWorker(send, {
      commit: (unit) =>
        disk.isFull ? Promise.reject(new StorageUnavailable('full', null)) : app.kernel.commit(unit),
    });
    await worker.work();
    app.clock.advance(10_000);
    await worker.work();
    expect(await statesOf(channels)).toEqual(['PENDING 0', 'PENDING 0']);
    disk.isFull = false;
    app.clock.advance(120_000);
    await worker.work();
    expect(sent).toHaveLength(2);
    expect(await statesOf(channels)).toEqual(['SENT 1', 'SENT 1']);
  });

  it('do not try in a circle what cannot be written down, and send to the other channels', async () => {
    const channels = await waiting(2, 1);
    const [broken = ''] = channels;
    const { sent, send } = recorder();
    const rows = await app.database.read
      .selectFrom('deliveries')
      .select('id')
      .where('channel_id', '=', broken)
      .execute();
    const trouble = { isThere: true };
    const worker = aWorker(send, {
      commit: (unit) =>
        trouble.isThere && unit.changes.some((change) => 'id' in change && change.id === rows[0]?.id)
          ? Promise.reject(new Error('a fault of ours'))
          : app.kernel.commit(unit),
    });
    await worker.work();
    await worker.work();
    expect(sent).toHaveLength(2);
    const states = await statesOf(channels);
    expect(states.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['PENDING 0', 'SENT 1']);
    trouble.isThere = false;
    app.clock.advance(120_000);
    await worker.work();
    expect(sent).toHaveLength(2);
    expect(await statesOf(channels)).toEqual(['SENT 1', 'SENT 1']);
  });

  it('rest when there is no way out at all, and try it all later', async () => {
    const channels = await waiting(60, 1);
    const line = { isUp: false };
    const { sent, send } = recorder(() =>
      line.isUp ? { is: 'sent' } : { is: 'unreachable', why: 'no internet' },
    );
    const worker = aWorker(send);
    await worker.work();
    expect(sent.length).toBeLessThan(20);
    const tries = sent.length;
    await worker.work();
    expect(sent).toHaveLength(tries);
    expect(new Set(await statesOf(channels))).toEqual(new Set(['PENDING 0']));
    line.isUp = true;
    app.clock.advance(10 * 60_000);
    await worker.work();
    expect(new Set(await statesOf(channels))).toEqual(new Set(['SENT 1']));
  });

  it('stop within their time, and what was under way is sent by the next run', async () => {
    const channels = await waiting(3, 1);
    const worker = aWorker(
      (_message, stop) =>
        new Promise((_resolve, reject) => stop.addEventListener('abort', () => reject(new Error('cut')))),
    );
    const done = worker.work();
    await turn();
    await worker.stop(Promise.resolve());
    await done;
    const { sent, send } = recorder();
    await aWorker(send).work();
    expect(sent).toHaveLength(3);
    expect(await statesOf(channels)).toEqual(['SENT 1', 'SENT 1', 'SENT 1']);
  });

  describe('the sweep', () => {
    const day = 24 * 3_600_000;
    const count = async () => {
      const row = await app.database.read
        .selectFrom('deliveries')
        .select((rows) => rows.fn.countAll<number>().as('n'))
        .executeTakeFirst();
      return Number(row?.n);
    };

    it('keeps what was sent for a week, what was given up for a month, and what waits for eight days', async () => {
      await app.database.read.deleteFrom('deliveries').execute();
      await waiting(1, 1);
      await aWorker(() => Promise.resolve({ is: 'sent' })).work();
      await waiting(1, 1);
      await aWorker(() => Promise.resolve({ is: 'refused', why: 'no' })).work();
      await waiting(1, 1);
      const start = app.clock.now();
      const left = async (days: number) => {
        await sweepDeliveries(app.database.read, { now: start + days * day, quality: 'trusted' });
        return count();
      };
      expect([await left(6.9), await left(7.1), await left(8.1), await left(29.9), await left(30.1)]).toEqual(
        [3, 2, 1, 1, 0],
      );
    });

    it('throws nothing away by a clock that is not to be trusted', async () => {
      await waiting(1, 1);
      const before = await count();
      const far = app.clock.now() + 400 * day;
      await sweepDeliveries(app.database.read, { now: far, quality: 'estimated' });
      expect(await count()).toBe(before);
    });

    it('by such a clock keeps the newest of what is done, so that the box never fills up', async () => {
      await app.database.read.deleteFrom('deliveries').execute();
      await waiting(3, 1);
      await aWorker(() => Promise.resolve({ is: 'sent' })).work();
      const still = await waiting(1, 1);
      await sweepDeliveries(app.database.read, { now: app.clock.now(), quality: 'estimated', kept: 2 });
      expect([await count(), await statesOf(still)]).toEqual([3, ['PENDING 0']]);
    });

    it('an alarm of a box that did not know the time is no old one when it hears it', async () => {
      await app.database.read.deleteFrom('deliveries').execute();
      const old = await waiting(1, 1);
      app.clock.advance(2 * day);
      const fresh = await waiting(1, 1);
      const step = { steppedByMs: 9 * day, runningMs: day };
      app.clock.advance(9 * day);
      await followStep(app.database.read, { now: app.clock.now(), ...step });
      const { sent, send } = recorder();
      await aWorker(send).work();
      expect(sent.map(({ channelId }) => channelId)).toEqual(fresh);
      expect(await statesOf([...old, ...fresh])).toEqual(expect.arrayContaining(['DEAD 0', 'SENT 1']));
    });

    it('brings back what a wrong clock put off for years', async () => {
      const before = app.clock.now();
      app.clock.set(Date.UTC(2040, 0, 1));
      const channels = await waiting(1, 1);
      app.clock.set(before);
      const { sent, send } = recorder();
      await aWorker(send).work();
      expect(sent).toEqual([]);
      await sweepDeliveries(app.database.read, { now: app.clock.now(), quality: 'trusted' });
      await aWorker(send).work();
      expect(await statesOf(channels)).toEqual(['SENT 1']);
    });
  });
});
