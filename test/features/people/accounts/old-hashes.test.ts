import { afterAll, beforeAll, expect, test } from 'vitest';
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts';
import { user } from '#contract/resources/users.ts';
import { update } from '#core/changes.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

onBothEngines('hashes of passwords', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  test('one of less work is made anew at login; sessions go on', async () => {
    const { token, user: person } = await app.signUp({ password: 'camarao-123' });
    const old = await argon2Passwords({ memoryCost: 8, timeCost: 1 }).hash('camarao-123', 'here');
    await app.kernel.commit({ actor: null, changes: [update(user, person.id, { password_hash: old })] });
    const hashNow = async () => {
      const row = await app.database.read
        .selectFrom('users')
        .select('password_hash')
        .where('id', '=', person.id)
        .executeTakeFirstOrThrow();
      return row.password_hash;
    };
    const login = (password: string) =>
      app.call('POST', '/auth/login', { body: { email: person.email, password } });
    expect((await login('camarao-124')).status).toBe(401);
    expect(await hashNow()).toBe(old);
    expect((await login('camarao-123')).status).toBe(200);
    const better = await hashNow();
    expect(better).not.toBe(old);
    expect((await login('camarao-123')).status).toBe(200);
    expect(await hashNow()).toBe(better);
    expect((await app.call('GET', '/users/me', { token })).status).toBe(200);
  });
});
