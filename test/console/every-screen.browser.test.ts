import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SignedUp } from '#test/app.ts';
import { type Console, controllerReports, type Look, startConsole, violationsOn } from '#test/console.ts';
import { SCREENS } from '#test/console-screens.ts';
import { isInTurn } from '#test/turn.ts';

const PHONE = { width: 360, height: 740 };
const PC = { width: 1366, height: 768 };
const TV = { width: 1920, height: 1080 };
const LANGUAGES = ['en', 'pt-BR', 'es'] as const;

/** How the farm is when it is looked at: an alarm stands, nothing is heard of the gateway, nothing is there yet. */
type Stand = 'alarm' | 'blind' | 'empty';
type Seen = Look & { stand: Stand };

/** Neighbours differ in size, theme and language. */
const pairwise = (index: number): Seen => ({
  ...(index % 2 === 0 ? PHONE : PC),
  theme: index % 4 < 2 ? 'light' : 'dark',
  language: LANGUAGES[index % 3] ?? 'pt-BR',
  stand: 'alarm',
});
const EVERY_LOOK: readonly Seen[] = [PHONE, PC, TV].flatMap((size) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    LANGUAGES.flatMap((language) =>
      (['alarm', 'blind', 'empty'] as const).map((stand) => ({ ...size, theme, language, stand })),
    ),
  ),
);
/** `all` of them are for an hour in which nobody waits. */
const looksOf = (index: number) => {
  if (process.env['CONSOLE_LOOKS'] === 'all') return EVERY_LOOK;
  // no divisor of the looks: each turn has all sizes, themes and languages
  return isInTurn(index, 5) ? [pairwise(index)] : [];
};
const nameOf = ({ width, theme, language, stand }: Seen) => `${width} px, ${theme}, ${language}, ${stand}`;

describe('every screen', () => {
  let console_: Console;
  let newcomer: SignedUp;
  beforeAll(async () => {
    console_ = await startConsole();
    const { app, owner, farm } = console_;
    newcomer = await app.signUp();
    await app.call('POST', '/farms/', { token: newcomer.token, body: { name: 'Nova' } });
    await controllerReports(app, owner, 'CP-01', 'OFF');
    await app.call('POST', '/water-quality/', {
      token: owner.token,
      body: { pond_id: farm.pondIds[1], dissolved_oxygen: 2.4, temperature: 30.1 },
    });
  });
  afterEach(() => console_.closePages());
  afterAll(() => console_.close());

  /** Until the page has noticed that it hears nothing. */
  async function blinded(page: Page): Promise<void> {
    await page.waitForSelector('[data-link="live"]');
    await page.route('**/api/v1/events', (route) => route.abort());
    console_.app.events.closeAll();
    await page.clock.fastForward(14_000);
    await page.waitForSelector('.blind-banner');
  }

  it.each(
    SCREENS.flatMap((path, index) => looksOf(index).map((seen) => [path, nameOf(seen), seen] as const)),
  )('%s can be used by people who see, hear and point differently (%s)', async (path, _name, seen) => {
    const isBlind = seen.stand === 'blind' && path !== '/bem-vindo';
    const as = seen.stand === 'empty' ? newcomer : console_.owner;
    const faults: string[] = [];
    const page = await console_.open(path.replace('<point>', console_.farm.pointId), {
      ...seen,
      as,
      isTimed: isBlind,
    });
    page.on('pageerror', (error) => faults.push(error.message));
    await page.waitForSelector('h1, .empty, .card');
    await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
    if (isBlind) await blinded(page);
    expect(await violationsOn(page)).toEqual([]);
    expect(faults).toEqual([]);
    expect(console_.refusedByPolicy).toEqual([]);
    // nothing runs out of the side of a phone
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth + 1')).toBe(true);
  });

  it('tries nothing that its own policy forbids, not even to see whether it may', async () => {
    const page = await console_.open('/lancar/agua', PHONE);
    // zod tries a script made of text with its first schema, and this screen has schemas
    const hasSchemas = () =>
      page.evaluate(
        'performance.getEntriesByType("resource").some(({ name }) => name.includes("/schemas-"))',
      );
    await expect.poll(hasSchemas).toBe(true);
    await page.waitForSelector('main h1');
    expect(console_.refusedByPolicy).toEqual([]);
  });

  it('is signed in to by the keyboard alone', async () => {
    const page = await console_.open('/', { ...PC, as: null });
    await page.waitForSelector('form');
    expect(await violationsOn(page)).toEqual([]);
    await page.waitForSelector('input[type=email]:focus');
    await page.keyboard.type(console_.owner.user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('camarao-123');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-pond="V-01"]');
  });
});
