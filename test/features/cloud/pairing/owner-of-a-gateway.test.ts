import { afterAll, beforeAll, expect, it } from 'vitest';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { NO_PASSWORD } from '#contract/resources/users.ts';
import type { SnapshotAnswer } from '#contract/sync/wire.ts';
import { insert, put, remove } from '#core/changes.ts';
import { type App, body, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { bindFarm } from '../../control/commands/a-bound-farm.ts';

onBothEngines('who owns a gateway', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted']);
  });
  afterAll(() => app.close());

  async function aFarm(owner: SignedUp, name: string): Promise<string> {
    const made = await app.call('POST', '/farms/', { token: owner.token, body: { name } });
    return String(body(made)['id']);
  }
  async function bound(owner: SignedUp) {
    const farmId = await aFarm(owner, 'Fazenda Norte');
    return { farmId, ...(await bindFarm(app, farmId, owner.user.id)) };
  }
  async function handedOver(owner: SignedUp, farmId: string, heir: SignedUp) {
    const offer = await app.call('POST', `/farms/${farmId}/invitations`, {
      token: owner.token,
      body: { kind: 'HANDOVER' },
    });
    return app.call('POST', '/invitations/accept', {
      token: heir.token,
      body: { code: String(body(offer)['code']) },
    });
  }
  const ownerOf = async (gatewayId: string) => {
    const { read } = app.database;
    const row = await read
      .selectFrom('gateways')
      .select('owner_id')
      .where('id', '=', gatewayId)
      .executeTakeFirst();
    return row?.owner_id;
  };

  it('unpairs it before the account ends, its farms deleted with it or not', async () => {
    const owner = await app.signUp();
    const { gatewayId } = await bound(owner);
    const leave = (force: boolean) =>
      app.call('DELETE', `/users/me?force=${force}`, {
        token: owner.token,
        body: { password: 'camarao-123' },
      });
    for (const force of [false, true])
      expect(await leave(force)).toMatchObject({ status: 409, body: { code: 'OWNS_GATEWAYS' } });
    expect((await app.call('DELETE', `/sync/gateways/${gatewayId}`, { token: owner.token })).status).toBe(
      204,
    );
    expect((await leave(true)).status).toBeLessThan(300);
  });

  it('is whoever takes its farm over', async () => {
    const [owner, heir] = [await app.signUp(), await app.signUp()];
    const { farmId, gatewayId } = await bound(owner);
    expect((await handedOver(owner, farmId, heir)).status).toBe(200);
    expect(await ownerOf(gatewayId)).toBe(heir.user.id);
    expect((await app.call('GET', '/sync/gateways', { token: heir.token })).body).toMatchObject([
      { id: gatewayId },
    ]);
    expect((await app.call('GET', '/sync/gateways', { token: owner.token })).body).toEqual([]);
  });

  it('cannot be two people: one of two farms of a gateway is not handed over', async () => {
    const [owner, heir] = [await app.signUp(), await app.signUp()];
    const { farmId, gatewayId, streamId } = await bound(owner);
    const second = await aFarm(owner, 'Fazenda Sul');
    await app.kernel.commit({
      actor: null,
      changes: [put(syncFarm, { id: second, stream_id: streamId, bound_at: '2026-03-01T12:00:00.000Z' })],
    });
    const refused = await handedOver(owner, farmId, heir);
    expect(refused).toMatchObject({ status: 409, body: { code: 'GATEWAY_OF_TWO_OWNERS' } });
    expect(String(body(refused)['detail'])).toContain('Fazenda Sul');
    expect(await ownerOf(gatewayId)).toBe(owner.user.id);
    await app.kernel.commit({ actor: null, changes: [remove(farm, second)] });
    expect((await handedOver(owner, farmId, heir)).status).toBe(200);
  });

  it('has nothing on the farm’s card that anybody logs in with elsewhere', async () => {
    const [owner, stays, left] = [await app.signUp(), await app.signUp(), await app.signUp()];
    const { farmId, gatewayId, streamId } = await bound(owner);
    const member = (who: SignedUp) => ({
      id: app.kernel.newId(),
      farm_id: farmId,
      user_id: who.user.id,
      role: 'TECHNICIAN' as const,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: null,
    });
    const gone = member(left);
    await app.kernel.commit({
      actor: null,
      changes: [insert(farmMember, member(stays)), insert(farmMember, gone)],
    });
    await app.kernel.commit({ actor: null, changes: [remove(farmMember, gone.id)] });
    const reply = await app.sync?.server.ask({ gatewayId, streamId }, 'snapshot', {
      resync: null,
      epoch: 1,
      after: null,
      limit: 500,
      history_from: null,
    });
    if (reply?.ok !== true) throw new Error('no snapshot');
    const hashes = new Map(
      (reply.answer as SnapshotAnswer).rows
        .filter(({ body: row }) => 'password_hash' in row)
        .map(({ id, body: row }) => [id, [row['password_hash'], row['is_active']]]),
    );
    expect(hashes.get(left.user.id)).toEqual([NO_PASSWORD, false]);
    for (const { user } of [owner, stays]) expect(hashes.get(user.id)).toEqual([NO_PASSWORD, true]);
  });
});
