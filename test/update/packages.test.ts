import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archOf, programTrouble } from '#operations/update/package-file.ts';
import { type StageDeps, stageUpdate } from '#operations/update/stage-update.ts';
import { lockUpdates, readState, versionFolder } from '#operations/update/update-folder.ts';
import { troubleIn } from '#operations/update/update-trouble.ts';
import { aFolder, aSigner, removeFolders, tinyUpdate } from './tiny-program.ts';

afterAll(removeFolders);

const signer = aSigner();
const arch = archOf(process.arch) ?? 'amd64';
let stick: string;
let good: string;
beforeAll(async () => {
  stick = aFolder('stick');
  good = await tinyUpdate({ to: stick, version: '1.1.0', signer });
});
afterAll(() => rmSync(stick, { recursive: true, force: true }));

function aBox(more: Partial<StageDeps> = {}): StageDeps {
  return {
    data: aFolder('box'),
    keys: signer.publicKeys,
    arch,
    runningVersion: '1.0.0',
    now: () => Date.UTC(2026, 2, 2, 12),
    print: () => undefined,
    databaseFacts: () => ({ applied: [], oxygenAlarms: [] }),
    databaseBytes: async () => 0,
    snapshot: async () => undefined,
    rehearse: async () => 5,
    hosted: () => Promise.reject(new Error('there is none')),
    ...more,
  };
}

const wish = (from: string) => ({ from, allowOlder: false });
/** All that lies in the folder of updates. */
const lies = (box: StageDeps) => {
  const folder = join(box.data, 'update');
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
};

describe('a package that is what it should be', () => {
  test('lies ready beside the running program, whole', async () => {
    const box = aBox();
    await stageUpdate(box, wish(good));
    expect((await readState(box.data)).step).toMatchObject({
      at: 'staged',
      version: '1.1.0',
      allowMs: 40_010,
    });
    expect(await programTrouble(versionFolder(box.data, '1.1.0'), signer.publicKeys)).toBeNull();
  });

  test('is found on a stick: the newest for this machine, whatever else lies there', async () => {
    const other = aFolder('stick');
    await tinyUpdate({ to: other, version: '1.2.0', signer });
    await tinyUpdate({ to: other, version: '1.10.0', signer });
    await tinyUpdate({ to: other, version: '9.0.0', signer: aSigner() });
    await tinyUpdate({ to: other, version: '8.0.0', signer, arch: arch === 'arm64' ? 'amd64' : 'arm64' });
    writeFileSync(join(other, 'holiday.update'), 'pictures');
    expect(await stageUpdate(aBox(), wish(other))).toEqual({ version: '1.10.0' });
  });

  test('that is older comes in when somebody says so', async () => {
    const box = aBox({ runningVersion: '2.0.0' });
    expect(await stageUpdate(box, { from: good, allowOlder: true })).toEqual({ version: '1.1.0' });
  });
});

describe('refused before anything changes', () => {
  async function refusal(box: StageDeps, from: string) {
    const error = await stageUpdate(box, wish(from)).catch((caught: unknown) => caught);
    expect(lies(box)).toEqual([]);
    return error;
  }
  const damagedAt = (place: number, name: string) => {
    const bytes = readFileSync(good);
    const at = place < 0 ? bytes.length + place : place;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const file = join(stick, name);
    writeFileSync(file, bytes);
    return file;
  };

  test.each([
    [
      'signed by somebody else',
      async () => tinyUpdate({ to: aFolder('s'), version: '1.1.0', signer: aSigner() }),
      'UNSIGNED',
    ],
    ['with a changed list of files', async () => damagedAt(80, 'list.bin'), 'UNSIGNED'],
    ['some file', async () => join(import.meta.dirname, 'packages.test.ts'), 'UNSIGNED'],
    ['that is not there', async () => '/nowhere/x.update', 'NOT_FOUND'],
    ['older than what runs', async () => tinyUpdate({ to: aFolder('s'), version: '0.9.0', signer }), 'OLDER'],
    ['what runs', async () => tinyUpdate({ to: aFolder('s'), version: '1.0.0', signer }), 'SAME'],
    [
      'for another machine',
      async () =>
        tinyUpdate({
          to: aFolder('s'),
          version: '1.1.0',
          signer,
          arch: arch === 'arm64' ? 'amd64' : 'arm64',
        }),
      'FOREIGN',
    ],
    [
      'of another program',
      async () => tinyUpdate({ to: aFolder('s'), version: '1.1.0', signer, product: 'pump' }),
      'FOREIGN',
    ],
    [
      'after which this version could not run again',
      async () =>
        tinyUpdate({
          to: aFolder('s'),
          version: '1.1.0',
          signer,
          migrations: [{ name: '0009_drop.sql', expandOnly: false }],
        }),
      'NOT_REVERSIBLE',
    ],
    ['over http', async () => 'http://farm.example/x.update', 'INSECURE_SOURCE'],
  ])('a package %s', async (_what, make, code) => {
    expect(await refusal(aBox(), await make())).toMatchObject({ code });
  });

  test('an update while the oxygen is low', async () => {
    const box = aBox({ databaseFacts: () => ({ applied: [], oxygenAlarms: ['LOW_OXYGEN'] }) });
    expect(await refusal(box, good)).toMatchObject({ code: 'OXYGEN_ALARM' });
  });

  test('an update for which the disk is too small', async () => {
    expect(await refusal(aBox({ databaseBytes: async () => 1e15 }), good)).toMatchObject({
      code: 'DISK_SHORT',
    });
  });

  test('an update on an installation without a key', async () => {
    expect(await refusal(aBox({ keys: [] }), good)).toMatchObject({ code: 'NOT_MANAGED' });
  });

  test('a second one while the first is under way', async () => {
    const box = aBox();
    const unlock = await lockUpdates(box.data);
    await expect(stageUpdate(box, wish(good))).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
    await unlock?.();
    await stageUpdate(box, wish(good));
    await expect(stageUpdate(box, wish(good))).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
  });
});

describe('given up, leaving only the word of it', () => {
  async function outcome(box: StageDeps, from: string) {
    await stageUpdate(box, wish(from)).catch(() => undefined);
    expect(lies(box)).toEqual(['state.json', 'versions']);
    const { slot, step, last } = await readState(box.data);
    expect([slot, step]).toEqual(['packaged', { at: 'rest' }]);
    return last;
  }

  test('a package with a damaged byte in a program', async () => {
    const bytes = readFileSync(good);
    bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
    const file = join(stick, 'damaged.bin');
    writeFileSync(file, bytes);
    expect(await outcome(aBox(), file)).toMatchObject({
      result: 'refused',
      detail: expect.stringContaining('damaged'),
    });
  });

  test('a package that is cut off', async () => {
    const file = join(stick, 'short.bin');
    writeFileSync(file, readFileSync(good).subarray(0, -200));
    expect(await outcome(aBox(), file)).toMatchObject({ result: 'refused' });
  });

  test('a version that cannot open a copy of the database', async () => {
    const rehearse = () =>
      Promise.reject(new Error('the new version cannot use the database: no such column'));
    expect(await outcome(aBox({ rehearse }), good)).toMatchObject({
      result: 'refused',
      detail: expect.stringContaining('no such column'),
    });
  });
});

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0 && process.getuid?.() === 0;

test('a note of updates that cannot be read for a while is not written over', async () => {
  const box = aBox();
  mkdirSync(join(box.data, 'update', 'state.json'), { recursive: true });
  await expect(stageUpdate(box, wish(good))).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
  });
  expect(readdirSync(join(box.data, 'update', 'state.json'))).toEqual([]);
});

test('of a version that falls people read its error, not the places in its code', () => {
  const { stderr } = spawnSync(process.execPath, [
    '-e',
    'throw new TypeError("no such table: siphons", { cause: 1 })',
  ]);
  expect(troubleIn(String(stderr))).toBe('TypeError: no such table: siphons');
  expect(troubleIn('the farm has no controller\n')).toBe('the farm has no controller');
});

test.skipIf(!canMount)('a disk that fills up stops the update, and everything is gone again', async () => {
  const data = aFolder('full');
  mkdirSync(data, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', data]);
  try {
    const box = aBox({
      data,
      rehearse: async (program) => {
        // the farm goes on writing meanwhile
        writeFileSync(join(program, '..', '..', '..', 'farm.db'), Buffer.alloc(8_000_000));
        return 5;
      },
    });
    // what is free is asked before: here it says there is enough
    const error = await stageUpdate({ ...box, data }, wish(good)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'DISK_SHORT' });
    expect((await readState(data)).step).toEqual({ at: 'rest' });
  } finally {
    execFileSync('umount', [data]);
  }
});
