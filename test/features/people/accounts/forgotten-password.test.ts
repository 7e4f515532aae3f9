import { expect, test, vi } from 'vitest';
import { resetCodes } from '#adapters/tokens/one-time-codes.ts';
import { addressProof, outgoingLetter, passwordReset } from '#contract/resources/local-tables.ts';
import { type App, body, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { smtpReceiver } from '#test/receivers.ts';
import { syncedApps } from '#test/synced-apps.ts';

const SOON = { timeout: 60_000 };
const MINUTE = 60_000;
const NEW = 'sete-tanques-no-mangue';

const ask = (app: App, email: string) =>
  app.call('POST', '/auth/forgot-password', { body: { email }, headers: { 'Accept-Language': 'pt-BR' } });
const reset = (app: App, token: string, password = NEW) =>
  app.call('POST', '/auth/reset-password', { body: { token, password } });
const logIn = async (app: App, { user }: Pick<SignedUp, 'user'>, password: string) =>
  (await app.call('POST', '/auth/login', { body: { email: user.email, password } })).status;
const codeIn = (text: string) => /(?:\w{4}-){7}\w{4}/.exec(text)?.[0] ?? '';

/** An instance with a mail server on a socket of its own. */
async function withMail(engine: 'sqlite' | 'postgres', args: readonly string[] = []) {
  const post = await smtpReceiver();
  const app = await startApp(engine, ['--smtp-url', post.url, ...args]);
  return {
    app,
    post,
    /** The code of the newest letter that asks for a new password. */
    async codeFor(email: string, nth = 1) {
      expect((await ask(app, email)).status).toBe(202);
      const of = () => post.mails.filter(({ to, subject }) => to === email && subject === 'Nova senha');
      await vi.waitFor(() => expect(of()).toHaveLength(nth), SOON);
      return codeIn(of().at(-1)?.text ?? '');
    },
    async close() {
      await app.delivery.stop(Promise.resolve());
      await app.close();
      await post.close();
    },
  };
}

test('a code has more than 128 random bits and survives being typed', () => {
  expect(32 * Math.log2(20)).toBeGreaterThan(128);
  const code = resetCodes.make();
  expect(resetCodes.normal(` ${resetCodes.shown(code).toLowerCase()} `)).toBe(code);
  expect(resetCodes.normal('K7MX-3HRT-WAC9')).toBeNull();
  expect([resetCodes.isOf(code, resetCodes.hashOf(code)), resetCodes.isOf(code, 'x')]).toEqual([true, false]);
});

onBothEngines('a forgotten password', (_open, engine) => {
  test('is replaced with the code of a letter, once; sessions end, and the person is told', async () => {
    const { app, post, codeFor, close } = await withMail(engine);
    const person = await app.signUp();
    const code = await codeFor(person.user.email);
    const kept = await app.database.read.selectFrom('password_resets').selectAll().execute();
    expect(kept).toHaveLength(1);
    expect(JSON.stringify([kept, app.sentences])).not.toContain(code.replaceAll('-', ''));
    expect((await app.call('GET', '/users/me', { token: person.token })).status).toBe(200);

    expect(await reset(app, code.toLowerCase())).toMatchObject({ status: 200 });
    expect((await app.call('GET', '/users/me', { token: person.token })).status).toBe(401);
    expect(await logIn(app, person, 'camarao-123')).toBe(401);
    expect(await logIn(app, person, NEW)).toBe(200);
    expect(await reset(app, code, 'outra-senha-do-mangue')).toMatchObject({
      status: 404,
      body: { code: 'RESET_CODE_INVALID' },
    });
    await vi.waitFor(
      () =>
        expect(post.mails).toContainEqual(
          expect.objectContaining({ to: person.user.email, subject: 'Sua senha foi trocada' }),
        ),
      SOON,
    );
    const login = await app.call('POST', '/auth/login', {
      body: { email: person.user.email, password: NEW },
    });
    const told = await app.call('GET', '/notifications/', { token: String(body(login)['access_token']) });
    expect(JSON.stringify(told.body)).toContain('Sua senha foi trocada');
    // once
    expect((body(told)['notifications'] as { title: string }[]).map(({ title }) => title)).toEqual([
      'Senha trocada',
    ]);
    expect(post.mails.filter(({ subject }) => subject === 'Sua senha foi trocada')).toHaveLength(1);
    // those of before the new password are gone
    const { body: rows } = await app.call('GET', '/auth/sessions', {
      token: String(body(login)['access_token']),
    });
    expect(rows).toHaveLength(2);
    expect(await app.database.read.selectFrom('sessions').select('id').execute()).toHaveLength(2);
    await close();
  });

  test('is asked for with the same answer and the same work, whoever has an account', async () => {
    const { app, post, close } = await withMail(engine);
    const [person, leaver] = [await app.signUp(), await app.signUp()];
    const left = await app.call('DELETE', '/users/me', {
      token: leaver.token,
      body: { password: 'camarao-123' },
    });
    expect(left.status).toBe(204);
    const answers = [];
    const commits: number[] = [];
    const stop = app.database.onCommit(
      ({ rows }) =>
        void commits.push(
          ...rows.filter(({ table, hidden }) => table === 'invitation_letters' && !hidden).map(() => 1),
        ),
    );
    for (const email of [person.user.email, 'nobody@farm.test', leaver.user.email]) {
      const { status, body: said } = await ask(app, email);
      answers.push(JSON.stringify({ status, said }));
    }
    stop();
    expect(new Set(answers).size).toBe(1);
    // one letter is put in line for each, and who has no account is found out only behind the answer
    expect(commits).toHaveLength(3);
    await vi.waitFor(async () => {
      expect(await app.database.read.selectFrom('invitation_letters').select('id').execute()).toEqual([]);
    }, SOON);
    expect(post.mails.map(({ to }) => to)).toEqual([person.user.email]);
    await close();
  });

  test('the newest code counts, for half an hour', async () => {
    const { app, codeFor, close } = await withMail(engine);
    const person = await app.signUp();
    const older = await codeFor(person.user.email);
    app.clock.advance(1_000);
    const newer = await codeFor(person.user.email, 2);
    expect((await reset(app, older)).status).toBe(404);
    app.clock.advance(30 * MINUTE - 1);
    // wrong: it is asked of the password, too, and the code stays
    expect((await reset(app, newer, 'short')).status).toBe(422);
    app.clock.advance(1);
    expect((await reset(app, newer)).status).toBe(404);
    expect(await logIn(app, person, 'camarao-123')).toBe(200);
    await close();
  });

  test('a code ends with the password or the address it was asked for', async () => {
    const { app, codeFor, close } = await withMail(engine);
    for (const change of [{ password: 'quatro-aeradores-novos' }, { email: 'another@farm.test' }]) {
      const person = await app.signUp();
      const code = await codeFor(person.user.email);
      const changed = await app.call('PUT', '/users/me', {
        token: person.token,
        body: { ...change, current_password: 'camarao-123' },
      });
      expect(changed.status).toBe(200);
      expect((await reset(app, code)).status).toBe(404);
    }
    await close();
  });

  test('an administrator gets a new one the same way', async () => {
    const { app, codeFor, close } = await withMail(engine);
    const admin = await app.signUp({ role: 'ADMIN' });
    expect((await reset(app, await codeFor(admin.user.email))).status).toBe(200);
    expect(await logIn(app, admin, NEW)).toBe(200);
    await close();
  });

  test('who tried too often to log in is let in with the new one at once', async () => {
    const { app, codeFor, close } = await withMail(engine);
    const person = await app.signUp();
    for (let n = 0; n < 10; n += 1) await logIn(app, person, 'not-this-one');
    expect(await logIn(app, person, 'camarao-123')).toBe(429);
    expect((await reset(app, await codeFor(person.user.email))).status).toBe(200);
    expect(await logIn(app, person, NEW)).toBe(200);
    await close();
  });

  test('nobody’s mailbox is filled, and nobody guesses codes', async () => {
    const { app, close } = await withMail(engine);
    for (const email of ['nobody@farm.test', (await app.signUp()).user.email]) {
      for (let n = 0; n < 5; n += 1) expect((await ask(app, email)).status).toBe(202);
      expect(await ask(app, email)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } });
    }
    for (let n = 0; n < 10; n += 1) expect((await reset(app, resetCodes.make())).status).toBe(404);
    expect((await reset(app, resetCodes.make())).status).toBe(429);
    await close();
  });

  test('an instance without a mail server says so, to everybody alike', async () => {
    const app = await startApp(engine);
    const person = await app.signUp();
    const said = await Promise.all([person.user.email, 'nobody@farm.test'].map((email) => ask(app, email)));
    for (const reply of said)
      expect(reply).toMatchObject({
        status: 409,
        body: { code: 'NO_MAIL', detail: expect.stringContaining('reset-password') },
      });
    expect((await app.call('GET', '/auth/forgot-password')).body).toEqual({
      by_mail: false,
      hosted_url: null,
    });
    await app.close();
  });

  test('the letter has a link where people reach this instance, whatever host was asked', async () => {
    const { app, post, codeFor, close } = await withMail(engine, [
      '--public-url',
      'https://fazenda.example/',
    ]);
    const person = await app.signUp();
    const code = await codeFor(person.user.email);
    expect(post.mails[0]?.text).toContain(`https://fazenda.example/nova-senha#${code}\n`);
    await close();
  });

  test('a password that is guessed first is refused, and the code stays', async () => {
    const { app, codeFor, close } = await withMail(engine);
    const person = await app.signUp({ email: 'maria.souza.lima@farm.test' });
    await app.call('POST', '/farms/', { token: person.token, body: { name: 'Fazenda São José' } });
    const code = await codeFor(person.user.email);
    for (const [password, why] of [
      ['Senha123', 'PASSWORD_COMMON'],
      ['12121212', 'PASSWORD_COMMON'],
      ['fazenda sao jose', 'PASSWORD_NAMES_IT'],
      ['maria.souza.lima@farm.test', 'PASSWORD_NAMES_IT'],
      ['MariaSouzaLima', 'PASSWORD_NAMES_IT'],
      ['camarão camarão', 'PASSWORD_NAMES_IT'],
    ] as const) {
      expect(await reset(app, code, password)).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'password', code: why }] },
      });
    }
    expect((await reset(app, code)).status).toBe(200);
    await close();
  });

  test('at a gateway somebody of the cloud is sent there, and somebody of the farm gets a code', async () => {
    const post = await smtpReceiver();
    const apps = await syncedApps(engine, ['--smtp-url', post.url]);
    const { hosted, gateway } = apps;
    const owner = await hosted.signUp();
    const worker = await gateway.signUp();
    await gateway.call('POST', '/farms/', { token: worker.token, body: { name: 'Fazenda Norte' } });
    await apps.pairWith(owner);
    await apps.logInOnFarm(owner.user.email);
    expect((await gateway.call('GET', '/auth/forgot-password')).body).toEqual({
      by_mail: true,
      hosted_url: hosted.base,
    });
    for (const { user } of [owner, worker]) expect((await ask(gateway, user.email)).status).toBe(202);
    await vi.waitFor(async () => {
      await gateway.people.sendLetters();
      expect(post.mails).toHaveLength(2);
    }, SOON);
    const textTo = (who: SignedUp) => post.mails.find(({ to }) => to === who.user.email)?.text ?? '';
    expect(textTo(owner)).toContain(`em ${hosted.base}`);
    expect(codeIn(textTo(owner))).toBe('');
    expect((await reset(gateway, codeIn(textTo(worker)))).status).toBe(200);
    expect(await logIn(gateway, worker, NEW)).toBe(200);
    await gateway.delivery.stop(Promise.resolve());
    await apps.close();
    await post.close();
  });

  test('neither code nor proof of an address ever leaves for the other instance', () => {
    for (const table of [passwordReset, addressProof, outgoingLetter]) expect(table.sync).toBe('local');
  });
});
