import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '../build-console.mjs';
import { builtFiles } from '../build-when-changed.mjs';
import type { BenchOptions, Figures, Finding } from './finding.ts';

const DIST = fileURLToPath(new URL('../../desktop/console/dist/', import.meta.url));
const KB = 1_000;
/** What a phone fetches before it shows anything; the largest piece fetched later; all style sheets; everything. */
const MOST_KB = { initial: 70, lazy: 45, css: 15, whole: 400 } as const;
const NAMES: Readonly<Record<keyof typeof MOST_KB, string>> = {
  initial: 'script at the start',
  lazy: 'largest script loaded later',
  css: 'style sheets at the start',
  whole: 'all scripts and styles',
};

/** How large the console is as it is served, compressed by gzip. */
export async function consoleSize({ tell }: BenchOptions): Promise<Finding[]> {
  tell('building the console');
  await buildConsole();
  const page = readFileSync(join(DIST, 'index.html'), 'utf8');
  const first = new Set([...page.matchAll(/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name = '']) => name));
  const files = builtFiles(DIST)
    .filter((file) => /\.(js|css)\.gz$/.test(file))
    .map((file) => ({ name: basename(file, '.gz'), kb: statSync(join(DIST, file)).size / KB }));
  const sum = (of: typeof files) => of.reduce((all, { kb }) => all + kb, 0);
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  const lazy = scripts.filter(({ name }) => !first.has(name)).toSorted((a, b) => b.kb - a.kb);
  const found = {
    initial: sum(scripts.filter(({ name }) => first.has(name))),
    lazy: lazy[0]?.kb ?? 0,
    css: sum(files.filter(({ name }) => name.endsWith('.css') && first.has(name))),
    whole: sum(files),
  };
  return (['initial', 'lazy', 'css', 'whole'] as const).map((what) => ({
    measure: `console, ${NAMES[what]}`,
    subject: figures('gzip', found[what]),
    baseline: figures('allowed', MOST_KB[what]),
    ratioOf: 'bytes',
    ratio: found[what] / MOST_KB[what],
    cpuRatio: null,
    spread: null,
    must: `≤ ${MOST_KB[what]} kB`,
    isMet: found[what] <= MOST_KB[what],
    rounds: 1,
    notes: what === 'lazy' ? lazy.slice(0, 3).map(({ name, kb }) => `${name} ${kb.toFixed(1)} kB`) : [],
  }));
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
