import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { supervisorLink } from '#adapters/system/tell-supervisor.ts';
import { until } from '#test/gateway-process.ts';
import { MAIN_FILE } from '../../scripts/built-program.ts';

/** The socket systemd gives to its services. Node cannot open one, and every Debian has perl. */
const LISTENER = `
use Socket; $| = 1;
socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die; bind($s, sockaddr_un($ARGV[0])) or die;
print "open\\n";
while (defined recv($s, my $said, 4096, 0)) { $said =~ s/\\n/ /g; print "$said\\n" }
`;
const missing = ['perl', 'systemd-notify'].filter((name) => spawnSync(name, ['--version']).status !== 0);

test.skipIf(missing.length > 0)(
  `systemd hears that the gateway is ready and alive (missing: ${missing.join(', ')})`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'notify-'));
    const socket = join(folder, 'socket');
    const listener = spawn('perl', ['-e', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    const heard: string[] = [];
    createInterface({ input: listener.stdout }).on('line', (line) => heard.push(line.trim()));
    try {
      await until(
        () => heard,
        (lines) => lines.includes('open'),
      );
      const data = join(folder, 'data');
      const ports = ['--http-port', '--mqtt-port'].flatMap((name) => [name, '0']);
      const secured = ['--https-port', 'off', '--mqtts-port', 'off', '--host', '127.0.0.1'];
      const gateway = spawn(process.execPath, [MAIN_FILE, '--data', data, ...ports, ...secured], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, NOTIFY_SOCKET: socket },
      });
      await until(
        () => heard,
        (lines) => lines.some((line) => line.includes('READY=1')),
      );
      await until(
        () => heard,
        (lines) => lines.some((line) => line.includes('WATCHDOG=1')),
      );
      const gone = once(gateway, 'exit');
      gateway.kill('SIGTERM');
      await gone;
    } finally {
      listener.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  180_000,
);

test('without a supervisor nobody is told', () => {
  expect(supervisorLink({}, () => undefined)).toBeNull();
});
