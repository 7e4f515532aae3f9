import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SignedUp } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';
import { bindFarm } from '../features/control/commands/a-bound-farm.ts';

const PHONE = { width: 360, height: 740, language: 'pt-BR' } as const;
const PAGE = '/sistema/usuarios';

describe('people that a restore lost, for the administrator of a hosted instance on a phone', () => {
  let console_: Console;
  let admin: SignedUp;
  let rita: SignedUp;
  beforeAll(async () => {
    console_ = await startConsole({ args: ['--role', 'hosted'] });
    const { app, owner, farm } = console_;
    admin = await app.signUp({ email: 'chefe@casa.test', role: 'ADMIN' });
    rita = await app.signUp({ email: 'rita@casa.test' });
    const { streamId } = await bindFarm(app, farm.id, owner.user.id);
    const told = {
      stream_id: streamId,
      farm_id: null,
      password_version: 1,
      told_before: 0,
      left_told: 0,
      state: 'open' as const,
    };
    const at = { seen_at: new Date(app.clock.now()).toISOString(), settled_at: null, settled_by: null };
    const ofRita = { user_id: rita.user.id, name: 'Rita', email: 'rita@casa.test', role: null };
    await app.database.read
      .insertInto('lost_people')
      .values([
        { id: randomUUID(), kind: 'email', ...ofRita, email: 'rita.nova@casa.test', ...told, ...at },
        { id: randomUUID(), kind: 'role', ...ofRita, role: 'VIEWER', ...told, ...at },
        { id: randomUUID(), kind: 'password', ...ofRita, ...told, ...at },
      ])
      .execute();
  });
  afterEach(() => console_.closePages());
  afterAll(() => console_.close());

  const opened = async (as: SignedUp) => {
    const page = await console_.open(PAGE, { ...PHONE, as });
    return { page, card: page.locator('[data-lost-people]') };
  };

  test('each says what stands here beside what the gateway knows; none takes effect before it was confirmed', async () => {
    const { page, card } = await opened(admin);
    const address = card.locator('li', {
      hasText: 'o gateway conhece este endereço; aqui está rita@casa.test',
    });
    await address.waitFor();
    await card.getByText('Rita: o gateway conhece o papel Só leitura; aqui está Dono').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth + 1')).toBe(true);
    await address.getByRole('button', { name: /Trazer o endereço/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/quem lê as mensagens dele pode escolher uma senha nova/).waitFor();
    const emailOf = async () =>
      (await console_.app.call('GET', '/users/me', { token: rita.token })).body as { email: string };
    expect((await emailOf()).email).toBe('rita@casa.test');
    await dialog.getByRole('button', { name: 'Trazer o endereço' }).click();
    await address.waitFor({ state: 'detached' });
    expect((await emailOf()).email).toBe('rita.nova@casa.test');
  });

  test('what is left lost is asked no more; the code of an ended password is shown once', async () => {
    const { page, card } = await opened(admin);
    const role = card.locator('li', { hasText: 'o gateway conhece o papel' });
    await role.getByRole('button', { name: /Deixar perdido/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deixar perdido' }).click();
    await role.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: /Encerrar a senha/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Encerrar a senha' }).click();
    await page
      .getByRole('dialog')
      .getByText(/[A-Z0-9]{4}-[A-Z0-9]{4}/)
      .waitFor();
    await card.getByText('Nenhum gateway sabe de alguém que se perdeu aqui.').waitFor();
  });

  test('what is not known is not shown as nobody, and who is no administrator is not shown it', async () => {
    const { page, card } = await opened(admin);
    await card.waitFor();
    await page.route('**/api/v1/sync/lost-people', (route) => route.fulfill({ status: 400, body: '{}' }));
    await page.reload();
    await card.getByRole('alert').waitFor();
    expect(await card.getByText('Nenhum gateway sabe').count()).toBe(0);
    const owners = await opened(console_.owner);
    await owners.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await owners.card.count()).toBe(0);
  });
});
