import type { BenchJobInput } from '#contract/resources/bench.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import type { BenchJob, JobDesk } from './job-desk.ts';
import { type LabelDeps, operated } from './label-routes.ts';
import type { BoardResult, FirmwareFound, JobContext, PortFacts } from './ports.ts';
import { type ProvisionDeps, provisionController } from './provision-controller.ts';

export type StartDeps = ProvisionDeps &
  Pick<LabelDeps, 'views' | 'accessTo'> & {
    listPorts: () => Promise<PortFacts[]>;
    firmware: () => Promise<FirmwareFound[]>;
    /** File of the public keys whose firmware is taken. */
    firmwareKeys: string;
    /** Where the flash of a board is saved. */
    backupFile: (port: string) => Promise<string>;
  };

const MONITOR_S = 600;

type Work = (context: JobContext) => Promise<BoardResult>;

/**
 * Checks what is asked for and begins it. Throws 404 for a port, firmware or control point that is not there, 409 where
 * something stands in the way; what the board says later is in the job.
 */
export async function startJob(
  deps: StartDeps,
  desk: JobDesk,
  input: BenchJobInput,
  userId: string,
): Promise<BenchJob> {
  const port = await freePort(deps, desk, input.port);
  const work = await workOf(deps, input, { port, userId });
  return desk.begin(
    {
      kind: input.kind,
      port,
      controlPointId: input.kind === 'provision' ? input.control_point_id : null,
      firmware: input.kind === 'flash' ? input.firmware : null,
      startedBy: userId,
    },
    work,
  );
}

/** Only ports that are listed are opened: a path is a name of any file of the box. */
async function freePort(deps: StartDeps, desk: JobDesk, asked: string): Promise<string> {
  const found = (await deps.listPorts()).find(({ path, device }) => path === asked || device === asked);
  if (found === undefined) {
    throw new AppError(404, `There is no port ${asked}; plug the board in and look at the ports again`, {
      code: 'PORT_NOT_FOUND',
    });
  }
  desk.requireFree(found.path);
  const [user] = found.in_use_by;
  if (user !== undefined)
    throw conflict(
      `${user.name} (process ${user.pid}) uses ${found.path}; close it there first`,
      'PORT_BUSY',
    );
  return found.path;
}

async function workOf(
  deps: StartDeps,
  input: BenchJobInput,
  { port, userId }: { port: string; userId: string },
): Promise<Work> {
  switch (input.kind) {
    case 'detect':
    case 'wifi_scan':
      return (context) => deps.run({ kind: input.kind, port }, context);
    case 'erase':
      return (context) => deps.run({ ...input, port }, context);
    case 'monitor':
      return (context) => deps.run({ for_s: MONITOR_S, ...input, port }, context);
    case 'flash':
      return flashing(deps, input, port);
    case 'self_test':
      return (context) => deps.run({ ...input, port, off_limits: deps.lockedOut() }, context);
    case 'provision': {
      const { row } = await operated(deps, input.control_point_id, userId);
      if (row.locked_out && input.self_test !== undefined)
        throw conflict(`${row.cod} is locked out; its motor is not started for a test`, 'LOCKED_OUT');
      return (context) => provisionController(deps, { input, port, userId }, context);
    }
  }
}

async function flashing(
  deps: StartDeps,
  input: Extract<BenchJobInput, { kind: 'flash' }>,
  port: string,
): Promise<Work> {
  const { firmware: name, backup: isBackupWanted, kind, ...options } = input;
  const bundle = (await deps.firmware()).find((known) => known.name === name);
  if (bundle === undefined) throw notFound('Firmware');
  if (bundle.trouble !== null)
    throw conflict(`${name} cannot be flashed: ${bundle.trouble.en}`, 'WRONG_IMAGE');
  // the process that flashes checks it anew, on the bytes it writes
  if (bundle.signature !== 'valid' && options.allow_unsigned !== true)
    throw conflict(
      `${name} is not signed by a publisher this gateway knows. Take the signed one, add its publisher’s key, or say allow_unsigned if you built it.`,
      'UNSIGNED',
    );
  const backup = isBackupWanted === true ? await deps.backupFile(port) : null;
  return async (context) => {
    const result = await deps.run(
      {
        kind,
        ...options,
        port,
        firmware: { bundle: bundle.folder },
        firmware_keys: deps.firmwareKeys,
        backup,
      },
      context,
    );
    return backup === null ? result : { ...result, backup };
  };
}
