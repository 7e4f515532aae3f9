import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, holdTime, startConsole } from '#test/console.ts';

const PONDS = 12;
/** What is typed beside the figures themselves. */
const MOST_KEYS = 60;

describe('the water round on the PC', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
    for (let n = 4; n <= PONDS; n += 1) {
      const body = { farm_id: farm.farm.id, cod: `V-${String(n).padStart(2, '0')}`, pond_type: 'FATTENING' };
      await farm.app.call('POST', '/ponds/', { token: farm.owner.token, body });
    }
  });
  afterAll(() => farm.close());

  it('of twelve ponds and four parameters is done without the mouse, in few keys, and saved', async () => {
    const page = await farm.open('/lancar/agua', { isTimed: true });
    await page.waitForSelector('[data-cell="11-3"]');
    await page.waitForSelector('[data-cell="0-0"]:focus');
    await holdTime(page);
    let keys = 0;
    const press = async (key: string) => {
      keys += 1;
      await page.keyboard.press(key);
    };
    const rounds = [
      ['5,2', '5.4', '4,9'],
      ['28,5', '28.9', '29'],
      ['7,9', '8.1', '8'],
      ['22', '21,5', '22.5'],
    ];
    for (const figures of rounds) {
      for (let pond = 0; pond < PONDS; pond += 1) {
        await page.keyboard.type(figures[pond % figures.length] ?? '');
        await press('Enter');
      }
    }
    // a kit that was not used: a dash, as on paper, and one goes on to the next pond
    await page.focus('[data-cell="0-4"]');
    await page.keyboard.press('-');
    expect(await page.getAttribute('[data-cell="0-4"]', 'placeholder')).toBe('–');
    expect(await page.evaluate('document.activeElement.dataset.cell')).toBe('1-4');
    // what is typed stays, whatever the finger slips to
    await page.focus('[data-cell="0-0"]');
    await page.keyboard.press('-');
    expect(await page.inputValue('[data-cell="0-0"]')).toBe('5,2');
    await press('Control+Enter');
    expect(keys).toBeLessThanOrEqual(MOST_KEYS);
    await page.waitForSelector('.toast:has-text("12 medições")');
    await expect.poll(() => page.locator('[data-standing="waiting"]').count()).toBe(PONDS);
    expect(await page.innerText('[data-standing="waiting"] >> nth=0')).toContain('10 s para desfazer');
    await page.clock.fastForward(10_500);
    await expect.poll(() => page.locator('[data-standing="saved"]').count()).toBe(PONDS);
    const last = async () => {
      const reply = await farm.app.call('GET', `/water-quality/latest?farm_id=${farm.farm.id}`, {
        token: farm.owner.token,
      });
      const latest = reply.body as { temperature: number; dissolved_oxygen: number; salinity: number }[];
      return latest.filter(({ temperature }) => temperature !== null);
    };
    await expect.poll(async () => (await last()).length).toBe(PONDS);
    const first = (await last()).map(({ dissolved_oxygen, salinity }) => [dissolved_oxygen, salinity]);
    expect(first).toContainEqual([5.4, 21.5]);
  });

  it('that two tabs type is one: neither wipes what the other typed, and what one sent the other never sends', async () => {
    const first = await farm.open('/lancar/agua', { isTimed: true });
    const second = await first.context().newPage();
    await second.goto(`${farm.app.base}/lancar/agua`);
    const tabs = [first, second];
    for (const tab of tabs) await tab.waitForSelector('[data-cell="11-3"]');
    type Sent = { pond_id: string; dissolved_oxygen?: number; temperature?: number; ph?: number };
    const sentBy = new Map<Page, Sent[]>(tabs.map((tab) => [tab, []]));
    for (const [tab, sent] of sentBy) {
      tab.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/water-quality/'))
          sent.push(request.postDataJSON() as Sent);
      });
    }
    const sentFrom = (tab: Page) =>
      (sentBy.get(tab) ?? []).map(({ pond_id, dissolved_oxygen, temperature, ph }) => ({
        pond_id,
        dissolved_oxygen,
        temperature,
        ph,
      }));
    const cell = (tab: Page, place: string) => tab.locator(`[data-cell="${place}"]`);
    const bothShow = async (place: string, text: string) => {
      for (const tab of tabs) await expect.poll(() => cell(tab, place).inputValue()).toBe(text);
    };
    await cell(first, '0-0').fill('4,7');
    await bothShow('0-0', '4,7');
    await cell(second, '1-0').fill('4,8');
    await cell(second, '0-2').fill('8,3');
    await bothShow('0-2', '8,3');
    await cell(first, '2-0').fill('4,9');
    for (const [place, text] of [
      ['0-0', '4,7'],
      ['0-2', '8,3'],
      ['1-0', '4,8'],
      ['2-0', '4,9'],
    ] as const)
      await bothShow(place, text);

    await first.keyboard.press('Control+Enter');
    await first.waitForSelector('.toast:has-text("3 medições")');
    await bothShow('0-0', '');
    await cell(second, '1-1').fill('27,5');
    await second.keyboard.press('Control+Enter');
    await second.waitForSelector('.toast:has-text("1 medição")');
    await bothShow('1-1', '');
    for (const tab of tabs) await tab.clock.fastForward(10_500);
    await expect.poll(() => [sentFrom(first).length, sentFrom(second).length]).toEqual([3, 1]);
    for (const tab of tabs) await tab.clock.fastForward(20_000);
    const [v1, v2, v3] = farm.farm.pondIds;
    expect(sentFrom(first)).toEqual([
      { pond_id: v1, dissolved_oxygen: 4.7, ph: 8.3 },
      { pond_id: v2, dissolved_oxygen: 4.8 },
      { pond_id: v3, dissolved_oxygen: 4.9 },
    ]);
    expect(sentFrom(second)).toEqual([{ pond_id: v2, temperature: 27.5 }]);
  });
});
