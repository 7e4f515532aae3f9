import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '../build-console.mjs';
import { builtFiles } from '../build-when-changed.mjs';
import type { BenchOptions, Figures, Finding } from './finding.ts';

const DIST = fileURLToPath(new URL('../../desktop/console/dist/', import.meta.url));
const KB = 1_000;
/** What a phone fetches before it shows anything; the largest piece fetched later; all style sheets; everything. */
export const MOST_KB = { initial: 70, lazy: 45, css: 15, whole: 400 } as const;
const NAMES: Readonly<Record<keyof typeof MOST_KB, string>> = {
  initial: 'script at the start',
  lazy: 'largest script loaded later',
  css: 'style sheets at the start',
  whole: 'all scripts and styles',
};

type Sizes = Record<keyof typeof MOST_KB, number> & { language: string; largest: readonly string[] };

/** How large the console is in each language as it is served, compressed by gzip; it has been built. */
export function consoleSizes(): Sizes[] {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8');
  const table = /<meta name="starts" content='([^']+)'/.exec(page)?.[1] ?? '{}';
  const shared = namesIn(page.replace(table, ''));
  const built = new Set(builtFiles(DIST));
  const kbOf = (name: string): number => {
    const place = built.has(`${name}.gz`) ? name : `assets/${name}`;
    return statSync(join(DIST, `${place}.gz`)).size / KB;
  };
  return Object.entries(JSON.parse(table) as Record<string, string[]>).map(([language, own]) => {
    const first = new Set([...shared, ...namesIn(own.join(' ')), 'first-look.js']);
    const all = reachedFrom([...first, 'push-worker.js'], built);
    const sum = (names: Iterable<string>, kind: string) =>
      [...names].filter((name) => name.endsWith(kind)).reduce((kb, name) => kb + kbOf(name), 0);
    const lazy = [...all]
      .filter((name) => name.endsWith('.js') && !first.has(name))
      .toSorted((a, b) => kbOf(b) - kbOf(a));
    return {
      language,
      initial: sum(first, '.js'),
      lazy: kbOf(lazy[0] ?? 'first-look.js'),
      css: sum(first, '.css'),
      whole: sum(all, ''),
      largest: lazy.slice(0, 3).map((name) => `${name} ${kbOf(name).toFixed(1)} kB`),
    };
  });
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(/[\w.-]+-[\w-]{8}\.(?:js|css)/g)].map(([name]) => name);

/** Every piece names those it may ask for. */
function reachedFrom(names: readonly string[], built: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set(names);
  for (const name of reached) {
    if (!name.endsWith('.js') || !built.has(`assets/${name}`)) continue;
    for (const found of namesIn(readFileSync(join(DIST, 'assets', name), 'utf8')))
      if (built.has(`assets/${found}`)) reached.add(found);
  }
  return reached;
}

/** Of the language that is largest by each measure. */
export async function consoleSize({ tell }: BenchOptions): Promise<Finding[]> {
  tell('building the console');
  await buildConsole();
  const sizes = consoleSizes();
  return (['initial', 'lazy', 'css', 'whole'] as const).map((what) => {
    const [found] = sizes.toSorted((a, b) => b[what] - a[what]);
    if (found === undefined) throw new Error('the console was built in no language');
    return {
      measure: `console, ${NAMES[what]}`,
      subject: figures(`gzip, ${found.language}`, found[what]),
      baseline: figures('allowed', MOST_KB[what]),
      ratioOf: 'bytes',
      ratio: found[what] / MOST_KB[what],
      cpuRatio: null,
      spread: null,
      must: `≤ ${MOST_KB[what]} kB`,
      isMet: found[what] <= MOST_KB[what],
      rounds: 1,
      notes: what === 'lazy' ? found.largest : [],
    };
  });
}

const figures = (name: string, kb: number): Figures => ({
  name,
  perS: null,
  cpuUs: null,
  p50Ms: null,
  p99Ms: null,
  rssMb: null,
  counted: `${kb.toFixed(1)} kB`,
});
