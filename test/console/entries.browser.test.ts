import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, holdTime, startConsole, violationsOn } from '#test/console.ts';

const PHONE = { width: 360, height: 740 };
const ROUND = 12;

let farm: Console;
let ponds: { id: string; cod: string }[];
beforeAll(async () => {
  farm = await startConsole();
  ponds = [];
  for (let n = 1; n <= ROUND; n += 1) {
    const cod = `R-${String(n).padStart(2, '0')}`;
    const { body } = await farm.app.call('POST', '/ponds/', {
      token: farm.owner.token,
      body: { farm_id: farm.farm.id, cod, size_m2: 3_000, depth_m: 1.5, pond_type: 'FATTENING' },
    });
    ponds.push({ id: (body as { id: string }).id, cod });
  }
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const call = (method: string, path: string, body?: unknown) =>
  farm.app.call(method, path, { token: farm.owner.token, ...(body === undefined ? {} : { body }) });
const oxygenOf = async (pond: string) => {
  const { body } = await call('GET', `/water-quality/pond/${pond}?limit=50`);
  return (body as { measurements: { dissolved_oxygen: number }[] }).measurements.map(
    ({ dissolved_oxygen }) => dissolved_oxygen,
  );
};

const batchOf = async (code: string) => {
  const { body } = await call('GET', `/batches/?farm_id=${farm.farm.id}`);
  const listed = body as { id: string; batch_code: string; survival_rate: number }[];
  const found = listed.find(({ batch_code }) => batch_code === code);
  if (found === undefined) throw new Error(`no batch ${code}`);
  return found;
};

it('in English, a pond that is renamed keeps its area, and set points keep every decimal when another is changed', async () => {
  const { pointId } = farm.farm;
  await call('PUT', `/control-points/${pointId}/settings`, { do_on: 3.25, do_off: 4.75, min_on_s: 1_200 });
  const page = await farm.open('/sistema/fazenda', { language: 'en' });
  await page.getByRole('button', { name: 'Change R-01' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Area').inputValue()).toBe('3000');
  await dialog.getByLabel('Code').fill('R-001');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('tr:has-text("R-001")');
  expect((await call('GET', `/ponds/${ponds[0]?.id}`)).body).toMatchObject({ size_m2: 3_000, depth_m: 1.5 });
  await call('PUT', `/ponds/${ponds[0]?.id}`, { cod: 'R-01' });

  await page.goto(`${farm.app.base}/aeracao/${pointId}`);
  await page.getByRole('heading', { name: 'Settings' }).click();
  await expect.poll(() => page.getByLabel('Turns on with DO up to').inputValue()).toBe('3.25');
  await page.getByLabel('Least time off').fill('90');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.waitForSelector('.toast:has-text("Settings saved")');
  expect((await call('GET', `/control-points/${pointId}/settings`)).body).toMatchObject({
    do_on: 3.25,
    do_off: 4.75,
    min_on_s: 1_200,
    min_off_s: 90,
  });
});

/** Types the oxygen of a pond on a phone and goes on to the next. */
async function typeAt(page: Page, cod: string, oxygen: string): Promise<void> {
  await page.waitForSelector(`.step-pond:has-text("${cod}")`);
  await page.getByLabel(/Oxigênio/).fill(oxygen);
  // at once: what tells of the last pond does not lie over the button that leads to the next
  await page.getByRole('button', { name: 'Próximo' }).click({ timeout: 8_000 });
}
const total = async () =>
  (await Promise.all(ponds.map(({ id }) => oxygenOf(id)))).reduce((sum, { length }) => sum + length, 0);

it('a round of twelve ponds while the gateway is away outlives the page and is saved whole, each pond once', async () => {
  const page = await farm.open(`/lancar/agua?pond=${ponds[0]?.cod}`, PHONE);
  await page.waitForSelector('.step-pond');
  const back = farm.app.goAway();
  for (const [n, { cod }] of ponds.entries()) await typeAt(page, cod, `5,${n}`);
  // the last one is kept when the next pond stands there
  await page.waitForSelector('.step-pond:has-text("V-01")');
  // the phone goes out, and on again once the box is there
  const context = page.context();
  await page.close();
  back();
  expect(await total()).toBe(0);
  const again = await context.newPage();
  await again.clock.install();
  await again.goto(`${farm.app.base}/lancar/fila`);
  await expect.poll(() => again.locator('[data-entry]').count()).toBe(ROUND);
  await again.clock.fastForward(11_000);
  const typed = ponds.map((_, n) => [Number(`5.${n}`)]);
  await expect.poll(() => Promise.all(ponds.map(({ id }) => oxygenOf(id)))).toEqual(typed);
  await expect.poll(() => again.locator('[data-entry="saved"]').count()).toBe(ROUND);
  // nothing is left typed either
  await again.goto(`${farm.app.base}/lancar/agua`);
  await again.waitForSelector('.step-pond');
  await expect
    .poll(() => again.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('round '))`))
    .toEqual([]);
});

it('a sheet that is saved with a key held down is one round, and what is typed meanwhile stays', async () => {
  const before = await total();
  const page = await farm.open('/lancar/agua', { isTimed: true });
  await page.waitForSelector('[data-cell="2-0"]');
  await holdTime(page);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/water-quality/')) sent.push(request.url());
  });
  await page.locator('[data-cell="0-0"]').fill('5,5');
  await page.locator('[data-cell="1-0"]').fill('5,6');
  await page.evaluate(`{
    const cell = document.querySelector('[data-cell="1-0"]');
    const down = () => cell.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }),
    );
    down(); down(); down();
    const third = document.querySelector('[data-cell="2-0"]');
    third.value = '5,7';
    third.dispatchEvent(new InputEvent('input', { bubbles: true }));
    down();
  }`);
  await page.waitForSelector('.toast:has-text("2 medições")');
  expect(await page.locator('[data-cell="0-0"]').inputValue()).toBe('');
  expect(await page.locator('[data-cell="2-0"]').inputValue()).toBe('5,7');
  // undone, both stand there again, and what was typed since is not touched
  await page.locator('.toast button').first().click();
  await page.waitForSelector('.toast:has-text("nada foi enviado")');
  expect(await page.locator('[data-cell="1-0"]').inputValue()).toBe('5,6');
  await page.locator('[data-cell="2-0"]').fill('');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.toast:has-text("2 medições")');
  await page.clock.fastForward(9_000);
  expect(sent).toEqual([]);
  await page.clock.fastForward(2_000);
  await expect.poll(() => sent.length).toBe(2);
  await expect.poll(total).toBe(before + 2);
});

it('40,2 for 4,2 stays on the sheet until Enter says a second time that it is right, on the phone until it is tapped', async () => {
  const page = await farm.open('/lancar/agua', { isTimed: true });
  await page.locator('[data-cell="3-0"]').fill('42');
  await page.waitForSelector('.cell-note:has-text("42,0? muito fora do comum")');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.note:has-text("R-04 só sai depois")');
  expect(await violationsOn(page)).toEqual([]);
  expect(await page.locator('.toast').count()).toBe(0);
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.dataset.cell')).toBe('3-0');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.dataset.cell')).toBe('4-0');
  await page.waitForSelector('.note:has-text("R-04")', { state: 'detached' });
  expect(await page.getByRole('button', { name: 'Salvar ronda (1)' }).isEnabled()).toBe(true);

  await page.setViewportSize(PHONE);
  await page.goto(`${farm.app.base}/lancar/agua?pond=R-05`);
  await page.getByLabel(/Oxigênio/).fill('48');
  const next = page.getByRole('button', { name: 'Próximo' });
  expect(await next.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Está certo' }).click();
  await expect.poll(() => next.isEnabled()).toBe(true);
});

it('a phone that is turned, left and opened again still has what was typed for its pond', async () => {
  const page = await farm.open('/lancar/agua?pond=R-03', PHONE);
  await page.waitForSelector('.step-pond:has-text("R-03")');
  await page.getByRole('button', { name: 'Anterior' }).click();
  await page.waitForSelector('.step-pond:has-text("R-02")');
  await page.getByLabel(/Oxigênio/).fill('6,2');
  await page.setViewportSize({ width: 900, height: 400 });
  await expect.poll(() => page.locator('[data-cell="1-0"]').inputValue()).toBe('6,2');
  await page.setViewportSize(PHONE);
  await page.waitForSelector('.step-pond:has-text("R-02")');
  expect(await page.getByLabel(/Oxigênio/).inputValue()).toBe('6,2');
  await page.goto(`${farm.app.base}/`);
  await page.waitForSelector('[data-pond="V-01"]');
  await page.goto(`${farm.app.base}/lancar/agua`);
  await page.waitForSelector('.step-pond:has-text("R-02")');
  expect(await page.getByLabel(/Oxigênio/).inputValue()).toBe('6,2');
  expect(await oxygenOf(ponds[1]?.id ?? '')).not.toContain(6.2);
});

it('what one tab discards while another sends it in vain is gone from both, and is never sent again', async () => {
  const before = await total();
  const page = await farm.open(`/lancar/agua?pond=${ponds[0]?.cod}`, { ...PHONE, isTimed: true });
  await typeAt(page, 'R-01', '4,4');
  await page.waitForSelector('.toast');
  const sent: (() => void)[] = [];
  await page.route('**/water-quality/', async (route) => {
    await new Promise<void>((resolve) => sent.push(resolve));
    await route.abort();
  });
  const other = await page.context().newPage();
  await other.route('**/water-quality/', (route) => route.abort());
  await other.goto(`${farm.app.base}/lancar/fila`);
  await other.locator('[data-entry="waiting"]').waitFor();
  await page.clock.fastForward(11_000);
  await expect.poll(() => sent.length).toBe(1);
  await other.locator('[data-entry="queued"]').getByRole('button', { name: 'Descartar' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click();
  await other.locator('[data-entry]').waitFor({ state: 'detached' });
  for (const fail of sent) fail();
  await page.getByRole('link', { name: /Na fila/ }).waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.clock.fastForward(6_000);
  await other.reload();
  await other.waitForSelector('.empty');
  expect(await total()).toBe(before);
});

it('a browser that keeps nothing says so, and sends what was typed all the same', async () => {
  const page = await farm.open('/lancar/agua?pond=R-01', {
    ...PHONE,
    isTimed: true,
    script: "IDBFactory.prototype.open = () => { throw new DOMException('no', 'InvalidStateError'); }",
  });
  await typeAt(page, 'R-01', '4,8');
  await page.waitForSelector('.toast:has-text("Este navegador não guarda dados")');
  await page.clock.fastForward(11_000);
  await expect.poll(() => oxygenOf(ponds[0]?.id ?? '')).toContain(4.8);
});

it('feed that was asked for one pond is never written down for another, while nobody knows what swims there', async () => {
  const second = await call('POST', '/batches/', {
    pond_id: farm.farm.pondIds[1],
    batch_code: 'L-02',
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'Aracati',
    start_date: '2026-02-01',
    initial_count: 50_000,
    initial_avg_weight: 0.01,
    initial_density: 20,
  });
  expect(second.status).toBe(201);
  const page = await farm.open('/lancar/racao');
  const cards: (() => void)[] = [];
  await page.route('**/ponds/summary-cards*', async (route) => {
    await new Promise<void>((resolve) => cards.push(resolve));
    await route.continue();
  });
  await page.goto(`${farm.app.base}/lancar/racao?pond=V-02`);
  await expect.poll(() => cards.length).toBeGreaterThan(0);
  await page.waitForSelector('main .skeleton');
  expect(await page.getByLabel('Lote').count()).toBe(0);
  for (const go of cards) go();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await expect.poll(() => page.getByLabel('Lote').inputValue()).toBe((second.body as { id: string }).id);
  await page.getByLabel('Quantidade').fill('7,5');

  // V-03 holds nothing: nobody guesses
  await page.goto(`${farm.app.base}/lancar/racao?pond=V-03`);
  await page.waitForSelector('.note:has-text("Não achei um lote em cultivo em V-03")');
  expect(await page.getByLabel('Lote').inputValue()).toBe('');
  expect(await page.getByLabel('Quantidade').count()).toBe(0);
});

it('ponds whose answers got lost are there once when they are asked for again', async () => {
  const page = await farm.open('/sistema/fazenda');
  await page.getByRole('button', { name: 'Alterar R-01' }).waitFor();
  let lost = 0;
  await page.route('**/api/v1/ponds/**', async (route) => {
    if (route.request().method() === 'GET') return route.abort();
    if (lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Criar viveiros' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Do código').fill('X-01');
  await dialog.getByLabel('ao código').fill('X-02');
  await dialog.getByRole('button', { name: 'Criar viveiros' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('button', { name: 'Criar viveiros' }).click();
  await page.waitForSelector('.toast:has-text("2 viveiros criados")');
  const { body } = await call('GET', `/ponds/?farm_id=${farm.farm.id}`);
  const codes = (body as { cod: string }[]).map(({ cod }) => cod).filter((cod) => cod.startsWith('X-'));
  expect(codes.toSorted()).toEqual(['X-01', 'X-02']);
});

it('who is about to delete a farm reads how much of it is lost and that no backup is made, and says name and password', async () => {
  const page = await farm.open('/sistema/fazenda');
  const { body } = await call('GET', `/ponds/summary-cards?farm_id=${farm.farm.id}`);
  const { total_ponds, active_ponds } = (body as { summary: { total_ponds: number; active_ponds: number } })
    .summary;
  await page.getByRole('button', { name: 'Apagar fazenda' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .locator('[data-lost]', { hasText: `Viveiros: ${total_ponds}, em cultivo ${active_ponds}` })
    .waitFor();
  expect(await dialog.locator('[data-lost]').innerText()).toContain('Pontos de controle com suas agendas: 3');
  const remove = dialog.getByRole('button', { name: 'Apagar fazenda' });
  expect(await remove.isDisabled()).toBe(true);
  await dialog.getByLabel('Para confirmar, escreva Norte').fill('Norte');
  await dialog.getByLabel('Sua senha').fill('another-one');
  await dialog.locator('[data-safe=notSet]', { hasText: 'falta a pasta, o pen drive ou a chave' }).waitFor();
  expect(await remove.isDisabled()).toBe(true);
  await dialog.getByLabel('Apagar mesmo sem um backup novo').check();
  expect(await violationsOn(page)).toEqual([]);
  await remove.click();
  await dialog.getByText('A senha não confere.').waitFor();
  expect((await call('GET', `/farms/${farm.farm.id}`)).status).toBe(200);
  await dialog.getByRole('button', { name: 'Cancelar' }).click();
});

it('a meal that is pressed twice is one ration, marked late it counts at its own time, and its cost is the last one’s', async () => {
  const batch = await batchOf('L-01');
  const fed = async () => {
    const journal = await call('GET', `/feeding/batch/${batch.id}`);
    return (journal.body as { feeding_records: { feed_date: string; cost_per_kg: number }[] })
      .feeding_records;
  };
  const page = await farm.open('/lotes/L-01', { isTimed: true });
  // nobody has said yet what the feed costs: the form asks, a press would store zero
  await page.locator('li a[href="/lancar/racao?batch=L-01"]').first().waitFor();
  await call('POST', '/feeding/', {
    batch_id: batch.id,
    feed_type: '35 % PB',
    quantity_kg: 3,
    cost_per_kg: 6.25,
    feed_date: '2026-03-01T12:00:00Z',
  });
  await page.reload();
  const give = page.getByRole('button', { name: 'Dado', exact: true });
  await give.first().waitFor();
  const open = await give.count();
  const row = page.locator('li', { has: give.first() }).first();
  const time = await row.locator('strong').innerText();
  await give.first().evaluate((button: { click: () => void }) => {
    button.click();
    button.click();
  });
  await page.waitForSelector(`li:has-text("${time}"):has-text("10 s para desfazer")`);
  await expect.poll(() => give.count()).toBe(open - 1);
  await page.clock.fastForward(11_000);
  await expect.poll(async () => (await fed()).length).toBe(2);
  const [newest] = await fed();
  // three hours behind UTC
  const due = new Date(Date.parse(`2026-03-02T${time}:00Z`) + 3 * 3_600_000).toISOString();
  expect(newest).toMatchObject({ feed_date: due, cost_per_kg: 6.25 });
  await page.waitForSelector(`li:has-text("${time}"):has-text("Dado ${time}")`);
});

it('a meal that a PC and a phone both record is one ration, one recorded elsewhere is seen before a second is stored, and one deleted is given again', async () => {
  const batch = await batchOf('L-01');
  type Fed = { id: string; quantity_kg: number; feed_date: string };
  const fed = async () => {
    const { body } = await call('GET', `/feeding/batch/${batch.id}`);
    return (body as { feeding_records: Fed[] }).feeding_records;
  };
  // three in the afternoon, with more meals behind it
  farm.app.clock.advance(6 * 3_600_000);
  const before = await fed();
  const isBefore = ({ id }: Fed) => before.some((known) => known.id === id);
  const pc = await farm.open('/lotes/L-01', { isTimed: true });
  const phone = await farm.open('/lotes/L-01', { ...PHONE, isTimed: true });
  const give = (page: Page) => page.getByRole('button', { name: 'Dado', exact: true });
  const timeOf = (page: Page, nth: number) =>
    page
      .locator('li', { has: give(page) })
      .nth(nth)
      .locator('strong')
      .innerText();
  const at = (page: Page, time: string) =>
    page.locator('li', { has: page.locator('strong', { hasText: time }) });
  for (const page of [pc, phone]) await give(page).nth(1).waitFor();
  const [first, second] = [await timeOf(pc, 0), await timeOf(pc, 1)];

  // hours later the page of the PC is still the old one
  const feed_date = new Date(Date.parse(`2026-03-02T${second}:00Z`) + 3 * 3_600_000).toISOString();
  const other = { feed_type: '35 % PB', quantity_kg: 4.75, cost_per_kg: 6.25, feed_date };
  await call('POST', '/feeding/', { batch_id: batch.id, ...other });
  await at(pc, second).locator('button').click();
  await pc.waitForSelector('.toast:has-text("já está lançado")');
  await at(pc, second).filter({ hasText: '4,75' }).waitFor();
  expect(await pc.locator('li', { hasText: '10 s para desfazer' }).count()).toBe(0);
  // the other one learns of it when somebody comes back to it
  await phone.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await at(phone, second).filter({ hasText: '4,75' }).waitFor();

  // neither has reached the gateway when the other is pressed
  const answers: number[] = [];
  for (const page of [pc, phone]) {
    page.on('response', (reply) => {
      if (reply.request().method() === 'POST') answers.push(reply.status());
    });
    await at(page, first).locator('button').click();
    await at(page, first).filter({ hasText: '10 s para desfazer' }).waitFor();
  }
  for (const page of [pc, phone]) await page.clock.fastForward(11_000);
  await expect.poll(() => answers.toSorted((a, b) => a - b)).toEqual([201, 409]);
  for (const page of [pc, phone])
    await at(page, first)
      .filter({ hasText: /Dado .*kg/ })
      .waitFor();
  expect(await fed()).toHaveLength(before.length + 2);

  const ours = (await fed()).find((row) => !isBefore(row) && row.quantity_kg !== 4.75);
  expect((await call('DELETE', `/feeding/${ours?.id}`)).status).toBe(204);
  await pc.reload();
  await at(pc, first).locator('button').click();
  await at(pc, first).filter({ hasText: '10 s para desfazer' }).waitFor();
  await pc.clock.fastForward(11_000);
  await expect
    .poll(async () => {
      await pc.clock.fastForward(1_000);
      return (await fed()).length;
    })
    .toBe(before.length + 2);
});

it('a slip is corrected where it stands, which tells who did it and what it said before, and deleted with ten seconds to think', async () => {
  const pond_id = farm.farm.pondIds[2];
  await call('POST', '/water-quality/', { pond_id, dissolved_oxygen: 24.1, ph: 7.8 });
  const page = await farm.open('/viveiros/V-03/historico', { isTimed: true });
  await page.getByRole('button', { name: /^Corrigir medição/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Oxigênio dissolvido').fill('4,1');
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  const story = page.getByRole('button', { name: /^corrigida/ });
  await story.click();
  await dialog.getByText('Oxigênio dissolvido: 24,1').waitFor();
  expect(await dialog.innerText()).toMatch(/24,1\smg\/L → 4,1\smg\/L/);
  await expect.poll(() => dialog.innerText()).toContain(farm.owner.user.name);
  expect(await violationsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await holdTime(page);
  await page.getByRole('button', { name: /^Apagar medição/ }).click();
  await page.waitForSelector('.toast:has-text("apagado")');
  const left = async () => (await oxygenOf(pond_id ?? '')).length;
  await page.clock.fastForward(9_000);
  expect(await left()).toBe(1);
  await page.clock.fastForward(2_000);
  await page.clock.resume();
  await expect.poll(left).toBe(0);
  await page.waitForSelector('.empty');
});

it('a screen whose answers do not come says so instead of waiting for ever, and asks again by itself', async () => {
  const page = await farm.open('/', { isTimed: true });
  await page.waitForSelector('[data-pond="V-01"]');
  await page.route(/\/api\/v1\/(ponds|batches|dashboard)\//, (route) => route.abort());
  for (const path of [
    '/viveiros/V-01',
    '/lancar/agua',
    '/lancar/racao?pond=V-01',
    '/lotes/novo',
    '/lotes/L-01',
    '/lotes/L-01/despesca',
    '/transferencias',
    '/relatorios',
    '/relatorios/biomassa',
  ]) {
    await page.goto(`${farm.app.base}${path}`);
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(2_000);
          return page.locator('main [role="alert"] button').count();
        },
        { message: path },
      )
      .toBeGreaterThan(0);
  }
  await page.goto(`${farm.app.base}/painel`);
  await page.waitForSelector('.panel');
  await expect
    .poll(async () => {
      await page.clock.fastForward(2_000);
      return page.locator('.panel-ponds [role="alert"]').count();
    })
    .toBe(1);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.clock.fastForward(31_000);
  await page.locator('.panel-ponds li').first().waitFor();
  await expect.poll(() => page.locator('.panel-ponds [role="alert"]').count()).toBe(0);
});

it('on a phone what two expenses offer to take back does not lie over the button that saves the third', async () => {
  const page = await farm.open('/lancar', { ...PHONE, isTimed: true });
  const openForm = () => page.locator('main a[href^="/lancar/despesa"]').click();
  const fill = async (amount: string) => {
    await page.getByLabel('Valor').fill(amount);
    await page.getByLabel('Descrição').fill('Cal');
  };
  // both screens are there before time stands
  await openForm();
  await page.getByLabel('Valor').waitFor();
  await holdTime(page);
  for (const amount of ['10', '20']) {
    await fill(amount);
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.waitForSelector(`.toast:has-text("${amount},00")`);
    await page.clock.runFor(500);
    await openForm();
    await page.clock.runFor(500);
  }
  await fill('30');
  expect(await page.locator('.toast').count()).toBe(2);
  const covering = `(() => {
    const of = (selector) => [...document.querySelectorAll(selector)].map((found) => found.getBoundingClientRect());
    let most = 0;
    // wherever the page has been scrolled to
    for (let at = 0; at < document.body.scrollHeight; at += 20) {
      scrollTo(0, at);
      const [save] = of('main .save button');
      const over = of('.toast').filter(({ top, bottom }) => top < save.bottom && bottom > save.top);
      most = Math.max(most, over.length);
    }
    return most;
  })()`;
  expect(await page.evaluate(covering)).toBe(0);
  for (const left of [1, 0]) {
    await page.locator('.toast').getByRole('button', { name: 'Desfazer' }).first().click();
    await expect
      .poll(() => page.locator('.toast').getByRole('button', { name: 'Desfazer' }).count())
      .toBe(left);
  }
});

it('a loss whose answer got lost is told again the day after, by a page that never learned who is signed in, and kills once', async () => {
  const batch = await batchOf('L-01');
  const page = await farm.open('/lancar/mortalidade?batch=L-01', { isTimed: true });
  await page.route('**/api/v1/users/me', (route) => route.abort());
  await page.reload();
  let answers = 0;
  await page.route('**/adjust-survival', async (route) => {
    const answer = await route.fetch();
    answers += 1;
    if (answers === 1) return route.abort();
    return route.fulfill({ response: answer });
  });
  await page.getByLabel('Quanto dos vivos morreu').fill('20');
  await page.getByLabel('O que aconteceu').fill('Queda de oxigênio');
  await page.getByRole('button', { name: 'Acertar sobrevivência' }).click();
  await page.waitForSelector('.toast:has-text("L-01")');
  await page.waitForSelector('a[href="/lancar/fila"]:has-text("(1)")');
  await holdTime(page);
  await page.clock.fastForward(10_500);
  await expect.poll(() => answers).toBe(1);
  await page.waitForSelector('a[href="/lancar/fila"]:has-text("(1)")');
  // longer than the gateway remembers the key of a request
  farm.app.clock.advance(25 * 3_600_000);
  await page.clock.fastForward(6_000);
  await page.clock.resume();
  await expect.poll(() => answers).toBe(2);
  await page
    .getByRole('main')
    .getByRole('link', { name: /Na fila/ })
    .click();
  await page.waitForSelector('[data-entry="saved"]');
  const after = await call('GET', `/batches/${batch.id}`);
  expect(after.body).toMatchObject({ survival_rate: batch.survival_rate * 0.8 });
});

it('dead shrimp are written down for the day they died, listed with it, corrected and taken away', async () => {
  const batch = await batchOf('L-01');
  const before = (await call('GET', `/batches/${batch.id}/losses`)).body as unknown as unknown[];
  const page = await farm.open('/lancar/mortalidade?batch=L-01');
  const yesterday = new Date(farm.app.clock.now() - 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('Como foi contado').selectOption({ label: 'Animais contados' });
  await page.getByLabel('Camarões mortos').fill('700');
  // what nobody chose is not known, and no cause
  expect(await page.getByLabel('Causa').inputValue()).toBe('');
  await page.getByLabel('Causa').selectOption('Predadores');
  await page.getByLabel('O que aconteceu').fill('Garças');
  await page.getByLabel('Dia').fill(yesterday);
  await page.getByLabel('Hora', { exact: true }).fill('09:00');
  await page.getByRole('button', { name: 'Acertar sobrevivência' }).click();
  type Listed = { id: string; dead_count: number; lost_at: string; event_description: string };
  const told = async () =>
    ((await call('GET', `/batches/${batch.id}/losses`)).body as unknown as Listed[]).find(
      ({ event_description }) => event_description === 'Garças',
    );
  await expect.poll(told).toMatchObject({ dead_count: 700, cause: 'PREDATORS' });
  expect((await told())?.lost_at.slice(0, 10)).toBe(yesterday);
  await page.goto(page.url().replace(/#.*|\/lancar.*/, '/lotes/L-01'));
  const row = page.getByRole('row').filter({ hasText: 'Garças' });
  await page
    .getByRole('group', { name: 'Por causa' })
    .getByRole('row')
    .filter({ hasText: 'Predadores' })
    .filter({ hasText: '1 sem peso' })
    .waitFor();
  await row.getByRole('button', { name: /^Corrigir perda/ }).click();
  await page.getByRole('dialog').getByLabel('Camarões mortos').fill('70');
  await page.getByRole('button', { name: 'Salvar correção' }).click();
  await expect.poll(told).toMatchObject({ dead_count: 70 });
  await row.getByRole('button', { name: /^Apagar perda/ }).click();
  await expect.poll(told).toBe(undefined);
  expect((await call('GET', `/batches/${batch.id}/losses`)).body).toHaveLength(before.length);
});
