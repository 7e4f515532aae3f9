import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createPackage, listPackage } from '@electron/asar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDesktop } from '../../desktop/build.mjs';

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
    mkdirSync(path.join(work, 'out/gateway/gateway/dist'), { recursive: true });
    writeFileSync(path.join(work, 'out/gateway/gateway/dist/main.js'), '');
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
    packed = listPackage(path.join(work, 'out/desktop/linux-unpacked/resources/app.asar'), { isPack: false });
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
  });

  it('has the gateway beside it, for the PC that is the box', () => {
    expect(
      existsSync(path.join(work, 'out/desktop/linux-unpacked/resources/gateway/gateway/dist/main.js')),
    ).toBe(true);
  });
});
