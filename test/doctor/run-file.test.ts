import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginRun, readRun } from '#operations/doctor/run-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const failures: unknown[] = [];
type Given = { machine?: string; version?: string; at?: string; process?: number };
function aStart({ machine = 'monday', version = '1.0.0', at = folder, process = 77 }: Given = {}) {
  return beginRun({
    file: join(at, 'run.json'),
    folder: at,
    now: () => 1_000,
    process,
    machine,
    upS: 40,
    version,
    newKey: () => 'a-key',
    failed: (error) => void failures.push(error),
  });
}
/** A gateway that serves. */
function aRun(given: Given = {}) {
  const note = aStart(given);
  note.opened('http://127.0.0.1:8080', () => 2_000);
  return note;
}
const kept = () => readRun(join(folder, 'run.json'));

describe('why a gateway started is known by what the run before left behind', () => {
  it('nothing: it is the first', () => {
    expect(aRun().run().cause).toBe('first');
  });

  it('a farewell: it was stopped in order, and its key opens nothing any more', () => {
    aRun().stopped();
    expect(kept()).toMatchObject({ key: '', stopped_at: 2_000 });
    expect(aRun().run().cause).toBe('stopped');
  });

  it('no farewell, and the machine started anew: the power went', () => {
    aRun();
    expect(aRun({ machine: 'tuesday' }).run().cause).toBe('power');
  });

  it('no farewell on a machine that ran on: it was killed', () => {
    aRun();
    expect(aRun().run().cause).toBe('killed');
  });

  it('last words: it was a fault, and which', () => {
    aRun().fault(new TypeError('x is not a pond'));
    expect(aRun().run()).toMatchObject({ cause: 'fault', fault_before: 'TypeError: x is not a pond' });
  });

  it('another version: it was updated', () => {
    aRun().stopped();
    expect(aRun({ version: '1.1.0' }).run().cause).toBe('updated');
  });

  it('starts that came to nothing do not hide what ended the run before them', () => {
    aRun().fault(new TypeError('x is not a pond'));
    aStart();
    aStart().stopped();
    expect(aRun().run()).toMatchObject({ cause: 'fault', fault_before: 'TypeError: x is not a pond' });
    aRun().stopped();
    aStart();
    expect(aRun({ machine: 'tuesday' }).run().cause).toBe('power');
  });

  it('a damaged note counts as none, and one that cannot be written harms nothing', () => {
    writeFileSync(join(folder, 'run.json'), '{"format":');
    expect(aRun().run().cause).toBe('first');
    writeFileSync(join(folder, 'taken'), '');
    expect(aRun({ at: join(folder, 'taken') }).run().cause).toBe('first');
    expect(failures).toHaveLength(2);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });
});

describe('a gateway that starts', () => {
  it('leaves word of it before it serves, without a key', () => {
    const note = aStart();
    expect(kept()).toMatchObject({ state: 'starting', process: 77, key: '', started_at: 1_000 });
    note.opened('http://127.0.0.1:8080', () => 2_000);
    expect(kept()).toMatchObject({ state: 'open', key: 'a-key', started_at: 2_000 });
  });

  it('by mistake beside one that runs leaves its note, and with it the way of the doctor, alone', () => {
    // the process of this test is one that lives
    aRun({ process: process.pid });
    const second = aStart({ process: 77 });
    expect(kept()).toMatchObject({ state: 'open', key: 'a-key', process: process.pid });
    second.stopped();
    expect(kept()).toMatchObject({ stopped_at: null, process: process.pid });
  });
});
