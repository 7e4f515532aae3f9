import path from 'node:path';
import { parseSync } from 'vite';
import type { SourceFile } from './import-rules.ts';

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** Functions that carry a decision out, and run it again when something it read has moved. */
const REPEATERS = new Set(['perform', 'commitDecided']);

/** What has an effect outside the answer, by the name it is called by. */
const EFFECTS = new Set([
  'commit',
  'perform',
  'commitDecided',
  'send',
  'sendMail',
  'publish',
  'changed',
  'tellChanged',
  'offer',
  'askHome',
  'random',
  'randomBytes',
  'randomUUID',
  'writeFile',
  'writeFileSync',
  'readFile',
  'readFileSync',
  'rename',
  'unlink',
  'mkdir',
]);

/** Things outside the building: whatever is asked of them is an effect. */
const OUTSIDE = new Set(['provider', 'fs', 'net', 'http', 'https']);

type Module = { functions: Map<string, Node>; imports: Map<string, { file: string; name: string }> };

/**
 * Effects in functions that are run again: those handed to `perform`, the handlers of routes, and what they call by name,
 * through the files of ours. What they are given (`deps`) is judged by the name it is called by. A handler that calls
 * `perform` itself is no decision but carries one out.
 */
export function effectsInDecisions(
  files: readonly SourceFile[],
  aliases: Readonly<Record<string, string>>,
): string[] {
  const trees = new Map(files.map(({ path: file, text }) => [file, nodesIn(parseSync(file, text).program)]));
  const modules = new Map([...trees].map(([file, nodes]) => [file, moduleOf(file, nodes, aliases)]));
  const found = new Set<string>();
  for (const [file, nodes] of trees)
    for (const decide of nodes.flatMap(decisionsIn)) {
      const effects = new Set<string>();
      follow(file, decide, effects, new Set());
      const carriesOut = decide.isHandler && [...effects].some((effect) => effect.endsWith(' perform'));
      if (!carriesOut) for (const effect of effects) found.add(effect);
    }
  return [...found].sort();

  function follow(file: string, root: Node, effects: Set<string>, seen: Set<Node>): void {
    const { functions, imports } = modules.get(file) ?? { functions: new Map(), imports: new Map() };
    const node = root.type === 'Identifier' ? (functions.get(String(root['name'])) ?? root) : root;
    if (seen.has(node)) return;
    seen.add(node);
    for (const call of nodesIn(node).filter(({ type }) => type === 'CallExpression')) {
      const callee = call['callee'] as Node;
      const effect = effectOf(callee);
      if (effect !== null) effects.add(`${file} ${effect}`);
      const name = callee.type === 'Identifier' ? String(callee['name']) : '';
      const own = functions.get(name);
      if (own !== undefined) follow(file, own, effects, seen);
      const imported = imports.get(name);
      const theirs = imported && modules.get(imported.file)?.functions.get(imported.name);
      if (imported && theirs && isFollowed(imported.file)) follow(imported.file, theirs, effects, seen);
    }
  }
}

/** Queries only read; and what carries decisions out is judged where it is called. */
const isFollowed = (file: string): boolean =>
  !file.startsWith('gateway/adapters/sql/queries/') && file !== 'gateway/core/use-case.ts';

function decisionsIn(node: Node): (Node & { isHandler: boolean })[] {
  if (node.type === 'CallExpression' && REPEATERS.has(String((node['callee'] as Node)['name']))) {
    const decide = (node['arguments'] as Node[]).at(-1);
    return decide === undefined ? [] : [{ ...decide, isHandler: false }];
  }
  const value = node['value'] as Node | undefined;
  const isHandler = node.type === 'Property' && (node['key'] as Node)['name'] === 'handle';
  return isHandler && value !== undefined && /Function/.test(value.type) ? [{ ...value, isHandler }] : [];
}

function effectOf(callee: Node): string | null {
  if (callee.type === 'Identifier') {
    // a bare `changed` compares, `deps.changed` tells
    const name = String(callee['name']);
    return EFFECTS.has(name) && name !== 'changed' ? name : null;
  }
  if (callee.type !== 'MemberExpression') return null;
  const name = String((callee['property'] as Node)['name']);
  const of = callee['object'] as Node;
  const owner = of.type === 'MemberExpression' ? (of['property'] as Node)['name'] : of['name'];
  return EFFECTS.has(name) || OUTSIDE.has(String(owner)) ? `${String(owner)}.${name}` : null;
}

/** Functions that have a name, at any depth: a closure's inner ones count as its file's. */
function moduleOf(file: string, nodes: readonly Node[], aliases: Readonly<Record<string, string>>): Module {
  const functions = new Map<string, Node>();
  const imports: Module['imports'] = new Map();
  for (const node of nodes) {
    const id = node['id'] as Node | null | undefined;
    if (node.type === 'FunctionDeclaration' && id) functions.set(String(id['name']), node);
    const init = node['init'] as Node | null | undefined;
    if (node.type === 'VariableDeclarator' && id && init && /Function/.test(init.type))
      functions.set(String(id['name']), init);
    if (node.type !== 'ImportDeclaration' || node['importKind'] === 'type') continue;
    const target = resolve(file, String((node['source'] as Node)['value']), aliases);
    if (target === null) continue;
    for (const one of node['specifiers'] as Node[]) {
      const local = (one['local'] as Node)['name'];
      const name = (one['imported'] as Node | undefined)?.['name'] ?? local;
      imports.set(String(local), { file: target, name: String(name) });
    }
  }
  return { functions, imports };
}

function resolve(file: string, specifier: string, aliases: Readonly<Record<string, string>>): string | null {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  for (const [alias, target] of Object.entries(aliases)) {
    const prefix = alias.replace('*', '');
    if (specifier.startsWith(prefix))
      return target.replace('./', '').replace('*', specifier.slice(prefix.length));
  }
  return null;
}

function nodesIn(root: unknown): Node[] {
  if (root === null || typeof root !== 'object') return [];
  if (Array.isArray(root)) return root.flatMap(nodesIn);
  const children = Object.values(root).flatMap(nodesIn);
  return 'type' in root && typeof root.type === 'string' ? [root as Node, ...children] : children;
}
