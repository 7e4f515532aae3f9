import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedResources } from '#contract/resources/all.ts';
import { user } from '#contract/resources/users.ts';
import { PERSONAL, SCOPES } from '#contract/sync/scopes.ts';
import { update } from '#core/changes.ts';
import { body, joinFarm } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aSpysGateway, type SpysGateway } from './a-spys-gateway.ts';

onBothEngines('what a gateway may know', (_open, engine) => {
  let its: SpysGateway;
  beforeAll(async () => {
    its = await aSpysGateway(engine);
  });
  afterAll(() => its.app.close());

  it('is written down for every table, and for every group of one about people', () => {
    expect(Object.keys(SCOPES).toSorted()).toEqual(Object.keys(sharedResources).toSorted());
    const tables: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = PERSONAL;
    for (const name of ['users', 'subscriptions'] as const)
      expect(Object.keys(tables[name] ?? {}).toSorted()).toEqual(
        Object.keys(sharedResources[name].groups).toSorted(),
      );
  });

  it('hears of its people their names and what they may do, and nothing that they own or sign in with', async () => {
    const { spy, member, admin, victim, secrets, call, hashes, snapshot, feed } = its;
    // what they change later is told no more than what they had
    for (const person of [spy, member, admin, victim]) {
      const name = person === member ? { name: 'Nome socio', language: 'en' } : {};
      await call(person, 'PUT', '/users/me', { phone_number: '+55 88 9novo', ...name });
      await call(person, 'PUT', '/users/me', { password: 'senha-nova-1' });
      const again = { email: person.user.email, password: 'senha-nova-1', remember_me: true };
      person.token = String(body(await call(person, 'POST', '/auth/login', again))['access_token']);
    }
    for (const told of [await snapshot(), await feed()]) {
      expect(told).toContain('socio@casa.test');
      expect(told).toContain('Nome socio');
      for (const secret of [...secrets, '9novo', ...(await hashes())])
        expect([secret, told]).not.toEqual([secret, expect.stringContaining(secret)]);
    }
    // who left is the name beside old records
    expect(await snapshot()).toContain('Nome antigo');
    expect(await snapshot()).not.toContain('antigo@casa.test');
  });

  it('is told the place of a farm, and no other address of its owner', async () => {
    const { spy, spysFarm, call, made, snapshot, feed } = its;
    const place = {
      street: 'Estrada da fazenda',
      number: 1,
      city: 'Aracati',
      state: 'CE',
      zip_code: '62800-000',
    };
    const id = await made(spy, '/addresses/', place);
    expect(await feed()).not.toContain('Estrada da fazenda');
    expect((await call(spy, 'PUT', `/farms/${spysFarm}`, { address_id: id })).status).toBe(200);
    expect(await feed()).toContain('Estrada da fazenda');
    expect(await snapshot()).toContain('Estrada da fazenda');
    await call(spy, 'PUT', `/addresses/${id}`, { street: 'Estrada nova' });
    expect(await feed()).toContain('Estrada nova');
  });

  it('knows an owner’s plan, and one who becomes an administrator no longer', async () => {
    const { app, spy, spysFarm, call, aPerson, snapshot, feed } = its;
    expect(await snapshot()).toContain('ENTERPRISE');
    const promoted = await aPerson('promovida');
    await joinFarm(app, { token: spy.token, farmId: spysFarm }, promoted, 'VIEWER');
    expect(await snapshot()).toContain('promovida@casa.test');
    await app.kernel.commit({ actor: null, changes: [update(user, promoted.user.id, { role: 'ADMIN' })] });
    await call(promoted, 'PUT', '/users/me', { name: 'Nome de administradora' });
    expect(await snapshot()).not.toContain('promovida@casa.test');
    for (const told of [await snapshot(), await feed()]) expect(told).not.toContain('Nome de administradora');
  });
});
