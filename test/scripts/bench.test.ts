import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { whyNoPostgres } from '#test/postgres-cluster.ts';
import { isInTurn, isWhole } from '#test/turn.ts';
import { inTurn, median, rateFinding } from '../../scripts/bench/finding.ts';
import { quantile } from '../../scripts/bench/load/load-window.ts';
import { tableOf } from '../../scripts/bench/table.ts';
import { childFile } from '../../scripts/built-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'farm-bench-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const figures = z.object({ name: z.string(), p50Ms: z.number().nullable() });
const written = z.object({
  findings: z.array(
    z.object({
      measure: z.string(),
      subject: figures,
      baseline: figures,
      ratio: z.number().positive(),
      isMet: z.boolean(),
    }),
  ),
});

/** The others when all are wanted (`npm run soak -- --benches`): each starts gateways and loads of its own. */
const EACH_TIME = ['http-heartbeats', 'sync-apply'];
/** Each fills a farm for most of a minute before it measures: one of them each time. */
const ON_FULL_FARMS = ['farm-reads', 'water-history'];
const isOnTurn = (name: string) => isInTurn(ON_FULL_FARMS.indexOf(name), ON_FULL_FARMS.length);
const isRun = ([name]: readonly [string, ...unknown[]]) => isWhole || EACH_TIME.includes(name);
const eachOf = (baseline: string | string[], count: number): string[] =>
  typeof baseline === 'string' ? Array(count).fill(baseline) : baseline;

const QUICK: readonly [string, string | string[], number][] = [
  ['mqtt-heartbeats', 'bare aedes', 2],
  ['http-heartbeats', 'bare express 5', 2],
  [
    'requests',
    ['express 5, one row read', 'express 5, zod, one row on disk', 'express 5, zod, one row on disk'],
    3,
  ],
  ['order-latency', 'bare aedes publish', 2],
  ['cold-start', 'empty database', 1],
  ['quiet-day', 'nobody connected', 1],
  ['streaming-logs', 'calm', 2],
  ['storm', 'after the first 2 each', 1],
  ['tls-reconnect', 'the same without TLS', 1],
  ['logins', ['calm', 'hashing elsewhere', 'allowed', 'wanted at most'], 4],
  ['limits', 'without', 3],
  ['unknown-devices', 'calm', 1],
  ['hostile-crowd', 'calm', 1],
  ['restore', 'the file copied', 1],
  ['flash', 'what the line carries', 1],
  ['notifications', ['the same posts alone, 64 at once', 'calm', 'calm'], 3],
  ['console-chart', 'allowed', 1],
  [
    'lighthouse',
    ['at least', 'allowed', 'at least', 'allowed', 'at least', 'allowed', 'at least', 'allowed'],
    8,
  ],
];
const QUICK_PAIRS: readonly [string, string | string[], number][] = [
  ['sync-apply', 'bare inserts of measurements', 6],
  ['remote-order', 'bare WebSocket echo', 1],
  ['gateway-storm', 'calm', 1],
  ['fleet', ['one core', 'what is allowed', 'one core', 'what is allowed'], 4],
];

describe.concurrent('a quick run', () => {
  test.each(QUICK.filter(isRun))(
    '%s writes a ratio against %s',
    async (name, baseline, count) => {
      const file = join(folder, `${name}.json`);
      const { stdout } = await bench('--quick', '--only', name, '--json', file);
      const { findings } = written.parse(JSON.parse(readFileSync(file, 'utf8')));

      expect(findings.map((finding) => finding.baseline.name)).toEqual(eachOf(baseline, count));
      expect(findings.every((finding) => stdout.includes(finding.measure))).toBe(true);
    },
    180_000,
  );
});

describe.skipIf(whyNoPostgres() !== null)('a quick run of both halves', () => {
  test.each(QUICK_PAIRS.filter(isRun))(
    '%s writes a ratio against %s',
    async (name, baseline, count) => {
      const file = join(folder, `${name}.json`);
      await bench('--quick', '--only', name, '--json', file);
      const { findings } = written.parse(JSON.parse(readFileSync(file, 'utf8')));

      expect(findings.map((finding) => finding.baseline.name)).toEqual(eachOf(baseline, count));
    },
    180_000,
  );
});

test.runIf(isOnTurn('farm-reads'))(
  'a quick run of farm-reads holds pages, exports and recordings against their SQL',
  async () => {
    const file = join(folder, 'farm-reads.json');
    await bench('--quick', '--only', 'farm-reads', '--json', file);
    const { findings } = written.parse(JSON.parse(readFileSync(file, 'utf8')));
    const baselines = Map.groupBy(findings, (finding) => finding.baseline.name);

    expect([...baselines].map(([name, found]) => [name, found.length])).toEqual([
      ['its SQL over bare express 5', 13],
      ['its SQL alone', 1],
      ['at rest', 1],
      ['calm', 1],
      ['better-sqlite3 insert, FULL', 2],
    ]);
  },
);

test.runIf(isOnTurn('water-history'))(
  'a quick run of water-history holds a long list against a short one, and recording against no sums',
  async () => {
    const file = join(folder, 'water-history.json');
    await bench('--quick', '--only', 'water-history', '--json', file);
    const { findings } = written.parse(JSON.parse(readFileSync(file, 'utf8')));

    expect(findings.map(({ baseline }) => baseline.name)).toEqual(['of 1,000', 'the same without sums']);
  },
);

test('an unknown measure is refused with the names of those there are', async () => {
  await expect(bench('--only', 'speed')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not "speed"'),
  });
});

describe('what a measure makes of its rounds', () => {
  test('subject and baseline take turns, and the first round does not count', async () => {
    const order: string[] = [];
    const note = (name: string) => async () => order.push(name);
    const results = await inTurn(2, note('subject'), note('baseline'));

    expect(order).toEqual(['subject', 'baseline', 'subject', 'baseline', 'subject', 'baseline']);
    expect(results).toEqual({ subject: [3, 5], baseline: [4, 6] });
  });

  test('the ratio is the median of the ratios of the rounds', () => {
    const round = (perS: number) => ({ done: 1, perS, p50Ms: 1, p99Ms: 2, cpuUs: null, rssMb: null });
    const finding = rateFinding(
      'heartbeats',
      0.6,
      { name: 'ours', rounds: [50, 10, 80].map(round) },
      { name: 'bare', rounds: [100, 100, 100].map(round) },
    );

    expect(finding).toMatchObject({ ratio: 0.5, isMet: false, must: '≥ 60 %' });
    expect(tableOf([finding])).toContain('MISSED');
  });

  test('a rate that only the load held up does not hide what the server needed', () => {
    const round = (cpuUs: number) => ({ done: 1, perS: 100, p50Ms: 1, p99Ms: 2, cpuUs, rssMb: null });
    const finding = rateFinding(
      'heartbeats',
      0.6,
      { name: 'ours', rounds: [round(20)] },
      { name: 'bare', rounds: [round(10)] },
    );

    expect(finding).toMatchObject({ ratio: 1, cpuRatio: 0.5, isMet: false });
  });

  test('an even number of rounds has the mean of the middle two as its median', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test('the 99th percentile of a hundred values is the largest', () => {
    const values = Array.from({ length: 100 }, (_each, index) => index);
    expect([quantile(values, 0.5), quantile(values, 0.99)]).toEqual([50, 99]);
  });
});

function bench(...args: string[]) {
  return promisify(execFile)(process.execPath, [childFile('scripts/bench/main.ts'), ...args]);
}
