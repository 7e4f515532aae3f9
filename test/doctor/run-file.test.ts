import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginRun, readRun } from '../../gateway/doctor/run-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const failures: unknown[] = [];
function aRun({ machine = 'monday', version = '1.0.0', at = folder } = {}) {
  return beginRun(
    {
      file: join(at, 'run.json'),
      folder: at,
      now: () => 1_000,
      process: 77,
      machine,
      version,
      newKey: () => 'a-key',
      failed: (error) => void failures.push(error),
    },
    'http://127.0.0.1:8080',
  );
}

describe('why a gateway started is known by what the run before left behind', () => {
  it('nothing: it is the first', () => {
    expect(aRun().run.cause).toBe('first');
  });

  it('a farewell: it was stopped in order, and its key opens nothing any more', () => {
    aRun().stopped();
    expect(readRun(join(folder, 'run.json'))).toMatchObject({ key: '', stopped_at: 1_000 });
    expect(aRun().run.cause).toBe('stopped');
  });

  it('no farewell, and the machine started anew: the power went', () => {
    aRun();
    expect(aRun({ machine: 'tuesday' }).run.cause).toBe('power');
  });

  it('no farewell on a machine that ran on: it was killed', () => {
    aRun();
    expect(aRun().run.cause).toBe('killed');
  });

  it('last words: it was a fault, and which', () => {
    aRun().fault(new TypeError('x is not a pond'));
    expect(aRun().run).toMatchObject({ cause: 'fault', fault_before: 'TypeError: x is not a pond' });
  });

  it('another version: it was updated', () => {
    aRun().stopped();
    expect(aRun({ version: '1.1.0' }).run.cause).toBe('updated');
  });

  it('a damaged note counts as none, and one that cannot be written harms nothing', () => {
    writeFileSync(join(folder, 'run.json'), '{"format":');
    expect(aRun().run.cause).toBe('first');
    writeFileSync(join(folder, 'taken'), '');
    expect(aRun({ at: join(folder, 'taken') }).run.cause).toBe('first');
    expect(failures).toHaveLength(1);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });
});
