import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DoctorReport, doctorAnswer } from '#contract/resources/system-doctor.ts';
import { readBundle } from '#test/read-bundle.ts';
import { MAIN_FILE } from '../../scripts/built-program.ts';

// The real program and the real command, as a person at the box calls them.

const PORTS = [
  '--host',
  '127.0.0.1',
  '--http-port',
  '0',
  '--mqtt-port',
  '0',
  '--https-port',
  '0',
  '--mqtts-port',
  '0',
];
let data: string;
let running: ChildProcess | null = null;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'doctor-'));
});
afterAll(async () => {
  await end('SIGTERM');
  rmSync(data, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const child = spawn(process.execPath, [MAIN_FILE, '--data', data, ...PORTS], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running = child;
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('"msg":"ready"')) break;
  child.stdout.resume();
}

async function end(signal: NodeJS.Signals): Promise<void> {
  const child = running;
  running = null;
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

type Called = { code: number; text: string };

function call(...args: string[]): Promise<Called> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN_FILE, 'doctor', '--data', data, ...args],
      { encoding: 'utf8', env: { ...process.env, LANG: 'C', LC_ALL: '' } },
      (error, stdout) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout }),
    );
  });
}

async function reported(...args: string[]): Promise<{ code: number; report: DoctorReport }> {
  const { code, text } = await call('--json', ...args);
  return { code, report: doctorAnswer.parse(JSON.parse(text)) };
}

const EXIT = { ok: 0, note: 0, warn: 3, bad: 4 };
const found = (report: DoctorReport, id: string) => report.findings.find((one) => one.id === id);

describe('npm run doctor', { timeout: 180_000 }, () => {
  it('on a box that never ran says so, and ends with the worst finding', async () => {
    const { code, report } = await reported();
    expect([code, report.is_running, report.worst]).toEqual([4, false, 'bad']);
    expect(found(report, 'gateway_stopped')?.severity).toBe('bad');
    expect(found(report, 'database_unreadable')?.sentence.en).toContain('there is no database');
  });

  it('beside a running gateway asks it, and its code follows what it found', async () => {
    await start();
    const { code, report } = await reported();
    expect(report.is_running).toBe(true);
    expect(code).toBe(EXIT[report.worst]);
    for (const id of ['last_start', 'broker_loop', 'certificate_server', 'port_http', 'port_mqtts'])
      expect([id, found(report, id)?.severity]).toEqual([id, 'ok']);
    // a machine that is busy elsewhere holds it up, and that is told as it was
    const loop = found(report, 'event_loop');
    const lateMs = Number(loop?.measured?.value);
    expect(loop?.severity).toBe(lateMs > 1_000 ? 'bad' : lateMs > 250 ? 'warn' : 'ok');
    expect(found(report, 'backup_none')?.severity).toBe('warn');
    // the key that opens the door for it is readable by its owner alone
    expect(statSync(join(data, 'run.json')).mode & 0o077).toBe(0);
  });

  it('writes a bundle with the last lines of the running gateway, and without its key', async () => {
    const file = join(data, 'bundle.tar.gz');
    const { key } = JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as { key: string };
    const { text } = await call('--bundle', file, '--language', 'pt-BR');
    expect(text).toContain('Em operação há');
    expect(statSync(file).mode & 0o077).toBe(0);
    const files = readBundle(readFileSync(file));
    expect(files.get('support/log.txt')).toContain('"msg":"ready"');
    expect([...files.values()].join('\n')).not.toContain(key);
  });

  it('after a stop in order knows the database, its schema and its snapshot, and looks into each page when asked', async () => {
    await end('SIGTERM');
    const before = readFileSync(join(data, 'farm.db'));
    const { report } = await reported('--deep');
    expect(found(report, 'gateway_stopped')).toBeDefined();
    expect(found(report, 'database_checked')?.severity).toBe('ok');
    expect(found(report, 'certificate_authority')?.severity).toBe('ok');
    expect(found(report, 'schema_due')).toBeUndefined();
    expect(readFileSync(join(data, 'farm.db')).equals(before)).toBe(true);
    const file = join(data, 'stopped.tar.gz');
    await call('--bundle', file);
    expect(readBundle(readFileSync(file)).get('support/schema.sql')).toContain('control_points');
  });

  it('tells why the gateway started: killed, and stopped in order', async () => {
    await start();
    expect(found((await reported()).report, 'last_start')?.sentence.en).toContain(
      'stopped and started in order',
    );
    await end('SIGKILL');
    expect((await reported()).report.is_running).toBe(false);
    await start();
    const { report } = await reported();
    expect(found(report, 'last_start')).toMatchObject({ severity: 'warn' });
    expect(found(report, 'last_start')?.sentence.en).toContain('killed');
    await end('SIGTERM');
  });

  it('refuses what it does not know, and says what it does', async () => {
    expect((await call('--nothing')).code).toBe(2);
    expect((await call('--language', 'fr')).code).toBe(2);
    expect(await call('--help')).toMatchObject({
      code: 0,
      text: expect.stringContaining('--bundle FILE') as string,
    });
  });
});
