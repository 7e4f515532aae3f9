import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

const PONDS = 67;
/** A breakdown of everything: oxygen, temperature and pH of every pond at once. */
const ALL_BAD = { dissolved_oxygen: 2.1, temperature: 36, ph: 6.1 };

describe('two hundred alarms at once', () => {
  let farm: Console;
  const pondIds: string[] = [];
  beforeAll(async () => {
    farm = await startConsole();
    for (let n = 1; n <= PONDS; n += 1) {
      const body = { farm_id: farm.farm.id, cod: `B-${String(n).padStart(2, '0')}`, pond_type: 'FATTENING' };
      const made = await farm.app.call('POST', '/ponds/', { token: farm.owner.token, body });
      pondIds.push((made.body as { id: string }).id);
    }
  });
  afterAll(() => farm.close());

  it('leave a page that a person can work with: the worst in front, answered with one key, and never without end', async () => {
    const page = await farm.open('/alarmes');
    await page.waitForSelector('.shell[data-link="live"]');
    // how long a key waits until the page has drawn what it does
    await page.evaluate(`{
      window.waits = [];
      addEventListener('keydown', (event) => requestAnimationFrame(() => {
        window.waits.push(performance.now() - event.timeStamp);
      }), true);
      addEventListener('keydown', (event) => {
        if (event.key === 'F8') window.pressedAt = performance.now();
      }, true);
      window.strip = { alarm: null, since: performance.now() };
      new MutationObserver(() => {
        const alarm = document.querySelector('.alarm-strip')?.dataset.alarm ?? null;
        if (alarm !== window.strip.alarm) window.strip = { alarm, since: performance.now() };
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    }`);
    const raised = pondIds.map((pond_id) =>
      farm.app.call('POST', '/water-quality/', { token: farm.owner.token, body: { pond_id, ...ALL_BAD } }),
    );
    for (let n = 0; n < 10; n += 1) await page.keyboard.press('ArrowDown');
    const replies = await Promise.all(raised);
    expect(replies.map(({ status }) => status)).toEqual(pondIds.map(() => 201));

    const reply = await farm.app.call('GET', '/alerts/?include=all&status=ACTIVE&limit=1000', {
      token: farm.owner.token,
    });
    expect((reply.body as unknown[]).length).toBeGreaterThanOrEqual(200);
    await expect.poll(() => page.locator('.alarm-row').count()).toBe(100);
    await expect.poll(() => page.innerText('.note[role="status"]')).toMatch(/\b20\d\b/);
    const first = page.locator('.alarm-row').first();
    expect(await first.getAttribute('class')).toContain('p1');
    const key = await first.getAttribute('data-alarm');
    expect(await page.getAttribute('.alarm-strip', 'data-alarm')).toBe(key);
    // it is looked at before it is answered
    await expect
      .poll(() => page.evaluate<boolean>('performance.now() - window.strip.since > 600'))
      .toBe(true);
    await page.keyboard.press('F8');
    await expect.poll(() => page.getAttribute('.alarm-strip', 'data-alarm')).not.toBe(key);
    expect(await page.evaluate<number>('window.strip.since - window.pressedAt')).toBeLessThanOrEqual(3_000);
    // generous: what it is on a quiet machine is measured by the bench console-input
    const waits = await page.evaluate<number[]>('window.waits');
    expect(Math.max(...waits)).toBeLessThan(3_000);
  });
});
