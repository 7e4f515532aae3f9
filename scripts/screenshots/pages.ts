import type { Browser, BrowserContext, Page } from 'playwright-core';

export type Look = {
  size: 'pc' | 'phone';
  theme: 'light' | 'dark';
  language: 'en' | 'pt-BR';
};
export type Pages = { open: (path: string, look: Look) => Promise<Page>; close: () => Promise<void> };

const SIZES = {
  pc: { width: 1366, height: 768 },
  phone: { width: 360, height: 740 },
} as const;

/** Pages of the console of a gateway, signed in with this token. */
export function pagesOf(browser: Browser, { base, token }: { base: string; token: string }): Pages {
  const contexts = new Set<BrowserContext>();
  const session = JSON.stringify({ token, expiresAt: Date.now() + 86_400_000, remembered: true });
  return {
    async open(path, { size, theme, language }) {
      const isPhone = size === 'phone';
      const context = await browser.newContext({
        viewport: SIZES[size],
        deviceScaleFactor: isPhone ? 1.5 : 1,
        colorScheme: theme,
        locale: language,
        hasTouch: isPhone,
        isMobile: isPhone,
        reducedMotion: 'reduce',
      });
      contexts.add(context);
      await context.addInitScript((kept) => localStorage.setItem('session', kept), session);
      const page = await context.newPage();
      await page.goto(`${base}${path}`);
      await settled(page);
      return page;
    },
    async close() {
      await Promise.all([...contexts].map((context) => context.close()));
      contexts.clear();
    },
  };
}

/** Nothing is loading any more, and what is drawn late is drawn. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('main h1');
  await page.waitForSelector('.shell[data-link="live"]');
  await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
  await page.waitForTimeout(400);
}
