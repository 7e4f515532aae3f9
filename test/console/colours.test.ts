import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

// Colour says nothing alone; but where it helps, it must help everybody. Computed from the tokens as they are served.

type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

const TOKENS = readFileSync('desktop/console/styles/tokens.css', 'utf8');
const MEANINGS = ['p1', 'p2', 'p3', 'pending', 'run'] as const;

/** How the three kinds of dichromats see linear RGB (Machado, Oliveira, Fernandes 2009, severity 1). */
const SIGHTS: Readonly<Record<string, Matrix>> = {
  everybody: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopes: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopes: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopes: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function tokensOf(selector: string): ReadonlyMap<string, Rgb> {
  const start = TOKENS.indexOf(`${selector} {`);
  const block = TOKENS.slice(start, TOKENS.indexOf('}', start));
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, linear(hex)]),
  );
}

const channel = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const linear = (hex: string): Rgb => {
  const at = (from: number) => channel(Number.parseInt(hex.slice(from, from + 2), 16) / 255);
  return [at(1), at(3), at(5)];
};
const times = (matrix: Matrix, [r, g, b]: Rgb): Rgb => {
  const row = ([x, y, z]: Rgb) => x * r + y * g + z * b;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
};
const clipped = ([r, g, b]: Rgb): Rgb => [clip(r), clip(g), clip(b)];
const clip = (value: number) => Math.min(1, Math.max(0, value));

/** OKLab (Björn Ottosson): equal distances look about equally far. */
function okLab(colour: Rgb): Rgb {
  const [l, m, s] = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour,
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(l), Math.cbrt(m), Math.cbrt(s)],
  );
}
const distance = (a: Rgb, b: Rgb) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (a: Rgb, b: Rgb) => {
  const [high, low] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
};

describe.each([
  ['light', ':root'],
  ['dark', '[data-theme="dark"]'],
  ['dim', '[data-theme="dark"][data-dim="true"]'],
])('the colours of the %s theme', (theme, selector) => {
  const tokens = new Map([
    ...(theme === 'dim' ? tokensOf('[data-theme="dark"]') : []),
    ...tokensOf(selector),
  ]);
  const colour = (name: string): Rgb => {
    const found = tokens.get(name);
    if (found === undefined) throw new Error(`there is no --${name}`);
    return found;
  };

  it.each(Object.entries(SIGHTS))('are told apart by %s', (_who, sight) => {
    const seen = MEANINGS.map((name) => ({ name, at: okLab(clipped(times(sight, colour(name)))) }));
    const near = seen.flatMap((a, index) =>
      seen
        .slice(index + 1)
        .filter((b) => distance(a.at, b.at) < 0.1)
        .map((b) => `${a.name} and ${b.name}: ${distance(a.at, b.at).toFixed(3)}`),
    );
    expect(near).toEqual([]);
  });

  it('text can be read on all it stands on', () => {
    const pairs = [
      ...['bg', 'card', 'card-2'].flatMap((ground) => [
        ['text', ground],
        ['muted', ground],
      ]),
      ...['p1', 'p2', 'p3', 'pending', 'run'].map((name) => [`${name}-text`, name]),
    ];
    const faint = pairs.filter(([text = '', ground = '']) => contrast(colour(text), colour(ground)) < 4.5);
    expect(faint).toEqual([]);
  });

  it('edges of controls and the focus can be seen', () => {
    const faint = ['bg', 'card'].flatMap((ground) =>
      ['border', 'pending', 'p1']
        .filter((edge) => contrast(colour(edge), colour(ground)) < 3)
        .map((edge) => `${edge} on ${ground}: ${contrast(colour(edge), colour(ground)).toFixed(2)}`),
    );
    expect(faint).toEqual([]);
  });
});

it('a screen on the wall shines with two fifths of the light by night, its alarms with all of it', () => {
  const [dark, dim] = [tokensOf('[data-theme="dark"]'), tokensOf('[data-theme="dark"][data-dim="true"]')];
  const share = (name: string) =>
    luminance(dim.get(name) ?? [1, 1, 1]) / luminance(dark.get(name) ?? [0, 0, 0]);
  expect(share('text')).toBeCloseTo(0.4, 1);
  expect(share('bg')).toBeLessThan(0.7);
  expect([...dim.keys()].filter((name) => /^p\d/.test(name))).toEqual([]);
});
