import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

// Whoever types a code wrongly hears what is wrong with it, and a button that does nothing now says why when it is pressed.

const PASSWORD = 'camarao-123';
let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterEach(() => farm.closePages());
/** They can be reached, and wait: a browser that is driven would wait with them. */
const PRESS = { force: true } as const;
afterAll(() => farm.close());

const made = async (path: string, body: object) => {
  const reply = await farm.app.call('POST', path, { token: farm.owner.token, body });
  expect(reply.status).toBe(201);
  return reply.body as { id: string };
};

describe('a code that was typed wrongly', () => {
  it('of an invitation: no invitation has it', async () => {
    const page = await farm.open('/sistema/usuarios');
    await page.getByLabel('Código do convite').fill('ABCD-EFGH');
    await page.getByRole('button', { name: 'Aceitar' }).click();
    await page.getByText(/Nenhum convite tem este código/).waitFor();
  });

  it('of the app: it does not count now', async () => {
    const page = await farm.open('/sistema/preferencias');
    const card = page.locator('section', { has: page.getByRole('heading', { name: /Segundo fator/ }) });
    await card.getByLabel('Senha atual').fill(PASSWORD);
    await card.getByRole('button', { name: 'Ligar o segundo fator' }).click();
    await card.getByLabel(/Digite o código/).fill('abc');
    await card.getByRole('button', { name: 'Confirmar e ligar' }).click();
    await card.getByText(/Este código não vale agora/).waitFor();
  });

  it('of a first password: it is nobody’s; and a password that is short is named', async () => {
    const page = await farm.open('/primeira-senha', { as: null });
    await page.getByLabel('Código que você recebeu').fill('x7');
    await page.getByLabel('Nova senha').fill('curta');
    await page.getByRole('button', { name: 'Guardar senha' }).click(PRESS);
    expect(await page.getByRole('alert').innerText()).toContain('Nova senha');
    await page.getByLabel('Nova senha').fill('um camarão por metro');
    await page.getByRole('button', { name: 'Guardar senha' }).click();
    await page.getByText(/Este código não é de ninguém, ou já foi usado/).waitFor();
  });

  it('that a deletion asks for: it is not that name yet', async () => {
    const page = await farm.open('/sistema/fazenda');
    await page.getByRole('button', { name: /V-03/ }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Apagar viveiro' }).click();
    await dialog.getByRole('textbox').fill('V-3');
    await dialog.getByRole('button', { name: 'Apagar viveiro' }).click(PRESS);
    await dialog.getByText('Ainda não é “V-03”.').waitFor();
  });
});

it('who signs in without a word is told what is missing in the language of the console, not of the browser', async () => {
  const page = await farm.open('/', {
    as: null,
    language: 'de-DE' as 'en',
    script: "localStorage.setItem('language', 'es')",
  });
  await page.locator('input[name=email]').waitFor();
  expect(await page.locator('form').getAttribute('novalidate')).not.toBeNull();
  await page.locator('input[name=email]').fill('ana@farm.example');
  await page.locator('button[type=submit]').click();
  expect(await page.getByRole('alert').innerText()).toMatch(/Contraseña|Senha|Password/);
});

describe('a button that does nothing now', () => {
  it('says that a bus still has probes', async () => {
    const bus = await made('/probe-buses/', {
      farm_id: farm.farm.id,
      name: 'Norte',
      kind: 'tcp',
      host: '127.0.0.1',
      port: 5_020,
    });
    const profiles = (
      await farm.app.call('GET', `/probe-profiles/?farm_id=${farm.farm.id}`, { token: farm.owner.token })
    ).body as { id: string }[];
    await made('/probes/', {
      pond_id: farm.farm.pondIds[0],
      probe_bus_id: bus.id,
      unit_id: 3,
      probe_profile_id: profiles[0]?.id,
      name: 'OD',
    });
    const page = await farm.open('/sistema/sondas');
    await page.locator('[data-bus=Norte]').getByRole('button', { name: 'Remover' }).click(PRESS);
    await page.getByText('Há 1 sonda neste barramento').waitFor();
  });

  it('says that the port is to be chosen first', async () => {
    const page = await farm.open('/sistema/bancada');
    for (const name of ['Procurar redes', 'Só testar o relé', 'Ouvir a placa', 'Apagar a placa']) {
      const button = page.getByRole('button', { name });
      // as who has no mouse
      await button.press('Enter');
      expect(await button.locator('xpath=following-sibling::span[1]').innerText(), name).toMatch(
        /Escolha antes a porta/,
      );
    }
  });
});
