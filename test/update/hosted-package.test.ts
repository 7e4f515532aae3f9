import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programVersion } from '#adapters/system/machine-facts.ts';
import { noteStart } from '#operations/doctor/run-file.ts';
import { askedAtGateway, stageDeps } from '#operations/staging/stage-deps.ts';
import { archOf } from '#operations/update/package-file.ts';
import { stageUpdate } from '#operations/update/stage-update.ts';
import { readState } from '#operations/update/update-folder.ts';
import { type App, startApp } from '#test/app.ts';
import { localOf, pair } from '#test/paired-apps.ts';
import { aFolder, aSigner, removeFolders, tinyUpdate } from './tiny-program.ts';

afterAll(removeFolders);

// A gateway fetches its new version from the hosted instance it is paired with, over real sockets.

const arch = archOf(process.arch) ?? 'amd64';
const signer = aSigner();
const NOT_ATTACHED = { https: null, mqtts: null, http: null, mqtt: null };

describe('a package that the operator of the hosted instance laid out', () => {
  let shelf: string;
  let newest: string;
  let hosted: App;
  let gateway: App;
  beforeAll(async () => {
    shelf = aFolder('shelf');
    await tinyUpdate({ to: shelf, version: '9.1.0', signer });
    newest = await tinyUpdate({ to: shelf, version: '9.2.0', signer });
    await tinyUpdate({ to: shelf, version: '9.9.0', signer, arch: arch === 'arm64' ? 'amd64' : 'arm64' });
    writeFileSync(join(shelf, 'shrimp-farm-gateway_holiday.update'), 'pictures');
    writeFileSync(join(shelf, 'secrets.txt'), 'of the operator');
    hosted = await startApp('sqlite', ['--role', 'hosted', '--updates-dir', shelf]);
    const keys = join(aFolder('keys'), 'update-keys.pem');
    writeFileSync(keys, signer.pem);
    gateway = await startApp('sqlite', ['--hosted-url', hosted.base, '--update-keys', keys]);
    // as a start does: what the command of this box needs to ask the program that runs
    const ports = () => NOT_ATTACHED;
    const note = await noteStart(gateway.config, { wallClock: now, log: gateway.kernel.log });
    gateway.doctor.attach({ note, address: gateway.base, ports, broker: null, p99Ms: () => 0 });
  });
  afterAll(async () => {
    await gateway.close();
    await hosted.close();
  });

  const ask = async (query: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await fetch(`${hosted.base}/sync/v1/update?${new URLSearchParams(query)}`, { headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    const said = response.ok ? null : (JSON.parse(bytes.toString()) as { code: string }).code;
    return { status: response.status, bytes, said };
  };
  const now = () => Date.UTC(2026, 2, 2, 12);
  const stage = () =>
    stageUpdate(
      stageDeps(gateway.config, () => undefined, now),
      { from: 'hosted', allowOlder: false },
    );

  test('is for nobody without the key of a gateway', async () => {
    expect(await ask({ arch, version: '1.0.0' })).toMatchObject({ status: 401, said: 'SYNC_TOKEN' });
    await expect(stage()).rejects.toMatchObject({ code: 'NOT_PAIRED' });
    // what lets a gateway in there is for nobody but who can read its folder
    for (const authorization of ['', 'Local guessed'])
      expect(
        (await fetch(`${gateway.base}/local/hosted-entrance`, { headers: { authorization } })).status,
      ).toBe(404);
  });

  test('comes to a paired gateway: the newest for its machine, to lie ready there', async () => {
    const owner = await hosted.signUp();
    await pair({ hosted, gateway }, { token: owner.token });
    expect(await stage()).toEqual({ version: '9.2.0' });
    expect((await readState(gateway.config.data)).step).toMatchObject({ at: 'staged', version: '9.2.0' });
  });

  test('is handed out in parts, and nothing else of the folder is', async () => {
    const authorization = `Bearer ${await localOf(gateway).sessionToken()}`;
    const whole = readFileSync(newest);
    const rest = await ask({ arch, version: '9.1.0' }, { authorization, range: 'bytes=100-' });
    expect([rest.status, rest.bytes.equals(whole.subarray(100))]).toEqual([206, true]);
    const refusals = await Promise.all(
      [
        { arch, version: '9.2.0' },
        { arch, version: '../../secrets.txt' },
        { arch: 'secrets.txt', version: '1.0.0' },
        { version: '1.0.0' },
      ].map((query) => ask(query, { authorization })),
    );
    expect(refusals.map(({ status, said }) => `${status} ${said}`)).toEqual([
      '404 UPDATE_NONE',
      '422 VALIDATION_ERROR',
      '422 VALIDATION_ERROR',
      '422 VALIDATION_ERROR',
    ]);
  });

  test('comes by an address that carries no token', async () => {
    const { address } = await askedAtGateway(gateway.config);
    expect(address).toBe(`${hosted.base}/sync/v1/update?arch=${arch}&version=${programVersion()}`);
  });
});
