import type { SerialPortFacts } from '#adapters/serial/list-ports.ts';
import { type InBoth, inBoth } from '#core/both-languages.ts';
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
      const lines = (by: string) => ports.map((port) => portLine(port, by)).join('\n');
      const sentence = ports.length === 0 ? NO_PORT : inBoth(lines('em uso por'), lines('in use by'));
      return { sentence, value: { ports } };
    },
  },
};

const NO_PORT: InBoth = inBoth(
  `Não há porta serial de um cabo USB.
A fazer: ligue a placa; se nada aparecer, tente outro cabo (muitos só carregam) ou outra entrada. Uma porta que não é
listada, como uma UART fixa ou um pseudoterminal, é dita com --port.`,
  `No serial port of a USB cable is there.
Next: plug the board in; if nothing appears, try another cable (many only charge) or another socket. A port that is
not listed, such as a fixed UART or a pseudo-terminal, is named with --port.`,
);

function portLine(port: SerialPortFacts, by: string): string {
  const usb = port.vendor_id === null ? '' : ` [${port.vendor_id}:${port.product_id ?? '?'}]`;
  const what = [port.manufacturer, port.product].filter((word) => word !== null).join(' ');
  const users = port.in_use_by.map(({ pid, name }) => `${name} (${pid})`).join(', ');
  return `${port.path}${usb} ${what}${users === '' ? '' : `, ${by} ${users}`}`;
}
