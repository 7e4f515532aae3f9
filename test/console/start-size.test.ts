import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { consoleSizes, MOST_KB } from '../../scripts/bench/console-size.ts';

// A phone at the ponds waits for what the console starts with, on a line of the farm: one language, and no other.

it('the console starts with 70 kB of script in whatever language it speaks', () => {
  const sizes = consoleSizes();
  expect(sizes.map(({ language }) => language).sort()).toEqual(readdirSync('desktop/console/words').sort());
  for (const { language, initial, css } of sizes) {
    expect(initial, language).toBeLessThanOrEqual(MOST_KB.initial);
    expect(css, language).toBeLessThanOrEqual(MOST_KB.css);
  }
});

it('the worker that shows pushes while no page is open is one file: a browser starts it as it stands', () => {
  expect(readFileSync('desktop/console/dist/push-worker.js', 'utf8')).not.toMatch(/\bimport\b/);
});
