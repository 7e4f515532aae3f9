// Finds what of the program's memory lives longer than a call and can grow: collections of module scope, of class fields,
// and those locals of a function that an inner function keeps after the call has ended.
import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';

/** A node of the syntax tree, as far as it is read here. */
interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}
/** A function, or the module itself: what it declares, and what it is named by. */
interface Scope {
  node: Node;
  outer: Scope | null;
  names: Set<string>;
  /** Its value is only ever called: null where it has no name, or where it is written as a value. */
  name: string | null;
  /** Handed to a method of an array, which calls it at once. */
  isCalledAtOnce: boolean;
  outlives: boolean;
}
interface Use {
  name: string;
  from: Scope;
  isCall: boolean;
  /** It is made longer, or replaced. */
  grows: boolean;
  /** It is put into an object that is an argument of a call, or a field of one that is kept. */
  isHandedOn: boolean;
}
interface Made {
  name: string;
  scope: Scope;
  isEmpty: boolean;
  /** Made where no variable holds it: a field of a class or of an object that leaves the function. */
  isField: boolean;
  line: number;
}
/** One collection that outlives the call that made it. */
export interface Collection {
  file: string;
  name: string;
  line: number;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const CALLED_AT_ONCE = new Set(
  'map,filter,forEach,some,every,find,findIndex,findLast,flatMap,reduce,sort,toSorted,from,groupBy'.split(
    ',',
  ),
);
const GROWING = new Set('set,add,push,unshift,splice'.split(','));
const CONTAINERS = new Set(['Map', 'Set']);

export function collectionsOf(file: string): Collection[] {
  return collectionsIn(file, readFileSync(file, 'utf8'));
}

export function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !/\/(dist|node_modules)\//.test(file))
    .toSorted();
}

/** Exported for the test of this search itself. */
export function collectionsIn(file: string, text: string): Collection[] {
  const { scopes, uses, made } = read(text, parseSync(file, text).program as unknown as Node);
  settleWhoOutlives(scopes, uses);
  const living = made.filter((one) => livesOn(one, uses) && (mayGrow(one) || isGrown(one, uses)));
  const byName = new Map(living.map(({ name, line }) => [name, { file, name, line }]));
  return [...byName.values()];
}

function livesOn({ name, scope, isField }: Made, uses: readonly Use[]): boolean {
  if (isField || scope.outer === null) return true;
  return uses.some(
    (use) =>
      use.name === name && (use.isHandedOn || isKeptBy(use.from, scope)) && ownerOf(name, use.from) === scope,
  );
}
/** Whether that inner function, or one between it and the scope, is still there when the scope's call has ended. */
function isKeptBy(inner: Scope, scope: Scope): boolean {
  for (let at: Scope | null = inner; at !== null && at !== scope; at = at.outer) if (at.outlives) return true;
  return false;
}
/** What begins filled and is never named with a growing call, and constants of a module, are as long as they were written. */
const mayGrow = ({ isEmpty, isField, scope }: Made): boolean =>
  (isEmpty || isField) && (isField || scope.outer !== null);
const isGrown = ({ name, scope }: Made, uses: readonly Use[]): boolean =>
  uses.some((use) => use.grows && use.name === name && ownerOf(name, use.from) === scope);

function ownerOf(name: string, from: Scope): Scope | null {
  for (let at: Scope | null = from; at !== null; at = at.outer) if (at.names.has(name)) return at;
  return null;
}

/** A function outlives its maker's call when it is used as a value, or when one that does so calls it. */
function settleWhoOutlives(scopes: readonly Scope[], uses: readonly Use[]): void {
  for (const scope of scopes)
    scope.outlives =
      !scope.isCalledAtOnce &&
      (scope.name === null ||
        uses.some(
          (use) => !use.isCall && use.name === scope.name && ownerOf(use.name, use.from) === scope.outer,
        ));
  for (let changed = true; changed; ) {
    changed = false;
    for (const scope of scopes) {
      if (scope.outlives || scope.name === null || scope.outer === null) continue;
      const { outer } = scope;
      scope.outlives = uses.some(
        (use) =>
          use.name === scope.name && ownerOf(use.name, use.from) === outer && isKeptBy(use.from, outer),
      );
      changed ||= scope.outlives;
    }
  }
}

function read(text: string, program: Node): { scopes: Scope[]; uses: Use[]; made: Made[] } {
  const module = { node: program, outer: null, name: null, isCalledAtOnce: false, outlives: true };
  const scopes: Scope[] = [];
  const uses: Use[] = [];
  const made: Made[] = [];
  const walk = (node: Node, scope: Scope, above: readonly Node[]): void => {
    if (node.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(node.type)) return;
    let within = scope;
    if (FUNCTIONS.has(node.type)) {
      within = scopeOf(node, scope, above);
      scopes.push(within);
    }
    const isEmpty = emptiness(node);
    if (isEmpty !== null) {
      const holder = holderOf(node, above);
      if (holder !== null)
        made.push({ ...holder, scope, isEmpty, line: text.slice(0, node.start).split('\n').length });
    }
    const use = useOf(node, above);
    if (use !== null) uses.push({ ...use, from: scope });
    for (const child of childrenOf(node)) walk(child, within, [...above, node]);
  };
  const outermost: Scope = { ...module, names: declaredIn(program) };
  walk(program, outermost, []);
  return { scopes, uses, made };
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string');
}

/** Names that a function declares: its parameters, and what its blocks declare without those of inner functions. */
function declaredIn(node: Node): Set<string> {
  const names = new Set<string>();
  const patterns = (pattern: unknown): void => {
    const at = pattern as Node | null;
    if (at === null || at === undefined) return;
    if (at.type === 'Identifier') names.add(at['name'] as string);
    else if (at.type === 'Property') patterns(at['value']);
    else if (at.type === 'AssignmentPattern') patterns(at['left']);
    else for (const child of childrenOf(at)) if (!FUNCTIONS.has(child.type)) patterns(child);
  };
  const walk = (at: Node): void => {
    if (at.type === 'VariableDeclarator') patterns(at['id']);
    if (at.type === 'FunctionDeclaration' || at.type === 'ClassDeclaration') patterns(at['id']);
    if (FUNCTIONS.has(at.type)) return;
    for (const child of childrenOf(at)) walk(child);
  };
  if (Array.isArray(node['params'])) for (const parameter of node['params']) patterns(parameter);
  for (const child of childrenOf(node)) walk(child);
  return names;
}

function scopeOf(node: Node, outer: Scope, above: readonly Node[]): Scope {
  const parent = above.at(-1);
  const id =
    node.type === 'FunctionDeclaration'
      ? node['id']
      : parent?.type === 'VariableDeclarator'
        ? parent['id']
        : null;
  const callee =
    parent?.type === 'CallExpression' && parent['callee'] !== node ? (parent['callee'] as Node) : null;
  const isCalledAtOnce =
    (callee?.type === 'MemberExpression' &&
      CALLED_AT_ONCE.has((callee['property'] as Node)['name'] as string)) ||
    (parent?.type === 'CallExpression' && parent['callee'] === node);
  const name = ((id as Node | null)?.['name'] as string | undefined) ?? null;
  return { node, outer, names: declaredIn(node), name, isCalledAtOnce, outlives: false };
}

/** Whether it begins empty; null: no collection. */
function emptiness(node: Node): boolean | null {
  if (node.type === 'NewExpression' && CONTAINERS.has((node['callee'] as Node)['name'] as string))
    return (node['arguments'] as unknown[]).length === 0;
  if (node.type === 'ArrayExpression') return (node['elements'] as unknown[]).length === 0;
  if (node.type === 'ObjectExpression' && (node['properties'] as unknown[]).length === 0) return true;
  return null;
}

const PASSED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'AwaitExpression']);
/** The variable or field that a collection is put into where it is made; null: it is handed on at once. */
function holderOf(node: Node, above: readonly Node[]): { name: string; isField: boolean } | null {
  const fields: string[] = [];
  let inner = node;
  for (const at of above.toReversed()) {
    if (at.type === 'Property' && at['value'] === inner) fields.unshift(nameOf(at['key']));
    else if (at.type === 'VariableDeclarator') return { name: nameOf(at['id']), isField: false };
    else if (at.type === 'PropertyDefinition')
      return { name: [nameOf(at['key']), ...fields].join('.'), isField: true };
    else if (at.type === 'AssignmentExpression' && (at['left'] as Node).type === 'MemberExpression') {
      const left = at['left'] as Node;
      return (left['object'] as Node).type === 'ThisExpression'
        ? { name: nameOf(left['property']), isField: true }
        : null;
    } else if (at.type === 'AssignmentExpression') return { name: nameOf(at['left']), isField: false };
    else if (!PASSED.has(at.type) && at.type !== 'ObjectExpression') {
      // in an object that is answered or handed on: how long it lives, its taker decides
      const isState = fields.length > 0 && emptiness(node) === true && node.type === 'NewExpression';
      return isState ? { name: fields.join('.'), isField: true } : null;
    }
    inner = at;
  }
  return null;
}
const nameOf = (node: unknown): string =>
  ((node as Node)['name'] ?? (node as Node)['value'] ?? '?') as string;

/** Whether the object literal that a value stands in is an argument, or is held by a variable as it is. */
function isArgument(above: readonly Node[]): boolean {
  const around = above.toReversed().find(({ type }) => type !== 'Property' && type !== 'ObjectExpression');
  return around?.type === 'CallExpression' || around?.type === 'VariableDeclarator';
}

function useOf(node: Node, above: readonly Node[]): Omit<Use, 'from'> | null {
  if (node.type !== 'Identifier') return null;
  const parent = above.at(-1);
  if (parent === undefined) return null;
  const isName =
    (parent.type === 'MemberExpression' && parent['property'] === node && parent['computed'] !== true) ||
    (parent.type === 'Property' && parent['key'] === node && parent['shorthand'] !== true) ||
    (parent.type === 'VariableDeclarator' && parent['id'] === node) ||
    (FUNCTIONS.has(parent.type) && parent['body'] !== node);
  if (isName) return null;
  const name = node['name'] as string;
  const over = above.at(-2);
  const isRoot = parent.type === 'MemberExpression' && parent['object'] === node;
  const grows =
    (isRoot && over?.type === 'CallExpression' && GROWING.has(nameOf(parent['property']))) ||
    (isRoot && over?.type === 'AssignmentExpression' && over['left'] === parent) ||
    (parent.type === 'AssignmentExpression' && parent['left'] === node);
  const isCall = parent.type === 'CallExpression' && parent['callee'] === node;
  const isHandedOn = parent.type === 'Property' && parent['value'] === node && isArgument(above);
  return { name, isCall, grows, isHandedOn };
}
