import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CommandFrame } from '#contract/sync/wire.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { remoteOf } from './a-bound-farm.ts';
import { take } from './a-command.ts';
import { sharedPoint } from './a-shared-farm.ts';

type Json = Record<string, unknown>;

onBothEngines('an order from the hosted instance to the motor', (_open, engine) => {
  let hosted: App;
  let gateway: App;
  beforeAll(async () => {
    hosted = await startApp(engine, ['--role', 'hosted']);
    gateway = await startApp('sqlite');
  });
  afterAll(async () => {
    await gateway.close();
    await hosted.close();
  });

  async function aFarmOnTheLine() {
    const shared = await sharedPoint({ hosted, gateway });
    const { token, point, streamId } = shared;
    const { parts } = remoteOf(hosted);
    parts.connected(streamId, true);
    return {
      ...shared,
      order: async (target: 'on' | 'off', input: Json = {}) =>
        body(await hosted.call('POST', `/control-points/${point.id}/turn-${target}`, { token, body: input })),
      frames: () => parts.commandsToSend(streamId),
      /** The gateway takes what comes, and its answer goes back. */
      async deliver(frame: CommandFrame | undefined): Promise<string> {
        if (frame === undefined) throw new Error('nothing was sent');
        const answer = await take(gateway, frame);
        await parts.commandState(streamId, answer);
        return answer.state;
      },
      journey: async () =>
        ((await hosted.call('GET', `/control-points/${point.id}/commands`, { token })).body as Json[]).map(
          ({ state }) => state,
        ),
    };
  }

  it('is carried out under one name on both sides, and done when the controller says so', async () => {
    const farm = await aFarmOnTheLine();
    const { order_id } = await farm.order('on', { reason: 'madrugada' });
    expect(await farm.deliver((await farm.frames())[0])).toBe('accepted');
    expect(farm.row()).toMatchObject({ target_status: 'ON', target_origin: 'REMOTE' });
    const [order] = await gateway.database.read
      .selectFrom('orders')
      .selectAll()
      .where('control_point_id', '=', farm.point.id)
      .execute();
    expect(order).toMatchObject({ id: order_id, reason: 'madrugada', issued_by: expect.any(String) });
    expect(await farm.journey()).toEqual(['accepted']);
  });

  it('for a time is counted from when the gateway carries it out, and its end goes on to the controller', async () => {
    const farm = await aFarmOnTheLine();
    const { order_id } = await farm.order('on', { for_s: 600, expires_in_s: 120 });
    const [frame] = await farm.frames();
    // on its way, while the clocks of both go apart
    for (const app of [hosted, gateway]) app.clock.advance(40_000);
    gateway.stepWallClock(3_600_000);
    gateway.lookAtClock();
    expect(await farm.deliver(frame)).toBe('accepted');
    const level = () => gateway.control.levelsOf(farm.point.mqtt_id)?.shadow;
    expect(level()).toMatchObject({ target_status: 'ON', origin: 'REMOTE', until: 600, then: 'OFF' });
    gateway.stepWallClock(-3_600_000);
    gateway.lookAtClock();
    gateway.clock.advance(599_000);
    await gateway.control.executor.tick();
    expect(level()).toMatchObject({ target_status: 'ON', until: 1, then: 'OFF' });
    gateway.clock.advance(1_000);
    await gateway.control.executor.tick();
    expect(level()).toMatchObject({ target_status: 'OFF' });
    expect(level()).not.toHaveProperty('until');
    // the same order again, by a line that kept it, holds nothing again
    if (frame === undefined) throw new Error('nothing was sent');
    expect(await take(gateway, frame)).toMatchObject({ id: order_id, state: 'superseded' });
    expect(farm.row()).toMatchObject({ target_status: 'OFF' });
  });

  it('that waited for the line longer than it lives is never carried out', async () => {
    const farm = await aFarmOnTheLine();
    await farm.order('on', { expires_in_s: 10 });
    const [frame] = await farm.frames();
    for (const app of [hosted, gateway]) app.clock.advance(11_000);
    // nor by a line that kept it and delivers it now: it came eleven seconds ago
    if (frame === undefined) throw new Error('nothing was sent');
    expect(await take(gateway, frame, gateway.clock.now() - 11_000)).toMatchObject({ state: 'expired' });
    expect(farm.row()).toMatchObject({ target_status: 'OFF', version: 1 });
    expect(await farm.frames()).toEqual([]);
  });

  it('that is sent again after the line broke is carried out once', async () => {
    const farm = await aFarmOnTheLine();
    await farm.order('on');
    const [first] = await farm.frames();
    if (first === undefined) throw new Error('nothing was sent');
    // its answer is lost with the line
    await take(gateway, first);
    remoteOf(hosted).parts.connected(farm.streamId, false);
    remoteOf(hosted).parts.connected(farm.streamId, true);
    const [again] = await farm.frames();
    expect(again?.id).toBe(first.id);
    expect(await farm.deliver(again)).toBe('accepted');
    expect(farm.row()).toMatchObject({ version: 2 });
    expect(await farm.journey()).toEqual(['accepted']);
  });

  it('and the one behind it, given before the first was heard of, are carried out in turn', async () => {
    const farm = await aFarmOnTheLine();
    await farm.order('on');
    const [on] = await farm.frames();
    await farm.order('off');
    const [off] = await farm.frames();
    expect([await farm.deliver(on), await farm.deliver(off)]).toEqual(['accepted', 'accepted']);
    expect(farm.row()).toMatchObject({ target_status: 'OFF', version: 3 });
    expect(await farm.journey()).toEqual(['accepted', 'superseded']);
  });
});
