import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MAIN_FILE } from '../../scripts/built-program.ts';

const PORTS = ['http', 'https', 'mqtt', 'mqtts'].flatMap((name) => [`--${name}-port`, '0']);

it('nobody but its owner reads the data folder, whoever made it and with whatever umask it runs', async () => {
  const data = mkdtempSync(join(tmpdir(), 'open-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  chmodSync(data, 0o755);
  mkdirSync(join(data, 'tls'), { mode: 0o755 });
  chmodSync(join(data, 'tls'), 0o755);
  writeFileSync(join(data, 'copied-in.db'), 'by hand');
  chmodSync(join(data, 'copied-in.db'), 0o666);
  writeFileSync(join(data, 'tool'), '#!/bin/sh\n');
  chmodSync(join(data, 'tool'), 0o755);
  const command = ['umask 000; exec "$0" "$@"', process.execPath, MAIN_FILE];
  const child = spawn('sh', ['-c', ...command, '--data', data, '--host', '127.0.0.1', ...PORTS], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => chunk.toString().includes('"ready"') && resolve());
    child.once('exit', () => reject(new Error('the program ended')));
  });
  const entries = readdirSync(data, { recursive: true, withFileTypes: true });
  const names = entries.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['farm.db', 'farm.db-wal', 'authority.json', 'server.json']));
  const modes = Object.fromEntries(
    [data, ...entries.map(({ parentPath, name }) => join(parentPath, name))].map((path) => [
      path,
      statSync(path).mode & 0o077,
    ]),
  );
  expect(Object.entries(modes).filter(([, others]) => others !== 0)).toEqual([]);
  expect(statSync(join(data, 'tool')).mode & 0o777).toBe(0o700);
});
