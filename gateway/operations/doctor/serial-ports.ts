import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { listPorts } from '#adapters/serial/list-ports.ts';
import type { SerialFacts } from '#features/system/doctor/ports.ts';

/** The USB serial ports of this box, whether they may be opened, and who else holds them. `root`: of the machine. */
export async function serialFacts(root = '/'): Promise<SerialFacts> {
  const [dev, sys, proc] = [join(root, 'dev'), join(root, 'sys'), join(root, 'proc')];
  const ports = await listPorts({ dev, sys, proc });
  return {
    ports: await Promise.all(
      ports.map(async ({ path, in_use_by }) => ({
        path,
        mayOpen: await isThere(path, constants.R_OK | constants.W_OK),
        usedBy: in_use_by.map(({ name }) => name),
      })),
    ),
    modemManager: process.platform === 'linux' ? await modemManager(sys) : 'absent',
  };
}

/**
 * Services have a folder among the control groups of systemd, which everybody sees; its process and what it holds open only
 * root does. In a container the groups of the machine are not to be seen.
 */
async function modemManager(sys: string): Promise<SerialFacts['modemManager']> {
  const slices = ['', 'unified', 'systemd'].map((hierarchy) =>
    join(sys, 'fs/cgroup', hierarchy, 'system.slice'),
  );
  const seen = await Promise.all(slices.map((slice) => isThere(slice)));
  const runs = await Promise.all(slices.map((slice) => isThere(join(slice, 'ModemManager.service'))));
  if (runs.includes(true)) return 'runs';
  return seen.includes(true) ? 'absent' : 'unknown';
}

const isThere = (path: string, mode = constants.F_OK): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );
