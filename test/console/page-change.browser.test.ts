import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';

const PHONE = { width: 360, height: 740 };

describe('a change of page', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
    await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
    // enough ponds that the wall is longer than a phone
    for (let n = 4; n <= 20; n += 1)
      await farm.app.call('POST', '/ponds/', {
        token: farm.owner.token,
        body: {
          farm_id: farm.farm.id,
          cod: `V-${String(n).padStart(2, '0')}`,
          size_m2: 3_000,
          depth_m: 1.5,
          pond_type: 'FATTENING',
        },
      });
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  it('gives each page a title of its own, and is told to who cannot see it', async () => {
    const page = await farm.open('/');
    await page.waitForSelector('[data-pond="V-01"]');
    const titles = new Set<string>();
    for (const [path, own] of [
      ['/lotes', 'Lotes'],
      ['/relatorios', 'Relatórios'],
      ['/sistema', 'Sistema'],
      ['/aeracao', 'Aeração'],
    ] as const) {
      await page.locator(`.navigation a[href="${path}"]`).click();
      await expect.poll(() => page.title()).toContain(`${own} · Camarão`);
      expect(await page.innerText('[data-arrived]')).toBe(own);
      titles.add(await page.title());
    }
    expect(titles.size).toBe(4);
    // what was pressed is gone with its page: the keyboard goes on in the new one
    await page.locator('.navigation a[href="/lotes"]').click();
    await page.locator('main a[href="/lotes/L-01"]').first().click();
    await expect.poll(() => page.title()).toContain('L-01');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
  });

  it('begins at the top, and on the way back where one was', async () => {
    const page = await farm.open('/', PHONE);
    const far = page.locator('[data-pond="V-15"]').first();
    await far.scrollIntoViewIfNeeded();
    const left = Number(await page.evaluate('scrollY'));
    expect(left).toBeGreaterThan(400);
    await page.locator('a[data-pond="V-15"], [data-pond="V-15"] a').first().click();
    await page.waitForSelector('h1');
    await expect.poll(() => page.title()).toContain('V-15');
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await page.waitForSelector('[data-pond="V-15"]');
    await expect.poll(async () => Math.abs(Number(await page.evaluate('scrollY')) - left)).toBeLessThan(3);
  });

  it('of a question that is closed leaves the keyboard where it was', async () => {
    const page = await farm.open('/aeracao');
    const off = page.getByRole('button', { name: 'Desligar todos' });
    await off.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    expect(await off.evaluate((button) => button.ownerDocument.activeElement === button)).toBe(true);
  });

  it('needs icons that a phone can install, which the gateway gives', async () => {
    const manifest = await (await fetch(`${farm.app.base}/manifest.webmanifest`)).json();
    const { icons } = manifest as { icons: { src: string; type: string }[] };
    const found = await Promise.all(
      icons.map(async ({ src }) => (await fetch(`${farm.app.base}${src}`)).headers.get('content-type')),
    );
    expect(found).toEqual(icons.map(({ type }) => type));
  });

  it('to any pond begins with a press that is always in sight, on a phone too', async () => {
    const page = await farm.open('/relatorios', PHONE);
    await page.getByRole('button', { name: /^Procurar/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('combobox')
      .or(page.getByRole('dialog').locator('input'))
      .first()
      .fill('V-17');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).toContain('V-17');
    const strip = await page.locator('.status-strip').boundingBox();
    expect(strip?.height).toBeLessThanOrEqual(96);
  });

  it('is not needed to count what is new: each notice is counted once', async () => {
    const { app, owner } = farm;
    const page = await farm.open('/');
    await page.waitForSelector('[data-link="live"]');
    await app.call('POST', '/water-quality/', {
      token: owner.token,
      body: { pond_id: farm.farm.pondIds[0], dissolved_oxygen: 1.8 },
    });
    const counted = async () => {
      const { body } = await app.call('GET', '/notifications/unread/count', { token: owner.token });
      return (body as { unread_count: number }).unread_count;
    };
    await expect.poll(counted).toBeGreaterThan(0);
    const told = async () => {
      const count = await counted();
      return count === 1 ? '1 aviso novo' : `${count} avisos novos`;
    };
    await expect.poll(async () => (await page.innerText('.status-strip')).includes(await told())).toBe(true);
    // what another tab's line tells of the same rows adds nothing
    const asked = page.waitForResponse((response) => response.url().endsWith('/notifications/unread/count'));
    await app.call('POST', '/water-quality/', {
      token: owner.token,
      body: { pond_id: farm.farm.pondIds[2], dissolved_oxygen: 1.7 },
    });
    await asked;
    await expect.poll(async () => (await page.innerText('.status-strip')).includes(await told())).toBe(true);
  });

  it('draws nothing as none before it is known: meals that were given, ponds of a motor, what became of a batch', async () => {
    const { app, owner } = farm;
    const { body } = await app.call('GET', `/batches/?farm_id=${farm.farm.id}`, { token: owner.token });
    const [batch] = body as { id: string; batch_code: string }[];
    const page = await farm.open('/');
    await page.waitForSelector('[data-pond="V-01"]');
    const held: (() => void)[] = [];
    for (const late of [/\/feeding\/batch\/[^/?]+\?/, /\/ponds\/\?/, /\/transfers\/batch\//])
      await page.route(late, async (route) => {
        await new Promise<void>((resolve) => held.push(resolve));
        await route.continue();
      });
    await page.evaluate(`history.pushState(null, '', '/lotes/${batch?.batch_code}')`);
    await page.locator('h2', { hasText: 'Ração de hoje' }).waitFor();
    await expect.poll(() => held.length).toBeGreaterThan(1);
    expect(await page.locator('li', { hasText: 'Lançar ração' }).count()).toBe(0);
    expect(await page.getByText(/Ver os \d+ acontecimentos/).count()).toBe(0);
    for (const go of held.splice(0)) go();
    await page.getByText(/Ver os \d+ acontecimentos/).waitFor();
  });

  it.each([
    ['nobody knocked', '/sistema/dispositivos', /\/relays\/discovered/, '.lines, .muted', /Ninguém|ninguém/],
    ['a farm has no ponds yet', '/bem-vindo', /\/ponds\/\?/, '.welcome-steps', /Crie todos de uma vez/],
  ])('does not say that %s before that is known', async (_, path, late, shown, said) => {
    const page = await farm.open('/lancar');
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let asked = 0;
    const open = new Set<string>();
    page.on('request', (request) => void open.add(request.url()));
    page.on('requestfinished', (request) => void open.delete(request.url()));
    page.on('requestfailed', (request) => void open.delete(request.url()));
    await page.route(late, async (route) => {
      asked += 1;
      await held;
      await route.continue();
    });
    await page.goto(`${farm.app.base}${path}`);
    await page.locator(shown).first().waitFor();
    await expect.poll(() => asked).toBeGreaterThan(0);
    // all else is there, and drawn
    await expect
      .poll(() => [...open].filter((url) => !late.test(url) && !url.includes('/events')), { timeout: 30_000 })
      .toEqual([]);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await page.locator('main').innerText()).not.toMatch(said);
    go();
    await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
  });
});
