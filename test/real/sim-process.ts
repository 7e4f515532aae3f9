import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type SimIdentity = { device_id: string; mqtt_id: string; key: string; transport: 'mqtt' | 'http' };

/** The product's simulated controllers as a process of their own, as `npm run sim` starts them. */
export function startSim(
  addresses: { http: string; mqtt: string },
  identities: readonly SimIdentity[],
  speed = 1,
) {
  const folder = mkdtempSync(join(tmpdir(), 'sim-'));
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, JSON.stringify(identities), { mode: 0o600 });
  const child = spawn(
    process.execPath,
    [
      'firmware-sim/main.ts',
      '--gateway',
      addresses.http,
      '--mqtt',
      addresses.mqtt,
      '--keys',
      keys,
      '--speed',
      `${speed}`,
      '--every',
      '1s',
      '--json',
    ],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let last: Record<string, unknown> = {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) last = JSON.parse(line) as Record<string, unknown>;
  });
  return {
    /** The last status line; there is one a second. */
    status: () => last,
    /** Motors that run by the last status line. */
    running: () => Number(last['running'] ?? -1),
    close(): void {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
