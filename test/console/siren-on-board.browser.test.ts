import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { body } from '#test/app.ts';
import { type Console, controllerReports, startConsole, violationsOn } from '#test/console.ts';

describe('a siren beside the aerators', () => {
  let console_: Console;
  let sirenId: string;

  beforeAll(async () => {
    console_ = await startConsole();
    const { app, owner, farm } = console_;
    const points = await app.call('GET', `/control-points/?farm_id=${farm.id}`, { token: owner.token });
    // the small farm's third control point airs no pond
    sirenId = (points.body as { id: string; cod: string }[]).find(({ cod }) => cod === 'CP-03')?.id ?? '';
    await app.call('PUT', `/control-points/${sirenId}/settings`, {
      token: owner.token,
      body: { is_siren: true },
    });
    // each draws 3.2 kW when it is on, as the support has it
    for (const cod of ['CP-01', 'CP-03']) await controllerReports(app, owner, cod, 'ON');
  });
  afterEach(() => console_.closePages());
  afterAll(() => console_.close());

  const targetOf = async (id: string) =>
    body(await console_.app.call('GET', `/control-points/${id}`, { token: console_.owner.token }))[
      'target_status'
    ];

  it('stands apart on the board, with its test and without a switch', async () => {
    const page = await console_.open('/aeracao');
    await page.waitForSelector('[data-siren-point="CP-03"]');
    const aerators = page.locator('[data-point]');
    expect(await aerators.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-point')))).toEqual([
      'CP-01',
      'CP-02',
    ]);
    expect(await page.locator('[data-siren-point] button').count()).toBe(0);
    await page.getByRole('button', { name: 'Testar por 5 segundos' }).click();
    await page.getByText('A sirene toca por 5 segundos.').waitFor();
    await console_.app.control.executor.tick();
    expect(await targetOf(sirenId)).toBe('ON');
    console_.app.clock.advance(6_000);
    await console_.app.control.executor.tick();
    expect(await targetOf(sirenId)).toBe('OFF');
    expect(await violationsOn(page)).toEqual([]);
  });

  it('is left alone when everything is switched on', async () => {
    const page = await console_.open('/aeracao');
    await page.waitForSelector('[data-siren-point="CP-03"]');
    await page.getByRole('button', { name: 'Ligar todos', exact: true }).click();
    // two aerators are off: a third motor would be the siren
    expect(await page.getByRole('dialog').innerText()).toContain('2 motores partem');
  });

  it('is offered for no schedule, no pond and no order', async () => {
    const { farm } = console_;
    const calendar = await console_.open('/aeracao/agenda');
    await calendar.getByRole('button', { name: 'Novo horário' }).click();
    const choices = calendar.getByRole('dialog').getByLabel('Ponto');
    expect(await choices.locator('option').allInnerTexts()).toEqual(['CP-01', 'CP-02']);
    const page = await console_.open(`/aeracao/${sirenId}`);
    await page.getByText('Este ponto é uma sirene').waitFor();
    expect(await page.locator('.control-button').count()).toBe(0);
    await page.getByRole('button', { name: 'Testar por 5 segundos' }).waitFor();
    const aerator = await console_.open(`/aeracao/${farm.pointId}`);
    await aerator.waitForSelector('.control-button');
  });

  it('adds nothing to the aeration running on the wall', async () => {
    const page = await console_.open('/');
    await page.waitForSelector('.wall-foot');
    await page.locator('.wall-foot', { hasText: /3,2\skW/ }).waitFor();
  });
});
