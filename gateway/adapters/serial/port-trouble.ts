export type PortFault = 'not_found' | 'busy' | 'denied' | 'unplugged' | 'failed';

/** A serial port that cannot be opened or is gone. The message is the system's own. */
export class PortTrouble extends Error {
  readonly fault: PortFault;
  readonly port: string;

  constructor(fault: PortFault, port: string, options: { message: string; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.name = 'PortTrouble';
    this.fault = fault;
    this.port = port;
  }
}

/** What the driver says, by its words: it gives no codes. */
export function asPortTrouble(error: unknown, port: string): PortTrouble {
  if (error instanceof PortTrouble) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PortTrouble(faultOf(message), port, { message, cause: error });
}

function faultOf(message: string): PortFault {
  if (/no such file|ENOENT|File not found|no such device/i.test(message)) return 'not_found';
  if (/permission denied|access denied|EACCES|EPERM/i.test(message)) return 'denied';
  if (/cannot lock|temporarily unavailable|busy|EBUSY|EAGAIN|in use/i.test(message)) return 'busy';
  if (/input\/output|EIO|ENXIO|disconnected|bad file descriptor|not open/i.test(message)) return 'unplugged';
  return 'failed';
}
