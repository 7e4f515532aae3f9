import { afterAll, beforeAll, expect, test } from 'vitest';
import { numericId } from '#contract/resources/local-tables.ts';
import { localUser } from '#contract/resources/sync-tables.ts';
import { NO_PASSWORD, standInEmail, user } from '#contract/resources/users.ts';
import { insert } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { numberOf } from '#core/numeric-id.ts';
import { body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { fleetOf, localOf, pair, startBoth } from '#test/paired-apps.ts';

onBothEngines('people of a gateway on its hosted instance', (_open, engine) => {
  let apps: Awaited<ReturnType<typeof startBoth>>;
  let owner: SignedUp;
  beforeAll(async () => {
    apps = await startBoth(engine);
    owner = await apps.hosted.signUp();
    await pair(apps, { token: owner.token });
  });
  afterAll(() => apps.close());

  /** As the sync leaves somebody whose account stands on the gateway alone. */
  async function aLocalUser(email: string): Promise<string> {
    const { kernel, database } = apps.hosted;
    const id = kernel.newId();
    const caller = await fleetOf(apps.hosted).gatewayByToken(await localOf(apps.gateway).sessionToken());
    const now = isoOf(kernel.now());
    const numeric = numberOf(id, 0);
    await database.commit({
      changes: [
        insert(numericId, { id: String(numeric), entity: 'user', uuid: id }),
        insert(user, {
          id,
          numeric_id: numeric,
          email: standInEmail(id),
          email_key: standInEmail(id),
          name: 'Zeca',
          phone_number: null,
          role: 'VIEWER',
          is_active: false,
          password_hash: NO_PASSWORD,
          password_version: 1,
          language: null,
          created_at: now,
          updated_at: null,
        }),
        insert(localUser, {
          id,
          stream_id: caller?.streamId ?? 0,
          name: 'Zeca',
          email,
          state: 'local',
          seen_at: now,
        }),
      ],
      actor: null,
    });
    return id;
  }

  const logIn = (email: string, password: string) =>
    apps.hosted.call('POST', '/auth/login', { body: { email, password } });

  test('a stand-in can log in with nothing, and nobody registers its address', async () => {
    const id = await aLocalUser('zeca@fazenda.test');
    for (const password of ['camarao-123', '', NO_PASSWORD])
      expect((await logIn(standInEmail(id), password)).status).toBe(401);
    const taken = await apps.hosted.call('POST', '/auth/register', {
      body: { email: `x@local.invalid`, name: 'x', password: 'camarao-123' },
    });
    expect(taken.status).toBe(400);
  });

  test('its owner makes it an account, which opens with a password that the person chooses', async () => {
    const { hosted } = apps;
    const id = await aLocalUser('rita@fazenda.test');
    const stranger = await hosted.signUp();
    const adopt = (token: string) => hosted.call('POST', `/sync/local-users/${id}/adopt`, { token });
    expect((await adopt(stranger.token)).status).toBe(404);
    const list = await hosted.call('GET', '/sync/local-users', { token: owner.token });
    expect(list.body).toContainEqual(
      expect.objectContaining({ id, email: 'rita@fazenda.test', state: 'local', email_taken: false }),
    );
    const asAdmin = await hosted.call('POST', `/sync/local-users/${id}/adopt`, {
      token: owner.token,
      body: { role: 'ADMIN' },
    });
    expect(asAdmin.status).toBe(422);
    const first = await adopt(owner.token);
    const second = await adopt(owner.token);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect((await logIn('rita@fazenda.test', 'camarao-123')).status).toBe(401);
    const choose = (code: unknown, password: string) =>
      hosted.call('POST', '/auth/first-password', { body: { code, password } });
    expect((await choose('ACDE-FHJK-MPRT', 'outra-senha')).status).toBe(404);
    // one that is guessed first is refused, and the code stays
    expect(await choose(body(second)['code'], 'senha123')).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'password', code: 'PASSWORD_COMMON' }] },
    });
    expect((await choose(body(second)['code'], 'senha-da-rita')).status).toBe(200);
    expect((await logIn('rita@fazenda.test', 'senha-da-rita')).status).toBe(200);
    // neither code opens it again
    for (const code of [body(first)['code'], body(second)['code']])
      expect((await choose(code, 'senha-de-outro')).status).toBe(404);
    expect((await adopt(owner.token)).status).toBe(409);
  });

  test('an address that has an account here is never merged with it', async () => {
    const { hosted } = apps;
    const known = await hosted.signUp({ email: 'maria@fazenda.test', password: 'senha-da-maria' });
    const id = await aLocalUser('Maria@fazenda.test');
    const list = await hosted.call('GET', '/sync/local-users', { token: owner.token });
    expect(list.body).toContainEqual(expect.objectContaining({ id, email_taken: true }));
    const adopted = await hosted.call('POST', `/sync/local-users/${id}/adopt`, { token: owner.token });
    expect([adopted.status, body(adopted)['code']]).toEqual([400, 'ALREADY_EXISTS']);
    const me = await hosted.call('GET', '/users/me', { token: known.token });
    expect(body(me)['id']).toBe(known.user.id);
    expect((await logIn('maria@fazenda.test', 'senha-da-maria')).status).toBe(200);
  });
});
