import { registerHooks } from 'node:module';
import type { Program } from '../../test/sync/sim/versions.ts';

// Programs of an earlier schema beside today's, in one process: whatever is loaded with `?schema=8` loads its own modules
// so, too, and in those nothing came to be synchronised after schema 8. The protocol and the merge are today's; programs as
// they were then are started by test/versions. Words that a field came to have later (`widened`) it knows already.

const QUERY = '?schema=';
const ENTRY = new URL('../../test/sync/sim/program.ts', import.meta.url).href;
const GATEWAY = new URL('../../gateway/', import.meta.url).href;
/** Besides the product's own: what starts it in a simulated world. */
const BOXES = ['gateway-box.ts', 'hosted-box.ts'].map((name) => new URL(name, ENTRY).href);
/** An error is one whichever program says so. */
const COMMON = new URL('core/errors.ts', GATEWAY).href;

const isOfProgram = (url: string): boolean =>
  (url.startsWith(GATEWAY) && url !== COMMON) || BOXES.includes(url);

type Edit = readonly [file: string, from: string, to: (schema: number) => string];

const EDITS: readonly Edit[] = [
  [
    'contract/sync/wire.ts',
    'export const SYNC_SCHEMA = ',
    (schema) => `export const SYNC_SCHEMA = ${schema}; //`,
  ],
  [
    'contract/resource.ts',
    '  return {\n    name: definition.name,',
    (schema) => `  const isKnown = (number?: number) => (number ?? 1) <= ${schema};
  const later = Object.entries(definition.later ?? {}) as [string, number][];
  const unknown = later.filter(([, number]) => !isKnown(number)).map(([field]) => field);
  const groups = Object.entries(definition.groups ?? {}).flatMap(([name, group]) => {
    const fields = isKnown(group.since) ? group.fields.filter((field) => !unknown.includes(field)) : [];
    return fields.length === 0 ? [] : [[name, { ...group, fields }]];
  });
  definition = {
    ...definition,
    row: definition.row.omit(Object.fromEntries(unknown.map((field) => [field, true]))) as typeof definition.row,
    groups: Object.fromEntries(groups),
    later: Object.fromEntries(later.filter(([, number]) => isKnown(number))) as typeof definition.later,
  };
  return {\n    name: definition.name,`,
  ],
  [
    'contract/resources/all.ts',
    'export const localResources',
    (schema) => `for (const [name, { since }] of Object.entries(sharedResources))
  if (since > ${schema}) Reflect.deleteProperty(sharedResources, name);
export const localResources`,
  ],
  [
    'store/merge/shared-tables.ts',
    'Object.keys(REFERENCES)',
    () => 'Object.keys(REFERENCES).filter((name) => byName.has(name))',
  ],
  [
    'store/merge/unique-keys.ts',
    'const ALL_KEYS: readonly UniqueKey[] = [...UNIQUE_KEYS, ...OWN_KEYS]',
    () => `import { sharedResources } from '#contract/resources/all.ts';
const ALL_KEYS: readonly UniqueKey[] = [...UNIQUE_KEYS.filter(({ table }) => table in sharedResources), ...OWN_KEYS]`,
  ],
];

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const [, schema] = context.parentURL?.split(QUERY) ?? [];
    if (schema === undefined || !isOfProgram(resolved.url)) return resolved;
    return { ...resolved, url: `${resolved.url}${QUERY}${schema}` };
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const [file = '', schema] = url.split(QUERY);
    const edits = EDITS.filter(([name]) => file === `${GATEWAY}${name}`);
    if (schema === undefined || edits.length === 0) return loaded;
    // a rule that is broken there (break-rule.mjs) comes as text
    let source =
      typeof loaded.source === 'string'
        ? loaded.source
        : new TextDecoder().decode(loaded.source as Uint8Array);
    for (const [name, from, to] of edits) {
      if (!source.includes(from)) throw new Error(`${name} has no ${from}`);
      source = source.replace(from, () => to(Number(schema)));
    }
    return { ...loaded, source };
  },
});

const known = new Map<number, Promise<Program>>();

/** The program of one side as far as that schema goes. */
export function programOf(schema: number): Promise<Program> {
  const program = known.get(schema) ?? (import(`${ENTRY}${QUERY}${schema}`) as Promise<Program>);
  known.set(schema, program);
  return program;
}
