import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passkeyChallenges } from '#adapters/tokens/passkeys.ts';
import { passkey } from '#contract/resources/local-tables.ts';
import { user } from '#contract/resources/users.ts';
import { update } from '#core/changes.ts';
import { relyingPartyAt } from '#features/people/second-factor/relying-party.ts';
import { type App, body, type Reply, type SignedUp, startApp, startAppBeside } from '#test/app.ts';
import { codeAt } from '#test/authenticator.ts';
import { aCarefulPerson, secondFactorNews } from '#test/careful-person.ts';
import { onBothEngines } from '#test/databases.ts';
import { type Algorithm, aSoftPasskey, type SoftPasskey } from '#test/soft-passkey.ts';

const ORIGIN = 'https://fazenda.example';
const PASSWORD = 'camarao-123';
const PATH = '/auth/passkeys';
const HOSTED = [
  '--role',
  'hosted',
  '--rate-limits',
  '0',
  '--public-url',
  ORIGIN,
  '--trusted-proxies',
  '127.0.0.1',
];

type Options = { challenge: string; user: { id: string }; allowCredentials: { id: string }[] };
const codeOf = (reply: Reply) => body(reply)['code'];
const options = (reply: Reply) => reply.body as Options;

/** A person of a hosted instance with a passkey, and the ten codes that came with it. */
async function aPersonWithPasskey(app: App, key: SoftPasskey = aSoftPasskey(ORIGIN)) {
  const person = await app.signUp();
  return { ...person, key, ...(await add(app, person, key)) };
}

async function add(app: App, { token }: Pick<SignedUp, 'token'>, key: SoftPasskey, name = 'Celular') {
  const begun = await app.call('POST', `${PATH}/begin`, { token, body: { current_password: PASSWORD } });
  const made = await app.call('POST', PATH, {
    token,
    body: { name, credential: key.create(options(begun)) },
  });
  if (made.status !== 201) throw new Error(`not added: ${JSON.stringify([begun.body, made.body])}`);
  const papers = body(made)['recovery_codes'] as string[] | null;
  return { id: String(body(made)['id']), papers };
}

onBothEngines('passkeys of an account', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, HOSTED);
  });
  afterAll(() => app.close());

  const from = (source: string) => ({ 'X-Forwarded-For': source });
  const asked = async (source = '198.51.100.7') =>
    options(await app.call('POST', '/auth/passkey/options', { headers: from(source) }));
  const enter = (signed: unknown, source = '198.51.100.7') =>
    app.call('POST', '/auth/passkey', { body: { passkey: signed }, headers: from(source) });
  const logIn = (email: string, more: object = {}) =>
    app.call('POST', '/auth/login', { body: { email, password: PASSWORD, ...more } });
  const list = async ({ token }: Pick<SignedUp, 'token'>) =>
    body(await app.call('GET', PATH, { token }))['passkeys'] as Record<string, unknown>[];

  /** By their names: the clock of this test stands still between them. */
  const toldTo = async (userId: string) =>
    (await secondFactorNews(app, userId)).map(String).toSorted((a, b) => a.localeCompare(b));

  describe('adding one', () => {
    test('asks for the password unless it was just said, gives ten recovery codes, and is told', async () => {
      const person = await app.signUp();
      app.clock.advance(11 * 60_000);
      const late = await app.call('POST', `${PATH}/begin`, { token: person.token, body: {} });
      expect([late.status, codeOf(late)]).toEqual([403, 'RECENT_LOGIN_REQUIRED']);
      const wrong = { current_password: 'errada-123' };
      const no = await app.call('POST', `${PATH}/begin`, { token: person.token, body: wrong });
      expect(codeOf(no)).toBe('VALIDATION_ERROR');
      const { papers } = await add(app, person, aSoftPasskey(ORIGIN));
      expect(new Set(papers).size).toBe(10);
      expect(await list(person)).toMatchObject([
        { name: 'Celular', rp_id: 'fazenda.example', last_used_at: null },
      ]);
      expect(await toldTo(person.user.id)).toEqual(['passkey_added']);
    });

    test.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])(
      'takes keys of %s, and they sign in',
      async (algorithm) => {
        const { key } = await aPersonWithPasskey(app, aSoftPasskey(ORIGIN, algorithm));
        expect((await enter(key.get(await asked()))).status).toBe(200);
      },
    );

    test('takes none that was made for another address, another name, another session or twice', async () => {
      const { token } = await app.signUp();
      const other = await app.signUp();
      const key = aSoftPasskey(ORIGIN);
      const begin = async (who: string) =>
        options(await app.call('POST', `${PATH}/begin`, { token: who, body: {} }));
      const send = (credential: unknown) =>
        app.call('POST', PATH, { token, body: { name: 'x', credential } });
      const bent = [
        key.create(await begin(token), { origin: 'https://fazenda.example.evil.test' }),
        key.create(await begin(token), { rpId: 'evil.test' }),
        key.create(await begin(token), { type: 'webauthn.get' }),
        // what somebody else was asked, and what a sign-in is asked
        key.create(await begin(other.token)),
        key.create({ ...(await begin(token)), ...(await asked()), user: { id: 'x' } }),
      ];
      for (const credential of bent) {
        const reply = await send(credential);
        expect([reply.status, await list({ token })]).toEqual([422, []]);
      }
      const fair = key.create(await begin(token));
      expect((await send(fair)).status).toBe(201);
      expect((await send(fair)).status).toBe(422);
      expect(codeOf(await send(key.create(await begin(token))))).toBe('PASSKEY_KNOWN');
      // a challenge that waits too long
      const slow = aSoftPasskey(ORIGIN).create(await begin(token));
      app.clock.advance(5 * 60_000 + 1_000);
      expect((await send(slow)).status).toBe(422);
    });

    test('nobody adds somebody else’s key, and what is too large is not decoded', async () => {
      const { key } = await aPersonWithPasskey(app);
      const thief = await app.signUp();
      const begun = options(await app.call('POST', `${PATH}/begin`, { token: thief.token, body: {} }));
      const stolen = { name: 'x', credential: key.create(begun) };
      expect(codeOf(await app.call('POST', PATH, { token: thief.token, body: stolen }))).toBe(
        'PASSKEY_KNOWN',
      );
      const large = aSoftPasskey(ORIGIN).create(begun);
      large.response.attestationObject = 'A'.repeat(8_001);
      const refused = await app.call('POST', PATH, {
        token: thief.token,
        body: { name: 'x', credential: large },
      });
      expect(refused.body).toMatchObject({ errors: [{ path: 'credential.response.attestationObject' }] });
    });
  });

  describe('signing in by one alone', () => {
    test('opens what the password and a second factor open, and is noted', async () => {
      const person = await aPersonWithPasskey(app);
      const { allowCredentials } = await asked();
      // nobody learns from the options who has one
      expect(allowCredentials).toEqual([]);
      const reply = await enter(person.key.get(await asked()));
      const token = String(body(reply)['access_token']);
      expect(body(await app.call('GET', '/users/me', { token }))['id']).toBe(person.user.id);
      expect(await list({ token })).toMatchObject([{ last_used_at: expect.any(String) }]);
      const sessions = (await app.call('GET', '/auth/sessions', { token })).body as unknown[];
      expect(sessions.length).toBe(2);
      expect((await app.call('POST', '/auth/logout', { token })).status).toBe(200);
      expect((await app.call('GET', '/users/me', { token })).status).toBe(401);
    });

    test('a challenge counts once, for five minutes, and for what it was made for', async () => {
      const {
        key,
        user: owner,
        email,
      } = await aPersonWithPasskey(app).then((one) => ({ ...one, email: one.user.email }));
      const signed = key.get(await asked());
      expect((await enter(signed)).status).toBe(200);
      expect(codeOf(await enter(signed))).toBe('PASSKEY_REFUSED');
      const late = key.get(await asked());
      app.clock.advance(5 * 60_000 + 1_000);
      expect(codeOf(await enter(late))).toBe('PASSKEY_REFUSED');
      const inTime = key.get(await asked());
      app.clock.advance(4 * 60_000);
      expect((await enter(inTime)).status).toBe(200);
      // what is asked after the password is presence alone
      const second = body(await logIn(email))['passkey'] as Options;
      expect(codeOf(await enter(key.get(second)))).toBe('PASSKEY_REFUSED');
      expect(codeOf(await enter(key.get({ challenge: 'A'.repeat(51) })))).toBe('PASSKEY_REFUSED');
      expect(owner.id).toEqual(expect.any(String));
    });

    test('takes nothing of another address, another name, another person, another key, or without the owner', async () => {
      const { key } = await aPersonWithPasskey(app);
      const stranger = await aPersonWithPasskey(app);
      const unknown = aSoftPasskey(ORIGIN);
      unknown.create({ challenge: '', user: { id: Buffer.from(stranger.user.id).toString('base64url') } });
      const swapped = async () => {
        const signed = unknown.get(await asked());
        return { ...signed, id: key.id, rawId: key.id };
      };
      const all = [
        key.get(await asked(), { origin: 'https://evil.test' }),
        key.get(await asked(), { rpId: 'evil.test' }),
        key.get(await asked(), { type: 'webauthn.create' }),
        key.get(await asked(), { verified: false }),
        key.get(await asked(), { userHandle: Buffer.from(stranger.user.id).toString('base64url') }),
        key.get(await asked(), { userHandle: null }),
        unknown.get(await asked()),
        await swapped(),
      ];
      const codes = [];
      for (const [at, signed] of all.entries())
        codes.push(codeOf(await enter(signed, `198.51.100.${at + 20}`)));
      expect(codes).toEqual(all.map(() => 'PASSKEY_REFUSED'));
      expect((await enter(key.get(await asked()))).status).toBe(200);
    });

    test('opens nothing of a removed passkey, a disabled or a deleted account', async () => {
      const removed = await aPersonWithPasskey(app);
      await add(app, removed, aSoftPasskey(ORIGIN), 'Outra');
      const path = `${PATH}/${removed.id}`;
      const gone = await app.call('DELETE', path, {
        token: removed.token,
        body: { current_password: PASSWORD },
      });
      expect(gone.status).toBe(204);
      expect(codeOf(await enter(removed.key.get(await asked())))).toBe('PASSKEY_REFUSED');
      const off = await aPersonWithPasskey(app);
      await app.kernel.commit({ actor: null, changes: [update(user, off.user.id, { is_active: false })] });
      expect(codeOf(await enter(off.key.get(await asked())))).toBe('PASSKEY_REFUSED');
      const left = await aPersonWithPasskey(app);
      const end = await app.call('DELETE', '/users/me', { token: left.token, body: { password: PASSWORD } });
      expect(end.status).toBe(204);
      expect(codeOf(await enter(left.key.get(await asked())))).toBe('PASSKEY_REFUSED');
      const rows = await app.database.read
        .selectFrom('passkeys')
        .select('id')
        .where('user_id', '=', left.user.id)
        .execute();
      expect(rows).toEqual([]);
    });

    test('a count that goes back is refused and told', async () => {
      const { key, user: owner } = await aPersonWithPasskey(app);
      expect((await enter(key.get(await asked(), { counter: 7 }))).status).toBe(200);
      for (const counter of [7, 6, 0]) {
        const reply = await enter(key.get(await asked(), { counter }), `198.51.100.${60 + counter}`);
        expect([reply.status, codeOf(reply)]).toEqual([401, 'PASSKEY_COPIED']);
      }
      expect(await toldTo(owner.id)).toEqual(['passkey_added', 'passkey_copied']);
      expect((await enter(key.get(await asked(), { counter: 8 }))).status).toBe(200);
    });

    test('who tries in vain waits, for this key and from there', async () => {
      const { key } = await aPersonWithPasskey(app);
      for (let tries = 0; tries < 10; tries += 1)
        expect((await enter(key.get({ challenge: 'AAAA' }), '203.0.113.5')).status).toBe(401);
      expect((await enter(key.get(await asked()), '203.0.113.5')).status).toBe(429);
      expect((await enter(key.get(await asked()))).status).toBe(200);
    });

    test('challenges are bounded per source', async () => {
      const replies: number[] = [];
      for (let n = 0; n < 301; n += 1)
        replies.push(
          (await app.call('POST', '/auth/passkey/options', { headers: from('203.0.113.6') })).status,
        );
      expect([replies.filter((status) => status === 200).length, replies.at(-1)]).toEqual([300, 429]);
      expect((await asked()).challenge).toEqual(expect.any(String));
    });
  });

  describe('as the second factor', () => {
    test('the password alone is not enough; the passkey is, and so is a recovery code once', async () => {
      const { user: owner, key, papers } = await aPersonWithPasskey(app);
      const first = await logIn(owner.email);
      expect([first.status, codeOf(first), body(first)['takes']]).toEqual([
        401,
        'SECOND_FACTOR',
        ['recovery', 'passkey'],
      ]);
      const ask = body(first)['passkey'] as Options;
      expect(ask.allowCredentials).toMatchObject([{ id: key.id }]);
      // a key without a PIN is enough beside the password
      const signed = key.get(ask, { verified: false, userHandle: null });
      expect((await logIn(owner.email, { passkey: signed })).status).toBe(200);
      expect(codeOf(await logIn(owner.email, { passkey: signed }))).toBe('SECOND_FACTOR_WRONG');
      expect(codeOf(await logIn(owner.email, { second_factor: '000000' }))).toBe('SECOND_FACTOR_WRONG');
      expect((await logIn(owner.email, { second_factor: papers?.[0] })).status).toBe(200);
      expect(codeOf(await logIn(owner.email, { second_factor: papers?.[0] }))).toBe('SECOND_FACTOR_WRONG');
    });

    test('a wrong password says nothing of it, and somebody else’s passkey is none', async () => {
      const person = await aPersonWithPasskey(app);
      const other = await aPersonWithPasskey(app);
      const wrong = await logIn(person.user.email, { password: 'errada-123' });
      expect([codeOf(wrong), body(wrong)['passkey']]).toEqual(['INCORRECT_CREDENTIALS', undefined]);
      const ask = body(await logIn(person.user.email))['passkey'] as Options;
      expect(codeOf(await logIn(person.user.email, { passkey: other.key.get(ask) }))).toBe(
        'SECOND_FACTOR_WRONG',
      );
      const theirs = body(await logIn(other.user.email))['passkey'] as Options;
      expect(codeOf(await logIn(person.user.email, { passkey: person.key.get(theirs) }))).toBe(
        'SECOND_FACTOR_WRONG',
      );
    });

    test('stands beside an app: either lets in, each goes by itself, and paper stays', async () => {
      const person = await aCarefulPerson(app);
      const key = aSoftPasskey(ORIGIN);
      const { id, papers } = await add(app, person, key);
      // who has codes on paper keeps them
      expect(papers).toBeNull();
      const ask = await logIn(person.email);
      expect(body(ask)['takes']).toEqual(['totp', 'recovery', 'passkey']);
      expect((await logIn(person.email, { passkey: key.get(body(ask)['passkey'] as Options) })).status).toBe(
        200,
      );
      expect((await logIn(person.email, { second_factor: person.shown() })).status).toBe(200);
      app.clock.advance(30_000);
      const { token } = person;
      const off = { current_password: PASSWORD, code: person.shown() };
      expect((await app.call('DELETE', '/auth/second-factor', { token, body: off })).status).toBe(204);
      const now = await logIn(person.email);
      expect(body(now)['takes']).toEqual(['recovery', 'passkey']);
      expect((await logIn(person.email, { second_factor: person.papers[3] })).status).toBe(200);
      expect(body(await app.call('GET', '/auth/second-factor', { token }))).toMatchObject({
        state: 'OFF',
        recovery_codes_left: 9,
      });
      expect(id).toEqual(expect.any(String));
    });

    test('an app may be set up beside it, which counts once a code proved it', async () => {
      const { token, user: owner } = await aPersonWithPasskey(app);
      const begun = await app.call('POST', '/auth/second-factor', {
        token,
        body: { current_password: PASSWORD },
      });
      expect(begun.status).toBe(201);
      expect(body(await logIn(owner.email))['takes']).toEqual(['recovery', 'passkey']);
      expect(body(await app.call('GET', '/auth/second-factor', { token }))['state']).toBe('PENDING');
      const code = codeAt(String(body(begun)['secret']), app.clock.now());
      const done = await app.call('POST', '/auth/second-factor/confirm', { token, body: { code } });
      expect(done.status).toBe(200);
      expect(body(await logIn(owner.email))['takes']).toEqual(['totp', 'recovery', 'passkey']);
    });

    test('the last one goes as the app does: with the password and a proof', async () => {
      const { token, key, id, user: owner, papers } = await aPersonWithPasskey(app);
      const end = (sent: object) => app.call('DELETE', `${PATH}/${id}`, { token, body: sent });
      expect((await end({})).status).toBe(422);
      expect((await end({ current_password: PASSWORD })).status).toBe(422);
      expect((await end({ current_password: PASSWORD, code: '000000' })).status).toBe(422);
      expect((await end({ current_password: 'errada-123', code: papers?.[0] })).status).toBe(422);
      expect(codeOf(await logIn(owner.email))).toBe('SECOND_FACTOR');
      const ask = options(await app.call('POST', `${PATH}/challenge`, { token }));
      expect((await end({ current_password: PASSWORD, passkey: key.get(ask) })).status).toBe(204);
      expect((await logIn(owner.email)).status).toBe(200);
      expect(await toldTo(owner.id)).toEqual(['off', 'passkey_added', 'passkey_removed']);
    });
  });

  test('is renamed by its owner alone; no other person and no program sees or touches it', async () => {
    const person = await aPersonWithPasskey(app);
    const thief = await app.signUp();
    const path = `${PATH}/${person.id}`;
    const renamed = await app.call('PUT', path, { token: person.token, body: { name: 'Chave azul' } });
    expect(renamed.body).toMatchObject({ name: 'Chave azul' });
    expect((await app.call('PUT', path, { token: thief.token, body: { name: 'x' } })).status).toBe(404);
    expect((await app.call('DELETE', path, { token: thief.token, body: {} })).status).toBe(404);
    expect(await list(thief)).toEqual([]);
    const made = await app.call('POST', '/access-tokens', {
      token: person.token,
      body: { name: 'x', scopes: ['read', 'record', 'control'] },
    });
    const program = String(body(made)['token']);
    expect(codeOf(await app.call('GET', PATH, { token: program }))).toBe('LOGIN_REQUIRED');
    expect(codeOf(await app.call('POST', `${PATH}/begin`, { token: program, body: {} }))).toBe(
      'LOGIN_REQUIRED',
    );
  });

  test('an export names them, and has no code in it', async () => {
    const { token, id, papers } = await aPersonWithPasskey(app);
    const exported = await app.call('GET', '/users/me/export', { token });
    expect(body(exported)['passkeys']).toMatchObject([{ id, name: 'Celular' }]);
    for (const paper of papers ?? []) expect(JSON.stringify(exported.body)).not.toContain(paper);
  });

  test('none leaves this instance', () => {
    expect(passkey.sync).toBe('local');
  });

  describe('codes that are guessed from many addresses', () => {
    const guess = (email: string, source: string, second_factor: string) =>
      app.call('POST', '/auth/login', {
        body: { email, password: PASSWORD, second_factor },
        headers: from(source),
      });

    test('are bounded for the account: after twenty in a day none counts, and the person is told', async () => {
      const { email, shown, papers, user: owner, token } = await aCarefulPerson(app);
      for (let at = 0; at < 20; at += 1)
        expect(codeOf(await guess(email, `203.0.113.${100 + at}`, '000000'))).toBe('SECOND_FACTOR_WRONG');
      const spent = await guess(email, '203.0.113.200', shown());
      expect([spent.status, codeOf(spent), body(spent)['takes']]).toEqual([
        429,
        'SECOND_FACTOR_SPENT',
        ['recovery'],
      ]);
      expect(Number(spent.headers.get('retry-after'))).toBeGreaterThan(3_600);
      expect(await toldTo(owner.id)).toEqual(['guessed', 'on']);
      // nobody is locked out: what cannot be guessed counts on
      expect((await guess(email, '203.0.113.200', papers[0] ?? '')).status).toBe(200);
      // and a new password, which the guesser does not know, begins anew
      const changed = { password: 'outra-senha-9', current_password: PASSWORD };
      expect((await app.call('PUT', '/users/me', { token, body: changed })).status).toBe(200);
      const sent = { email, password: 'outra-senha-9', second_factor: shown() };
      expect((await app.call('POST', '/auth/login', { body: sent })).status).toBe(200);
    });

    test('right codes cost nothing, and forgive no wrong ones', async () => {
      const { email, shown } = await aCarefulPerson(app);
      for (let day = 0; day < 22; day += 1) {
        expect((await guess(email, '198.51.100.90', shown())).status).toBe(200);
        app.clock.advance(30_000);
        if (day < 20) await guess(email, `203.0.113.${day}`, '000000');
        app.clock.advance(30_000);
        if (day === 19) break;
      }
      expect(codeOf(await guess(email, '203.0.113.220', shown()))).toBe('SECOND_FACTOR_SPENT');
    });
  });

  test.runIf(engine === 'postgres')(
    'a challenge of one process counts at another, and once among all',
    async () => {
      const beside = await startAppBeside(app, HOSTED);
      try {
        const { key } = await aPersonWithPasskey(app);
        const signed = key.get(await asked());
        const first = await beside.call('POST', '/auth/passkey', { body: { passkey: signed } });
        expect(first.status).toBe(200);
        expect(codeOf(await enter(signed))).toBe('PASSKEY_REFUSED');
      } finally {
        await beside.close();
      }
    },
  );
});

describe('passkeys of a box', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp('sqlite', ['--tls-names', 'viveiros.example', '--https-port', '8443']);
  });
  afterAll(() => app.close());

  /** As a browser asks that has it open under this address. */
  async function at(address: string, token: string) {
    const { host, protocol } = new URL(address);
    const party = relyingPartyAt(
      {
        role: 'gateway',
        publicUrl: null,
        names: () => ['camarao-0a1b2c3d.local', 'viveiros.example'],
        httpsPort: 8443,
      },
      `${protocol}//${host}`,
    );
    const reply = await app.call('GET', PATH, { token });
    return { party, reply };
  }

  test('work under its own names over https, and at the box itself; elsewhere it says why not, and where', async () => {
    const { token } = await app.signUp();
    const why = async (address: string) => (await at(address, token)).party.whyNot;
    expect(await why('https://viveiros.example:8443')).toBeNull();
    expect(await why('http://localhost:8080')).toBeNull();
    expect(await why('http://viveiros.example:8080')).toBe('plain');
    expect(await why('http://10.0.0.5:8080')).toBe('plain');
    expect(await why('https://10.0.0.5:8443')).toBe('address');
    expect(await why('https://[fe80::1]:8443')).toBe('address');
    expect(await why('https://stranger.lan')).toBe('name');
    const { reply, party } = await at('http://10.0.0.5:8080', token);
    expect(party.openAt).toBe('https://camarao-0a1b2c3d.local:8443');
    // this very test comes by a number
    expect(reply.body).toMatchObject({ works_here: false, why_not: 'plain', rp_id: null, passkeys: [] });
    expect(String(body(reply)['open_at'])).toMatch(/^https:\/\/camarao-[0-9a-z]+\.local:8443$/);
    const begun = await app.call('POST', `${PATH}/begin`, { token, body: {} });
    expect([begun.status, codeOf(begun)]).toEqual([409, 'PASSKEYS_NOT_HERE']);
    expect(codeOf(await app.call('POST', '/auth/passkey/options'))).toBe('PASSKEYS_NOT_HERE');
  });

  test('a hosted instance is its public URL, and one without has none', () => {
    const hosted = (publicUrl: string | null) =>
      relyingPartyAt({ role: 'hosted', publicUrl, names: () => [], httpsPort: null }, 'http://10.0.0.9:3000');
    expect(hosted('https://fazenda.example').party).toEqual({
      id: 'fazenda.example',
      origin: 'https://fazenda.example',
    });
    expect(hosted(null).whyNot).toBe('unset');
    expect(hosted('http://fazenda.example').whyNot).toBe('plain');
    expect(hosted('https://203.0.113.4').whyNot).toBe('address');
  });
});

test('five minutes are those that have passed, however the clock of the machine is set', async () => {
  let [wall, passed] = [Date.UTC(2026, 2, 2), 0];
  const clock = { now: () => wall, elapsedSince: () => passed };
  const once = { take: async () => null };
  const { issue, redeem } = passkeyChallenges({ ...clock, once, secret: 'x'.repeat(32) });
  const challenge = issue('sign-in');
  wall += 365 * 86_400_000;
  passed = 5 * 60_000;
  expect(await redeem(challenge, 'sign-in')).toBe(true);
  expect(await redeem(challenge, 'adding 1')).toBe(false);
  wall -= 3 * 365 * 86_400_000;
  passed += 1;
  expect(await redeem(challenge, 'sign-in')).toBe(false);
  const other = passkeyChallenges({ ...clock, once, secret: null });
  passed = 0;
  expect(await other.redeem(challenge, 'sign-in')).toBe(false);
});
