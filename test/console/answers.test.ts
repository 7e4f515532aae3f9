import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Route } from '#core/route.ts';
import { startApp } from '#test/app.ts';

// What the console believes an address answers is what the route table says. After a change of routes:
// npx vitest run test/console/answers.test.ts -u

const FILE = 'desktop/console/data/answers.ts';
const HEAD = `// What each address of the interface answers, written from the route table by test/console/answers.test.ts: to write it
// again, run that test with -u. {} stands for a parameter.

import type * as z from 'zod';
`;

test('the console knows every address by the route table, and its answer', async () => {
  const apps = await Promise.all([
    startApp('sqlite'),
    startApp('sqlite', ['--role', 'hosted', '--rate-limits', '0']),
  ]);
  const text = await answersOf(apps.flatMap(({ routes }) => routes));
  await Promise.all(apps.map((app) => app.close()));
  const formatted = execFileSync(
    'node_modules/.bin/biome',
    ['check', '--write', `--stdin-file-path=${FILE}`],
    {
      input: text,
      encoding: 'utf8',
    },
  );
  await expect(formatted).toMatchFileSnapshot(`../../${FILE}`);
});

/** The text of the file: by method and address, the type of the answer that says it went well. */
async function answersOf(routes: readonly Route[]): Promise<string> {
  const named = await contractSchemas();
  const used = new Map<string, Set<string>>();
  const methods = new Map<string, Map<string, string>>();
  for (const { method, path: address, answers } of routes) {
    const types = Object.entries(answers)
      .filter(([status]) => Number(status) < 300)
      .map(([, answer]) => (answer === null ? 'null' : `${typeOf(answer.schema)}${answer.list ? '[]' : ''}`));
    const byPath = methods.get(method) ?? new Map<string, string>();
    byPath.set(address.replaceAll(/\{[^}]*\}/g, '{}'), [...new Set(types)].join(' | '));
    methods.set(method, byPath);
  }
  const imports = [...used]
    .sort(byName)
    .map(([file, names]) => `import type { ${[...names].sort().join(', ')} } from '${file}';\n`);
  const tables = [...methods].sort(byName).map(([method, byPath]) => {
    const lines = [...byPath].sort(byName).map(([address, type]) => `    '${address}': ${type};\n`);
    return `  ${method}: {\n${lines.join('')}  };\n`;
  });
  return `${HEAD}${imports.join('')}\nexport type Answers = {\n${tables.join('')}};\n`;

  function typeOf(schema: z.core.$ZodType): string {
    const home = named.get(schema);
    if (home !== undefined) {
      const [file, name] = home;
      used.set(file, (used.get(file) ?? new Set()).add(name));
      return `z.infer<typeof ${name}>`;
    }
    return shapeOf(schema);
  }

  /** Of a schema that stands in its route alone. */
  function shapeOf(schema: z.core.$ZodType): string {
    if (schema instanceof z.ZodObject)
      return `{ ${Object.entries(schema.shape as Record<string, z.core.$ZodType>)
        .map(([key, field]) => `${key}${field instanceof z.ZodOptional ? '?' : ''}: ${typeOf(field)}`)
        .join('; ')} }`;
    if (schema instanceof z.ZodArray) return `${bracketed(typeOf(schema.element))}[]`;
    if (schema instanceof z.ZodUnion) return schema.options.map((option) => typeOf(option)).join(' | ');
    if (schema instanceof z.ZodNullable) return `${typeOf(schema.unwrap())} | null`;
    if (schema instanceof z.ZodOptional) return `${typeOf(schema.unwrap())} | undefined`;
    if (schema instanceof z.ZodLiteral)
      return [...schema.values].map((one) => JSON.stringify(one)).join(' | ');
    if (schema instanceof z.ZodEnum) return schema.options.map((one) => JSON.stringify(one)).join(' | ');
    if (schema instanceof z.core.$ZodString) return 'string';
    if (schema instanceof z.ZodNumber) return 'number';
    if (schema instanceof z.ZodBoolean) return 'boolean';
    if (schema instanceof z.ZodRecord) return `Record<string, ${typeOf(schema.valueType)}>`;
    if (schema instanceof z.ZodUnknown) return 'unknown';
    throw new Error(`no type is known for a schema of kind ${schema.constructor.name}`);
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
const bracketed = (type: string): string => (type.includes(' | ') ? `(${type})` : type);

/** Where the contract declares each of its schemas. */
async function contractSchemas(): Promise<Map<unknown, [file: string, name: string]>> {
  const files = readdirSync('gateway/contract', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort();
  const found = new Map<unknown, [string, string]>();
  for (const file of files) {
    const module = (await import(path.resolve('gateway/contract', file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module))
      if (value instanceof z.ZodType && !found.has(value)) found.set(value, [`#contract/${file}`, name]);
  }
  return found;
}
