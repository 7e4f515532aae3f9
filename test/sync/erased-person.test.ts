import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, joinFarm } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { placesThatSay } from '#test/everything-stored.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// Both halves of a farm forget who is gone, whatever each had heard by then, and go on saying the same.

onBothEngines('a person whose account ends in the cloud', (_open, engine) => {
  let apps: SyncedApps;
  let owner: { token: string; farmId: string };
  beforeAll(async () => {
    apps = await syncedApps(engine);
    const { hosted } = apps;
    const person = await hosted.signUp({ email: 'owner@farm.test' });
    const made = await hosted.call('POST', '/farms/', { token: person.token, body: { name: 'Norte' } });
    owner = { token: person.token, farmId: String((made.body as { id: string }).id) };
    await apps.pairWith(person);
    const { id } = await hosted.database.read.selectFrom('gateways').select('id').executeTakeFirstOrThrow();
    await hosted.call('POST', `/sync/gateways/${id}/farms`, {
      token: owner.token,
      body: { farm_id: owner.farmId },
    });
    await apps.settled();
  });
  afterAll(() => apps.close());

  async function aWorker(word: string) {
    const { hosted } = apps;
    const person = await hosted.signUp({ email: `${word}@gone.test` });
    const say = (name: string) =>
      hosted.call('PUT', '/users/me', {
        token: person.token,
        body: { name, phone_number: '+55 88 96655-4433' },
      });
    await say(`Nome ${word}`);
    await joinFarm(hosted, owner, person, 'TECHNICIAN');
    return {
      ...person,
      say,
      end: () =>
        hosted.call('DELETE', '/users/me', { token: person.token, body: { password: 'camarao-123' } }),
    };
  }

  /** Also of the file, which is the gateway's alone. */
  const saidIn = async (app: App, word: string) => {
    await app.database.forgetOverwritten();
    return placesThatSay(app, [word]);
  };

  const resyncs = () => apps.gateway.gatewaySync?.client.state().counts.resyncs ?? 0;

  test('is forgotten on both halves', async () => {
    const { hosted, gateway } = apps;
    const worker = await aWorker('jucurutu');
    await apps.settled();
    expect(await saidIn(gateway, 'Nome jucurutu')).not.toEqual([]);
    expect((await worker.end()).status).toBe(204);
    await apps.settled();
    for (const app of [hosted, gateway]) await app.people.eraseLeftovers();
    await apps.settled();
    await hosted.people.eraseLeftovers();
    for (const app of [hosted, gateway]) expect(await saidIn(app, 'jucurutu')).toEqual([]);
  });

  test('is forgotten where the gateway was away, once it has heard; nothing is compared anew for it', async () => {
    const { hosted, gateway } = apps;
    const worker = await aWorker('mossoroense');
    await apps.settled();
    const before = resyncs();
    await apps.linkDown();
    await worker.say('Outra mossoroense');
    expect((await worker.end()).status).toBe(204);
    await hosted.people.eraseLeftovers();
    // it is still to be told
    expect((await saidIn(hosted, 'Outra mossoroense')).length).toBeGreaterThan(0);
    await apps.linkUp();
    // what is still to be confirmed is forgotten by a later pass
    const left = async () => {
      for (const app of [hosted, gateway]) await app.people.eraseLeftovers();
      return [...(await saidIn(hosted, 'mossoroense')), ...(await saidIn(gateway, 'mossoroense'))];
    };
    await expect.poll(left).toEqual([]);
    expect(resyncs()).toBe(before);
  });

  test('is forgotten by a card of before, too, which starts anew from what the cloud knows now', async () => {
    const { hosted, gateway } = apps;
    const worker = await aWorker('acaraense');
    await apps.settled();
    const { in_core_seq, in_core_chain } = await apps.stream(gateway, 1);
    expect((await worker.end()).status).toBe(204);
    await apps.settled();
    for (const app of [hosted, gateway]) await app.people.eraseLeftovers();
    await apps.settled();
    await hosted.people.eraseLeftovers();
    expect(await saidIn(hosted, 'acaraense')).toEqual([]);
    const before = resyncs();
    await apps.linkDown();
    const set = { in_core_seq, in_core_chain };
    await gateway.kernel.commit({ actor: null, changes: [], stream: { id: 1, expect: {}, set } });
    await apps.linkUp();
    expect(resyncs()).toBeGreaterThan(before);
    const pond = { farm_id: owner.farmId, cod: 'V-9', size_m2: 1_000 };
    expect((await hosted.call('POST', '/ponds/', { token: owner.token, body: pond })).status).toBe(201);
    await apps.settled();
    const there = await gateway.database.read.selectFrom('ponds').select('cod').execute();
    expect(there).toEqual([{ cod: 'V-9' }]);
    expect(await saidIn(gateway, 'acaraense')).toEqual([]);
  });

  test('is not asked of the gateway again by a cloud that fell back: what it forgot is compared instead', async () => {
    const { hosted, gateway } = apps;
    const { core_seq, core_chain } = await apps.stream(gateway, 1);
    const { token } = await gateway.signUp({ email: 'seridoense@gone.test' });
    const named = { token, body: { name: 'Farmhand seridoense' } };
    expect((await gateway.call('PUT', '/users/me', named)).status).toBe(200);
    await apps.settled();
    const end = { token, body: { password: 'camarao-123' } };
    expect((await gateway.call('DELETE', '/users/me', end)).status).toBe(204);
    await apps.settled();
    for (const app of [hosted, gateway]) await app.people.eraseLeftovers();
    expect(await saidIn(gateway, 'seridoense')).toEqual([]);
    const before = resyncs();
    await apps.linkDown();
    const acked = { acked_core_seq: core_seq, acked_core_chain: core_chain };
    await gateway.kernel.commit({ actor: null, changes: [], stream: { id: 1, expect: {}, set: acked } });
    const applied = { in_core_seq: core_seq, in_core_chain: core_chain };
    await hosted.kernel.commit({ actor: null, changes: [], stream: { id: 2, expect: {}, set: applied } });
    await apps.linkUp();
    expect(resyncs()).toBe(before + 1);
    for (const app of [hosted, gateway]) expect(await saidIn(app, 'seridoense')).toEqual([]);
  });
});
