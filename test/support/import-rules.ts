import path from 'node:path';
import { parseSync } from 'vite';

export type SourceFile = { path: string; text: string };

/** What the files of one folder may import. `*` stands for one folder name; `/.` at the end: no folder below it. */
type Rule = {
  folder: string;
  /** Folders of ours; its own is always allowed. */
  values: readonly string[];
  /** Folders of ours whose types may be named, too. */
  types?: readonly string[];
  /** npm packages and `node:` modules; `node:*` is all of them. */
  libraries: readonly string[];
};

/** Folders of the gateway: each imports from those before it alone. */
const LAYERS = [
  'gateway/contract',
  'gateway/science',
  'gateway/core',
  'gateway/store',
  'gateway/features',
  'gateway/sync',
  'gateway/adapters',
  'gateway/bench',
  'gateway/runtime',
  'gateway/operations',
  'gateway/workers',
  'gateway/app',
  'gateway/cli',
];
const below = (layer: string) => LAYERS.slice(0, LAYERS.indexOf(layer));

/**
 * Areas of features, and the areas whose face each may import: the files directly in `features/<area>`, types and pure rules
 * that several features have in common. A feature never imports another feature.
 */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  alarms: ['control', 'people', 'production'],
  cloud: ['control', 'people'],
  control: [],
  equipment: ['control'],
  farm: ['production'],
  people: ['production'],
  production: [],
  system: ['people'],
};
const faceOf = (area: string) => `gateway/features/${area}/.`;

const PURE = ['gateway/core', 'gateway/contract'];
/** `gateway/store`: how rows are written and merged. */
const ROWS = [...PURE, 'gateway/store'];
// An adapter implements what the inner folders ask for, so it names their types; gateway/app hands it the rest.
const ADAPTER = {
  values: [...ROWS, ...Object.keys(AREAS).map(faceOf)],
  types: ['gateway/features/*/*', 'gateway/sync'],
};

/** The first rule whose folder fits a file counts; a file that fits none is a violation itself. */
export const IMPORT_RULES: readonly Rule[] = [
  { folder: 'gateway/contract', values: [], libraries: ['zod'] },
  {
    folder: 'gateway/core',
    values: ['gateway/contract'],
    libraries: ['canonicalize', 'temporal-polyfill', 'uuid', 'node:crypto'],
  },
  { folder: 'gateway/store', values: PURE, libraries: ['canonicalize', 'uuid', 'node:crypto'] },
  { folder: 'gateway/science', values: [], libraries: [] },
  {
    folder: 'gateway/features/control/schedules',
    values: [...ROWS, 'gateway/science', faceOf('control')],
    libraries: ['zod', 'temporal-polyfill'],
  },
  // zod for the path and query schemas of routes; bodies and answers stand in the contract
  ...Object.entries(AREAS).flatMap(([area, others]): Rule[] => {
    const faces = [area, ...others].map(faceOf);
    return [
      { folder: faceOf(area), values: [...PURE, 'gateway/science', ...faces], libraries: ['node:crypto'] },
      {
        folder: `gateway/features/${area}/*`,
        values: [...ROWS, 'gateway/science', ...faces],
        libraries: ['zod'],
      },
    ];
  }),
  { folder: 'gateway/sync', values: ROWS, libraries: [] },

  {
    folder: 'gateway/adapters/http',
    ...ADAPTER,
    libraries: [
      'canonicalize',
      'express',
      'jsonwebtoken',
      'pino',
      'prom-client',
      'rate-limiter-flexible',
      'swagger-ui-dist',
      'ws',
      'zod',
      'zod-openapi',
      'node:*',
    ],
  },
  {
    folder: 'gateway/adapters/mqtt',
    ...ADAPTER,
    libraries: ['aedes', 'mqtt-packet', 'ws', 'pino', 'node:*'],
  },
  { folder: 'gateway/adapters/sql', ...ADAPTER, libraries: ['better-sqlite3', 'kysely', 'pg', 'node:*'] },
  { folder: 'gateway/adapters/payments', ...ADAPTER, libraries: ['stripe', 'zod', 'node:*'] },
  {
    folder: 'gateway/adapters/backup',
    ...ADAPTER,
    libraries: ['@scure/base', 'age-encryption', 'tar-stream', 'zod', 'node:*'],
  },
  {
    folder: 'gateway/adapters/delivery',
    ...ADAPTER,
    libraries: ['nodemailer', 'web-push', 'node:*'],
  },
  { folder: 'gateway/adapters/sheets', ...ADAPTER, libraries: ['@e965/xlsx', 'yazl', 'node:*'] },
  { folder: 'gateway/adapters/timers', ...ADAPTER, libraries: ['node-cron', 'node:*'] },
  {
    folder: 'gateway/adapters/tokens',
    ...ADAPTER,
    libraries: ['@simplewebauthn/server', 'jsonwebtoken', 'otpauth', 'node:*'],
  },
  { folder: 'gateway/adapters/passwords', ...ADAPTER, libraries: ['argon2', 'node:*'] },
  { folder: 'gateway/adapters/tls', ...ADAPTER, libraries: ['zod', 'node:*'] },
  { folder: 'gateway/adapters/log', ...ADAPTER, libraries: ['pino', 'node:*'] },
  // Its stores read tables of the sync, its transports carry what the engines of gateway/sync say.
  {
    folder: 'gateway/adapters/sync',
    values: [...ADAPTER.values, 'gateway/adapters/sql', 'gateway/sync'],
    types: ['gateway/features/*/*'],
    libraries: ['@nats-io/transport-node', 'express', 'kysely', 'pg', 'ws', 'zod', 'node:*'],
  },
  { folder: 'gateway/adapters/discovery', ...ADAPTER, libraries: ['multicast-dns', 'uqr', 'node:*'] },
  { folder: 'gateway/adapters/serial', ...ADAPTER, libraries: ['esptool-js', 'serialport', 'node:*'] },
  // One place knows how a serial port is opened, and notices that its cable was pulled.
  {
    folder: 'gateway/adapters/modbus',
    ...ADAPTER,
    values: [...ADAPTER.values, 'gateway/adapters/serial'],
    libraries: ['node:*'],
  },
  { folder: 'gateway/adapters/home-assistant', ...ADAPTER, libraries: ['mqtt', 'zod', 'node:*'] },
  { folder: 'gateway/adapters/*', ...ADAPTER, libraries: ['node:*'] },

  // The technician's bench: jobs at a serial port, run by the gateway in a process of their own and by a command line.
  { folder: 'gateway/bench', values: below('gateway/bench'), libraries: ['uqr', 'zod', 'node:*'] },
  {
    folder: 'gateway/runtime',
    values: below('gateway/runtime'),
    libraries: ['pino', 'uuid', 'zod', 'node:*'],
  },

  // Updates of the program itself: read packages, unpack them, judge. Runs before anything else of the program, so it
  // brings no library.
  { folder: 'gateway/operations/update', values: ['gateway/adapters/backup'], libraries: ['node:*'] },
  {
    folder: 'gateway/operations/*',
    values: [...below('gateway/operations'), 'gateway/operations'],
    libraries: ['zod', 'node:*'],
  },

  // The process of virtual controllers: what runs in it is the simulator, and nothing else of the program starts that.
  {
    folder: 'gateway/workers/fleet',
    values: ['gateway/contract', 'gateway/adapters/system', 'firmware-sim/*'],
    types: ['gateway/features/equipment/simulator'],
    libraries: ['node:*'],
  },
  { folder: 'gateway/workers/*', values: below('gateway/workers'), libraries: ['yazl', 'zod', 'node:*'] },

  { folder: 'gateway/app', values: below('gateway/app'), libraries: ['pino', 'uuid', 'zod', 'node:*'] },
  { folder: 'gateway/cli', values: below('gateway/cli'), libraries: ['zod', 'node:*'] },

  // What is started: main, launch, and the technician's tool.
  { folder: 'gateway', values: [...LAYERS, 'scripts'], libraries: ['node:*'] },

  // The console runs in a browser: it knows the contract and the science, and nothing of the gateway's inside.
  { folder: 'desktop/console/state', values: ['gateway/contract', 'gateway/science'], libraries: [] },
  {
    folder: 'desktop/console',
    values: ['gateway/contract', 'gateway/science', 'desktop'],
    libraries: [
      '@simplewebauthn/browser',
      'preact',
      '@noble/hashes',
      '@preact/signals',
      '@tanstack/preact-query',
      'uplot',
      'uqr',
      'vite',
      'wouter-preact',
      'node:url',
    ],
  },
  { folder: 'desktop/preload', values: ['desktop'], libraries: ['electron'] },
  { folder: 'desktop/shell', values: ['desktop'], libraries: [] },
  {
    folder: 'desktop/main',
    values: ['desktop', 'gateway/contract'],
    libraries: ['electron', 'multicast-dns', 'zod', 'node:*'],
  },
  { folder: 'desktop', values: ['desktop/*'], libraries: ['vite', 'node:*'] },

  {
    folder: 'firmware-sim',
    values: ['gateway/contract', 'scripts'],
    libraries: ['@lydell/node-pty', 'aedes', 'mqtt', 'ws', 'zod', 'node:*'],
  },
];

/** One sentence per import, new Date() or unknown folder that breaks the rules; none when all is well. */
export function violationsIn(
  files: readonly SourceFile[],
  aliases: Readonly<Record<string, string>>,
): string[] {
  return files.flatMap((file) => {
    const rule = ruleFor(file.path);
    if (!rule) return [`${file.path} lies in a folder without import rules`];
    return readSource(file)
      .imports.filter((found) => !isAllowed(rule, file.path, resolveImport(found, file.path, aliases)))
      .map((found) => `${file.path} may not import ${found.isType ? 'types of ' : ''}${found.specifier}`);
  });
}

/** Files of the inner folders that read the clock by `new Date()` instead of being told the time. */
export function hiddenClocksIn(files: readonly SourceFile[]): string[] {
  const inner = /^gateway\/(contract|core|store|science|features|sync)\//;
  return files
    .filter((file) => inner.test(file.path) && readSource(file).readsClock)
    .map((file) => file.path);
}

type Import = { specifier: string; isType: boolean };

function ruleFor(file: string): Rule | undefined {
  const folder = path.posix.dirname(file);
  return IMPORT_RULES.find(({ folder: rule }) =>
    rule === 'gateway' || rule === 'desktop' ? folder === rule : isWithin(folder, rule),
  );
}

function isWithin(folder: string, pattern: string): boolean {
  const names = folder.split('/');
  if (pattern.endsWith('/.')) {
    const exact = pattern.slice(0, -2);
    return names.length === exact.split('/').length && isWithin(folder, exact);
  }
  return pattern.split('/').every((name, i) => name === names[i] || (name === '*' && names[i] !== undefined));
}

function resolveImport(found: Import, from: string, aliases: Readonly<Record<string, string>>) {
  const { specifier, isType } = found;
  if (specifier.startsWith('.')) {
    return { folder: path.posix.join(path.posix.dirname(from), specifier, '..'), isType };
  }
  for (const [alias, target] of Object.entries(aliases)) {
    const prefix = alias.replace('*', '');
    if (!specifier.startsWith(prefix)) continue;
    const file = target.replace('*', specifier.slice(prefix.length));
    return { folder: path.posix.join(file, '..'), isType };
  }
  const isScoped = specifier.startsWith('@');
  const library = specifier.split('/').slice(0, isScoped ? 2 : 1);
  return { library: specifier.startsWith('node:') ? specifier : library.join('/'), isType };
}

function isAllowed(rule: Rule, file: string, target: ReturnType<typeof resolveImport>): boolean {
  if (target.library !== undefined) {
    // Who may know the contract may name the types it is made of.
    if (target.isType && target.library === 'zod') return rule.values.includes('gateway/contract');
    const isNode = target.library.startsWith('node:');
    return rule.libraries.includes(target.library) || (isNode && rule.libraries.includes('node:*'));
  }
  if (isWithin(target.folder, ownFolder(rule, file))) return true;
  const allowed = target.isType ? [...rule.values, ...(rule.types ?? [])] : rule.values;
  return allowed.some((folder) => isWithin(target.folder, folder));
}

/** gateway/features/farm/ponds for a file anywhere in it, though its rule says gateway/features/*. */
function ownFolder(rule: Rule, file: string): string {
  const names = rule.folder.split('/');
  const isFace = names.at(-1) === '.';
  const folder = file.split('/').slice(0, names.length - (isFace ? 1 : 0));
  return [...folder, ...(isFace ? ['.'] : [])].join('/');
}

/** Every way one module can name another, and whether the clock is read. */
function readSource(file: SourceFile): { imports: Import[]; readsClock: boolean } {
  const { program, module, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path} cannot be read: ${errors[0]?.message}`);
  const imports: Import[] = module.staticImports.map((found) => ({
    specifier: found.moduleRequest.value,
    isType: found.entries.length > 0 && found.entries.every((entry) => entry.isType),
  }));
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest) imports.push({ specifier: moduleRequest.value, isType });
    }
  }
  let readsClock = false;
  visit(program, (node) => {
    const [argument] = Array.isArray(node['arguments']) ? node['arguments'] : [];
    const callee = nameOf(node['callee']);
    if (node['type'] === 'ImportExpression')
      imports.push({ specifier: valueOf(node['source']), isType: false });
    if (node['type'] === 'TSImportType') imports.push({ specifier: valueOf(node['source']), isType: true });
    if (callee === 'require') imports.push({ specifier: valueOf(argument), isType: false });
    if (callee === 'Date' && argument === undefined) readsClock = true;
  });
  return { imports, readsClock };
}

type Node = Record<string, unknown>;

function visit(node: unknown, look: (node: Node) => void): void {
  if (Array.isArray(node)) for (const child of node) visit(child, look);
  else if (isNode(node)) {
    look(node);
    for (const child of Object.values(node)) visit(child, look);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function nameOf(node: unknown): unknown {
  return isNode(node) ? node['name'] : undefined;
}

function valueOf(node: unknown): string {
  const value = isNode(node) ? node['value'] : undefined;
  // A module named by an expression could be any: no rule allows it.
  return typeof value === 'string' ? value : '(computed)';
}
