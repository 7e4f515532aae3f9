import { afterAll, beforeAll, expect, it } from 'vitest';
import { farmMember } from '#contract/resources/farms.ts';
import { insert } from '#core/changes.ts';
import type { SignedUp } from '#test/app.ts';
import { joinFarm } from '#test/app.ts';
import { type Console, controllerReports, startConsole } from '#test/console.ts';

const PHONE = { width: 360, height: 740 };
/** 6 h in Fortaleza. */
const DAWN = Date.UTC(2026, 2, 3, 9);

let farm: Console;
let keeper: SignedUp;
beforeAll(async () => {
  farm = await startConsole();
  const { app, owner } = farm;
  keeper = await app.signUp();
  await app.kernel.commit({
    actor: null,
    changes: [
      insert(farmMember, {
        id: app.kernel.newId(),
        farm_id: farm.farm.id,
        user_id: keeper.user.id,
        role: 'MANAGER',
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: null,
      }),
    ],
  });
  app.clock.set(DAWN);
  const made = [
    ['/aerators/', { pond_id: farm.farm.pondIds[0], name: 'Pás 1', device_id: 'SN-1', power_kw: 1.5 }],
    [
      `/control-points/${farm.farm.pointId}/schedules`,
      // 18 h to 6 h of every day
      {
        action: 'ON',
        start_time: '2026-03-01T21:00:00.000Z',
        end_time: '2026-03-02T09:00:00.000Z',
        repeat_pattern: 'DAILY',
      },
    ],
  ] as const;
  for (const [path, body] of made) {
    const { status } = await app.call('POST', path, { token: owner.token, body });
    if (status !== 201) throw new Error(`${path} was answered ${status}`);
  }
  await controllerReports(app, owner, 'CP-01', 'OFF');
});
afterAll(() => farm.close());

const asked = async <Body>(path: string): Promise<Body> => {
  const { body } = await farm.app.call('GET', path, { token: farm.owner.token });
  return body as Body;
};
type Measured = { measurements: { dissolved_oxygen: number; measurement_date: string }[] };
const oxygenOf = async (pond: number) =>
  (await asked<Measured>(`/water-quality/pond/${farm.farm.pondIds[pond]}`)).measurements;
const valuesOf = async (pond: number) =>
  (await oxygenOf(pond)).map(({ dissolved_oxygen }) => dissolved_oxygen);

it('a morning round with a phone goes on when the Wi-Fi is lost between two ponds, and nothing of it is lost or told twice', async () => {
  const { app } = farm;
  const page = await farm.open('/tarefas', { ...PHONE, as: keeper, isTimed: true });

  const fetched: string[] = [];
  page.on('requestfinished', (request) => fetched.push(request.url()));

  // what there is to do, and how the first pond stands
  await page.locator('.task', { hasText: 'V-01' }).first().waitFor();
  await page.locator('.navigation a[href="/"]').click();
  await page.locator('[data-pond="V-01"] a, a[data-pond="V-01"]').first().click();
  await page.waitForSelector('[data-feed="known"]');
  // meanwhile the phone fetches what it will need where there is no line
  await page.clock.fastForward(4_500);
  expect(await page.innerText('[data-feed]')).toMatch(/^0,0.kg de \d+,\d.kg planejados$/);
  // at 6 h the night's rule has just ended
  await expect.poll(() => page.innerText('[data-next-run]')).toContain('Pela agenda: ligar às 18:00');
  await page.locator('.tabs a[href$="/aeracao"]').click();
  await page.waitForSelector('[data-point="CP-01"][data-state="off"]');
  // an aerator says nothing by itself: never as if it had
  await expect.poll(() => page.innerText('[data-aerator="Pás 1"]')).toContain('ainda sem ordem');

  // the first pond is written down while there is a line
  await page.locator('.navigation a[href="/lancar"]').click();
  await page.locator('main a[href="/lancar/agua"]').click();
  await page.waitForSelector('.step-pond:has-text("V-01")');
  await page.getByLabel(/Oxigênio/).fill('4,6');
  await page.getByRole('button', { name: 'Próximo' }).click();
  await page.waitForSelector('.step-pond:has-text("V-02")');
  await page.clock.fastForward(10_500);
  await expect.poll(() => valuesOf(0)).toEqual([4.6, 6.2]);

  // between two ponds the Wi-Fi is gone
  // one after the other: the form for feed is there with all it needs when the next comes
  await expect.poll(() => fetched.some((url) => url.includes('biometry-entry'))).toBe(true);
  const back = app.goAway();
  await page.clock.fastForward(14_000);
  await page.waitForSelector('.blind-banner');
  await page.getByLabel(/Oxigênio/).fill('3,4');
  await page.waitForSelector('.cell-note:has-text("gera alarme")');
  await page.getByRole('button', { name: 'Próximo' }).click();
  await page.waitForSelector('.step-pond:has-text("V-03")');
  await page.getByLabel(/Oxigênio/).fill('42');
  await page.waitForSelector('.cell-note:has-text("muito fora do comum")');
  expect(await page.getByRole('button', { name: 'Próximo' }).isDisabled()).toBe(true);
  await page.getByLabel(/Oxigênio/).fill('4,2');
  await page.getByRole('button', { name: 'Próximo' }).click();
  await page.getByText('Ronda completa').waitFor();

  // and feed is given, on a form that was not opened while there was a line
  await page.clock.fastForward(10_500);
  await page.locator('.navigation a[href="/lancar"]').click();
  await page.locator('main a[href="/lancar/racao"]').click();
  await page.getByLabel(/Quantidade/).fill('2,5');
  await page.getByLabel('Ração', { exact: true }).fill('35 %');
  await page.getByLabel(/Custo/).fill('6,20');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.locator('.toast', { hasText: '2,50' }).waitFor();
  // nobody may switch what he does not see
  await page.locator('.navigation a[href="/aeracao"]').click();
  await page.waitForSelector('[data-point="CP-01"]');
  expect(await page.locator('[data-control] button:enabled').count()).toBe(0);
  await page.locator('.navigation a[href="/lancar"]').click();
  await page.locator('main a[href="/lancar/fila"]').click();
  await page.clock.fastForward(11_000);
  await expect.poll(() => page.locator(`[data-entry]:not([data-entry="saved"])`).count()).toBe(3);

  // the battery is empty; two hours later the phone is charged and there is a line again
  const context = page.context();
  await page.close();
  app.clock.advance(2 * 3_600_000);
  back();
  expect([await valuesOf(1), await valuesOf(2)]).toEqual([[], []]);
  const again = await context.newPage();
  await again.clock.install();
  await again.goto(`${app.base}/lancar/fila`);
  await expect.poll(() => again.locator('[data-entry]').count()).toBe(3);
  await again.clock.fastForward(11_000);
  await expect.poll(() => again.locator('[data-entry="saved"]').count()).toBe(3);
  expect([await valuesOf(0), await valuesOf(1), await valuesOf(2)]).toEqual([[4.6, 6.2], [3.4], [4.2]]);
  const [late] = await oxygenOf(1);
  // measured when it was typed, not when the line came back
  expect(Date.parse(late?.measurement_date ?? '')).toBeLessThan(DAWN + 600_000);
  const [batch] = await asked<{ id: string }[]>(`/batches/?farm_id=${farm.farm.id}`);
  const { feeding_records } = await asked<{ feeding_records: { quantity_kg: number }[] }>(
    `/feeding/batch/${batch?.id}`,
  );
  expect(feeding_records.map(({ quantity_kg }) => quantity_kg)).toEqual([2.5]);

  // what the water of the second pond calls for is seen and done
  await again.waitForSelector('.alarm-strip:has-text("V-02")');
  await controllerReports(app, farm.owner, 'CP-01', 'OFF');
  await again.locator('.navigation a[href="/aeracao"]').click();
  await again.getByRole('button', { name: 'Ligar CP-01' }).click();
  await again.waitForSelector('[data-point="CP-01"][data-state="turning-on"]');
  await controllerReports(app, farm.owner, 'CP-01', 'ON');
  await again.waitForSelector('[data-point="CP-01"][data-state="on"]');
  await again.goto(`${app.base}/viveiros/V-01`);
  await expect.poll(() => again.innerText('[data-feed]')).toContain('2,5');

  // and in the evening the owner reads what was done, and by whom
  await again.goto(`${app.base}/viveiros/V-02/historico`);
  const act = (action: string) => again.locator(`[data-act="${action}"]`).first();
  await expect.poll(() => act('turn_on').innerText()).toMatch(/CP-01 ordem de ligar/);
  await expect.poll(() => act('turn_on').innerText()).toContain(keeper.user.name);
  await expect
    .poll(() => act('alert_created').innerText())
    .toMatch(/V-02 alarme · OD baixo 3,4 \(limite 4,0\)/);
  // as ordered: nobody switched it on site
  await expect.poll(() => act('status_changed').innerText()).toMatch(/desligado → ligado o controlador$/);
  // what is set is told as its form names it, as it was and as it is
  const [rule] = await asked<{ id: string }[]>(`/control-points/${farm.farm.pointId}/schedules`);
  const settings = { do_on: 3.25, min_on_s: 600, fail_safe: 'ON' };
  for (const [method, path, body] of [
    ['PATCH', `/schedules/${rule?.id}`, { end_time: '2026-03-02T08:30:00.000Z' }],
    ['PUT', `/control-points/${farm.farm.pointId}/settings`, { do_on: 3 }],
    ['PUT', `/control-points/${farm.farm.pointId}/settings`, settings],
    ['PUT', `/farms/${farm.farm.id}`, { timezone: 'America/Recife', lat: '-4.5617' }],
  ] as const) {
    app.clock.advance(1_000);
    const { status } = await app.call(method, path, { token: farm.owner.token, body });
    expect(status, path).toBeLessThan(300);
  }
  app.clock.advance(1_000);
  await joinFarm(app, { token: farm.owner.token, farmId: farm.farm.id }, keeper, 'TECHNICIAN');
  await again.goto(`${app.base}/viveiros/V-02/historico`);
  const told = () => again.locator('[data-act="update"]').allInnerTexts();
  await expect
    .poll(told)
    .toEqual([
      expect.stringMatching(
        /CP-01 alterado · Sem gateway e sem agenda: fica como está → liga · Mínimo ligado: 60 → 600 s · Liga com OD até: 3 → 3,25 mg\/L/,
      ),
      expect.stringMatching(/CP-01 alterado · Liga com OD até: — → 3 mg\/L/),
      expect.stringMatching(
        /CP-01 alterado · horário: Ligar 18:00–06:00 · todo dia → Ligar 18:00–05:30 · todo dia/,
      ),
      expect.stringMatching(/CP-01 alterado · horário novo: Ligar 18:00–06:00 · todo dia/),
    ]);
  await again.goto(`${app.base}/sistema/fazenda`);
  await expect
    .poll(told)
    .toEqual([
      expect.stringContaining(`${keeper.user.name} alterado · Gerente → Técnico`),
      expect.stringContaining('Norte alterado · Fuso horário: Fortaleza → Recife · Latitude: — → -4,5617'),
    ]);
});
