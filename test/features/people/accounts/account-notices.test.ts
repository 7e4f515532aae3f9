import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runAdmin } from '#cli/admin/admin.ts';
import { type App, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { freshDatabase } from '#test/postgres.ts';
import { smtpReceiver } from '#test/receivers.ts';

const SOON = { timeout: 60_000 };
const DAY = 24 * 3_600_000;

type Told = { title: string; message: string };
async function toldTo(app: App, token: string): Promise<Told[]> {
  const { body } = await app.call('GET', '/notifications/', { token });
  return (body as { notifications: Told[] }).notifications.map(({ title, message }) => ({ title, message }));
}

async function logIn(app: App, email: string, password: string): Promise<string> {
  const { body } = await app.call('POST', '/auth/login', { body: { email, password } });
  return (body as { access_token: string }).access_token;
}

const change = (app: App, { token }: Pick<SignedUp, 'token'>, body: Record<string, unknown>) =>
  app.call('PUT', '/users/me', { token, body });

onBothEngines('what a person is told of changes to the own account', (_open, engine) => {
  let app: App;
  let where: string[];
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const data = mkdtempSync(join(tmpdir(), 'notices-'));
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

  test('a new password is told, with what to do, in the language of the person, and never said', async () => {
    const ana = await app.signUp();
    await change(app, ana, { language: 'en' });
    await change(app, ana, { password: 'tilapia-456' });
    const told = await toldTo(app, await logIn(app, ana.user.email, 'tilapia-456'));
    expect(told).toContainEqual({
      title: 'Password changed',
      message: expect.stringContaining('If it was not you'),
    });
    expect(JSON.stringify(told)).not.toContain('tilapia-456');
  });

  test('another e-mail is told; the same one in other letters, a name or nothing new is not', async () => {
    const ana = await app.signUp();
    await change(app, ana, { email: ana.user.email.toUpperCase(), name: 'Ana', language: 'pt-BR' });
    expect((await toldTo(app, ana.token)).filter(({ title }) => title === 'E-mail trocado')).toEqual([]);
    const email = `nova-${ana.user.id}@farm.test`;
    await change(app, ana, { email });
    expect(await toldTo(app, ana.token)).toContainEqual({
      title: 'E-mail trocado',
      message: expect.stringContaining(email),
    });
    // nothing here sends mail: no letter waits for ever
    expect(await app.database.read.selectFrom('invitation_letters').selectAll().execute()).toEqual([]);
  });

  test('a change that is refused tells nothing', async () => {
    const ana = await app.signUp();
    const before = await toldTo(app, ana.token);
    app.clock.advance(11 * 60_000);
    expect((await change(app, ana, { password: 'tilapia-456' })).status).toBe(403);
    expect(await toldTo(app, ana.token)).toEqual(before);
  });

  test('a password given by an administrator leaves a notice', async () => {
    const ana = await app.signUp();
    const args = ['reset-password', '--email', ana.user.email, '--password', 'pirarucu-789', ...where];
    const code = await runAdmin(args, {}, () => undefined, { passwordCost: { memoryCost: 8, timeCost: 2 } });
    expect(code).toBe(0);
    app.clock.advance(5_000);
    const told = await toldTo(app, await logIn(app, ana.user.email, 'pirarucu-789'));
    expect(told).toContainEqual({
      title: 'Senha trocada',
      message: expect.stringContaining('administrador'),
    });
    expect(JSON.stringify(told)).not.toContain('pirarucu-789');
  });
});

describe('an instance with a mail server', () => {
  test('writes to the address that the account had, without the new one', async () => {
    const post = await smtpReceiver();
    const app = await startApp('sqlite', ['--smtp-url', post.url]);
    const ana = await app.signUp({ email: 'ana@farm.test' });
    await change(app, ana, { email: 'thief@elsewhere.test' });
    await vi.waitFor(() => expect(post.mails).toHaveLength(1), SOON);
    expect(post.mails[0]).toMatchObject({
      to: 'ana@farm.test',
      subject: 'O e-mail da sua conta foi trocado',
    });
    expect(post.mails[0]?.text).toContain('Se não foi você');
    expect(post.mails[0]?.text).not.toContain('thief');
    await vi.waitFor(
      async () =>
        expect(await app.database.read.selectFrom('invitation_letters').selectAll().execute()).toEqual([]),
      SOON,
    );
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await post.close();
  });

  test('a letter outlives a stop, and a mail server that is gone for a day ends it', async () => {
    const data = mkdtempSync(join(tmpdir(), 'letters-'));
    const before = await startApp('sqlite', ['--data', data, '--smtp-url', 'smtp://127.0.0.1:1']);
    const [ana, eva] = [
      await before.signUp({ email: 'ana@farm.test' }),
      await before.signUp({ email: 'eva@farm.test' }),
    ];
    const kept = (app: App) => app.database.read.selectFrom('invitation_letters').selectAll().execute();
    await change(before, ana, { email: 'ana-2@farm.test' });
    await vi.waitFor(async () => expect(await kept(before)).toMatchObject([{ attempts: 1 }]), SOON);
    before.clock.advance(DAY + 1);
    await before.people.sendLetters();
    expect(await kept(before)).toEqual([]);
    const eveToken = await logIn(before, eva.user.email, 'camarao-123');
    await change(before, { token: eveToken }, { email: 'eva-2@farm.test' });
    await vi.waitFor(async () => expect(await kept(before)).toMatchObject([{ attempts: 1 }]), SOON);
    await before.delivery.stop(Promise.resolve());
    await before.close();
    const post = await smtpReceiver();
    const after = await startApp('sqlite', ['--data', data, '--smtp-url', post.url]);
    after.clock.advance(DAY + 5 * 60_000);
    await after.people.sendLetters();
    expect(post.mails.map(({ to }) => to)).toEqual(['eva@farm.test']);
    await after.delivery.stop(Promise.resolve());
    await after.close();
    await post.close();
    rmSync(data, { recursive: true, force: true });
  });

  test('nobody’s account is a mail cannon', async () => {
    const post = await smtpReceiver();
    const app = await startApp('sqlite', ['--smtp-url', post.url]);
    const ana = await app.signUp();
    for (let n = 0; n < 12; n += 1)
      expect((await change(app, ana, { email: `a${n}@farm.test` })).status).toBe(200);
    await vi.waitFor(() => expect(post.mails).toHaveLength(10), SOON);
    await app.people.sendLetters();
    expect(post.mails).toHaveLength(10);
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await post.close();
  });
});
