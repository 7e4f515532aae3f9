import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { describe, expect, it, test } from 'vitest';

// Every sentence that people read stands in Portuguese and in English. Whoever reads one of them learns what the
// other one says: the same names and values go into both, and the same figures stand in both.

type Node = { type?: string; [key: string]: unknown };
type Pair = { where: string; ptBr: Node[]; en: Node[] };

const SPOKEN = new Set(['pt-BR', 'en', 'es', 'language', 'isPortuguese', 'isEnglish']);

/** Functions that take a sentence in Portuguese and in English. */
const SAYERS = new Set(['inEach', 'say', 'told']);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

const keyOf = (property: Node): string => {
  const { name, value } = (property['key'] ?? {}) as { name?: string; value?: string | number };
  return String(name ?? value ?? '');
};

/** Which language a condition asks for; null: none. */
function languageAsked(condition: Node | undefined): 'pt-BR' | 'en' | null {
  if (condition === undefined) return null;
  if (condition['name'] === 'isPortuguese') return 'pt-BR';
  if (condition['name'] === 'isEnglish') return 'en';
  if (condition.type !== 'BinaryExpression' || condition['operator'] !== '===') return null;
  const { value } = condition['right'] as { value?: unknown };
  return value === 'pt-BR' || value === 'en' ? value : null;
}

const returns = (node: Node): boolean =>
  node.type === 'ReturnStatement' || (node.type === 'BlockStatement' && childrenOf(node).some(returns));

/** Both sides of everything that is said in two languages. */
function pairsIn(file: string, text: string): Pair[] {
  const found: Pair[] = [];
  const put = (at: Node, ptBr: Node[], en: Node[]) => {
    const line = text.slice(0, Number(at['start'])).split('\n').length;
    found.push({ where: `${file}:${line}`, ptBr, en });
  };
  /** Words of a screen, name by name. */
  const matched = (ptBr: Node, en: Node): void => {
    if (ptBr.type !== 'ObjectExpression' || en.type !== 'ObjectExpression') {
      put(ptBr, [ptBr], [en]);
      return;
    }
    const english = new Map((en['properties'] as Node[]).map((one) => [keyOf(one), one]));
    for (const one of ptBr['properties'] as Node[]) {
      const other = english.get(keyOf(one));
      if (one['value'] !== undefined && other?.['value'] !== undefined)
        matched(one['value'] as Node, other['value'] as Node);
    }
  };
  const split = (asked: 'pt-BR' | 'en', at: Node, said: Node[], otherwise: Node[]): void =>
    asked === 'pt-BR' ? put(at, said, otherwise) : put(at, otherwise, said);
  const walk = (node: Node): void => {
    if (node.type === 'ObjectExpression') {
      const byKey = new Map((node['properties'] as Node[]).map((one) => [keyOf(one), one['value'] as Node]));
      const ptBr = byKey.get('pt-BR');
      for (const other of [byKey.get('en'), byKey.get('es')]) if (ptBr && other) matched(ptBr, other);
    }
    if (node.type === 'CallExpression' && SAYERS.has(String((node['callee'] as Node)['name']))) {
      const [ptBr, en, es, more] = node['arguments'] as Node[];
      const isId = /^[a-z]+$/.test(String(ptBr?.['value']));
      if (ptBr && en && more === undefined && en.type !== 'ObjectExpression' && !isId)
        for (const other of [en, es]) if (other) put(node, [ptBr], [other]);
    }
    if (node.type === 'ConditionalExpression') {
      const asked = languageAsked(node['test'] as Node);
      if (asked !== null) split(asked, node, [node['consequent'] as Node], [node['alternate'] as Node]);
    }
    if (node.type === 'BlockStatement') {
      const statements = node['body'] as Node[];
      for (const [n, one] of statements.entries()) {
        const asked = one.type === 'IfStatement' ? languageAsked(one['test'] as Node) : null;
        const said = one['consequent'] as Node;
        if (asked !== null && isNode(one['alternate'])) split(asked, one, [said], [one['alternate']]);
        else if (asked !== null && returns(said)) split(asked, one, [said], statements.slice(n + 1));
      }
    }
    for (const child of childrenOf(node)) walk(child);
  };
  walk(parseSync(file, text).program as unknown as Node);
  return found;
}

/** Names of a function's parameters, as they are called in it: the two languages may call them otherwise. */
function parametersOf(nodes: readonly Node[]): Map<string, string> {
  const named = new Map<string, string>();
  const take = (pattern: Node, place: string): void => {
    if (pattern.type === 'Identifier') named.set(String(pattern['name']), place);
    else if (pattern.type === 'ObjectPattern')
      for (const one of pattern['properties'] as Node[])
        if (isNode(one['value'])) take(one['value'], `${place}.${keyOf(one)}`);
        else childrenOf(pattern).forEach((each, i) => take(each, `${place}[${i}]`));
    else if (pattern.type === 'AssignmentPattern') take(pattern['left'] as Node, place);
  };
  for (const node of nodes)
    if (/Function/.test(node.type ?? ''))
      for (const [i, each] of (node['params'] as Node[]).entries()) take(each, `#${i}`);
  return named;
}

/** What goes into a text: variables, by name or by their place among a function's parameters. */
function factsOf(nodes: readonly Node[]): Set<string> {
  const parameters = parametersOf(nodes);
  const own = new Set<string>();
  const found = new Set<string>();
  const walk = (node: Node): void => {
    if (node.type === 'VariableDeclarator') {
      const { name } = node['id'] as { name?: string };
      if (name !== undefined) own.add(name);
      if (isNode(node['init'])) walk(node['init']);
      return;
    }
    if (node.type?.startsWith('TS') === true && node.type !== 'TSAsExpression') return;
    if (node.type === 'MemberExpression') {
      walk(node['object'] as Node);
      if (node['computed'] === true) walk(node['property'] as Node);
      return;
    }
    if (node.type === 'CallExpression') {
      const callee = node['callee'] as Node;
      if (callee.type !== 'Identifier' || parameters.has(String(callee['name']))) walk(callee);
      for (const each of node['arguments'] as Node[]) walk(each);
      return;
    }
    if (node.type === 'Property' && node['shorthand'] !== true) {
      walk(node['value'] as Node);
      return;
    }
    if (node.type === 'Identifier') {
      const name = String(node['name']);
      // tables of words by language, and halves of a pair
      const half = name
        .replace(/^(ptBr|pt|en|portuguese|english)(?=$|[A-Z])/, '')
        .replace(/(Pt|En|PtBr|English|Portuguese)$/, '');
      if (!SPOKEN.has(name) && half !== '' && !/^[A-Z][A-Z_]*$/.test(name))
        found.add(parameters.get(name) ?? half);
      return;
    }
    if (/Function/.test(node.type ?? '')) {
      walk(node['body'] as Node);
      return;
    }
    childrenOf(node).forEach(walk);
  };
  nodes.forEach(walk);
  for (const name of own) found.delete(name);
  return found;
}

/** Figures in the words themselves, as both languages would write them. */
function figuresOf(nodes: readonly Node[]): Set<string> {
  const found = new Set<string>();
  const walk = (node: Node): void => {
    if (node.type === 'Literal' && typeof node['value'] === 'string') put(node['value']);
    if (node.type === 'TemplateElement') put(String((node['value'] as { cooked?: string }).cooked));
    childrenOf(node).forEach(walk);
  };
  const put = (text: string) => {
    for (const [figure] of text.replaceAll(/\b(zero|zere|cero)\b/g, '0').matchAll(/\d+(?:[.,:]\d+)*/g))
      found.add(figure.replaceAll(/[.,]/g, ''));
  };
  nodes.forEach(walk);
  return found;
}

/** Whether there is a word in it, and not only names of values. */
function isSaid(nodes: readonly Node[]): boolean {
  const has = (node: Node): boolean => {
    const text =
      node.type === 'TemplateElement' ? (node['value'] as { cooked?: string }).cooked : node['value'];
    return (
      ((node.type === 'TemplateElement' || node.type === 'Literal') &&
        typeof text === 'string' &&
        /\p{L}{2}/u.test(text)) ||
      childrenOf(node).some(has)
    );
  };
  return nodes.some(has);
}

/** What a library or the operating system says comes in English; telephones and positions are examples of each country. */
const OF_OTHERS =
  /^(gateway\/bench\/bench-tool\.ts:\d+: (why|named|said)|gateway\/operations\/backup\/keep-backups\.ts:\d+: folder|es (channelWords|farmWords)\.ts:\d+: \d+) /;

function differences({ where, ptBr, en }: Pair): string[] {
  const told: string[] = [];
  if (!isSaid(ptBr) || !isSaid(en)) return told;
  for (const of of [factsOf, figuresOf]) {
    const [one, other] = [of(ptBr), of(en)];
    for (const each of one) if (!other.has(each)) told.push(`${where}: ${each} is said in Portuguese alone`);
    for (const each of other)
      if (!one.has(each)) told.push(`${where}: ${each} is said in the other language alone`);
  }
  return told.filter((each) => !OF_OTHERS.test(each));
}

/** The words of a screen, of which each language has its own file. */
function catalogues(): Pair[] {
  const folder = 'desktop/console/words';
  return globSync(`${folder}/pt-BR/*.ts`).flatMap((file) =>
    ['en', 'es'].flatMap((language) => {
      const others = spokenIn(file.replace('pt-BR', language));
      return [...spokenIn(file)].flatMap(([name, words]) => {
        const other = others.get(name);
        // as if both stood in one object
        return other === undefined
          ? []
          : pairsIn(`${language} ${name}.ts`, `const w = { 'pt-BR': ${words}, en: ${other} }`);
      });
    }),
  );
}

/** The text of each constant that a file of a catalogue declares, by its name. */
function spokenIn(file: string): Map<string, string> {
  const text = readFileSync(file, 'utf8');
  const found = new Map<string, string>();
  const walk = (node: Node): void => {
    if (node.type === 'VariableDeclarator') {
      const [words] = ((node['init'] as Node)['arguments'] ?? []) as Node[];
      const { name } = node['id'] as { name?: string };
      if (words && name) found.set(name, text.slice(Number(words['start']), Number(words['end'])));
      return;
    }
    childrenOf(node).forEach(walk);
  };
  walk(parseSync(file, text).program as unknown as Node);
  return found;
}

const FILES = globSync(['gateway/**/*.ts', 'desktop/**/*.{ts,tsx}'], {
  exclude: ['**/node_modules/**', '**/dist/**'],
});

test('no sentence says in one language what it leaves out in the other', () => {
  const pairs = [...FILES.flatMap((file) => pairsIn(file, readFileSync(file, 'utf8'))), ...catalogues()];
  expect(pairs.length).toBeGreaterThan(3000);
  expect(pairs.flatMap(differences)).toEqual([]);
});

describe('what is found', () => {
  it.each([
    ['a value', "const w = { 'pt-BR': (n: number) => `há ${n} min`, en: (n: number) => 'some min' }"],
    ['a figure', "inEach('meça em 30 minutos', 'measure in 15 minutes')"],
    ['a name in a condition', "const t = language === 'en' ? `in ${pond}` : 'no viveiro'"],
    [
      'one after a return',
      "function f() { if (language === 'pt-BR') { return `às ${at}`; } return 'then'; }",
    ],
  ])('%s', (_what, text) => {
    expect(pairsIn('a.ts', text).flatMap(differences)).toHaveLength(/30/.test(text) ? 2 : 1);
  });
  it('words of their own for the same are none', () => {
    const text =
      "const w = { 'pt-BR': (quantos: number) => `${quantos} de 1.000`, en: (many: number) => `${many} of 1,000` }";
    expect(pairsIn('a.ts', text).flatMap(differences)).toEqual([]);
  });
});
