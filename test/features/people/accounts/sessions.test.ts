import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { freshDatabase } from '#test/postgres.ts';

const DAY = 24 * 3_600_000;

// Sessions beyond one process: restarts, and several processes on one database.

onBothEngines('sessions', (_open, engine) => {
  let storage: { args: string[]; drop: () => Promise<void> };
  beforeAll(async () => {
    storage = await aStorage(engine);
  });
  afterAll(() => storage.drop());
  const start = () => startApp('sqlite', storage.args);

  test('a token outlives a restart, and a logged-out one stays dead', async () => {
    const before = await start();
    const [stays, leaves] = [await before.signUp(), await before.signUp()];
    await before.call('POST', '/auth/logout', { token: leaves.token });
    await before.close();

    const after = await start();
    expect(await after.call('GET', '/users/me', { token: stays.token })).toMatchObject({ status: 200 });
    expect(await after.call('GET', '/users/me', { token: leaves.token })).toMatchObject({
      status: 401,
      body: { detail: 'Could not validate credentials' },
    });
    await after.close();
  });

  test('a logged-out token stays dead also after hours with a clock that is years ahead', async () => {
    const app = await startApp('sqlite', [...storage.args, '--trust-clock', 'no']);
    const { token } = await app.signUp();
    await app.call('POST', '/auth/logout', { token });
    const rightAgain = app.clock.now();
    app.clock.advance(9 * 365 * DAY);
    await sweep(app);
    app.clock.set(rightAgain);
    // what this process remembers of tokens is forgotten
    app.clock.advance(10_000);
    expect(await app.call('GET', '/users/me', { token })).toMatchObject({ status: 401 });
    await app.close();

    // once the clock is right what ran out is swept
    const trusting = await start();
    const revoked = () => trusting.database.read.selectFrom('revoked_tokens').select('id').execute();
    expect(await revoked()).not.toEqual([]);
    trusting.clock.advance(31 * DAY);
    await sweep(trusting);
    expect(await revoked()).toEqual([]);
    await trusting.close();
  });

  test('what another process ends is ended here within five seconds', async () => {
    const [here, there] = [await start(), await start()];
    const [loggedOut, changed] = [await here.signUp(), await here.signUp()];
    const me = (token: string) => here.call('GET', '/users/me', { token });
    for (const { token } of [loggedOut, changed]) expect(await me(token)).toMatchObject({ status: 200 });

    await there.call('POST', '/auth/logout', { token: loggedOut.token });
    await there.call('PUT', '/users/me', { token: changed.token, body: { password: 'tilapia-456' } });
    here.clock.advance(5_000);
    for (const { token } of [loggedOut, changed]) expect(await me(token)).toMatchObject({ status: 401 });
    await Promise.all([here.close(), there.close()]);
  });

  test('a token of another instance is worth nothing', async () => {
    const stranger = await startApp('sqlite');
    const { token } = await stranger.signUp();
    await stranger.close();
    const here = await start();
    expect(await here.call('GET', '/users/me', { token })).toMatchObject({ status: 401 });
    await here.close();
  });
});

describe('registration by invitation', () => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let owner: string;
  let admin: string;
  const data = mkdtempSync(join(tmpdir(), 'farm-'));
  beforeAll(async () => {
    const open = await startApp('sqlite', ['--data', data]);
    owner = (await open.signUp()).token;
    admin = (await open.signUp({ role: 'ADMIN' })).token;
    await open.close();
    app = await startApp('sqlite', ['--data', data, '--registration', 'invite']);
  });
  afterAll(async () => {
    await app.close();
    rmSync(data, { recursive: true, force: true });
  });

  const register = (email: string, role: string, token?: string) =>
    app.call('POST', '/auth/register', {
      body: { email, name: 'New', password: 'camarao-123', role },
      ...(token === undefined ? {} : { token }),
    });

  test('a stranger is refused, an owner makes accounts of workers, an administrator of owners', async () => {
    expect(await register('a@farm.test', 'VIEWER')).toMatchObject({ status: 403 });
    expect(await register('a@farm.test', 'VIEWER', 'nonsense')).toMatchObject({ status: 403 });
    expect(await register('a@farm.test', 'TECHNICIAN', owner)).toMatchObject({ status: 201 });
    expect(await register('b@farm.test', 'OWNER', owner)).toMatchObject({ status: 403 });
    expect(await register('b@farm.test', 'OWNER', admin)).toMatchObject({ status: 201 });
    expect(await register('c@farm.test', 'ADMIN', admin)).toMatchObject({ status: 403 });
  });
});

describe('roles of an instance', () => {
  test('a gateway gives new users its local plan', async () => {
    const app = await startApp('sqlite', ['--local-plan', 'PROFESSIONAL']);
    await app.signUp({ plan: null });
    const plans = await app.database.read.selectFrom('subscriptions').select('plan').execute();
    expect(plans).toEqual([{ plan: 'PROFESSIONAL' }]);
    await app.close();
  });

  test('a hosted instance gives FREE, and takes its secret from the settings', async () => {
    const secret = 'a secret of forty characters, no fewer..';
    const args = ['--role', 'hosted', '--local-plan', 'PROFESSIONAL', '--jwt-secret', secret];
    const app = await startApp('sqlite', args);
    await app.signUp({ plan: null });
    expect(await app.database.read.selectFrom('subscriptions').select('plan').execute()).toEqual([
      { plan: 'FREE' },
    ]);
    const kept = await app.database.read.selectFrom('instance_values').select('id').execute();
    expect(kept.map(({ id }) => id)).not.toContain('jwt_secret');
    await app.close();
  });
});

async function aStorage(engine: 'sqlite' | 'postgres') {
  if (engine === 'postgres') {
    const fresh = await freshDatabase();
    return { args: ['--database-url', fresh.url], drop: () => fresh.drop() };
  }
  const data = mkdtempSync(join(tmpdir(), 'farm-'));
  return {
    args: ['--data', data],
    drop: async () => rmSync(data, { recursive: true, force: true }),
  };
}
