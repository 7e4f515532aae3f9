import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { user as userTable } from '#contract/resources/users.ts';
import { update } from '#core/changes.ts';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const MINUTE = 60_000;
let n = 0;
const freshEmail = () => `person-${++n}@farm.test`;
const anAccount = (fields: Record<string, unknown> = {}) => ({
  email: freshEmail(),
  name: 'Maria',
  password: 'camarao-123',
  ...fields,
});

onBothEngines('accounts', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startApp>>;
  beforeAll(async () => {
    // behind a proxy on the same machine, as the examples have it; who comes without its header is the proxy
    app = await startApp(engine, ['--trusted-proxies', '127.0.0.1']);
    const founder = { email: 'dona@box.test', name: 'Dona', password: 'camarao-123' };
    await app.call('POST', '/auth/register', { body: { ...founder, setup_code: await app.openSetUpCode() } });
  });
  afterAll(() => app.close());

  const register = (body: unknown) => app.call('POST', '/auth/register', { body });
  const login = (body: unknown, from?: string) =>
    app.call('POST', '/auth/login', {
      body,
      ...(from === undefined ? {} : { headers: { 'X-Forwarded-For': from } }),
    });
  const me = (token: string) => app.call('GET', '/users/me', { token });
  async function countUsers(): Promise<number> {
    return (await app.database.read.selectFrom('users').select('id').execute()).length;
  }
  const tokenOf = async (body: unknown) =>
    ((await login(body)).body as { access_token: string }).access_token;

  describe('registering', () => {
    test('answers the whole user without anything of the password', async () => {
      const account = anAccount({ phone_number: '+55 88 99999-0000' });
      const { status, body, headers } = await register(account);
      expect(status).toBe(201);
      expect(headers.get('etag')).toBe('"1"');
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        numeric_id: expect.any(Number),
        email: account.email,
        name: 'Maria',
        phone_number: '+55 88 99999-0000',
        role: 'OWNER',
        is_active: true,
        language: null,
        created_at: new Date(app.clock.now()).toISOString(),
        updated_at: null,
        addresses: [],
      });
    });

    test('an email that is registered is refused in whatever case it is typed', async () => {
      const { email } = anAccount();
      await register(anAccount({ email }));
      const before = await countUsers();
      for (const again of [email, email.toUpperCase(), `  ${email} `]) {
        expect(await register(anAccount({ email: again }))).toMatchObject({
          status: 400,
          body: { detail: 'Email already registered', code: 'ALREADY_EXISTS', errors: [{ path: 'email' }] },
        });
      }
      expect(await countUsers()).toBe(before);
    });

    test('two that register one email at the same moment: one is refused', async () => {
      const email = freshEmail();
      const both = await Promise.all([register(anAccount({ email })), register(anAccount({ email }))]);
      expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 400]));
    });

    test('ADMIN cannot be registered', async () => {
      const before = await countUsers();
      expect(await register(anAccount({ role: 'ADMIN' }))).toMatchObject({ status: 403 });
      expect(await countUsers()).toBe(before);
    });

    test.each(['OWNER', 'MANAGER', 'TECHNICIAN', 'VIEWER'])('%s can be registered', async (role) => {
      expect(await register(anAccount({ role }))).toMatchObject({ status: 201, body: { role } });
    });

    test.each([
      ['an invisible letter', 'ma\u200bria@fazenda.test', 'invisible'],
      ['a joiner of letters', 'ma\u200dria@fazenda.test', 'invisible'],
      ['a soft hyphen', 'ma\u00adria@fazenda.test', 'invisible'],
      ['another direction of writing', 'airam\u202e@fazenda.test', 'invisible'],
      ['wide letters', 'ｍaria@fazenda.test', 'plain letters'],
      ['joined letters', 'ﬁlomena@fazenda.test', 'plain letters'],
      ['wide figures in its server', 'maria@fazenda１.test', 'plain letters'],
      ['one Cyrillic letter', 'm\u0430ria@fazenda.test', 'another alphabet'],
      ['one Greek letter in its server', 'maria@f\u03b1zenda.test', 'another alphabet'],
      ['a word of Cyrillic letters that look Latin', '\u0430\u0441\u0435@fazenda.test', 'another alphabet'],
      ['a second spelling of its server', 'maria@xn--fazenda-camaro-xkb.test', 'xn--'],
    ])('an address with %s is refused wherever it is said', async (_what, email, why) => {
      const owner = await app.signUp();
      const farm = await app.call('POST', '/farms/', { token: owner.token, body: { name: 'Norte' } });
      const path = `/farms/${body(farm)['id'] as string}`;
      const refused = { status: 422, body: { detail: expect.stringContaining(why) } };
      expect(await register(anAccount({ email }))).toMatchObject(refused);
      for (const [method, at, sent] of [
        ['PUT', '/users/me', { email }],
        ['POST', `${path}/members`, { email, role: 'VIEWER' }],
        ['POST', `${path}/invitations`, { kind: 'MEMBER', email, role: 'VIEWER' }],
      ] as const)
        expect([at, await app.call(method, at, { token: owner.token, body: sent })]).toMatchObject([
          at,
          refused,
        ]);
    });

    test('an address of one alphabet is taken, whichever it is', async () => {
      for (const email of ['почта@ферма.рф', 'γιώργος@φάρμα.ελ', '佐藤@養殖.jp', 'мария@fazenda.test'])
        expect([email, (await register(anAccount({ email }))).status]).toEqual([email, 201]);
    });

    test('no name of a person or a farm hides letters or turns the text around it', async () => {
      const { token } = await app.signUp();
      for (const name of [
        'Ana\u202eaigroB',
        'Ana\u200b',
        'Ana\u0007',
        'A\u2066na',
        'Ana\nroot',
        'Ana\tB',
      ].map((text) => `${text}x`)) {
        const refused = { status: 422, body: { detail: expect.stringMatching(/invisible|in one line/) } };
        expect(await register(anAccount({ name }))).toMatchObject(refused);
        for (const [method, path] of [
          ['PUT', '/users/me'],
          ['POST', '/farms/'],
        ] as const)
          expect(await app.call(method, path, { token, body: { name } })).toMatchObject(refused);
      }
      const family = await register(anAccount({ name: 'Família 👩‍🌾 می‌خواهم' }));
      expect(family.status).toBe(201);
    });

    test('names, emails and passwords of any script are taken', async () => {
      const account = {
        email: `josé-${n}@fazenda-camarão.com.br`,
        name: 'José 🦐 高橋',
        password: 'señ🦐🦐🦐-ñandú',
      };
      expect(await register(account)).toMatchObject({
        status: 201,
        body: { name: account.name, email: account.email },
      });
      // another keyboard composes the accents of separate signs
      expect(
        await login({ email: account.email.normalize('NFD'), password: account.password.normalize('NFD') }),
      ).toMatchObject({ status: 200 });
    });

    test('every new user has a free and active subscription', async () => {
      const { user } = await app.signUp({ plan: null });
      const found = await app.database.read
        .selectFrom('subscriptions')
        .select(['plan', 'status', 'currency'])
        .where('user_id', '=', user.id)
        .execute();
      expect(found).toEqual([{ plan: 'FREE', status: 'ACTIVE', currency: 'BRL' }]);
    });

    test.each([
      ['no email', { email: undefined }, 'email'],
      ['an email that is none', { email: 'maria' }, 'email'],
      ['an email with a space', { email: 'ma ria@farm.test' }, 'email'],
      ['an email without a dot in its domain', { email: 'maria@farm' }, 'email'],
      ['an email of the wrong type', { email: 5 }, 'email'],
      ['an email that is too long', { email: `${'m'.repeat(250)}@farm.test` }, 'email'],
      ['no name', { name: '' }, 'name'],
      ['a name of blanks', { name: '   ' }, 'name'],
      ['a name that is too long', { name: 'x'.repeat(256) }, 'name'],
      ['a name of the wrong type', { name: ['Maria'] }, 'name'],
      ['a short password', { password: '1234567' }, 'password'],
      ['a long password', { password: 'x'.repeat(129) }, 'password'],
      ['no password', { password: null }, 'password'],
      ['an unknown role', { role: 'BOSS' }, 'role'],
    ])('%s is told with its field, and nothing is stored', async (_what, wrong, path) => {
      const before = await countUsers();
      const { status, body } = await register(anAccount(wrong));
      expect(status).toBe(422);
      expect(body).toMatchObject({ detail: expect.stringContaining(path), errors: [{ path }] });
      expect(await countUsers()).toBe(before);
    });
  });

  describe('text that no database holds', () => {
    test.each(['Mar\u0000ia', 'Maria \ud800'])(
      'is refused as a name, an email and a password (%j)',
      async (text) => {
        const before = await countUsers();
        for (const wrong of [{ name: text }, { email: text }, { password: `${text}-12345` }]) {
          expect(await register(anAccount(wrong))).toMatchObject({
            status: 422,
            body: { errors: [{ path: Object.keys(wrong)[0] }] },
          });
        }
        expect((await login({ email: text, password: text })).status).toBe(422);
        expect(await countUsers()).toBe(before);
      },
    );
  });

  describe('logging in', () => {
    test('a token lives 60 minutes, or 30 days when remembered', async () => {
      const account = anAccount();
      await register(account);
      const short = await login(account);
      expect(short).toMatchObject({ status: 200, body: { token_type: 'bearer', expires_in: 3600 } });
      const long = await login({ ...account, remember_me: true });
      const tokens = [short, long].map(({ body }) => (body as { access_token: string }).access_token);
      const [shortToken = '', longToken = ''] = tokens;
      app.clock.advance(60 * MINUTE - 1_000);
      expect(await me(shortToken)).toMatchObject({ status: 200 });
      app.clock.advance(1_000);
      expect(await me(shortToken)).toMatchObject({
        status: 401,
        body: { detail: 'Could not validate credentials' },
      });
      app.clock.advance(43_199 * MINUTE - 60 * MINUTE);
      expect(await me(longToken)).toMatchObject({ status: 200 });
      app.clock.advance(MINUTE);
      expect(await me(longToken)).toMatchObject({ status: 401 });
    });

    test('the email is taken in any case', async () => {
      const account = anAccount();
      await register(account);
      expect(await login({ ...account, email: account.email.toUpperCase() })).toMatchObject({ status: 200 });
    });

    test('an unknown email and a wrong password are told in the same words', async () => {
      const account = anAccount();
      await register(account);
      const refusals = await Promise.all([
        login({ email: freshEmail(), password: 'camarao-123' }),
        login({ ...account, password: 'camarao-124' }),
        login({ email: 'no email', password: '' }),
      ]);
      for (const refusal of refusals)
        expect(refusal).toMatchObject({ status: 401, body: { detail: 'Incorrect email or password' } });
    });

    test('an account that is not active neither logs in nor keeps its token', async () => {
      const { token, user } = await app.signUp({ password: 'camarao-123' });
      await app.kernel.commit({ changes: [update(userTable, user.id, { is_active: false })], actor: null });
      expect(await me(token)).toMatchObject({ status: 401 });
      expect(await login({ email: user.email, password: 'camarao-123' })).toMatchObject({ status: 401 });
    });

    test('after ten failures of one email from one place that pair waits, right password or not', async () => {
      const account = anAccount();
      await register(account);
      for (let i = 0; i < 10; i += 1)
        expect(await login({ ...account, password: 'wrong-wrong' })).toMatchObject({ status: 401 });
      const refused = await login(account);
      expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } });
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(900);
      // nobody else waits
      const other = anAccount();
      await register(other);
      expect(await login(other)).toMatchObject({ status: 200 });
    });

    test('nobody locks another person out, though all come through one proxy', async () => {
      const account = anAccount();
      await register(account);
      const guess = (from: string) => login({ ...account, password: 'wrong-wrong' }, from);
      for (let i = 0; i < 10; i += 1) expect((await guess('203.0.113.9')).status).toBe(401);
      // nor does it help to make up others before oneself
      expect((await guess('203.0.113.9')).status).toBe(429);
      expect((await guess('198.51.100.7, 203.0.113.9')).status).toBe(429);
      expect((await login(account, '198.51.100.7')).status).toBe(200);
    });

    test('failures of an email that does not exist count the same', async () => {
      const email = freshEmail();
      for (let i = 0; i < 10; i += 1) await login({ email, password: 'wrong-wrong' });
      expect(await login({ email: email.toUpperCase(), password: 'wrong-wrong' })).toMatchObject({
        status: 429,
      });
    });

    test('a success wipes out the failures before', async () => {
      const account = anAccount();
      await register(account);
      for (let round = 0; round < 2; round += 1) {
        for (let i = 0; i < 9; i += 1) await login({ ...account, password: 'wrong-wrong' });
        expect(await login(account)).toMatchObject({ status: 200 });
      }
    });

    test('a body of wrong types is refused with its fields', async () => {
      expect(await login({ email: 1, password: {}, remember_me: 'yes' })).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'email' }, { path: 'password' }, { path: 'remember_me' }] },
      });
    });
  });

  describe('tokens', () => {
    test('without one, with nonsense and with a changed one: 401', async () => {
      const { token } = await app.signUp();
      expect(await app.call('GET', '/users/me')).toMatchObject({
        status: 401,
        body: { detail: 'Not authenticated' },
      });
      const [header = '', payload = ''] = token.split('.');
      const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
      for (const wrong of [
        'nonsense',
        `${header}.${payload}.AAAA`,
        `${unsigned}.${payload}.`,
        'x'.repeat(5_000),
      ]) {
        const refused = await me(wrong);
        expect(refused).toMatchObject({ status: 401, body: { detail: 'Could not validate credentials' } });
        expect(refused.headers.get('www-authenticate')).toContain('Bearer');
      }
    });

    test('logging out ends this token only', async () => {
      const { token, user } = await app.signUp({ password: 'camarao-123' });
      const other = await tokenOf({ email: user.email, password: 'camarao-123' });
      expect(await me(token)).toMatchObject({ status: 200 });
      expect(await app.call('POST', '/auth/logout', { token })).toMatchObject({
        status: 200,
        body: { message: expect.any(String) },
      });
      expect(await me(token)).toMatchObject({ status: 401 });
      expect(await app.call('POST', '/auth/logout', { token })).toMatchObject({ status: 401 });
      expect(await me(other)).toMatchObject({ status: 200 });
    });

    test('a renewed token lives as long as the one before did, from now', async () => {
      const account = anAccount();
      await register(account);
      const token = await tokenOf(account);
      app.clock.advance(50 * MINUTE);
      const renewed = await app.call('POST', '/auth/renew', { token });
      expect(renewed).toMatchObject({ status: 200, body: { token_type: 'bearer', expires_in: 3600 } });
      app.clock.advance(59 * MINUTE);
      expect(await me((renewed.body as { access_token: string }).access_token)).toMatchObject({
        status: 200,
      });
      expect(await me(token)).toMatchObject({ status: 401 });
    });

    test('logging out ends every token of the same login, and no other login', async () => {
      const account = anAccount();
      await register(account);
      const [token, other] = [await tokenOf(account), await tokenOf(account)];
      const renew = async (from: string) => {
        const { body } = await app.call('POST', '/auth/renew', { token: from });
        return (body as { access_token: string }).access_token;
      };
      const second = await renew(token);
      const third = await renew(second);
      await app.call('POST', '/auth/logout', { token: second });
      const answers = await Promise.all([token, second, third, other].map(me));
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 200]);
    });

    test('a login ends after a year, however often it is renewed', async () => {
      const account = anAccount();
      await register(account);
      const signedIn = await app.call('POST', '/auth/login', { body: { ...account, remember_me: true } });
      let token = (signedIn.body as { access_token: string }).access_token;
      for (let day = 25; day < 365; day += 25) {
        app.clock.advance(25 * 24 * 60 * MINUTE);
        const renewed = await app.call('POST', '/auth/renew', { token });
        expect(renewed.status).toBe(200);
        token = (renewed.body as { access_token: string }).access_token;
      }
      app.clock.advance(16 * 24 * 60 * MINUTE);
      expect((await app.call('POST', '/auth/renew', { token })).status).toBe(401);
    });

    test('a phone left lying is not enough to take the account', async () => {
      const account = anAccount();
      await register(account);
      const token = await tokenOf(account);
      const change = (body: object) => app.call('PUT', '/users/me', { token, body });
      expect((await change({ phone_number: '+5585999990000' })).status).toBe(200);
      app.clock.advance(11 * MINUTE);
      for (const body of [
        { phone_number: '+5585911110000' },
        { email: 'else@farm.test' },
        { password: 'outra-senha-1' },
      ])
        expect(await change(body)).toMatchObject({ status: 403, body: { code: 'RECENT_LOGIN_REQUIRED' } });
      const renewed = await app.call('POST', '/auth/renew', { token });
      const fresh = (renewed.body as { access_token: string }).access_token;
      const body = { email: 'else@farm.test' };
      expect((await app.call('PUT', '/users/me', { token: fresh, body })).status).toBe(403);
      expect((await change({ name: 'Ana', phone_number: '+5585999990000', language: 'en' })).status).toBe(
        200,
      );
      const proved = { phone_number: '+5585911110000', current_password: account.password };
      expect((await change(proved)).status).toBe(200);
    });

    test('logged-out tokens that expired long ago are swept out', async () => {
      const account = anAccount();
      await register(account);
      const logOutOnce = async () => app.call('POST', '/auth/logout', { token: await tokenOf(account) });
      const revoked = async () => {
        const rows = await app.database.read.selectFrom('revoked_tokens').select('id').execute();
        return rows.map(({ id }) => id);
      };
      const before = await revoked();
      await logOutOnce();
      const [first] = (await revoked()).filter((id) => !before.includes(id));
      app.clock.advance(59 * MINUTE);
      await sweep(app);
      expect(await revoked()).toContain(first);
      app.clock.advance(2 * MINUTE);
      await sweep(app);
      expect(await revoked()).not.toContain(first);
    });
  });

  describe('the own account', () => {
    test('fields that are sent change, the others stay', async () => {
      const { token, user } = await app.signUp();
      const changed = await app.call('PUT', '/users/me', {
        token,
        body: { name: ' Ana ', phone_number: '123' },
      });
      expect(changed).toMatchObject({
        status: 200,
        body: { ...user, name: 'Ana', phone_number: '123', updated_at: expect.any(String) },
      });
      expect((await me(token)).body).toEqual(changed.body);
    });

    test('an empty body changes nothing', async () => {
      const { token, user } = await app.signUp();
      expect(await app.call('PUT', '/users/me', { token, body: {} })).toMatchObject({
        status: 200,
        body: user,
      });
    });

    test('the email of another is refused, the own in another case is not', async () => {
      const [one, other] = [await app.signUp(), await app.signUp()];
      expect(
        await app.call('PUT', '/users/me', {
          token: one.token,
          body: { email: other.user.email.toUpperCase(), name: 'Thief' },
        }),
      ).toMatchObject({ status: 400, body: { detail: 'Email already registered' } });
      expect((await me(one.token)).body).toEqual(one.user);
      const email = one.user.email.toUpperCase();
      expect(await app.call('PUT', '/users/me', { token: one.token, body: { email } })).toMatchObject({
        status: 200,
        body: { email },
      });
    });

    test('a new password ends every session and is the one to log in with', async () => {
      const { token, user } = await app.signUp({ password: 'camarao-123' });
      const other = await tokenOf({ email: user.email, password: 'camarao-123' });
      expect(await app.call('PUT', '/users/me', { token, body: { password: 'tilapia-456' } })).toMatchObject({
        status: 200,
      });
      expect([await me(token), await me(other)]).toMatchObject([{ status: 401 }, { status: 401 }]);
      expect(await login({ email: user.email, password: 'camarao-123' })).toMatchObject({ status: 401 });
      expect(await login({ email: user.email, password: 'tilapia-456' })).toMatchObject({ status: 200 });
    });

    test('a present password that is given must be right', async () => {
      const { token } = await app.signUp({ password: 'camarao-123' });
      const body = { password: 'tilapia-456', current_password: 'wrong-wrong' };
      expect(await app.call('PUT', '/users/me', { token, body })).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'current_password' }] },
      });
      expect(await me(token)).toMatchObject({ status: 200 });
      expect(
        await app.call('PUT', '/users/me', { token, body: { ...body, current_password: 'camarao-123' } }),
      ).toMatchObject({ status: 200 });
    });

    test('a login that was left open is no place to try out passwords', async () => {
      const { token } = await app.signUp({ password: 'camarao-123' });
      const tryOut = (current_password: string) =>
        app.call('PUT', '/users/me', { token, body: { current_password } });
      for (let n = 0; n < 10; n += 1) expect((await tryOut(`wrong-${n}-wrong`)).status).toBe(422);
      expect(await tryOut('camarao-123')).toMatchObject({
        status: 429,
        body: { code: 'TOO_MANY_ATTEMPTS' },
      });
      // nor is the end of the account
      expect(
        await app.call('DELETE', '/users/me', { token, body: { password: 'camarao-123' } }),
      ).toMatchObject({ status: 429 });
      expect(await me(token)).toMatchObject({ status: 200 });
    });

    test('wrong fields are refused and change nothing', async () => {
      const { token, user } = await app.signUp();
      const body = { name: '', email: 'x', password: 'short', phone_number: 7 };
      const refused = await app.call('PUT', '/users/me', { token, body });
      expect(refused).toMatchObject({ status: 422 });
      expect((refused.body as { errors: { path: string }[] }).errors.map(({ path }) => path).sort()).toEqual([
        'email',
        'name',
        'password',
        'phone_number',
      ]);
      expect((await me(token)).body).toEqual(user);
    });

    test('who saves over a change of another window is told', async () => {
      const { token } = await app.signUp();
      const etag = (await me(token)).headers.get('etag') ?? '';
      const save = (name: string) =>
        app.call('PUT', '/users/me', { token, body: { name }, headers: { 'If-Match': etag } });
      expect(await save('One')).toMatchObject({ status: 200 });
      expect(await save('Two')).toMatchObject({ status: 412 });
    });

    test('the farms of the caller are those he owns and those he joined', async () => {
      const [owner, guest] = [await app.signUp(), await app.signUp({ role: 'VIEWER' })];
      const made = await app.call('POST', '/farms/', { token: owner.token, body: { name: 'Boa Vista' } });
      const { id } = made.body as { id: string };
      const listOf = async (token: string) => (await app.call('GET', '/users/me/farms', { token })).body;
      expect(await listOf(owner.token)).toEqual([made.body]);
      expect(await listOf(guest.token)).toEqual([]);
      await joinFarm(app, { token: owner.token, farmId: String(id) }, guest, 'VIEWER');
      expect(await listOf(guest.token)).toEqual([made.body]);
    });
  });

  describe('all accounts', () => {
    test('an administrator sees them with their addresses; others are refused', async () => {
      const admin = await app.signUp({ role: 'ADMIN' });
      const owner = await app.signUp();
      await app.call('POST', '/addresses/', {
        token: owner.token,
        body: { street: 'Rua 1', number: 1, city: 'Aracati', state: 'CE', zip_code: '62800000' },
      });
      const all = await app.call('GET', '/users/all', { token: admin.token });
      expect(all.status).toBe(200);
      const users = all.body as { id: string }[];
      expect(users).toHaveLength(await countUsers());
      expect(users.find(({ id }) => id === owner.user.id)).toEqual((await me(owner.token)).body);
      expect(JSON.stringify(users)).not.toContain('argon2');
      expect(await app.call('GET', '/users/all?skip=1&limit=2', { token: admin.token })).toMatchObject({
        body: users.slice(1, 3),
      });
      expect(await app.call('GET', '/users/all', { token: owner.token })).toMatchObject({ status: 403 });
      expect(await app.call('GET', '/users/all')).toMatchObject({ status: 401 });
    });
  });
});
