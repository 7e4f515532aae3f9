import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createPackage, listPackage } from '@electron/asar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDesktop } from '../../desktop/build.mjs';
import { canBeBox, programFolders } from '../../desktop/main/local-gateway.ts';
import { filesFor } from '../../scripts/packaging/program-files.ts';

const run = promisify(execFile);

/** A folder that looks like Electron's own as far as packing looks at it: its binary is not needed to see what is packed. */
async function fakeElectron(folder: string): Promise<void> {
  mkdirSync(path.join(folder, 'resources'), { recursive: true });
  writeFileSync(path.join(folder, 'electron'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(path.join(folder, 'version'), '45.4.1');
  const app = mkdtempSync(path.join(tmpdir(), 'default-app-'));
  writeFileSync(path.join(app, 'package.json'), '{"name":"default","main":"index.js"}');
  writeFileSync(path.join(app, 'index.js'), '');
  await createPackage(app, path.join(folder, 'resources/default_app.asar'));
  rmSync(app, { recursive: true });
}

const configuration = readFileSync('desktop/electron-builder.yml', 'utf8');
const FUSES = /^electronFuses:\n(?: {2}.*\n)+/m;

/** Width and height of a picture in PNG. */
const sizeOf = (png: Buffer): string => `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;

it('has an icon of its own on every system, and on phones that install the console', () => {
  for (const [, file = ''] of configuration.matchAll(/^ {2}icon: (\S+)$/gm))
    expect(readFileSync(file).length, file).toBeGreaterThan(10_000);
  expect([...configuration.matchAll(/^ {2}icon: /gm)]).toHaveLength(3);
  const folder = 'desktop/console/public';
  const { icons } = JSON.parse(readFileSync(`${folder}/manifest.webmanifest`, 'utf8')) as {
    icons: { src: string; sizes: string; type: string; purpose?: string }[];
  };
  const pictures = icons.filter(({ type }) => type === 'image/png');
  for (const { src, sizes } of pictures) expect(sizeOf(readFileSync(folder + src)), src).toBe(sizes);
  expect(pictures.map(({ sizes, purpose }) => `${sizes} ${purpose ?? 'any'}`)).toEqual([
    '192x192 any',
    '512x512 any',
    '512x512 maskable',
  ]);
});

describe('what the operator installs', () => {
  let work: string;
  let packed: readonly string[];
  beforeAll(async () => {
    work = mkdtempSync(path.join(tmpdir(), 'packing-'));
    const desktop = path.join(work, 'desktop');
    mkdirSync(desktop);
    writeFileSync(
      path.join(work, 'package.json'),
      '{"name":"farm","version":"0.1.0","description":"-","author":"-"}',
    );
    // a fake binary has no fuses to set; everything else is the configuration as it stands
    writeFileSync(path.join(desktop, 'electron-builder.yml'), configuration.replace(FUSES, ''));
    await buildDesktop(path.join(desktop, 'dist'));
    // as `npm run desktop` lays it out for this machine
    const gateway = path.join(work, `out/gateway/linux-${process.arch}`);
    for (const file of ['gateway/dist/main.js', 'bin/node']) {
      mkdirSync(path.dirname(path.join(gateway, file)), { recursive: true });
      writeFileSync(path.join(gateway, file), '');
    }
    await fakeElectron(path.join(work, 'electron'));
    const builder = path.resolve('node_modules/electron-builder/cli.js');
    await run(
      process.execPath,
      [
        builder,
        '--dir',
        '--linux',
        '--config',
        path.join(desktop, 'electron-builder.yml'),
        '--projectDir',
        work,
        `-c.electronDist=${path.join(work, 'electron')}`,
        '-c.electronVersion=45.4.1',
      ],
      { env: { ...process.env, CI: 'true' } },
    ).catch((error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}`);
    });
    const unpacked = readdirSync(path.join(work, 'out/desktop')).find((name) => name.endsWith('unpacked'));
    const archive = path.join(work, 'out/desktop', unpacked ?? '', 'resources/app.asar');
    packed = listPackage(archive, { isPack: false });
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it('is the built program alone: no source, no package, no Node, no secret', () => {
    expect([...packed].sort()).toEqual([
      '/main.js',
      '/package.json',
      '/preload.cjs',
      '/shell',
      '/shell/choose.html',
      '/shell/choose.js',
      '/shell/lost.html',
      '/shell/lost.js',
      '/shell/shell.css',
    ]);
  });

  it('cannot be turned into a plain Node, nor run other code than what is packed', () => {
    const [fuses = ''] = FUSES.exec(configuration) ?? [];
    expect(fuses).toContain('runAsNode: false');
    expect(fuses).toContain('enableNodeOptionsEnvironmentVariable: false');
    expect(fuses).toContain('enableNodeCliInspectArguments: false');
    expect(fuses).toContain('onlyLoadAppFromAsar: true');
    expect(fuses).toContain('enableEmbeddedAsarIntegrityValidation: true');
    expect(fuses).toContain('enableCookieEncryption: true');
  });

  it('has the gateway beside it, for the PC that is the box, where the program looks for it', () => {
    const unpacked = readdirSync(path.join(work, 'out/desktop')).find((name) => name.endsWith('unpacked'));
    const resources = path.join(work, 'out/desktop', unpacked ?? '', 'resources');
    const app = { isPackaged: true, getAppPath: () => path.join(resources, 'app.asar') };
    expect(canBeBox(programFolders(app, resources))).toBe(true);
    expect(canBeBox(programFolders(app, work))).toBe(false);
  });

  it('brings the gateway a Node and the driver of serial ports of its own kind of machine', () => {
    const machine = `linux-${process.arch}`;
    if (machine !== 'linux-x64' && machine !== 'linux-arm64') throw new Error(`no gateway for ${machine}`);
    const node = path.resolve('node_modules', `node-${machine}/bin/node`);
    const files = filesFor({ root: path.resolve('.'), machine, version: '0.1.0', node, updateKeys: null });
    const paths = files.map((file) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining(['bin/node', 'gateway/dist/main.js', 'gateway/dist/bench-tool.js']),
    );
    const drivers = paths.filter((name) => /bindings-cpp\/prebuilds\/.*\.node$/.test(name));
    expect(drivers).toHaveLength(1);
    expect(drivers[0]).toContain(machine);
  });
});
