import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetPeople } from '#adapters/sync/forget-people.ts';
import { user } from '#contract/resources/users.ts';
import { remove, update } from '#core/changes.ts';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { type App, aControlPoint, aFarmWith, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { placesThatSay } from '#test/everything-stored.ts';

// Who is gone is gone: searched for in every table and every file, not in those that somebody thought of.

onBothEngines('an account that ended', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const PASSWORD = 'senha-Quixeramobim-77';

  /** Somebody whose every value is unlike any other, and who uses all that an account has. */
  async function zulmira() {
    const email = 'zulmira.inconfundivel@sertao.test';
    const person = await app.signUp({ email, password: PASSWORD });
    let keys = 0;
    const ask = async (method: string, path: string, sent?: unknown) => {
      keys += 1;
      const reply = await app.call(method, path, {
        token: person.token,
        headers: { 'Idempotency-Key': `zulmira-${keys}`, 'User-Agent': 'ZulmiraPhone/7' },
        ...(sent === undefined ? {} : { body: sent }),
      });
      expect([method, path, reply.status < 300, reply.body]).toEqual([method, path, true, reply.body]);
      return body(reply);
    };
    await ask('PUT', '/users/me', {
      name: 'Zulmira Inconfundível',
      phone_number: '+55 88 97766-5544',
      language: 'en',
    });
    await ask('PUT', '/users/me', { name: 'Zulmira Quixaba' });
    const place = { number: 77, city: 'Jaguaruana', state: 'CE', complement: 'Sítio Tamarindal' };
    const address = await ask('POST', '/addresses/', {
      ...place,
      street: 'Rua Carnaubal',
      zip_code: '62823-431',
    });
    await ask('PUT', `/addresses/${String(address['id'])}`, { street: 'Travessa Oiticica' });
    await ask('POST', '/notification-channels/', {
      kind: 'WEBHOOK',
      address: 'https://zulmira-hook.example/x',
      types: ['ALERT'],
    });
    await ask('POST', '/access-tokens/', {
      name: 'planilha da Zulmira',
      scopes: ['read'],
      password: PASSWORD,
      expires_in_days: 30,
    });
    const farm = await ask('POST', '/farms/', {
      name: 'Fazenda Mandacaruzal',
      address_id: address['id'],
      lat: '-4.8877665',
      lng: '-37.7788991',
    });
    await ask('PUT', `/farms/${String(farm['id'])}`, { name: 'Fazenda Xiquexiquezal' });
    const pond = await ask('POST', '/ponds/', { farm_id: farm['id'], cod: 'Z-1', size_m2: 3_000 });
    await ask('POST', '/water-quality/', {
      pond_id: pond['id'],
      temperature: 28,
      notes: 'medido pelo compadre Gumercindo',
    });
    // what they do on somebody else's farm, and what others do with their address
    const host = await aFarmWith(app);
    await joinFarm(app, host, person, 'MANAGER');
    const invited = await app.call('POST', `/farms/${host.farmId}/invitations`, {
      token: host.token,
      headers: { 'Idempotency-Key': 'invited' },
      body: { role: 'VIEWER', email: email.toUpperCase() },
    });
    expect(invited.status).toBe(201);
    const point = await aControlPoint(app, host);
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token: person.token });
    await ask('POST', '/auth/renew', {}).catch(() => null);
    await ask('GET', '/users/me/export');
    const stored = await app.database.read
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', person.user.id)
      .executeTakeFirstOrThrow();
    return { ...person, email, hash: stored.password_hash, host };
  }

  async function loginsOf(userId: string) {
    const { read } = app.database;
    const sessions = await read.selectFrom('sessions').select('id').where('user_id', '=', userId).execute();
    const generations = await read
      .selectFrom('session_generations')
      .select('id')
      .where('id', '=', userId)
      .execute();
    return { sessions: sessions.length, session_generations: generations.length };
  }

  test('is in no table and in no file any more, nor what it had said before', async () => {
    const person = await zulmira();
    const said = [
      'zulmira',
      'Zulmira',
      'ZULMIRA',
      'Inconfund',
      'Quixaba',
      PASSWORD,
      person.hash.slice(person.hash.lastIndexOf('$') + 1),
      '97766',
      'Carnaubal',
      'Oiticica',
      'Tamarindal',
      'Jaguaruana',
      '62823-431',
      '4.8877665',
      'Gumercindo',
    ];
    const before = await placesThatSay(app, said);
    for (const text of said.filter((one) => ![PASSWORD, 'ZULMIRA'].includes(one)))
      expect(
        before.some((place) => place.includes(text)),
        text,
      ).toBe(true);
    expect(before.filter((place) => place.startsWith('sync_change'))).not.toEqual([]);
    await app.call('DELETE', '/auth/sessions', { token: person.token });
    expect(await loginsOf(person.user.id)).toEqual({ sessions: 1, session_generations: 1 });

    const gone = await app.call('DELETE', '/users/me?force=true', {
      token: person.token,
      body: { password: PASSWORD },
    });
    expect(gone.status).toBe(204);
    expect(await loginsOf(person.user.id)).toEqual({ sessions: 0, session_generations: 0 });
    await app.people.eraseLeftovers();
    await sweep(app);
    expect(await app.database.forgetOverwritten()).toBe(true);
    expect(await placesThatSay(app, said)).toEqual([]);
    // the audit is append-only: it tells what was done, under the names that things had
    const audited = (await placesThatSay(app, ['Mandacaruzal', 'Xiquexiquezal'])).map(
      (place) => /^(?:file )?[\w]+/.exec(place)?.[0],
    );
    const places = engine === 'sqlite' ? ['file farm', 'logs', 'sync_change'] : ['logs', 'sync_change'];
    expect(new Set(audited)).toEqual(new Set(places));
  });

  test('is forgotten in slices, and a stop in between costs nothing', async () => {
    const person = await app.signUp({ email: 'severino.longo@sertao.test' });
    for (let n = 0; n < 300; n += 1) {
      const name = `Severino Vezes ${n}`;
      await app.kernel.commit({ actor: null, changes: [update(user, person.user.id, { name })] });
    }
    await app.kernel.commit({
      actor: null,
      changes: [
        update(user, person.user.id, { name: '', email: 'gone@account.invalid', email_key: 'gone' }),
        remove(user, person.user.id),
      ],
    });
    const left = async () =>
      (await placesThatSay(app, ['Severino'])).some((place) => place.startsWith('sync_change'));
    const sizes: number[] = [];
    const forget = (stopAfter: number) =>
      forgetPeople({
        ...app.kernel,
        database: app.database,
        isPaired: () => Promise.resolve(false),
        commit(unit) {
          if (sizes.length === stopAfter) throw new Error('the power went');
          if (unit.forgotten !== undefined) sizes.push(unit.forgotten.seqs.length);
          return app.kernel.commit(unit);
        },
      });
    await expect(forget(1)).rejects.toThrow('the power went');
    expect(await left()).toBe(true);
    await forget(1_000);
    expect(await left()).toBe(false);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(250);
    const forgotten = sizes.length;
    // once is enough
    await forget(1_000);
    expect(sizes.length).toBe(forgotten);
  });

  test('of a gateway that is paired stays in the log until it was told', async () => {
    const person = await app.signUp({ email: 'raimundo.espera@sertao.test' });
    const name = 'Raimundo Esperando';
    await app.kernel.commit({ actor: null, changes: [update(user, person.user.id, { name })] });
    const settled = { ...app.kernel, database: app.database, isPaired: () => Promise.resolve(true) };
    await app.kernel.commit({
      actor: null,
      changes: [update(user, person.user.id, { name: '' }), remove(user, person.user.id)],
    });
    const saidIn = () => placesThatSay(app, ['Esperando']);
    await forgetPeople(settled);
    expect((await saidIn()).some((place) => place.startsWith('sync_change'))).toBe(true);
    const { core_seq, core_chain, history_seq, history_chain } = await app.database.read
      .selectFrom('sync_stream')
      .selectAll()
      .where('stream_id', '=', 1)
      .executeTakeFirstOrThrow();
    const set = {
      acked_core_seq: core_seq,
      acked_core_chain: core_chain,
      acked_history_seq: history_seq,
      acked_history_chain: history_chain,
    };
    await app.kernel.commit({ actor: null, changes: [], stream: { id: 1, expect: {}, set } });
    await forgetPeople(settled);
    expect((await saidIn()).filter((place) => place.startsWith('sync_change'))).toEqual([]);
  });
});
