import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { listPorts } from '#adapters/serial/list-ports.ts';
import type { SerialPortFacts } from '#features/doctor/ports.ts';

/** The USB serial ports of this box, whether they may be opened, and who else holds them. `root`: of the machine. */
export async function serialPortFacts(root = '/'): Promise<SerialPortFacts[]> {
  const [dev, sys, proc] = [join(root, 'dev'), join(root, 'sys'), join(root, 'proc')];
  const ports = await listPorts({ dev, sys, proc });
  return Promise.all(
    ports.map(async ({ path, in_use_by }) => ({
      path,
      mayOpen: await access(path, constants.R_OK | constants.W_OK).then(
        () => true,
        () => false,
      ),
      usedBy: in_use_by.map(({ name }) => name),
    })),
  );
}
