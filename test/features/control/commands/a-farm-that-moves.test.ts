import { afterAll, beforeAll, expect, it } from 'vitest';
import { farmMember } from '#contract/resources/farms.ts';
import type { CommandFrame } from '#contract/sync/wire.ts';
import { insert } from '#core/changes.ts';
import { type App, body, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBoundFarm, bindFarm, remoteOf, stateFrame } from './a-bound-farm.ts';
import { aCommand, take } from './a-command.ts';
import { sharedPoint } from './a-shared-farm.ts';

type Json = Record<string, unknown>;

onBothEngines('an order from afar whose gateway or giver leaves meanwhile', (_open, engine) => {
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

  const order = async (token: string, pointId: string, input: Json = {}) =>
    String(
      body(await hosted.call('POST', `/control-points/${pointId}/turn-on`, { token, body: input }))[
        'order_id'
      ],
    );
  const entry = async (token: string, pointId: string) => {
    const reply = await hosted.call('GET', `/control-points/${pointId}/commands`, {
      token,
      headers: { 'accept-language': 'en' },
    });
    return (reply.body as Json[])[0];
  };
  const shown = async (token: string, id: string) =>
    body(await hosted.call('GET', `/control-points/${id}`, { token }));
  const notices = async (token: string) =>
    JSON.stringify((await hosted.call('GET', '/notifications/', { token })).body);

  type Bound = Awaited<ReturnType<typeof aBoundFarm>>;
  const LEAVING: { how: string; leave: (farm: Bound) => Promise<{ status: number }> }[] = [
    {
      how: 'the farm is taken off its gateway',
      leave: ({ token, gatewayId, farmId }) =>
        hosted.call('DELETE', `/sync/gateways/${gatewayId}/farms/${farmId}?force=true`, { token }),
    },
    {
      how: 'its gateway is unpaired',
      leave: ({ token, gatewayId }) => hosted.call('DELETE', `/sync/gateways/${gatewayId}`, { token }),
    },
  ];

  it.each(LEAVING)('is void at once and never counts again when $how', async ({ leave }) => {
    for (const isSent of [false, true]) {
      const farm = await aBoundFarm(hosted);
      const { token, point, streamId } = farm;
      const { parts } = remoteOf(hosted);
      const id = await order(token, point.id, { expires_in_s: 900 });
      if (isSent) await parts.commandsToSend(streamId);
      expect((await leave(farm)).status).toBeLessThan(300);
      await expect
        .poll(() => entry(token, point.id))
        .toMatchObject({ id, state: 'expired', result: 'the gateway of this farm was changed or unpaired' });
      expect(await shown(token, point.id)).toMatchObject({ target_status: 'OFF' });
      expect(await shown(token, point.id)).not.toHaveProperty('pending');
      expect(await notices(token)).toContain(point.cod);
      // the old box comes back: it is sent nothing, and what it still has does not count
      parts.connected(streamId, true);
      expect(await parts.commandsToSend(streamId)).toEqual([]);
      expect(await parts.still(streamId, id)).toBe(null);
      await parts.commandState(streamId, stateFrame(id, 'expired', 'TOO_LATE'));
      expect(await entry(token, point.id)).toMatchObject({ state: 'expired' });
    }
  });

  it.each(LEAVING)('is known to nobody when $how after it was told to count', async ({ leave }) => {
    const farm = await aBoundFarm(hosted);
    const { token, point, streamId } = farm;
    const { parts } = remoteOf(hosted);
    const id = await order(token, point.id);
    await parts.commandsToSend(streamId);
    expect(await parts.still(streamId, id)).toBe(60_000);
    expect((await leave(farm)).status).toBeLessThan(300);
    await expect
      .poll(() => entry(token, point.id))
      .toMatchObject({ state: 'expired', result: expect.stringContaining('before it said what it did') });
    expect(await notices(token)).toContain('não se sabe se a ordem');
    expect(await notices(token)).not.toContain('não foi executada');
    expect(await parts.still(streamId, id)).toBe(null);
    // a last word of the old box is the truth about that order, whoever runs the farm now
    await parts.commandState(streamId, stateFrame(id, 'done'));
    expect(await entry(token, point.id)).toMatchObject({ state: 'done' });
  });

  it('is nothing of the next box, though the old one took it and its motor was never heard of', async () => {
    const farm = await aBoundFarm(hosted);
    const { token, point, streamId, gatewayId, farmId, ownerId } = farm;
    const { parts } = remoteOf(hosted);
    const id = await order(token, point.id, { expires_in_s: 900 });
    await parts.commandsToSend(streamId);
    await parts.still(streamId, id);
    await parts.commandState(streamId, stateFrame(id, 'accepted'));
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'ON', pending: { id } });
    const path = `/sync/gateways/${gatewayId}/farms/${farmId}?force=true`;
    expect((await hosted.call('DELETE', path, { token })).status).toBe(204);
    await bindFarm(hosted, farmId, ownerId);
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'OFF' });
    expect(await shown(token, point.id)).not.toHaveProperty('pending');
  });

  it('is not carried out by the old box that has it already and hears late, and both sides say the same', async () => {
    const farm = await sharedPoint({ hosted, gateway });
    const { token, farmId, point, streamId } = farm;
    const { parts } = remoteOf(hosted);
    const id = await order(token, point.id, { expires_in_s: 900 });
    const [frame] = await parts.commandsToSend(streamId);
    const bound = await hosted.database.read
      .selectFrom('gateways')
      .select('id')
      .where('stream_id', '=', streamId)
      .executeTakeFirstOrThrow();
    const off = await hosted.call('DELETE', `/sync/gateways/${bound.id}/farms/${farmId}?force=true`, {
      token,
    });
    expect(off.status).toBe(204);
    const answer = await heard(frame, streamId);
    expect(answer).toMatchObject({ id, state: 'expired' });
    await parts.commandState(streamId, answer);
    expect(farm.row()).toMatchObject({ target_status: 'OFF', version: 1 });
    await expect.poll(() => entry(token, point.id)).toMatchObject({ state: 'expired' });
  });

  /** The gateway reads the order and asks; what it is answered decides. */
  async function heard(frame: CommandFrame | undefined, streamId: number) {
    if (frame === undefined) throw new Error('nothing was sent');
    const left = await remoteOf(hosted).parts.still(streamId, frame.id);
    const lateAtMs = left === null ? Number.NEGATIVE_INFINITY : gateway.clock.now() + left;
    const taken = await gateway.commands?.parts.takeCommand(frame, lateAtMs);
    if (taken === undefined) throw new Error('not a gateway');
    return taken;
  }

  async function aMember(farmId: string, on: App): Promise<SignedUp> {
    const person = await on.signUp();
    const id = on.kernel.newId();
    const created_at = new Date(on.clock.now()).toISOString();
    const row = {
      id,
      farm_id: farmId,
      user_id: person.user.id,
      role: 'TECHNICIAN',
      created_at,
      updated_at: null,
    } as const;
    await on.kernel.commit({ actor: null, changes: [insert(farmMember, row)] });
    return person;
  }

  const GOING: { how: string; go: (farm: Bound, member: SignedUp) => Promise<{ status: number }> }[] = [
    {
      how: 'removed from the farm',
      go: ({ token, farmId }, { user }) =>
        hosted.call('DELETE', `/farms/${farmId}/members/${user.id}`, { token }),
    },
    {
      how: 'made a viewer',
      go: ({ token, farmId }, { user }) =>
        hosted.call('POST', `/farms/${farmId}/members`, {
          token,
          body: { user_id: user.id, role: 'VIEWER' },
        }),
    },
    {
      how: 'erased at their own wish',
      go: (_farm, { token }) =>
        hosted.call('DELETE', '/users/me', { token, body: { password: 'camarao-123' } }),
    },
  ];

  it.each(GOING)('is void when whoever gave it is $how', async ({ go }) => {
    const farm = await aBoundFarm(hosted);
    const { token, point, streamId } = farm;
    const member = await aMember(farm.farmId, hosted);
    const { parts } = remoteOf(hosted);
    const id = await order(member.token, point.id, { expires_in_s: 900 });
    await parts.commandsToSend(streamId);
    expect((await go(farm, member)).status).toBeLessThan(300);
    expect(await parts.still(streamId, id)).toBe(null);
    await expect
      .poll(() => entry(token, point.id))
      .toMatchObject({ state: 'expired', result: 'whoever gave it may no longer operate this farm' });
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'OFF' });
  });

  it('is refused by the gateway that knows of a removal before the cloud does', async () => {
    const owner = await gateway.signUp();
    const { token } = owner;
    const farmId = String(
      body(await gateway.call('POST', '/farms/', { token, body: { name: 'Sul' } }))['id'],
    );
    const made = await gateway.call('POST', '/control-points/', {
      token,
      body: { farm_id: farmId, cod: 'CP-9', device_id: `aer-9-${engine}`, target_status: 'OFF' },
    });
    const point = { id: String(body(made)['id']) };
    const member = await aMember(farmId, gateway);
    const from = (issued_by: string) => aCommand(gateway, point, { issued_by });
    const removed = from(member.user.id);
    await gateway.call('DELETE', `/farms/${farmId}/members/${member.user.id}`, { token });
    expect(await take(gateway, removed)).toMatchObject({ state: 'rejected', result: 'NOT_ALLOWED' });
    // somebody of whom nothing is known here yet was let in by the cloud a moment ago
    const stranger = await gateway.signUp();
    expect(await take(gateway, from(stranger.user.id))).toMatchObject({ state: 'accepted' });
    const demoted = await aMember(farmId, gateway);
    await gateway.call('POST', `/farms/${farmId}/members`, {
      token,
      body: { user_id: demoted.user.id, role: 'VIEWER' },
    });
    expect(await take(gateway, from(demoted.user.id))).toMatchObject({
      state: 'rejected',
      result: 'NOT_ALLOWED',
    });
    expect(await take(gateway, from(owner.user.id))).toMatchObject({ state: 'accepted' });
  });
});
