import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildTime } from './package.ts';
import { filesFor, MACHINES, type Machine, writeTree } from './program-files.ts';

// The gateway beside the program for the operator's PC, for the PC that is the box: built, with its packages (the driver
// of serial ports among them) and a Node of its own, as electron-builder takes it from out/gateway.

const HELP = `npm run desktop -- [options]   lays out what electron-builder packs

  --machine M     ${Object.keys(MACHINES).join(', ')}; by default this one
  --node FILE     Node for that machine, where its package is not installed
  --to FOLDER     [out/gateway/MACHINE]
`;

const ROOT = resolve(import.meta.dirname, '..', '..');
const isMachine = (name: string): name is Machine => name in MACHINES;

/** Where the package of Node for that machine has it. */
const installedNode = (machine: Machine): string =>
  join(ROOT, 'node_modules', `node-${machine.replace('win32', 'win')}`, MACHINES[machine].node);

function main(args: readonly string[]): void {
  const { values } = parseArgs({
    args: [...args],
    options: {
      machine: { type: 'string' },
      node: { type: 'string' },
      to: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const machine = values.machine ?? `${process.platform}-${process.arch}`;
  if (!isMachine(machine)) {
    // the program still watches a box from there
    process.stdout.write(`No gateway for ${machine}: the package will only watch. See --help.\n`);
    return;
  }
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const node = values.node ?? installedNode(machine);
  const files = filesFor({ root: ROOT, machine, version, node, updateKeys: null });
  const to = resolve(values.to ?? join(ROOT, 'out', 'gateway', machine));
  if (existsSync(to)) {
    if (!existsSync(join(to, 'gateway/dist/main.js'))) throw new Error(`${to} holds something else`);
    rmSync(to, { recursive: true });
  }
  writeTree(to, files, buildTime());
  process.stdout.write(`${to}: ${files.length} files\n`);
}

if (import.meta.main) main(process.argv.slice(2));
