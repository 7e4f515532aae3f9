import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSecuredGateway, type SecuredGateway } from '#test/a-secured-gateway.ts';
import { builtDesktop } from '#test/desktop-program.ts';
import { electronBinary, whyNoWindow } from '#test/electron-binary.ts';

// The same program under the real Electron, wherever that is: sandbox, keys and second starts as they are there.

const why = whyNoWindow();
type Identity = { gateway_id: string; authority: { spki_sha256: string } };

describe.skipIf(why !== null)(`the program in a real window (skipped: ${why ?? 'no'})`, () => {
  const binary = electronBinary() ?? '';
  // as root Chromium has no sandbox to give
  const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  let box: SecuredGateway;
  let built: Awaited<ReturnType<typeof builtDesktop>>;
  let program: ElectronApplication;
  let page: Page;
  let userData: string;
  const args = () => [...flags, built.folder, `--user-data-dir=${userData}`];

  async function start(pin?: string): Promise<void> {
    const { gateway_id, authority } = (await box.plain('/api/v1/system/identity')).body as Identity;
    const gateway = {
      id: gateway_id,
      name: 'Norte',
      url: `https://127.0.0.1:${box.https}/`,
      pin: pin ?? authority.spki_sha256,
      software: '0.1.0',
    };
    writeFileSync(path.join(userData, 'settings.json'), JSON.stringify({ doorPort: 0, gateway }));
    program = await _electron.launch({ executablePath: binary, args: args() });
    page = await program.firstWindow();
  }
  /** As a system does at its end: nobody is asked. */
  const stop = () =>
    new Promise<void>((resolve) => {
      program.process().once('exit', () => resolve());
      program.process().kill('SIGTERM');
    });

  beforeAll(async () => {
    [box, built] = await Promise.all([aSecuredGateway(), builtDesktop()]);
    userData = mkdtempSync(path.join(tmpdir(), 'real-window-'));
    await start();
  });
  afterAll(async () => {
    await stop();
    await box.close();
    built.remove();
    rmSync(userData, { recursive: true, force: true });
  });

  it('shows the console of the box that proves its key, and gives it no Node', async () => {
    await page.waitForSelector('form');
    expect(page.url()).toMatch(/^https:\/\/g-[0-9a-f]{12}\.localhost:\d+\/$/);
    expect(await page.evaluate('typeof require + typeof process')).toBe('undefinedundefined');
    expect(await page.evaluate('Object.keys(window.camarao).sort().join()')).toBe(
      'alarms,appInfo,farm,notify',
    );
  });

  it('lets no page have a serial port', async () => {
    const asked = `navigator.serial === undefined ? 'none' : navigator.serial.requestPort().then(() => 'a port', () => 'none')`;
    expect(await page.evaluate(asked)).toBe('none');
  });

  it('takes the link of a second start, which ends itself', async () => {
    const second = spawnSync(binary, [...args(), 'camarao://viveiros/V-07'], { timeout: 30_000 });
    expect(second.error).toBeUndefined();
    await expect.poll(() => page.url()).toMatch(/\/viveiros\/V-07$/);
  });

  it('shows nothing of a box with another key', async () => {
    await stop();
    await start(Buffer.alloc(32, 7).toString('base64'));
    await page.waitForSelector('body.lost');
    await expect.poll(() => page.innerText('body')).toMatch(/outra chave|another key/);
  });
});
