import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAdmin } from '#cli/admin/admin.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { insert } from '#core/changes.ts';
import { aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { aCarefulPerson, secondFactorNews } from '#test/careful-person.ts';
import { onBothEngines } from '#test/databases.ts';
import { freshDatabase } from '#test/postgres.ts';
import { aProgram } from '#test/programs.ts';

async function admin(
  args: readonly string[],
  { environment = {}, typed = null }: { environment?: Record<string, string>; typed?: string | null } = {},
) {
  const lines: string[] = [];
  const input = new PassThrough();
  input.end(typed ?? '');
  const code = await runAdmin(args, environment, (line) => lines.push(line), {
    input,
    passwordCost: { memoryCost: 8, timeCost: 2 },
  });
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

  test('reset-password refuses what is guessed first, the name of the farm, too', async () => {
    const { user, token } = await app.signUp();
    await app.call('POST', '/farms/', { token, body: { name: 'Fazenda Boa Vista' } });
    for (const password of ['12345678', 'fazendaboavista']) {
      const done = await admin(['reset-password', '--email', user.email, '--password', password, ...where]);
      expect(done).toMatchObject({
        code: 2,
        text: expect.stringMatching(/^password: is .+; choose another one$/),
      });
    }
    expect((await login(user.email, 'camarao-123')).status).toBe(200);
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

  describe('an operator', () => {
    const json = async (...args: string[]) => {
      const { code, text } = await admin([...args, '--json', ...where]);
      return { code, value: JSON.parse(text) as unknown };
    };
    const told = async (...args: string[]) => (await admin([...args, ...where])).text;

    test('sees farms, of all or of one owner', async () => {
      const { token, farmId } = await aFarmWith(app);
      const me = body(await app.call('GET', '/users/me', { token }));
      await app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: 'V-1' } });
      await aControlPoint(app, { token, farmId });
      await aFarmWith(app);
      const farm = {
        id: farmId,
        name: 'Fazenda Norte',
        owner_id: me['id'],
        owner_email: me['email'],
        timezone: 'America/Fortaleza',
        created_at: expect.any(String),
        ponds: 1,
        control_points: 1,
        simulated_points: 0,
      };
      expect(await json('list-farms', '--email', String(me['email']))).toEqual({ code: 0, value: [farm] });
      const all = await json('list-farms');
      expect(all.value).toContainEqual(farm);
      expect((all.value as unknown[]).length).toBeGreaterThan(1);
      expect(await told('list-farms', '--email', String(me['email']))).toBe(
        `${farmId}  Fazenda Norte  ${me['email']}  1 ponds  1 control points`,
      );
      await app.call('POST', '/simulator/controllers', { token, body: { farm_id: farmId, count: 2 } });
      expect(await told('list-farms', '--email', String(me['email']))).toContain(
        '3 control points (2 simulated)',
      );
    });

    test('sees and ends access tokens, and never their secrets', async () => {
      const person = await app.signUp();
      const program = await aProgram(app, person, ['read'], { name: 'Painel' });
      const listed = await json('list-tokens', '--email', person.user.email);
      expect(listed.value).toMatchObject([
        { id: program.id, owner_email: person.user.email, name: 'Painel', scopes: ['read'] },
      ]);
      expect(JSON.stringify(listed)).not.toMatch(/sfat_|hash/);
      expect(await told('revoke-token', '--id', program.id.toUpperCase())).toBe(
        'The access token “Painel” counts no longer',
      );
      app.clock.advance(5_000);
      expect((await app.call('GET', '/users/me', { token: program.token })).status).toBe(401);
      expect(await told('list-tokens', '--email', person.user.email)).toMatch(
        /Painel.*never used.*\(revoked\)$/,
      );
      // a name moves no cursor of the administrator's, and stands for no other line
      const forged = 'Planilha\u001b[2J\u009b31m\nroot@farm.test  ADMIN';
      await aProgram(app, person, ['read'], { name: forged });
      const shown = await told('list-tokens', '--email', person.user.email);
      expect(shown).toContain('Planilha[2J31m root@farm.test ADMIN');
      expect(shown).not.toMatch(/(?!\n)\p{Cc}/u);
      expect(shown.split('\n')).toHaveLength(2);
    });

    test('sees and ends invitations', async () => {
      const { token, farmId } = await aFarmWith(app);
      const made = body(
        await app.call('POST', `/farms/${farmId}/invitations`, { token, body: { role: 'VIEWER' } }),
      );
      const listed = await json('list-invitations', '--farm', farmId);
      expect(listed.value).toMatchObject([{ id: made['id'], farm_name: 'Fazenda Norte', role: 'VIEWER' }]);
      expect(JSON.stringify(listed)).not.toContain('hash');
      expect((await json('revoke-invitation', '--id', String(made['id']))).code).toBe(0);
      const accepted = await app.call('POST', '/invitations/accept', {
        token: (await app.signUp()).token,
        body: { code: made['code'] },
      });
      expect(accepted).toMatchObject({ status: 409, body: { code: 'INVITATION_REVOKED' } });
    });

    test('ends the sessions of an account; its password stays', async () => {
      const { token, user } = await app.signUp({ password: 'camarao-123' });
      expect((await json('revoke-sessions', '--email', user.email)).code).toBe(0);
      app.clock.advance(5_000);
      expect((await app.call('GET', '/users/me', { token })).status).toBe(401);
      expect((await login(user.email, 'camarao-123')).status).toBe(200);
    });

    test('switches an account off and on; sessions of before stay ended', async () => {
      const { token, user } = await app.signUp({ password: 'camarao-123' });
      const { farmId } = await (async () => {
        const made = await app.call('POST', '/farms/', { token, body: { name: 'Norte' } });
        return { farmId: String(body(made)['id']) };
      })();
      const off = await json('deactivate-user', '--email', user.email);
      expect(off).toEqual({ code: 0, value: { id: user.id, email: user.email, is_active: false } });
      app.clock.advance(5_000);
      expect((await app.call('GET', '/users/me', { token })).status).toBe(401);
      expect((await login(user.email, 'camarao-123')).status).toBe(401);
      expect(await told('list-users')).toContain(`${user.email}  ${user.name}  OWNER  (not active)`);
      expect((await json('activate-user', '--email', user.email)).code).toBe(0);
      const again = await login(user.email, 'camarao-123');
      expect(again.status).toBe(200);
      expect((await app.call('GET', `/farms/${farmId}`, { token })).status).toBe(401);
      const { access_token: fresh } = again.body as { access_token: string };
      expect((await app.call('GET', `/farms/${farmId}`, { token: fresh })).status).toBe(200);
    });

    test('deletes an account, with its farms only when that is said', async () => {
      const { token, user } = await app.signUp();
      await app.call('POST', '/farms/', { token, body: { name: 'Norte' } });
      const refused = await admin(['delete-user', '--email', user.email, ...where]);
      expect(refused).toEqual({
        code: 1,
        text: 'The account owns a farm (Norte): hand over what shall go on, or say --force to delete them too',
      });
      // a script tells it from other refusals
      expect(await json('delete-user', '--email', user.email)).toMatchObject({
        code: 1,
        value: { error: { code: 'OWNS_FARMS' } },
      });
      const done = await json('delete-user', '--email', user.email, '--force');
      expect(done).toEqual({ code: 0, value: { id: user.id, deleted: true } });
      app.clock.advance(5_000);
      expect((await app.call('GET', '/users/me', { token })).status).toBe(401);
      expect((await admin(['delete-user', '--email', user.email, ...where])).code).toBe(1);
    });

    test('sees the subscription of an account, and its user is told of a new plan', async () => {
      const { token, user } = await app.signUp({ plan: null });
      const at = new Date(app.clock.now()).toISOString();
      const channel = insert(notificationChannel, {
        id: app.kernel.newId(),
        user_id: user.id,
        kind: 'EMAIL',
        address: user.email,
        keys: null,
        types: ['SUBSCRIPTION'],
        min_severity: 'LOW',
        quiet_from: null,
        quiet_to: null,
        timezone: 'Etc/UTC',
        is_active: true,
        verified_at: at,
        created_at: at,
        updated_at: null,
      });
      await app.kernel.commit({ changes: [channel], actor: null });
      expect((await json('set-plan', '--email', user.email, '--plan', 'BASIC')).code).toBe(0);
      // the shell of an operator knows no mail server; whether there is one is for the running instance to say
      const waiting = await app.database.read
        .selectFrom('deliveries')
        .select(['kind', 'state'])
        .where('user_id', '=', user.id)
        .execute();
      expect(waiting).toEqual([{ kind: 'EMAIL', state: 'PENDING' }]);
      const shown = await json('subscription', '--email', user.email);
      expect(shown).toMatchObject({
        code: 0,
        value: { plan: 'BASIC', status: 'ACTIVE', max_farms: 3, usage: { farms: { current: 0, max: 3 } } },
      });
      expect(await told('subscription', '--email', user.email)).toBe(
        `${user.email}  BASIC  ACTIVE  farms 0 of 3, ponds 0 of 30, active batches 0 of 60`,
      );
      const list = await app.call('GET', '/notifications/?type=SUBSCRIPTION', { token });
      expect(body(list)['notifications']).toHaveLength(1);
    });

    test('the last administrator can neither be switched off nor deleted', async () => {
      const users = (await json('list-users')).value as { email: string; role: string; is_active: boolean }[];
      const [last, ...others] = users.filter(({ role, is_active }) => role === 'ADMIN' && is_active);
      for (const { email } of others) expect((await json('deactivate-user', '--email', email)).code).toBe(0);
      for (const command of ['deactivate-user', 'delete-user']) {
        expect(await admin([command, '--email', last?.email ?? '', ...where])).toEqual({
          code: 1,
          text: 'This is the last administrator; make another one first',
        });
        const { value } = await json(command, '--email', last?.email ?? '');
        expect(value).toMatchObject({ error: { code: 'LAST_ADMIN' } });
      }
    });

    test.each([
      ['an access token that does not exist', ['revoke-token', '--id', 'x'], 1, 'There is no access token x'],
      [
        'no id',
        ['revoke-invitation'],
        2,
        '--id is missing; see sudo shrimp-farm-gateway admin --help (from the source: npm run admin -- --help)',
      ],
      [
        'an owner who does not exist',
        ['list-farms', '--email', 'x@y.zz'],
        1,
        'There is no account with the email x@y.zz',
      ],
    ])('%s is told in one sentence', async (_what, args, code, text) => {
      expect(await admin([...args, ...where])).toEqual({ code, text });
      const error = { code: code === 2 ? 'BAD_USE' : 'NOT_FOUND', detail: text };
      expect(await json(...args)).toEqual({ code, value: { error } });
    });
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
      'a password that is guessed first',
      ['create-admin', '--email', 'x@y.zz', '--password', 'senha123'],
      2,
      'password: is among the passwords that are guessed first; choose another one',
    ],
    [
      'a password that is the address',
      ['create-admin', '--email', 'maria@farm.test', '--password', 'Maria@Farm.test'],
      2,
      'password: is the e-mail address, or a name of the person, the farm or the product; choose another one',
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
      '--email is missing; see sudo shrimp-farm-gateway admin --help (from the source: npm run admin -- --help)',
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

  test('reset-second-factor lets somebody in who lost phone and paper, and tells them', async () => {
    const { email, user } = await aCarefulPerson(app);
    expect((await login(email, 'camarao-123')).status).toBe(401);
    const reset = await admin(['reset-second-factor', '--email', email, ...where]);
    expect(reset.code).toBe(0);
    expect(reset.text).toContain('with the password alone');
    expect((await login(email, 'camarao-123')).status).toBe(200);
    expect(await secondFactorNews(app, user.id)).toContain('reset');
    const logged = await app.database.read
      .selectFrom('logs')
      .select(['entity_id', 'user_id'])
      .where('action', '=', 'second_factor_reset')
      .execute();
    expect(logged).toEqual([{ entity_id: user.id, user_id: null }]);
    const again = await admin(['reset-second-factor', '--email', email, ...where]);
    expect(again).toEqual({ code: 0, text: `${email} has no second factor on this instance` });
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
    expect(JSON.parse(failed.text)).toEqual({ error: { code: 'BAD_USE', detail: "Unknown option '--foo'" } });
    const help = await admin(['--help', '--json']);
    expect(JSON.parse(help.text)).toEqual({ help: expect.stringContaining('set-plan') });
  });

  test('troubles and questions do not mix with what was asked for, unless as JSON', async () => {
    const said = async (args: readonly string[]) => {
      const [printed, warned]: [string[], string[]] = [[], []];
      const warn = (line: string) => warned.push(line);
      await runAdmin(args, {}, (line) => printed.push(line), { warn });
      return { printed, warned };
    };
    expect(await said(['list-users', '--foo'])).toEqual({ printed: [], warned: ["Unknown option '--foo'"] });
    const { printed, warned } = await said(['list-users', '--foo', '--json']);
    expect([printed.length, warned]).toEqual([1, []]);
  });
});
