import { realpath } from 'node:fs/promises';
import type { SerialPort as Port } from 'serialport';
import type { ProbeTroubleCode } from '#contract/resources/probes.ts';
import type { BusAddress } from '#features/probes/ports.ts';
import type { ByteLinkOpened } from './byte-link.ts';

// Merely opening some files of /dev does harm (a watchdog starts to count), so only what is a serial port is opened.
const SERIAL_PORTS = [
  /^\/dev\/tty(USB|ACM|AMA|S|AP|O|THS|LP|SC|XR|XRUSB|mxc|RS485-?|SC16IS)\w*$/,
  /^\/dev\/pts\/\d+$/,
  /^\/dev\/(cu|tty)\.[\w.-]+$/,
  /^(\\\\\.\\)?COM\d{1,3}$/i,
];

/** Opens a serial port for this program alone. The library is loaded with the first port, not before. */
export async function openSerial(address: BusAddress): Promise<ByteLinkOpened> {
  const found = await portOf(address.device ?? '');
  if (found.is === 'trouble') return found;
  let SerialPort: typeof Port;
  try {
    ({ SerialPort } = await import('serialport'));
  } catch {
    return { is: 'trouble', code: 'SERIAL_MISSING' };
  }
  const port = new SerialPort({
    path: found.path,
    baudRate: address.baud,
    dataBits: 8,
    parity: address.parity,
    stopBits: address.stopBits === 2 ? 2 : 1,
    autoOpen: false,
    lock: true,
  });
  // a cable that is pulled says so by this and by 'close'; the second is heard
  port.on('error', () => undefined);
  const failure = await new Promise<Error | null>((resolve) => port.open((error) => resolve(error ?? null)));
  if (failure !== null) return { is: 'trouble', code: troubleOf(failure.message) };
  return {
    is: 'open',
    link: {
      write: (bytes) => void port.write(Buffer.from(bytes)),
      listen(onBytes, onClose) {
        port.on('data', onBytes);
        port.once('close', onClose);
      },
      close: () =>
        new Promise((resolve) => {
          if (port.isOpen) port.close(() => resolve());
          else resolve();
        }),
    },
  };
}

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

/** The library tells the system's reason in its message alone. */
function troubleOf(message: string): ProbeTroubleCode {
  if (/permission denied|access denied|EACCES|EPERM/i.test(message)) return 'PORT_DENIED';
  if (/cannot lock|busy|temporarily unavailable|EBUSY|EAGAIN/i.test(message)) return 'PORT_BUSY';
  if (/no such file|not found|ENOENT|ENXIO|ENODEV/i.test(message)) return 'PORT_NOT_FOUND';
  return 'NOT_A_SERIAL_PORT';
}
