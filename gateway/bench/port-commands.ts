import type { SerialPortFacts } from '#adapters/serial/list-ports.ts';
import type { BenchCommands } from './command.ts';

/** Commands that look at the cables, not at a board. */
export const PORT_COMMANDS: BenchCommands = {
  ports: {
    summary: 'serial ports of this machine, and who uses them',
    help: '  no options\n',
    options: {},
    async run() {
      const { listPorts } = await import('#adapters/serial/list-ports.ts');
      const ports = await listPorts();
      return { sentence: ports.map(portLine).join('\n') || NO_PORT, value: { ports } };
    },
  },
};

const NO_PORT = `No serial port of a USB cable is there.
Next: plug the board in; if nothing appears, try another cable (many only charge) or another socket. A port that is
not listed, such as a fixed UART or a pseudo-terminal, is named with --port.`;

function portLine(port: SerialPortFacts): string {
  const usb = port.vendor_id === null ? '' : ` [${port.vendor_id}:${port.product_id ?? '?'}]`;
  const what = [port.manufacturer, port.product].filter((word) => word !== null).join(' ');
  const users = port.in_use_by.map(({ pid, name }) => `${name} (process ${pid})`).join(', ');
  return `${port.path}${usb} ${what}${users === '' ? '' : `, in use by ${users}`}`;
}
