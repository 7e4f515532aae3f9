import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole, violationsOn } from '#test/console.ts';

describe('a form that lacks something', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  it('says what, by hand and by key, and goes there', async () => {
    const page = await farm.open('/lotes/novo?pond=V-03');
    const check = page.getByRole('button', { name: 'Conferir' });
    await check.waitFor();
    await page.getByLabel('Linhagem').fill('');
    await page.getByLabel('Laboratório').fill('');
    expect(await page.getByLabel('Linhagem').getAttribute('aria-required')).toBe('true');
    await check.focus();
    await page.keyboard.press('Enter');
    const told = page.locator('.button + .fault');
    await expect.poll(() => told.innerText()).toMatch(/^Falta, ou confira: .*Linhagem · Laboratório/);
    // nothing left, and nobody has to look for the field
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    expect(await violationsOn(page)).toEqual([]);
  });

  it('of an entry is named too, in the other language', async () => {
    const page = await farm.open('/lancar/biometria', { language: 'en' });
    const save = page.getByRole('button', { name: 'Save' });
    await save.waitFor();
    await save.focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('.button + .fault').innerText())
      .toMatch(/^Missing, or to check: Shrimp in the sample · /);
    await page.getByLabel('Shrimp in the sample').fill('30');
    await page.getByLabel(/^Weight of the sample/).fill('300');
    await expect.poll(() => page.locator('.button + .fault').count()).toBe(0);
  });

  it.each([
    ['/sistema/preferencias', 'Cambiar la contraseña', /Contraseña actual/],
    ['/lancar/agua', 'Guardar ronda', /falta algo/],
    ['/relatorios/rastreio', 'Buscar', /falta algo/],
  ])('of %s can be reached by key and says it in Spanish', async (path, name, lacks) => {
    const page = await farm.open(path, { language: 'es' });
    const button = page.getByRole('button', { name, exact: true });
    await button.waitFor();
    await button.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.button + .fault').innerText()).toMatch(lacks);
  });

  it('that would stop a motor says what must be typed, and stops none before', async () => {
    const { app, owner } = farm;
    const stops: string[] = [];
    // too little oxygen to stop anything by one press
    const low = { pond_id: farm.farm.pondIds[0], dissolved_oxygen: 2.4 };
    await app.call('POST', '/water-quality/', { token: owner.token, body: low });
    await app.call('POST', `/control-points/${farm.farm.pointId}/turn-on`, { token: owner.token });
    await controllerReports(app, owner, 'CP-01', 'ON');
    const page = await farm.open('/aeracao', { language: 'en', width: 360, height: 640 });
    page.on('request', (request) => {
      if (request.url().includes('/turn-off')) stops.push(request.url());
    });
    await page.locator('[data-point="CP-01"]').getByRole('button', { name: 'Turn off' }).click();
    const confirm = page.locator('[data-confirm-off]');
    await confirm.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('dialog .fault').innerText()).toMatch(/CP-01/);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    expect(stops).toEqual([]);
    expect(await violationsOn(page)).toEqual([]);
  });

  it('and is refused tells it in front of the question, where a thumb and a voice find it', async () => {
    const page = await farm.open('/lotes/L-01/despesca', { language: 'es', width: 360, height: 640 });
    await page.getByRole('button', { name: 'Cerrar por pérdida' }).click();
    await page.route('**/abort', (route) => route.abort());
    await page.getByLabel('Qué pasó').fill('mancha blanca');
    await page.getByRole('textbox', { name: /L-01/ }).fill('L-01');
    await page.locator('dialog .danger').click();
    const told = page.locator('.toast');
    await told.waitFor();
    expect(await told.innerText()).toMatch(/no respondió/);
    // what is in front of it can be pressed in its stead
    const isInFront = () =>
      page.evaluate<boolean>(`(() => {
        const told = document.querySelector('.toast');
        const { x, y, width, height } = told.getBoundingClientRect();
        return told.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      })()`);
    expect(await isInFront()).toBe(true);
    // and what was typed is still there
    expect(await page.getByLabel('Qué pasó').inputValue()).toBe('mancha blanca');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Salir sin guardar' }).click();
    await page.locator('dialog').first().waitFor({ state: 'detached' });
    // it is said on the page then, until its time is over
    expect(await isInFront()).toBe(true);
  });
});
