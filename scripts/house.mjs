// Figures of the source tree that are bounds of the project: `npm run house` prints them, `--check` fails where one is broken,
// `--long` names the functions over 80 lines, `--walks` runs the program and counts the files that its main acts enter.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const TREES = ['gateway', 'desktop', 'firmware-sim', 'scripts'];
const PASSED_OVER = new Set(['node_modules', 'dist', 'release']);
const { imports: aliases } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

const files = TREES.flatMap((tree) => sourcesBelow(tree));
const texts = new Map(files.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]));
const imported = new Map(files.map((file) => [file, importsOf(file)]));
/** @param {string} file */
const importsIn = (file) => imported.get(file) ?? [];

const circlesOfValues = circles((file) => importsIn(file).filter(({ isType }) => !isType));
const circlesOfAll = circles(importsIn);
const wiring = files.filter((file) => file.startsWith('gateway/app/'));
const longFunctions = files.flatMap(longFunctionsIn).sort((a, b) => b.lines - a.lines);
/** @param {{ file: string }} of */
const isOutsideWiring = ({ file }) => !file.startsWith('gateway/app/');
const readme = linesOf(fs.readFileSync(path.join(root, 'README.md'), 'utf8'));

/** What is measured, how much of it there is, and the bound that must hold; null: a goal that is not reached yet. */
const figures = [
  {
    what: 'files directly in gateway/',
    is: files.filter((file) => /^gateway\/[^/]+$/.test(file)).length,
    most: 3,
  },
  { what: 'circles of imports', is: circlesOfValues.length, most: 0 },
  { what: 'circles of imports, of types too', is: circlesOfAll.length, most: 0 },
  { what: 'lines of wiring (gateway/app)', is: sum(wiring), most: null },
  { what: 'source files outside tests', is: files.length, most: null },
  { what: 'source lines outside tests', is: sum(files), most: null },
  {
    what: 'files over 400 lines',
    is: files.filter((file) => linesOf(textOf(file)) > 400).length,
    most: null,
  },
  { what: 'functions over 80 lines', is: longFunctions.length, most: null },
  { what: '  of them outside gateway/app', is: longFunctions.filter(isOutsideWiring).length, most: null },
  { what: 'lines of the README', is: readme, most: null },
];

for (const { what, is, most } of figures)
  console.log(`${what.padEnd(36)} ${String(is).padStart(7)}${most === null ? '' : `  (at most ${most})`}`);
if (process.argv.includes('--long'))
  for (const { file, line, name, lines } of longFunctions)
    console.log(`${String(lines).padStart(4)} ${file}:${line} ${name}`);
for (const circle of circlesOfAll) console.log(`circle: ${circle.join(' → ')}`);
if (process.argv.includes('--walks')) await import('./walks.ts');
if (process.argv.includes('--check') && figures.some(({ is, most }) => most !== null && is > most))
  process.exit(1);

/** @param {string} folder @returns {string[]} */
function sourcesBelow(folder) {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return PASSED_OVER.has(entry.name) ? [] : sourcesBelow(file);
    return /\.(ts|tsx|mjs|css)$/.test(entry.name) ? [file] : [];
  });
}

/** @param {string} text */
function linesOf(text) {
  return text.split('\n').length - 1;
}

/** @param {readonly string[]} of */
function sum(of) {
  return of.reduce((lines, file) => lines + linesOf(textOf(file)), 0);
}

/** @param {string} file */
function textOf(file) {
  return texts.get(file) ?? '';
}

/**
 * Files of ours that a file imports or exports from, and whether only their types.
 * @param {string} file
 */
function importsOf(file) {
  if (file.endsWith('.css')) return [];
  return parseSync(file, textOf(file)).program.body.flatMap((node) => {
    if (!('source' in node) || !node.source) return [];
    const target = resolve(file, node.source.value);
    if (target === null || !texts.has(target)) return [];
    const names = 'specifiers' in node ? node.specifiers : [];
    /** @param {object} one */
    const kindOf = (one) =>
      'importKind' in one ? one.importKind : 'exportKind' in one ? one.exportKind : null;
    const isType =
      kindOf(node) === 'type' || (names.length > 0 && names.every((one) => kindOf(one) === 'type'));
    return [{ target, isType }];
  });
}

/**
 * Functions that are longer than 80 lines, with what is inside them; none of a file with styles.
 * @param {string} file
 */
function longFunctionsIn(file) {
  if (file.endsWith('.css')) return [];
  const text = textOf(file);
  /** @type {{ file: string, line: number, name: string, lines: number }[]} */
  const found = [];
  /** @param {unknown} node @param {string} name */
  const visit = (node, name) => {
    if (Array.isArray(node)) for (const one of node) visit(one, name);
    if (node === null || typeof node !== 'object' || !('type' in node)) return;
    const of = /** @type {Record<string, any>} */ (node);
    const own = String(of['id']?.name ?? of['key']?.name ?? name);
    if (/Function/.test(of['type']) && of['body']) {
      const lines = text.slice(of['start'], of['end']).split('\n').length;
      const line = text.slice(0, of['start']).split('\n').length;
      if (lines > 80) found.push({ file, line, name: own, lines });
    }
    for (const child of Object.values(of)) visit(child, own);
  };
  visit(parseSync(file, text).program.body, '');
  return found;
}

/** @param {string} file @param {string} specifier */
function resolve(file, specifier) {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  for (const [alias, target] of Object.entries(aliases)) {
    const prefix = alias.replace('*', '');
    if (specifier.startsWith(prefix))
      return target.replace('./', '').replace('*', specifier.slice(prefix.length));
  }
  return null;
}

/**
 * Groups of files that reach each other, by Tarjan's algorithm (SIAM J. Comput. 1(2), 1972).
 * @param {(file: string) => readonly { target: string }[]} next
 */
function circles(next) {
  /** @type {string[][]} */
  const found = [];
  /** @type {Map<string, { index: number, low: number, isOnStack: boolean }>} */
  const marks = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @param {string} file */
  const visit = (file) => {
    const mark = { index: marks.size, low: marks.size, isOnStack: true };
    marks.set(file, mark);
    stack.push(file);
    for (const { target } of next(file)) {
      const known = marks.get(target);
      if (known === undefined) mark.low = Math.min(mark.low, visit(target).low);
      else if (known.isOnStack) mark.low = Math.min(mark.low, known.index);
    }
    if (mark.low === mark.index) {
      const group = stack.splice(stack.indexOf(file));
      for (const one of group) {
        const own = marks.get(one);
        if (own) own.isOnStack = false;
      }
      if (group.length > 1) found.push(group);
    }
    return mark;
  };
  for (const file of files) if (!marks.has(file)) visit(file);
  return found;
}
