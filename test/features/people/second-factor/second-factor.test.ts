import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownAttempts } from '#adapters/http/attempt-limit.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { wireSecondFactor } from '#app/people/second-factor.ts';
import type { ClockState } from '#core/clock-trust.ts';
import { StaleError } from '#core/errors.ts';
import { type App, body, type Reply, startApp } from '#test/app.ts';
import { hotp } from '#test/authenticator.ts';
import { aCarefulPerson, secondFactorNews } from '#test/careful-person.ts';
import { onBothEngines } from '#test/databases.ts';

const STEP_MS = 30_000;
const PASSWORD = 'camarao-123';
const PATH = '/auth/second-factor';
const HOME = '192.168.7.20';
const AFAR = '203.0.113.9';
/** A clock by which codes are judged. */
const JUDGED: ClockState = { trust: 'trusted', reason: 'synchronised', correction: 0, wall: 0, monotonic: 0 };

test('the authenticator of these tests shows what RFC 4226 says', () => {
  const key = Buffer.from('12345678901234567890');
  expect([0, 1, 2, 9].map((counter) => hotp(key, counter))).toEqual(['755224', '287082', '359152', '520489']);
});

onBothEngines('the second factor of an account', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    // the test plays people at other addresses, through a proxy that is trusted
    app = await startApp(engine, ['--trusted-proxies', '127.0.0.1']);
  });
  afterAll(() => app.close());

  const from = (source: string) => ({ 'X-Forwarded-For': source });
  const logIn = (email: string, fields: Record<string, unknown> = {}, source = HOME) =>
    app.call('POST', '/auth/login', {
      body: { email, password: PASSWORD, ...fields },
      headers: from(source),
    });
  const codeOf = (reply: Reply) => body(reply)['code'];

  const aCarefulOwner = () => aCarefulPerson(app);
  const newsOf = (userId: string) => secondFactorNews(app, userId);

  describe('setting it up', () => {
    test('asks for the present password, and for a code before it counts', async () => {
      const { token, user } = await app.signUp();
      const wrong = await app.call('POST', PATH, { token, body: { current_password: 'outra-senha' } });
      expect(wrong.status).toBe(422);
      const begun = await app.call('POST', PATH, { token, body: { current_password: PASSWORD } });
      expect(begun.headers.get('cache-control')).toBe('no-store');
      expect(body(await app.call('GET', PATH, { token }))).toMatchObject({ state: 'PENDING' });
      // begun and never confirmed: nobody is locked out by closing the page
      expect((await logIn(user.email)).status).toBe(200);
      const refused = await app.call('POST', `${PATH}/confirm`, { token, body: { code: '000000' } });
      expect(refused.status).toBe(422);
      expect(body(await app.call('GET', PATH, { token }))).toMatchObject({ state: 'PENDING' });
    });

    test('gives ten recovery codes once, and a QR text that any app reads', async () => {
      const { token, papers, uri, secret, email } = await aCarefulOwner();
      expect(new Set(papers).size).toBe(10);
      for (const paper of papers) expect(paper).toMatch(/^[A-Z][0-9A-Z]{3}(-[0-9A-Z]{4}){5}$/);
      const read = new URL(uri);
      expect(read.protocol).toBe('otpauth:');
      expect(read.searchParams.get('secret')).toBe(secret);
      expect(decodeURIComponent(read.pathname)).toContain(email);
      const now = await app.call('GET', PATH, { token });
      expect(now.body).toEqual({
        state: 'ON',
        confirmed_at: expect.any(String),
        recovery_codes_left: 10,
        judges_codes: true,
      });
      const again = await app.call('POST', PATH, { token, body: { current_password: PASSWORD } });
      expect(codeOf(again)).toBe('SECOND_FACTOR_ON');
    });

    test('neither secret nor codes stand in the database, in the export or in the log', async () => {
      const { token, user, secret, papers } = await aCarefulOwner();
      const row = await app.database.read
        .selectFrom('second_factors')
        .selectAll()
        .where('id', '=', user.id)
        .executeTakeFirstOrThrow();
      const exported = await app.call('GET', '/users/me/export', { token });
      const all = JSON.stringify([row, exported.body, app.sentences]);
      for (const hidden of [secret, ...papers, ...papers.map((paper) => paper.replaceAll('-', ''))])
        expect(all).not.toContain(hidden);
      expect(JSON.stringify(exported.body)).not.toContain(row.sealed);
    });

    test('no access token reaches it', async () => {
      const { token } = await app.signUp();
      const made = await app.call('POST', '/access-tokens', {
        token,
        body: { name: 'x', scopes: ['read', 'record', 'control'] },
      });
      const program = String(body(made)['token']);
      for (const [method, path, sent] of [
        ['GET', PATH, undefined],
        ['POST', PATH, { current_password: PASSWORD }],
        ['POST', `${PATH}/confirm`, { code: '123456' }],
        ['DELETE', PATH, { current_password: PASSWORD, code: '123456' }],
      ] as const)
        expect(codeOf(await app.call(method, path, { token: program, body: sent }))).toBe('LOGIN_REQUIRED');
    });
  });

  describe('signing in', () => {
    test('the right password asks for a code; the code lets in', async () => {
      const { email, shown } = await aCarefulOwner();
      const asked = await logIn(email);
      expect([asked.status, codeOf(asked)]).toEqual([401, 'SECOND_FACTOR']);
      expect((await logIn(email, { second_factor: shown() })).status).toBe(200);
    });

    test('a wrong password is answered as ever, whoever has a second factor', async () => {
      const { email, shown } = await aCarefulOwner();
      const plain = await app.signUp();
      const answers = await Promise.all(
        [
          { email },
          { email, second_factor: shown() },
          { email, second_factor: '' },
          { email: plain.user.email },
          { email: 'nobody@farm.test' },
        ].map(({ email: who, ...rest }) => logIn(who, { ...rest, password: 'errada-123' })),
      );
      const [first] = answers;
      expect(first?.body).toMatchObject({ detail: 'Incorrect email or password' });
      const told = ({ status, body: said }: Reply) => ({ status, ...(said as object), request_id: null });
      for (const answer of answers) expect(told(answer)).toEqual(told(first as Reply));
    });

    test('a code counts once, and a step before and after its time', async () => {
      const { email, shown } = await aCarefulOwner();
      const code = shown();
      expect((await logIn(email, { second_factor: code })).status).toBe(200);
      expect(codeOf(await logIn(email, { second_factor: code }))).toBe('SECOND_FACTOR_WRONG');
      expect(codeOf(await logIn(email, { second_factor: shown(2) }))).toBe('SECOND_FACTOR_WRONG');
      expect(codeOf(await logIn(email, { second_factor: shown(-3) }))).toBe('SECOND_FACTOR_WRONG');
      expect((await logIn(email, { second_factor: shown(1) })).status).toBe(200);
      app.clock.advance(3 * STEP_MS);
      expect((await logIn(email, { second_factor: shown(-1) })).status).toBe(200);
    });

    test('of ten who say one code at the same moment one gets in', async () => {
      const { email, shown } = await aCarefulOwner();
      const sources = Array.from({ length: 10 }, (_, at) => `192.168.7.${100 + at}`);
      const all = await Promise.all(
        sources.map((source) => logIn(email, { second_factor: shown() }, source)),
      );
      expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    test('of two logins that both saw the code unused the second is not stored', async () => {
      const { user, shown, papers } = await aCarefulOwner();
      const { prove } = wireSecondFactor({
        config: app.config,
        kernel: app.kernel,
        database: app.database,
        secret: app.config.jwtSecret ?? (await instanceValue(app.database.read, 'jwt_secret')),
        notify: app.notify,
        clock: { state: () => JUDGED },
        isNear: () => true,
        attempts: ownAttempts,
        verifyPassword: async () => true,
        passwordTries: ownAttempts({ name: 'unused', attempts: 1, windowS: 1 }),
      });
      for (const code of [shown(), papers[0] ?? '']) {
        const both = [await prove(user, { code, source: HOME }), await prove(user, { code, source: AFAR })];
        const [first, second] = both.map(({ changes, guards }) => ({ changes, guards, actor: null }));
        if (first === undefined || second === undefined) throw new Error('not both');
        await app.kernel.commit(first);
        await expect(app.kernel.commit(second)).rejects.toBeInstanceOf(StaleError);
      }
    });

    test('a recovery code counts once, however it is written, and the person is told how many are left', async () => {
      const { email, papers, user, token } = await aCarefulOwner();
      const [paper = ''] = papers;
      const typed = ` ${paper.toLowerCase().replaceAll('-', ' ')} `;
      expect((await logIn(email, { second_factor: typed })).status).toBe(200);
      expect(codeOf(await logIn(email, { second_factor: paper }))).toBe('SECOND_FACTOR_WRONG');
      expect(body(await app.call('GET', PATH, { token }))).toMatchObject({ recovery_codes_left: 9 });
      expect(await newsOf(user.id)).toEqual(['on', 'recovery_used']);
    });

    test('who guesses waits, keeps nobody else out, and the person is told', async () => {
      const { email, shown, user } = await aCarefulOwner();
      for (let guess = 0; guess < 10; guess += 1)
        expect(codeOf(await logIn(email, { second_factor: '000000' }, AFAR))).toBe('SECOND_FACTOR_WRONG');
      const kept = await logIn(email, { second_factor: shown() }, AFAR);
      expect([kept.status, codeOf(kept)]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
      expect((await logIn(email, { second_factor: shown() }, HOME)).status).toBe(200);
      await logIn(email, { second_factor: '000000' }, AFAR);
      expect(await newsOf(user.id)).toEqual(['on', 'guessed']);
    });

    test('whoever is in stays in: a renewal asks for no code', async () => {
      const { email, shown } = await aCarefulOwner();
      const token = String(body(await logIn(email, { second_factor: shown() }))['access_token']);
      expect((await app.call('POST', '/auth/renew', { token })).status).toBe(200);
    });
  });

  describe('turning it off', () => {
    test('takes the present password and a code', async () => {
      const { token, email, shown, user } = await aCarefulOwner();
      const end = (sent: object) => app.call('DELETE', PATH, { token, body: sent });
      expect((await end({ current_password: 'errada-123', code: shown() })).status).toBe(422);
      expect((await end({ current_password: PASSWORD, code: '000000' })).status).toBe(422);
      expect((await end({ current_password: PASSWORD })).status).toBe(422);
      expect(codeOf(await logIn(email))).toBe('SECOND_FACTOR');
      expect((await end({ current_password: PASSWORD, code: shown() })).status).toBe(204);
      expect((await logIn(email)).status).toBe(200);
      expect(await newsOf(user.id)).toEqual(['on', 'off']);
    });

    test('a deleted account leaves none behind', async () => {
      const { token, user } = await aCarefulOwner();
      const gone = await app.call('DELETE', '/users/me', { token, body: { password: PASSWORD } });
      expect(gone.status).toBe(204);
      const left = await app.database.read
        .selectFrom('second_factors')
        .select('id')
        .where('id', '=', user.id)
        .execute();
      expect(left).toEqual([]);
    });
  });
});
