import { expect, test, vi } from 'vitest';
import { type App, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { smtpReceiver } from '#test/receivers.ts';

const SOON = { timeout: 60_000 };
const DAY_MS = 24 * 3_600_000;

/** Somebody who registered, as anybody may, an address that may be another's. */
async function registered(app: App, email: string): Promise<{ token: string; id: string; email: string }> {
  const said = { email, password: 'quatro-tanques' };
  const made = await app.call('POST', '/auth/register', { body: { ...said, name: 'Rita' } });
  const login = await app.call('POST', '/auth/login', { body: said });
  return { token: String(body(login)['access_token']), id: String(body(made)['id']), email };
}

const invite = async (app: App, { token, farmId }: { token: string; farmId: string }, email: string) =>
  String(
    body(await app.call('POST', `/farms/${farmId}/members`, { token, body: { email, role: 'TECHNICIAN' } }))[
      'id'
    ],
  );
const accept = (app: App, { token }: { token: string }, id: string) =>
  app.call('POST', '/invitations/accept', { token, body: { invitation_id: id } });
const codeIn = (text: string) => /(?:\w{4}-){7}\w{4}/.exec(text)?.[0] ?? '';

onBothEngines('the address of an account on a hosted instance', (_open, engine) => {
  test('is nobody’s until an administrator confirms it, where no mail is sent', async () => {
    const app = await startApp(engine, ['--role', 'hosted']);
    const farm = await aFarmWith(app);
    const rita = await registered(app, 'rita@farm.test');
    const id = await invite(app, farm, rita.email);
    const mine = async () => (await app.call('GET', '/invitations', { token: rita.token })).body;

    // neither the name of the farm nor a place on it goes to who only typed the address
    expect(await mine()).toEqual([]);
    const told = await app.call('GET', '/notifications/', { token: rita.token });
    expect(JSON.stringify(told.body)).not.toContain('Fazenda Norte');
    expect(await accept(app, rita, id)).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_CONFIRMED' } });
    expect((await app.call('GET', '/users/me/email', { token: rita.token })).body).toEqual({
      email: rita.email,
      is_verified: false,
      by_mail: false,
    });
    expect(await app.call('POST', '/users/me/email/code', { token: rita.token })).toMatchObject({
      status: 409,
      body: { code: 'NO_MAIL' },
    });

    const admin = await app.signUp({ role: 'ADMIN' });
    const waiting = await app.call('GET', '/users/unverified', { token: admin.token });
    expect(waiting.body).toEqual([
      { id: rita.id, name: 'Rita', email: rita.email, role: 'OWNER', created_at: expect.any(String) },
    ]);
    for (const token of [rita.token, farm.token]) {
      const tried = await app.call('POST', `/users/${rita.id}/confirm-email`, { token });
      expect(tried.status).toBe(403);
    }
    const confirm = () => app.call('POST', `/users/${rita.id}/confirm-email`, { token: admin.token });
    expect((await confirm()).status).toBe(200);
    expect((await confirm()).status).toBe(200);
    expect((await app.call('GET', '/users/unverified', { token: admin.token })).body).toEqual([]);
    const entries = await app.database.read
      .selectFrom('logs')
      .select(['entity_id', 'user_id'])
      .where('action', '=', 'email_confirmed')
      .execute();
    expect(entries).toEqual([{ entity_id: rita.id, user_id: admin.user.id }]);

    expect(await mine()).toMatchObject([{ id, farm_name: 'Fazenda Norte' }]);
    expect((await accept(app, rita, id)).status).toBe(200);
    await app.close();
  });

  test('is proved with the code of a letter, and another address anew', async () => {
    const post = await smtpReceiver();
    const app = await startApp(engine, ['--role', 'hosted', '--smtp-url', post.url]);
    const rita = await registered(app, 'rita@farm.test');
    const send = () => app.call('POST', '/users/me/email/code', { token: rita.token });
    const confirm = (code: string) =>
      app.call('POST', '/users/me/email/confirm', { token: rita.token, body: { code } });
    const isVerified = async () =>
      body(await app.call('GET', '/users/me/email', { token: rita.token }))['is_verified'];
    const codeOf = async (n: number) => {
      expect((await send()).status).toBe(202);
      await vi.waitFor(() => expect(post.mails).toHaveLength(n), SOON);
      return codeIn(post.mails[n - 1]?.text ?? '');
    };
    const [older, newer] = [await codeOf(1), await codeOf(2)];
    expect(post.mails[1]).toMatchObject({ to: rita.email, subject: 'Confirme seu endereço de e-mail' });
    expect(await confirm(older)).toMatchObject({ status: 404, body: { code: 'EMAIL_CODE_INVALID' } });
    expect(await isVerified()).toBe(false);
    expect((await confirm(newer)).status).toBe(200);
    expect(await isVerified()).toBe(true);
    expect(await send()).toMatchObject({ status: 409, body: { code: 'EMAIL_CONFIRMED' } });

    await app.call('PUT', '/users/me', { token: rita.token, body: { email: 'another@farm.test' } });
    expect(await isVerified()).toBe(false);
    expect((await confirm(newer)).status).toBe(404);
    const late = await codeOf(3);
    app.clock.advance(DAY_MS);
    const login = { email: 'another@farm.test', password: 'quatro-tanques' };
    rita.token = String(body(await app.call('POST', '/auth/login', { body: login }))['access_token']);
    expect((await confirm(late)).status).toBe(404);
    // nobody's mailbox is filled: five an hour
    for (let n = 3; n < 5; n += 1) expect((await send()).status).toBe(202);
    expect((await send()).status).toBe(429);
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await post.close();
  });

  test('is proved by a new password from a letter, too', async () => {
    const post = await smtpReceiver();
    const app = await startApp(engine, ['--role', 'hosted', '--smtp-url', post.url]);
    const rita = await registered(app, 'rita@farm.test');
    await app.call('POST', '/auth/forgot-password', { body: { email: rita.email } });
    await vi.waitFor(() => expect(post.mails).toHaveLength(1), SOON);
    const token = codeIn(post.mails[0]?.text ?? '');
    const password = 'sete-tanques-no-mangue';
    expect((await app.call('POST', '/auth/reset-password', { body: { token, password } })).status).toBe(200);
    const login = await app.call('POST', '/auth/login', { body: { email: rita.email, password } });
    const state = await app.call('GET', '/users/me/email', { token: String(body(login)['access_token']) });
    expect(body(state)['is_verified']).toBe(true);
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await post.close();
  });
});
