import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

type Ran = { fullName: string; status: string };

const folder = mkdtempSync(join(tmpdir(), 'reports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A report as the runner writes it, of files with their tests. */
function report(name: string, files: Readonly<Record<string, Ran[]>>): string {
  const testResults = Object.entries(files).map(([file, assertionResults]) => ({
    name: file,
    status: assertionResults.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
    assertionResults,
  }));
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
}

const passed = (fullName: string): Ran => ({ fullName, status: 'passed' });

function count(...args: string[]) {
  const { stdout, status } = spawnSync(process.execPath, ['scripts/count-tests.mjs', ...args], {
    encoding: 'utf8',
  });
  return { lines: stdout.split('\n').filter((line) => line !== ''), status };
}

describe('whether a later run still has the tests of an earlier one', () => {
  const earlier = report('earlier.json', {
    'a.test.ts': [passed('a motor stops'), passed('a motor starts')],
    'b.test.ts': [passed('an alarm rings'), passed('a motor starts')],
  });

  test('a test may move to another file, and others may come', () => {
    const later = report('moved.json', {
      'b.test.ts': [passed('an alarm rings'), passed('a motor starts'), passed('a new one')],
      'c.test.ts': [passed('a motor starts'), passed('a motor stops')],
    });
    expect(count('--lost', earlier, later)).toEqual({ lines: [], status: 0 });
  });

  test('one that is gone, one that is skipped now, and one of two of the same name are named', () => {
    const later = report('lost.json', {
      'a.test.ts': [passed('a motor starts')],
      'b.test.ts': [{ fullName: 'an alarm rings', status: 'skipped' }],
    });
    expect(count('--lost', earlier, later)).toEqual({
      lines: ['1 of 1 lost: a motor stops', '1 of 2 lost: a motor starts', '1 of 1 lost: an alarm rings'],
      status: 1,
    });
  });

  test('a run that broke off before its report lost all', () => {
    const later = join(folder, 'empty.json');
    writeFileSync(later, '');
    expect(count('--lost', earlier, later)).toMatchObject({ status: 1 });
    expect(count('--lost', earlier, later).lines).toHaveLength(3);
  });
});
