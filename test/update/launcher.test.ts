import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { versionFolder, writeState } from '#operations/update/update-folder.ts';
import { type UpdateState } from '#operations/update/update-state.ts';
import { until } from '#test/gateway-process.ts';
import { childFile } from '../../scripts/built-program.ts';
import { aFolder, aSigner, type Behaviour, removeFolders, tinyProgram, tinyUpdate } from './tiny-program.ts';

afterAll(removeFolders);

// The launcher as the system starts it, with programs of a few lines below it.

const LAUNCHER = join(import.meta.dirname, '..', '..', 'gateway', 'dist', 'launch.js');
/** How long a program takes to start says nothing of it here: time passes when a test says so. */
const TIMES_UP = `data:text/javascript,${encodeURIComponent(`
  import { existsSync } from 'node:fs';
  const own = performance.now.bind(performance);
  performance.now = () => own() + (existsSync(process.env.TIME_IS_UP) ? 3_600_000 : 0);
`)}`;
const signer = aSigner();
const boxes: { close: () => Promise<void> }[] = [];
type Box = ReturnType<typeof aBox>;
afterEach(async () => {
  for (const box of boxes.splice(0)) await box.close();
});

function aBox() {
  const folder = aFolder('launcher');
  const base = join(folder, 'base');
  const data = aFolder('data');
  const timeIsUp = join(folder, 'time-is-up');
  tinyProgram(base, { version: '1.0.0', signer });
  let child: ChildProcess | null = null;
  const box = {
    base,
    data,
    keys: join(base, 'update-keys.pem'),
    /** `detached`: killing its group is a power cut. */
    start() {
      const args = ['--import', TIMES_UP, LAUNCHER, '--base', base, '--data', data, '--gate-s', '600'];
      child = spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
        env: { ...process.env, TIME_IS_UP: timeIsUp },
      });
      if (child.stdout !== null)
        createInterface({ input: child.stdout }).on('line', (line) => box.lines.push(line));
    },
    /** The version that is tried has had its time. */
    timeIsUp: () => writeFileSync(timeIsUp, ''),
    lines: [] as string[],
    says: (words: string) =>
      until(
        () => box.lines,
        (lines) => lines.some((line) => line.includes(words)),
      ),
    started: () =>
      existsSync(join(data, 'started.log'))
        ? readFileSync(join(data, 'started.log'), 'utf8').trim().split('\n')
        : [],
    state: () => JSON.parse(readFileSync(join(data, 'update', 'state.json'), 'utf8')) as UpdateState,
    current: () => readlinkSync(join(data, 'update', 'current')),
    async cutPower() {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      process.kill(-child.pid, 'SIGKILL');
      await gone;
    },
    async stop() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
    async close() {
      await box.cutPower();
      for (const made of [folder, data]) rmSync(made, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  boxes.push(box);
  return box;
}

/** Runs the update up to the named step, where its power is cut; all of it without one. */
function update(box: Box, from: string, cutAt = 'never'): void {
  const child = childFile('test/update/stage-child.ts');
  spawnSync(process.execPath, [child, box.data, box.keys, from, cutAt], { stdio: 'inherit' });
}

const anUpdate = (behaviour: Behaviour = 'healthy') =>
  tinyUpdate({ to: aFolder('stick'), version: '1.1.0', behaviour, signer });
const runs = (box: Box, ...versions: string[]) =>
  until(box.started, (started) => JSON.stringify(started) === JSON.stringify(versions));

describe('an update', () => {
  test('that proves itself stays', async () => {
    const box = aBox();
    box.start();
    await runs(box, '1.0.0');
    update(box, await anUpdate());
    await box.stop();
    box.start();
    await runs(box, '1.0.0', '1.1.0');
    await until(box.state, ({ last }) => last?.result === 'updated');
    expect(box.current()).toBe(versionFolder(box.data, '1.1.0'));
    await box.stop();
    box.start();
    await runs(box, '1.0.0', '1.1.0', '1.1.0');
  });

  test.each([
    ['falls at its start', 'crashes', ['1.1.0', '1.1.0', '1.0.0'], 'two starts'],
    ['hangs', 'hangs', ['1.1.0', '1.0.0'], 'it said nothing'],
    ['never gets well', 'sick', ['1.1.0', '1.0.0'], 'messages do not get through its broker'],
  ] as const)('that %s gives way to the version before', async (_what, behaviour, started, why) => {
    const box = aBox();
    update(box, await anUpdate(behaviour));
    box.start();
    if (behaviour === 'hangs') await runs(box, '1.1.0');
    if (behaviour === 'sick') await box.says('the new version is at work');
    if (behaviour !== 'crashes') box.timeIsUp();
    await runs(box, ...started);
    expect(box.state().last).toMatchObject({ result: 'rolled_back', detail: expect.stringContaining(why) });
    expect(box.current()).toBe(box.base);
    expect(existsSync(versionFolder(box.data, '1.1.0'))).toBe(false);
  });

  test('that somebody changed on the disk is not started', async () => {
    const box = aBox();
    update(box, await anUpdate());
    writeFileSync(join(versionFolder(box.data, '1.1.0'), 'gateway', 'dist', 'main.js'), 'evil()');
    box.start();
    await runs(box, '1.0.0');
    expect(box.state().last).toMatchObject({
      result: 'rolled_back',
      detail: 'gateway/dist/main.js is damaged',
    });
  });

  test('that hangs and is stopped by a supervisor that waits in vain is not tried for ever', async () => {
    const box = aBox();
    update(box, await anUpdate('hangs'));
    for (const started of [['1.1.0'], ['1.1.0', '1.1.0']]) {
      box.start();
      await runs(box, ...started);
      await box.stop();
    }
    box.start();
    await runs(box, '1.1.0', '1.1.0', '1.0.0');
    expect(box.state().last?.result).toBe('rolled_back');
  });

  test('that is stopped by a person while it is at work gets its full trial again', async () => {
    const box = aBox();
    update(box, await anUpdate('sick'));
    box.start();
    await box.says('the new version is at work');
    await box.stop();
    expect(box.state().step).toMatchObject({ at: 'trial', starts: 0 });
  });

  test('that changed the database for good and fails leaves it aside, and the version before controls from its snapshot', async () => {
    const box = aBox();
    writeFileSync(join(box.data, 'farm.db'), 'before');
    update(box, await anUpdate('changes the database for good'));
    box.start();
    await runs(box, '1.1.0', '1.1.0', '1.0.0');
    const aside = readdirSync(box.data).filter((name) => name.startsWith('farm.db'));
    expect(aside).toEqual([expect.stringMatching(/^farm\.db\.broken-\d{8}T\d{6}Z$/)]);
    expect(box.state()).toMatchObject({
      isReturning: false,
      last: { result: 'rolled_back', detail: expect.stringContaining(aside[0] ?? '') },
    });
  });

  test('to which somebody added a file is not started', async () => {
    const box = aBox();
    update(box, await anUpdate());
    writeFileSync(join(versionFolder(box.data, '1.1.0'), 'gateway', 'more.ts'), 'evil()');
    box.start();
    await runs(box, '1.0.0');
  });
});

describe('the power is cut', () => {
  test.each([
    ['unpacking', '1.0.0', 'interrupted'],
    ['rehearsing', '1.0.0', 'interrupted'],
    ['rehearsed', '1.0.0', 'interrupted'],
    ['making a snapshot', '1.0.0', 'interrupted'],
    ['snapshot taken', '1.0.0', 'interrupted'],
    ['staged', '1.0.0', null],
    ['switched', '1.1.0', 'updated'],
  ])('at: %s', async (step, version, result) => {
    const box = aBox();
    const from = await anUpdate();
    box.start();
    await runs(box, '1.0.0');
    update(box, from, step);
    await box.cutPower();
    box.start();
    await runs(box, '1.0.0', version);
    await until(box.state, ({ last }) => (last?.result ?? null) === result);
    if (version === '1.1.0') return;
    // nothing of it is in the way of the next
    await box.stop();
    if (step !== 'staged') update(box, from);
    else
      await writeState(box.data, {
        ...box.state(),
        step: { at: 'trial', target: { version: '1.1.0' }, version: '1.1.0', starts: 0, allowMs: 3_000 },
      });
    box.start();
    await runs(box, '1.0.0', version, '1.1.0');
  });

  test('during the trial: once is forgiven, the second time it goes back', async () => {
    const box = aBox();
    update(box, await anUpdate('sick'));
    box.start();
    await runs(box, '1.1.0');
    await box.cutPower();
    box.start();
    await runs(box, '1.1.0', '1.1.0');
    await box.cutPower();
    box.start();
    await runs(box, '1.1.0', '1.1.0', '1.0.0');
    expect(box.state().last?.result).toBe('rolled_back');
  });
});

describe('control starts, whatever became of the note of updates', () => {
  test.each<[string, (file: string) => void]>([
    ['null', (file) => writeFileSync(file, 'null')],
    ['an empty file', (file) => writeFileSync(file, '')],
    ['of another shape', (file) => writeFileSync(file, '{"format":1,"slot":7,"step":"later"}')],
    ['a folder', (file) => mkdirSync(file)],
  ])('%s', async (_what, put) => {
    const box = aBox();
    mkdirSync(join(box.data, 'update'));
    put(join(box.data, 'update', 'state.json'));
    box.start();
    await runs(box, '1.0.0');
  });

  test('what cannot be read for a while is not thrown away: the applied version runs again when it can', async () => {
    const box = aBox();
    update(box, await anUpdate());
    box.start();
    await until(box.state, ({ last }) => last?.result === 'updated');
    await box.stop();
    const note = join(box.data, 'update', 'state.json');
    renameSync(note, `${note}.aside`);
    mkdirSync(note);
    box.start();
    await runs(box, '1.1.0', '1.0.0');
    await box.stop();
    rmSync(note, { recursive: true });
    renameSync(`${note}.aside`, note);
    box.start();
    await runs(box, '1.1.0', '1.0.0', '1.1.0');
  });

  test('a package whose description is damaged', async () => {
    const box = aBox();
    writeFileSync(join(box.base, 'package.json'), '{"version":"one","name":"x","type":"module"}');
    box.start();
    await runs(box, 'one');
  });

  test('keys that were damaged on the card', async () => {
    const box = aBox();
    writeFileSync(box.keys, '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n');
    box.start();
    await runs(box, '1.0.0');
  });
});

describe('a package that dpkg put over the one before', () => {
  test.each([
    ['stays when it proves itself', 'healthy', ['1.0.0', '1.2.0']],
    ['gives way to the one before', 'crashes', ['1.0.0', '1.2.0', '1.2.0', '1.0.0']],
  ] as const)('%s', async (_what, behaviour, started) => {
    const box = aBox();
    box.start();
    await runs(box, '1.0.0');
    await box.stop();
    cpSync(box.base, `${box.base}-previous`, { recursive: true });
    tinyProgram(box.base, { version: '1.2.0', behaviour, signer });
    box.start();
    await runs(box, ...started);
  });
});
