import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type App, type SignedUp, startApp } from './app.ts';
import { launchChromium } from './chromium.ts';

export type Look = {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  language?: 'pt-BR' | 'en' | 'es' | 'es-MX';
  timezone?: string;
  /** null: nobody is signed in. */
  as?: SignedUp | null;
  /** Lets the test move the page's time with `page.clock`; until then it flows. */
  isTimed?: boolean;
  /** The system takes our colours away, for people who need its own. */
  hasForcedColors?: boolean;
  /** How far the browser enlarges the page: 2 makes 640 points of a window of 1280. */
  zoom?: number;
  /** Runs in every page before the console does. */
  script?: string;
};

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What a timer of the program does every five seconds; here nothing ticks by itself. */
const BEAT_MS = 2_000;
/** A machine that is busy elsewhere is late, not wrong. */
const PATIENCE_MS = 60_000;

/** A gateway with a small farm, and a real browser in front of it; `flags` are the browser's, `args` the gateway's. */
export async function startConsole({
  flags = [],
  args = [],
}: {
  flags?: readonly string[];
  args?: readonly string[];
} = {}) {
  const app = await startApp('sqlite', args);
  const beat = setInterval(() => app.events.beat(), BEAT_MS);
  const owner = await app.signUp();
  const farm = await aSmallFarm(app, owner);
  const browser = await launchChromium(flags);
  const contexts = new Set<BrowserContext>();
  const refusedByPolicy: string[] = [];

  async function open(path: string, look: Look = {}): Promise<Page> {
    const { page, context } = await aPage(browser, look.as === undefined ? { ...look, as: owner } : look);
    contexts.add(context);
    page.on('console', (line) => {
      if (/content security policy/i.test(line.text())) refusedByPolicy.push(line.text());
    });
    if (look.isTimed === true) await page.clock.install();
    await page.goto(`${app.base}${path}`);
    return page;
  }
  return {
    app,
    owner,
    farm,
    open,
    /** What a browser would not do because the page's own policy forbids it. */
    refusedByPolicy,
    /** Ends the pages of a test. */
    async closePages() {
      await Promise.all([...contexts].map((context) => context.close()));
      contexts.clear();
    },
    async close() {
      clearInterval(beat);
      await browser.close();
      await app.close();
    },
  };
}
export type Console = Awaited<ReturnType<typeof startConsole>>;

/** A page of its own in a browser of its own mind, signed in or not. */
export async function aPage(browser: Browser, look: Look) {
  const { width = 1366, height = 768, theme = 'light', language = 'pt-BR', timezone, zoom = 1, as } = look;
  const isPhone = width < 500;
  const context = await browser.newContext({
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    colorScheme: theme,
    forcedColors: look.hasForcedColors === true ? 'active' : 'none',
    locale: language,
    hasTouch: isPhone,
    isMobile: isPhone,
    ...(timezone === undefined ? {} : { timezoneId: timezone }),
  });
  const session = as
    ? JSON.stringify({ token: as.token, expiresAt: Date.now() + 20 * 86_400_000, remembered: true })
    : null;
  await context.addInitScript((kept) => {
    if (kept !== null && localStorage.getItem('session') === null) localStorage.setItem('session', kept);
  }, session);
  // what a script tries and catches by itself is said in no line of the console
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
      console.warn('content security policy:', violatedDirective, blockedURI, sourceFile))`,
  );
  if (look.script !== undefined) await context.addInitScript(look.script);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  return { page, context };
}

/** From here on no time passes for a page whose time can be moved but what is said, however long the machine takes. */
export async function holdTime(page: Page): Promise<void> {
  const pause = async () => page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000);
  // a page that was past that instant before it heard of it stands still since then: the second time is not too late
  await pause().catch(pause);
}

export type SmallFarm = { id: string; pondIds: readonly string[]; pointId: string; silentPointId: string };

/** Three ponds, two control points (one never spoke), a batch, water of today. */
async function aSmallFarm(app: App, owner: SignedUp): Promise<SmallFarm> {
  const { token } = owner;
  const made = async (path: string, body: unknown): Promise<string> => {
    const reply = await app.call('POST', path, { token, body });
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return (reply.body as { id: string }).id;
  };
  const id = await made('/farms/', { name: 'Norte', timezone: 'America/Fortaleza' });
  const point = (cod: string) =>
    made('/control-points/', { farm_id: id, cod, device_id: `aer-${cod}`, target_status: 'OFF' });
  const pointId = await point('CP-01');
  const silentPointId = await point('CP-02');
  await point('CP-03');
  const pondIds: string[] = [];
  for (const [index, cod] of ['V-01', 'V-02', 'V-03'].entries()) {
    const control_point_id = index < 2 ? pointId : silentPointId;
    pondIds.push(
      await made('/ponds/', {
        farm_id: id,
        cod,
        size_m2: 3_000,
        depth_m: 1.5,
        pond_type: 'FATTENING',
        control_point_id,
      }),
    );
  }
  await made('/batches/', {
    pond_id: pondIds[0],
    batch_code: 'L-01',
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'Aracati',
    start_date: '2026-02-01',
    initial_count: 60_000,
    initial_avg_weight: 0.01,
    initial_density: 20,
  });
  await made('/water-quality/', {
    pond_id: pondIds[0],
    temperature: 28.5,
    dissolved_oxygen: 6.2,
    ph: 7.9,
    salinity: 22,
  });
  return { id, pondIds, pointId, silentPointId };
}

/** The controller speaks, as over HTTP. */
export async function controllerReports(
  app: App,
  owner: SignedUp,
  cod: string,
  status: 'ON' | 'OFF',
): Promise<void> {
  const body = { device_id: `aer-${cod}`, current_status: status, consumption: status === 'ON' ? 3.2 : 0 };
  const reply = await app.call('POST', '/devices/heartbeat', { token: owner.token, body });
  if (reply.status !== 200) throw new Error(`${cod} was not heard: ${JSON.stringify(reply.body)}`);
}

export type Violation = { id: string; help: string; nodes: string[] };

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
type AxeViolation = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] };

/** What axe finds against WCAG 2.2 A and AA. */
export async function violationsOn(page: Page): Promise<Violation[]> {
  await page.evaluate(axeSource);
  const found = await page.evaluate<AxeViolation[]>(
    `axe.run(document, ${JSON.stringify({ runOnly: { type: 'tag', values: RULES }, resultTypes: ['violations'] })}).then(({ violations }) => violations)`,
  );
  return found.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes
      .slice(0, 3)
      .map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary ?? ''}`),
  }));
}
