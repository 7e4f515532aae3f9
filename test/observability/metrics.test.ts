import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Running, serve } from '#app/serve.ts';
import { readConfig } from '#runtime/config.ts';

type Family = { help: string; type: string; samples: string[] };

const ROLES = ['gateway', 'hosted'] as const;
const TOKEN = 'a-token-for-the-scraper';
const NAME = /^[a-z][a-z0-9_]*$/;
/** Of the library: it counts what is open, and calls it a total. */
const TOTALS_OF_LIBRARY = /^nodejs_active_(handles|requests|resources)_total$/;
/** Seconds, bytes, degrees; days where people plan by them. */
const NO_BASE_UNIT = /_(ms|millis|milliseconds|us|minutes|hours|kb|mb|gb|kilobytes|megabytes|percent)(_|$)/;

/** The text format of Prometheus. Throws for a line that is none of it. */
function parse(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  const familyOf = (name: string): Family => {
    const known = families.get(name) ?? { help: '', type: '', samples: [] };
    families.set(name, known);
    return known;
  };
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (word === 'HELP') familyOf(name).help = rest;
    else if (word === 'TYPE') familyOf(name).type = rest;
    else {
      const sample =
        /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})? ([-+]?(?:[\d.e+-]+|Inf)|NaN)$/.exec(
          line,
        );
      if (sample === null) throw new Error(`no line of the text format: ${line}`);
      const [, whole = ''] = sample;
      const base = families.has(whole) ? whole : whole.replace(/_(bucket|sum|count)$/, '');
      familyOf(base).samples.push(whole);
    }
  }
  return families;
}

const running: Running[] = [];
const folders: string[] = [];
const scraped = new Map<string, Map<string, Family>>();

beforeAll(async () => {
  for (const role of ROLES) {
    const data = mkdtempSync(join(tmpdir(), 'metrics-'));
    folders.push(data);
    const silent = () => undefined;
    const flags = ['--role', role, '--data', data, '--metrics-token', TOKEN, '--host', '127.0.0.1'];
    const ports = ['http', 'mqtt', 'https', 'mqtts'].flatMap((name) => [`--${name}-port`, '0']);
    const started = await serve(readConfig([...flags, ...ports], {}), {
      wallClock: Date.now,
      monotonic: () => performance.now(),
      random: Math.random,
      pause: () => Promise.resolve(),
      log: { debug: silent, info: silent, warn: silent, error: silent },
      clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
      // nothing happens but what is asked for
      startTicks: () => ({ stop: async () => undefined }),
    });
    running.push(started);
    const ask = () => fetch(`${started.http}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } });
    await fetch(`${started.http}/api/v1/farms/`);
    scraped.set(role, parse(await (await ask()).text()));
  }
});
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const familiesOf = (role: string) => [...(scraped.get(role) ?? [])];

describe.each(ROLES)('the metrics of a %s', (role) => {
  it('have a name, a type and a help text each', () => {
    expect(familiesOf(role).length).toBeGreaterThan(40);
    for (const [name, { help, type }] of familiesOf(role)) {
      expect(name).toMatch(NAME);
      expect([name, help.length > 12 || name.startsWith('nodejs_')]).toEqual([name, true]);
      expect(['counter', 'gauge', 'histogram', 'summary']).toContain(type);
    }
  });

  it('are counters exactly where they end in _total', () => {
    const odd = familiesOf(role)
      .filter(([name, { type }]) => name.endsWith('_total') !== (type === 'counter'))
      .map(([name]) => name)
      .filter((name) => !TOTALS_OF_LIBRARY.test(name));
    expect(odd).toEqual([]);
  });

  it('are counted in base units', () => {
    expect(
      familiesOf(role)
        .map(([name]) => name)
        .filter((name) => NO_BASE_UNIT.test(name)),
    ).toEqual([]);
  });
});

const target = z.object({ expr: z.string().min(1), refId: z.string().length(1), legendFormat: z.string() });
const grid = z.object({
  h: z.int().min(1),
  w: z.int().min(1).max(24),
  x: z.int().min(0).max(23),
  y: z.int().min(0),
});
const panel = z.object({
  id: z.int(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: z.string().min(1),
  gridPos: grid,
  datasource: z.object({ type: z.literal('prometheus'), uid: z.string() }).optional(),
  targets: z.array(target).optional(),
});
const dashboard = z.object({
  uid: z.string().regex(/^[a-z-]{1,40}$/),
  title: z.string().min(1),
  schemaVersion: z.int().min(36),
  time: z.object({ from: z.string(), to: z.string() }),
  templating: z.object({
    list: z.array(z.object({ name: z.string(), type: z.enum(['datasource', 'query']) })),
  }),
  panels: z.array(panel).min(5),
});

const read = (file: string) => readFileSync(file, 'utf8');
const dashboardOf = (role: string) => dashboard.parse(JSON.parse(read(`docs/grafana/${role}.json`)));

describe.each(ROLES)('the Grafana dashboard of a %s', (role) => {
  it('has the form of one: numbers once, panels side by side within the width', () => {
    const { panels } = dashboardOf(role);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const places = panels.map(({ gridPos, title }) => ({ ...gridPos, title }));
    for (const a of places) {
      expect(a.x + a.w).toBeLessThanOrEqual(24);
      const over = places.filter(
        (b) => b !== a && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
      );
      expect([a.title, over]).toEqual([a.title, []]);
    }
    for (const { type, targets = [] } of panels) expect(targets.length > 0).toBe(type !== 'row');
  });

  it('asks only for metrics that there are', () => {
    const unknown = dashboardOf(role)
      .panels.flatMap(({ targets = [] }) => targets)
      .flatMap(({ expr }) => namesIn(expr))
      .filter((name) => !exists(role, name));
    expect(unknown).toEqual([]);
  });
});

/** What a dashboard needs no panel of its own for: what runs, and what the library counts. */
const NOT_SHOWN = /^(gateway_info|process_|nodejs_)/;

it.each(ROLES)('every figure of a %s stands in its dashboard', (role) => {
  const shown = new Set(
    dashboardOf(role)
      .panels.flatMap(({ targets = [] }) => targets)
      .flatMap(({ expr }) => namesIn(expr))
      .map((name) => name.replace(/_(bucket|count|sum)$/, '')),
  );
  const missing = familiesOf(role)
    .map(([name]) => name)
    .filter((name) => !NOT_SHOWN.test(name) && !shown.has(name));
  expect(missing).toEqual([]);
});

it.each(ROLES)(
  'what only grows is asked for its rate, what goes up and down for its difference, of a %s',
  (role) => {
    const asked = [
      ...dashboardOf(role).panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...rulesIn(read('docs/prometheus/alerts.yml'))
        .filter(({ group }) => GROUPS[group]?.includes(role))
        .map(({ expr }) => expr),
    ];
    const spans = asked.flatMap((expr) =>
      [...expr.matchAll(/\b(\w+)\((\w+)(?:\{[^}]*\})?\[/g)].map(([, by = '', name = '']) => ({ by, name })),
    );
    expect(spans.length).toBeGreaterThan(8);
    const typeOf = (name: string) => scraped.get(role)?.get(name.replace(/_(bucket|count|sum)$/, ''))?.type;
    const odd = spans.filter(({ by, name }) =>
      ['rate', 'irate', 'increase'].includes(by)
        ? !['counter', 'histogram'].includes(typeOf(name) ?? '')
        : typeOf(name) !== 'gauge',
    );
    expect(odd).toEqual([]);
  },
);

/** Which instances a group of rules looks at. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'shrimp-farm-gateway': ['gateway'],
  'shrimp-farm-hosted': ['hosted'],
  'shrimp-farm-every-instance': ROLES,
};

describe('the alert rules', () => {
  const rules = rulesIn(read('docs/prometheus/alerts.yml'));
  it('each have a name of their own, an expression, a severity and a sentence', () => {
    expect(rules.length).toBeGreaterThan(12);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { severity, summary, expr } of rules) {
      expect(['page', 'ticket']).toContain(severity);
      expect(summary.length).toBeGreaterThan(10);
      expect(brackets(expr)).toBe(true);
    }
  });

  it('ask only for metrics that there are with those they look at', () => {
    const unknown = rules.flatMap(({ alert, group, expr }) =>
      (GROUPS[group] ?? ['nobody']).flatMap((role) =>
        namesIn(expr)
          .filter((name) => name !== 'up' && !exists(role, name))
          .map((name) => [alert, role, name]),
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('look at jobs that the documents name', () => {
    const jobs = rules.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]+)"/g)].map(([, job]) => job));
    expect(new Set(jobs)).toEqual(new Set(['shrimp-farm-gateway', 'shrimp-farm-hosted']));
    for (const language of ['en', 'pt-br', 'es'])
      for (const job of jobs) expect(read(`docs/${language}/operation.md`)).toContain(`job_name: ${job}`);
  });
});

function exists(role: string, name: string): boolean {
  const families = scraped.get(role);
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return families?.has(name) === true || families?.get(base)?.type === 'histogram';
}

const KEYWORDS = new Set([
  'by',
  'without',
  'on',
  'ignoring',
  'and',
  'or',
  'unless',
  'bool',
  'offset',
  'group_left',
  'group_right',
]);

/** Names of metrics in an expression of PromQL: words that are no function, no keyword, no label. */
function namesIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  return [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w)(?!\s*\()/g)]
    .filter(({ index }) => !/[\d.]/.test(bare[index - 1] ?? ''))
    .map(([name]) => name)
    .filter((name) => !KEYWORDS.has(name));
}

function brackets(expr: string): boolean {
  const open: string[] = [];
  const closes: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
  for (const letter of expr.replaceAll(/"[^"]*"/g, '')) {
    if ('([{'.includes(letter)) open.push(letter);
    else if (letter in closes && open.pop() !== closes[letter]) return false;
  }
  return open.length === 0;
}

/** The rules of a file in the plain form that ours has, each with its group. */
function rulesIn(text: string) {
  return text
    .split(/^ {2}- name: /m)
    .slice(1)
    .flatMap((part) => {
      const group = part.split('\n')[0] ?? '';
      return part
        .split(/^ {6}- alert: /m)
        .slice(1)
        .map((block) => ({
          group,
          alert: block.split('\n')[0] ?? '',
          expr: (/^ {8}expr: (?:>-\n((?: {10}.+\n)+)|(.+)\n)/m.exec(block)?.slice(1).join('') ?? '')
            .replaceAll(/\s+/g, ' ')
            .trim(),
          severity: /severity: (\w+)/.exec(block)?.[1] ?? '',
          summary: /summary: "(.+)"/.exec(block)?.[1] ?? '',
        }));
    });
}
