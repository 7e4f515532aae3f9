import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FirmwareManifest } from '../../gateway/bench/firmware-manifest.ts';
import { type BenchJobInput, type Progress, readJob, runJob } from '../../gateway/bench/job.ts';
import type { BenchTrouble } from '../../gateway/bench/trouble.ts';
import { firmwareFile } from '../../scripts/sign-firmware.ts';
import { aBundle, aFolder, anImage, aPublisher, KEYS, PUBLISHER } from './flash-fixtures.ts';

// Firmware for the cable: only that of a known publisher reaches a port. The port here does not exist, so PORT_NOT_FOUND
// is what a firmware gets that was let through.

type Flash = Omit<Extract<BenchJobInput, { kind: 'flash' }>, 'kind' | 'port'>;

async function outcome(job: Flash) {
  const told: Progress[] = [];
  const context = { tell: (progress: Progress) => told.push(progress), signal: new AbortController().signal };
  const code = await runJob(readJob({ kind: 'flash', port: '/dev/none', ...job }), context).then(
    () => 'done',
    (error: BenchTrouble) => error.code,
  );
  return { code, warned: told.filter(({ level }) => level === 'warning').map(({ message }) => message.en) };
}

describe('a bundle', () => {
  const firmware_keys = (bundle: string) => path.join(bundle, KEYS);
  const manifestOf = async (bundle: string) =>
    JSON.parse(await readFile(path.join(bundle, 'manifest.json'), 'utf8')) as FirmwareManifest;
  const change = async (bundle: string, altered: object) =>
    writeFile(path.join(bundle, 'manifest.json'), JSON.stringify(altered));

  test('of a publisher whose key is here is taken', async () => {
    const bundle = await aBundle();
    expect(await outcome({ firmware: { bundle }, firmware_keys: firmware_keys(bundle) })).toEqual({
      code: 'PORT_NOT_FOUND',
      warned: [],
    });
  });

  test.each<[string, (bundle: string) => Promise<unknown>]>([
    ['nobody signed', async (bundle) => change(bundle, { ...(await manifestOf(bundle)), signature: null })],
    ['a stranger signed', async (bundle) => writeFile(firmware_keys(bundle), aPublisher().open)],
    ['nobody can check, for no key is here', async (bundle) => rm(firmware_keys(bundle))],
    [
      'was given another version',
      async (bundle) => change(bundle, { ...(await manifestOf(bundle)), version: '9.9.9' }),
    ],
    [
      'was given another chip',
      async (bundle) => change(bundle, { ...(await manifestOf(bundle)), chip: 'ESP32-C3' }),
    ],
    [
      'lost a part',
      async (bundle) => {
        const manifest = await manifestOf(bundle);
        await change(bundle, { ...manifest, parts: manifest.parts.slice(1) });
      },
    ],
    [
      'has a part in another place',
      async (bundle) => {
        const manifest = await manifestOf(bundle);
        const [boot, ...rest] = manifest.parts;
        await change(bundle, { ...manifest, parts: [{ ...boot, offset: 0x2_0000 }, ...rest] });
      },
    ],
    [
      'holds another program, with its digest',
      async (bundle) => {
        const manifest = await manifestOf(bundle);
        const other = await manifestOf(await aBundle({ version: '2.1.0', bytes: 9_000 }));
        await writeFile(path.join(bundle, 'app.bin'), anImage({ version: '2.1.0', bytes: 9_000 }));
        await change(bundle, { ...manifest, parts: other.parts });
      },
    ],
  ])('that %s is refused, and taken only with the word for it', async (_what, spoil) => {
    const bundle = await aBundle();
    await spoil(bundle);
    const job = { firmware: { bundle }, firmware_keys: firmware_keys(bundle) };
    expect(await outcome(job)).toEqual({ code: 'UNSIGNED', warned: [] });
    expect(await outcome({ ...job, allow_unsigned: true })).toEqual({
      code: 'PORT_NOT_FOUND',
      warned: [expect.stringMatching(/not signed|cannot be checked/)],
    });
  });

  test('cannot smuggle a part into what is signed by a line end in its version', async () => {
    const bundle = await aBundle();
    const manifest = await manifestOf(bundle);
    const [boot, app] = manifest.parts;
    const version = `${manifest.version}\npart 0x1000 ${boot?.sha256}`;
    await change(bundle, { ...manifest, version, parts: [app] });
    expect((await outcome({ firmware: { bundle }, firmware_keys: firmware_keys(bundle) })).code).toBe(
      'WRONG_IMAGE',
    );
  });
});

describe('a firmware file for the air', () => {
  const files = (...named: string[]) => ({ files: named.map((file) => ({ file, offset: 0x1_0000 })) });

  test('goes over the cable as it is, and is held to its signature', async () => {
    const folder = await aFolder();
    const [sfw, keys, plain] = ['aerator.sfw', 'keys.pem', 'app.bin'].map((name) => path.join(folder, name));
    if (sfw === undefined || keys === undefined || plain === undefined) throw new Error('no folder');
    const whole = firmwareFile(anImage(), { chip: 'esp32', version: '2.1.0' }, PUBLISHER.secret);
    await Promise.all([writeFile(sfw, whole), writeFile(keys, PUBLISHER.open), writeFile(plain, anImage())]);
    const codeOf = async (firmware: Flash['firmware'], firmware_keys: string | null = keys) =>
      (await outcome({ firmware, firmware_keys })).code;
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(whole.length - 9) ^ 1, whole.length - 9);
    await writeFile(path.join(folder, 'damaged.sfw'), damaged);
    expect([
      await codeOf(files(sfw)),
      await codeOf(files(sfw), null),
      // what lies beside it nobody signed
      await codeOf({ files: [...files(sfw).files, { file: plain, offset: 0x10_0000 }] }),
      await codeOf(files(plain)),
      await codeOf(files(path.join(folder, 'damaged.sfw'))),
    ]).toEqual(['PORT_NOT_FOUND', 'UNSIGNED', 'UNSIGNED', 'UNSIGNED', 'CHECKSUM_REFUSED']);
  });
});
