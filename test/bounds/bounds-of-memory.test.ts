import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ADMISSIONS, BOUNDS_OF_MEMORY, type MemoryBound } from './bounds-of-memory.ts';
import { BOUNDS } from './bounds-of-tables.ts';
import { collectionsIn, collectionsOf, sourcesBelow } from './find-collections.ts';

const hasWord = (file: string, word: string) => new RegExp(`\\b${word}\\b`).test(readFileSync(file, 'utf8'));
const namesIn = (text: string) => collectionsIn('one.ts', text).map(({ name }) => name);

const stated = BOUNDS_OF_MEMORY.flatMap(([file, names, bound]) =>
  names.split(' ').map((name) => ({ key: `gateway/${file} ${name}`, file: `gateway/${file}`, bound })),
);

describe('every collection that outlives its call', () => {
  const found = sourcesBelow('gateway').flatMap(collectionsOf);

  it('has a bound that is stated, once', () => {
    const keys = new Set(stated.map(({ key }) => key));
    const unstated = found.filter(({ file, name }) => !keys.has(`${file} ${name}`));
    expect(unstated.map(({ file, line, name }) => `${file}:${line} ${name}`)).toEqual([]);
    expect(keys.size).toBe(stated.length);
  });

  it('is there where a bound is stated', () => {
    const there = new Set(found.map(({ file, name }) => `${file} ${name}`));
    expect(stated.filter(({ key }) => !there.has(key))).toEqual([]);
  });

  it('has a bound of the program: a constant that is there, or a table whose rows are bounded', () => {
    const isThere = (file: string, bound: MemoryBound) => {
      if (bound.by === 'number') return hasWord(bound.file ?? file, bound.most);
      return bound.by === 'rows' ? bound.of in BOUNDS : true;
    };
    expect(stated.filter(({ file, bound }) => !isThere(file, bound))).toEqual([]);
    expect(Object.values(ADMISSIONS).filter(([file, constant]) => !hasWord(file, constant))).toEqual([]);
  });
});

describe('the search for them', () => {
  it('finds what a module, a class or a returned function keeps', () => {
    expect(namesIn('const byId = new Map(); export const keep = (id) => byId.set(id, 1);')).toEqual(['byId']);
    expect(namesIn('class A { #seen = new Set(); ids: string[] = []; }')).toEqual(['seen', 'ids']);
    expect(namesIn('export function f() { const q = []; return { add: (x) => q.push(x) }; }')).toEqual(['q']);
    expect(namesIn('export function f() { let all = []; on((x) => { all = [...all, x]; }); }')).toEqual([
      'all',
    ]);
  });

  it('finds it behind functions that call each other, in objects and when it is handed on', () => {
    const chain =
      'export function f() { const m = new Map(); function a() { m.clear(); } function b() { a(); } return { b }; }';
    expect(namesIn(chain)).toEqual(['m']);
    expect(namesIn('export function f() { return { a: 1, byId: new Map() }; }')).toEqual(['byId']);
    expect(namesIn('export function f() { const s = { open: new Set() }; return () => s.open; }')).toEqual([
      's',
    ]);
    expect(namesIn('export function f() { const m = new Map(); return make({ m }); }')).toEqual(['m']);
  });

  it('leaves out what dies with its call, and what nothing makes longer', () => {
    expect(
      namesIn('export function f(xs) { const m = new Map(); xs.forEach((x) => m.set(x, 1)); return 1; }'),
    ).toEqual([]);
    expect(
      namesIn('function f(xs) { const m = []; function add(x) { m.push(x); } add(1); return m.length; }'),
    ).toEqual([]);
    expect(namesIn("const WORDS = new Set(['a']); export const is = (w) => WORDS.has(w);")).toEqual([]);
    expect(
      namesIn('export function f(xs) { const known = new Set(xs); return (x) => known.has(x); }'),
    ).toEqual([]);
  });
});
