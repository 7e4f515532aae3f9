import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Flags, Result } from 'lighthouse';
import { chromium } from 'playwright-core';
import { callHttp } from '#sim/fetch-firmware.ts';
import { launchChromium } from '#test/chromium.ts';
import { buildConsole } from '../build-console.mjs';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import { provisionFolder } from './provision.ts';
import { seedFarm } from './seed-farm.ts';

const LEAST = { performance: 90, accessibility: 100, 'best-practices': 95 } as const;
const MOST = {
  'first-contentful-paint': 1_500,
  'largest-contentful-paint': 2_500,
  'total-blocking-time': 300,
  'cumulative-layout-shift': 0.05,
} as const;
type Mark = keyof typeof LEAST;
type Metric = keyof typeof MOST;
const MARKS = ['performance', 'accessibility', 'best-practices'] as const satisfies readonly Mark[];
const METRICS = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
] as const satisfies readonly Metric[];

const ROUNDS = 3;
/** A cheap phone on 3G: 6 times slower, 1.6 Mbit/s, 150 ms; applied, not reckoned from a fast run. */
const SLOW = {
  formFactor: 'mobile',
  screenEmulation: { mobile: true, width: 360, height: 740, deviceScaleFactor: 2, disabled: false },
  throttlingMethod: 'devtools',
  throttling: {
    cpuSlowdownMultiplier: 6,
    rttMs: 150,
    requestLatencyMs: 150,
    throughputKbps: 1_600,
    downloadThroughputKbps: 1_600,
    uploadThroughputKbps: 750,
  },
} as const satisfies Flags;
/** The line of events stays open and a clock ticks for ever: a page of the console is never still. */
const LOADED_AFTER_MS = 20_000;

type Measured = Record<Mark | Metric, number> & { faults: string[]; hosts: string[] };

/** What Lighthouse makes of the screens that people look at most, as a cheap phone shows them. */
export async function lighthouseMarks({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  await buildConsole();
  const rounds = isQuick ? 1 : ROUNDS;
  const data = await newDataFolder();
  const owner = await provisionFolder(data, { count: 1, prefix: 'light' });
  const { farmId } = seedFarm(data, { size: 'medium', years: 0.3, until: new Date().toISOString() });
  const gateway = await startGatewayOn(data);
  const port = await freePort();
  // only this machine has a name: whatever a page or the browser may ask for, nothing leaves it
  const browser = await launchChromium([
    `--remote-debugging-port=${port}`,
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  ]);
  try {
    await signIn({ port, base: gateway.http, token: owner.token, farmId });
    const pond = await firstPond(gateway.http, owner.token, farmId);
    const screens = { wall: '/', pond: `/viveiros/${pond}`, alarms: '/alarmes', entry: '/lancar/agua' };
    const findings: Finding[] = [];
    for (const [screen, path] of Object.entries(screens)) {
      tell(`lighthouse on the ${screen}, ${rounds} times`);
      const measured: Measured[] = [];
      for (let round = 0; round < rounds; round += 1) {
        measured.push(await measure(`${gateway.http}${path}`, port));
      }
      findings.push(...findingsOf(screen, measured));
    }
    return findings;
  } finally {
    await browser.close();
    await gateway.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function measure(url: string, port: number): Promise<Measured> {
  // a large library, which the other measures do without
  const { default: lighthouse } = await import('lighthouse');
  const run = await lighthouse(url, {
    ...SLOW,
    port,
    logLevel: 'error',
    output: 'json',
    // the session stays
    disableStorageReset: true,
    onlyCategories: [...MARKS],
    maxWaitForLoad: LOADED_AFTER_MS,
  });
  if (run === undefined) throw new Error(`lighthouse measured nothing of ${url}`);
  const { lhr } = run;
  const marks = MARKS.map((mark) => [mark, (lhr.categories[mark]?.score ?? Number.NaN) * 100]);
  const metrics = METRICS.map((metric) => [metric, lhr.audits[metric]?.numericValue ?? Number.NaN]);
  return {
    ...(Object.fromEntries([...marks, ...metrics]) as Record<Mark | Metric, number>),
    faults: faultsOf(lhr),
    hosts: hostsOf(lhr),
  };
}

/** What cost a mark of the two that are not about time. */
function faultsOf({ categories, audits }: Result): string[] {
  return MARKS.filter((mark) => mark !== 'performance')
    .flatMap((mark) => categories[mark]?.auditRefs ?? [])
    .filter(({ id, weight }) => weight > 0 && audits[id]?.score !== null && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => id);
}

function hostsOf({ audits }: Result): string[] {
  const { details } = audits['network-requests'] ?? {};
  const items = details?.type === 'table' ? details.items : [];
  return items.flatMap(({ url }) => (typeof url === 'string' ? [new URL(url).hostname] : []));
}

/** The browser that is measured keeps the session where the console looks for it. */
async function signIn(of: { port: number; base: string; token: string; farmId: string }): Promise<void> {
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${of.port}`);
  const page = await browser.contexts()[0]?.newPage();
  if (page === undefined) throw new Error('the browser has no page of its own');
  const expiresAt = Date.now() + 86_400_000;
  const session = JSON.stringify({ token: of.token, expiresAt, remembered: true });
  await page.goto(`${of.base}/readyz`);
  await page.evaluate(
    `localStorage.setItem('session', ${JSON.stringify(session)}); localStorage.setItem('farm', '${of.farmId}')`,
  );
  await page.close();
  await browser.close();
}

async function firstPond(base: string, token: string, farmId: string): Promise<string> {
  const { body } = await callHttp(base, `/api/v1/ponds/?farm_id=${farmId}&limit=1`, { bearer: token });
  const [pond] = body as { cod: string }[];
  return encodeURIComponent(pond?.cod ?? '');
}

/** Free a moment ago: a browser tells the port it chose itself in its profile only, which is not ours. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function findingsOf(screen: string, measured: readonly Measured[]): Finding[] {
  const of = (what: Mark | Metric) => median(measured.map((run) => run[what]));
  const strangers = measured.flatMap(({ hosts }) => hosts).filter((host) => host !== '127.0.0.1');
  const shared = { cpuRatio: null, spread: null, rounds: measured.length } as const;
  const lcp = of('largest-contentful-paint');
  return [
    {
      ...shared,
      measure: `lighthouse, ${screen}`,
      subject: figures('performance, accessibility, best practices', null, MARKS.map(of).join(', ')),
      baseline: figures('at least', null, Object.values(LEAST).join(', ')),
      ratioOf: 'rate',
      ratio: Math.min(...MARKS.map((mark) => of(mark) / LEAST[mark]).filter(Number.isFinite)),
      must: Object.values(LEAST)
        .map((least) => `≥ ${least}`)
        .join(', '),
      isMet: MARKS.every((mark) => of(mark) >= LEAST[mark]) && strangers.length === 0,
      notes: [
        ...(Number.isNaN(of('performance'))
          ? ['no mark for speed: it was never still for five seconds']
          : []),
        ...new Set(measured.flatMap(({ faults }) => faults)),
        ...new Set(strangers.map((host) => `asked ${host}`)),
      ],
    },
    {
      ...shared,
      measure: `largest paint, ${screen}, as on a cheap phone`,
      subject: figures('console', lcp),
      baseline: figures('allowed', MOST['largest-contentful-paint']),
      ratioOf: 'p50',
      ratio: lcp / MOST['largest-contentful-paint'],
      must: METRICS.map((metric) => `${metric} ≤ ${MOST[metric]}`).join(', '),
      isMet: METRICS.every((metric) => of(metric) <= MOST[metric]),
      notes: [METRICS.map((metric) => `${metric} ${Number(of(metric).toFixed(3))}`).join(', ')],
    },
  ];
}

const figures = (name: string, p50Ms: number | null, counted?: string): Figures => ({
  name,
  perS: null,
  cpuUs: null,
  p50Ms,
  p99Ms: null,
  rssMb: null,
  ...(counted === undefined ? {} : { counted }),
});
