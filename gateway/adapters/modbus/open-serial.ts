import { realpath } from 'node:fs/promises';
import type { ProbeTroubleCode } from '#contract/resources/probes.ts';
import type { BusAddress } from '#features/equipment/probes/ports.ts';
import { openPort, type SerialLink } from '../serial/open-port.ts';
import { asPortTrouble, type PortFault } from '../serial/port-trouble.ts';
import type { ByteLink, ByteLinkOpened } from './byte-link.ts';

// Merely opening some files of /dev does harm (a watchdog starts to count), so only what is a serial port is opened.
const SERIAL_PORTS = [
  /^\/dev\/tty(USB|ACM|AMA|S|AP|O|THS|LP|SC|XR|XRUSB|mxc|RS485-?|SC16IS)\w*$/,
  /^\/dev\/pts\/\d+$/,
  /^\/dev\/(cu|tty)\.[\w.-]+$/,
  /^(\\\\\.\\)?COM\d{1,3}$/i,
];

const TROUBLE: Readonly<Record<PortFault, ProbeTroubleCode>> = {
  not_found: 'PORT_NOT_FOUND',
  busy: 'PORT_BUSY',
  denied: 'PORT_DENIED',
  unplugged: 'PORT_NOT_FOUND',
  failed: 'NOT_A_SERIAL_PORT',
};

/** Opens a serial port for this program alone. */
export async function openSerial({ device, baud, parity, stopBits }: BusAddress): Promise<ByteLinkOpened> {
  const found = await portOf(device ?? '');
  if (found.is === 'trouble') return found;
  try {
    const port = await openPort(found.path, baud, { parity, stopBits: stopBits === 2 ? 2 : 1 });
    return { is: 'open', link: linkOf(port) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND')
      return { is: 'trouble', code: 'SERIAL_MISSING' };
    return { is: 'trouble', code: TROUBLE[asPortTrouble(error, found.path).fault] };
  }
}

const linkOf = (port: SerialLink): ByteLink => ({
  // a port that is lost says so by `lost`
  write: (bytes) => void port.write(bytes).catch(() => undefined),
  listen(onBytes, onClose) {
    port.onData(onBytes);
    if (port.lost.aborted) onClose();
    else port.lost.addEventListener('abort', onClose, { once: true });
  },
  close: port.close,
});

type Found = { is: 'port'; path: string } | { is: 'trouble'; code: ProbeTroubleCode };

async function portOf(device: string): Promise<Found> {
  if (/^(\\\\\.\\)?COM\d{1,3}$/i.test(device)) return { is: 'port', path: device };
  try {
    // names by id are links to the port
    const path = await realpath(device);
    const isPort = SERIAL_PORTS.some((pattern) => pattern.test(path));
    return isPort ? { is: 'port', path } : { is: 'trouble', code: 'NOT_A_SERIAL_PORT' };
  } catch {
    return { is: 'trouble', code: 'PORT_NOT_FOUND' };
  }
}
