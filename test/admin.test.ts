import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { freshDatabase } from '#test/postgres.ts';
import { runAdmin } from '../gateway/admin.ts';

async function admin(
  args: readonly string[],
  { environment = {}, typed = null }: { environment?: Record<string, string>; typed?: string | null } = {},
) {
  const lines: string[] = [];
  const input = new PassThrough();
  input.end(typed ?? '');
  const code = await runAdmin(args, environment, (line) => lines.push(line), input);
  return { code, text: lines.join('\n') };
}

onBothEngines('admin commands while the gateway runs', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let where: string[];
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const data = mkdtempSync(join(tmpdir(), 'farm-'));
    const fresh = engine === 'postgres' ? await freshDatabase() : null;
    where = fresh ? ['--database-url', fresh.url] : ['--data', data];
    drop = async () => {
      await fresh?.drop();
      rmSync(data, { recursive: true, force: true });
    };
    app = await startApp('sqlite', where);
  });
  afterAll(async () => {
    await app.close();
    await drop();
  });
  const login = (email: string, password: string) =>
    app.call('POST', '/auth/login', { body: { email, password } });

  test('create-admin makes an account that may do what administrators may', async () => {
    const made = await admin([
      'create-admin',
      '--email',
      'Root@Farm.test',
      '--password',
      'camarao-123',
      ...where,
    ]);
    expect(made).toEqual({ code: 0, text: 'Root@Farm.test is an administrator now' });
    const { body } = await login('root@farm.test', 'camarao-123');
    const { access_token: token } = body as { access_token: string };
    expect(await app.call('GET', '/users/all', { token })).toMatchObject({
      status: 200,
      body: [{ email: 'Root@Farm.test', role: 'ADMIN', name: 'Administrator' }],
    });
    const again = await admin([
      'create-admin',
      '--email',
      'root@farm.test',
      '--password',
      'camarao-123',
      ...where,
    ]);
    expect(again).toEqual({ code: 1, text: 'Email already registered' });
  });

  test('reset-password ends the sessions of the account within five seconds', async () => {
    const { user, token } = await app.signUp({ password: 'camarao-123' });
    const done = await admin(['reset-password', '--email', user.email.toUpperCase(), ...where], {
      environment: { ADMIN_PASSWORD: 'tilapia-456' },
    });
    expect(done).toEqual({ code: 0, text: `${user.email} has a new password; older sessions have ended` });
    app.clock.advance(5_000);
    expect((await app.call('GET', '/users/me', { token })).status).toBe(401);
    expect((await login(user.email, 'camarao-123')).status).toBe(401);
    expect((await login(user.email, 'tilapia-456')).status).toBe(200);
  });

  test('the password may be piped in', async () => {
    const { user } = await app.signUp();
    const typed = 'piped-password\nand more\n';
    expect((await admin(['reset-password', '--email', user.email, ...where], { typed })).code).toBe(0);
    expect((await login(user.email, 'piped-password')).status).toBe(200);
  });

  test('set-plan gives a user a plan', async () => {
    const { user } = await app.signUp();
    const done = await admin([
      'set-plan',
      '--email',
      user.email,
      '--plan',
      'professional',
      '--json',
      ...where,
    ]);
    expect({ ...done, text: JSON.parse(done.text) }).toEqual({
      code: 0,
      text: { id: user.id, email: user.email, plan: 'PROFESSIONAL' },
    });
    const plans = await app.database.read
      .selectFrom('subscriptions')
      .select(['plan', 'status'])
      .where('user_id', '=', user.id)
      .execute();
    expect(plans).toEqual([{ plan: 'PROFESSIONAL', status: 'ACTIVE' }]);
  });

  test('list-users shows everyone and nothing of their passwords', async () => {
    const { user } = await app.signUp();
    const { code, text } = await admin(['list-users', '--json', ...where]);
    expect(code).toBe(0);
    expect(JSON.parse(text)).toContainEqual({
      id: user.id,
      email: user.email,
      name: user.name,
      role: 'OWNER',
      is_active: true,
    });
    expect(text).not.toContain('argon2');
  });

  test('the gateway goes on writing while commands come in', async () => {
    const [made, users] = await Promise.all([
      Promise.all(
        [1, 2, 3].map((n) =>
          admin(['create-admin', '--email', `a${n}@farm.test`, '--password', 'camarao-123', ...where]),
        ),
      ),
      Promise.all(Array.from({ length: 10 }, () => app.signUp())),
    ]);
    expect(made.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(users).toHaveLength(10);
  });

  test.each([
    [
      'an account that does not exist',
      ['reset-password', '--email', 'x@y.zz', '--password', 'camarao-123'],
      1,
      'There is no account with the email x@y.zz',
    ],
    [
      'a short password',
      ['create-admin', '--email', 'x@y.zz', '--password', 'short'],
      2,
      'password: must have at least 8 characters',
    ],
    [
      'no password',
      ['create-admin', '--email', 'x@y.zz'],
      2,
      'A password is missing: say --password, set ADMIN_PASSWORD or pipe it in',
    ],
    [
      'an email that is none',
      ['create-admin', '--email', 'x', '--password', 'camarao-123'],
      2,
      'email: must be an email address, for example maria@fazenda.com.br',
    ],
    [
      'no email',
      ['reset-password', '--password', 'camarao-123'],
      2,
      '--email is missing; see npm run admin -- --help',
    ],
    [
      'a plan that is none',
      ['set-plan', '--email', 'x@y.zz', '--plan', 'GOLD'],
      2,
      '--plan must be FREE, BASIC, PROFESSIONAL, ENTERPRISE, not "GOLD"',
    ],
  ])('%s is told in one sentence', async (_what, args, code, text) => {
    expect(await admin([...args, ...where])).toEqual({ code, text });
  });
});

describe('admin commands without a database', () => {
  test('a fresh folder takes create-admin, and nothing else', async () => {
    const data = mkdtempSync(join(tmpdir(), 'farm-'));
    for (const args of [
      ['list-users'],
      ['reset-password', '--email', 'a@b.cc', '--password', 'camarao-123'],
    ]) {
      expect(await admin([...args, '--data', data])).toEqual({
        code: 1,
        text: `There is no database in ${data}; say --data with the folder of the gateway`,
      });
    }
    expect(readdirSync(data)).toEqual([]);
    const environment = { DATA_DIR: data };
    const made = await admin(['create-admin', '--email', 'a@b.cc', '--password', 'camarao-123'], {
      environment,
    });
    expect(made.code).toBe(0);
    expect(await admin(['list-users'], { environment })).toEqual({
      code: 0,
      text: 'a@b.cc  Administrator  ADMIN',
    });
    rmSync(data, { recursive: true, force: true });
  });

  test('no command, an unknown one and an unknown option are told; help is shown', async () => {
    expect(await admin([])).toMatchObject({ code: 2, text: expect.stringContaining('create-admin') });
    expect(await admin(['toString'])).toMatchObject({ code: 2 });
    expect(await admin(['list-users', '--foo'])).toMatchObject({ code: 2, text: "Unknown option '--foo'" });
    expect(await admin(['list-users', '--data', ''])).toMatchObject({ code: 2 });
    expect(await admin(['--help'])).toMatchObject({ code: 0, text: expect.stringContaining('set-plan') });
    const failed = await admin(['list-users', '--foo', '--json']);
    expect(JSON.parse(failed.text)).toEqual({ error: "Unknown option '--foo'" });
  });
});
