import { parseArgs } from 'node:util';
import { openPty } from '../board/open-pty.ts';
import type { Terminal } from '../cli/ask-password.ts';
import { UsageError } from '../cli/options.ts';
import { dropLink, linkTo } from '../port-link.ts';
import { createSimulatedModem, MODEM_FAULTS } from './modem.ts';

const HELP = `Simulated GSM modem on a pseudo-terminal; each SMS it sends is printed as a line of JSON.

usage: npm run sim -- --modem --pty [--link PATH] [--sim-pin PIN] [--fault NAME]

  --link PATH     a name for the port that stays the same, for example /tmp/modem
  --sim-pin PIN   the SIM wants this PIN
  --fault NAME    ${MODEM_FAULTS.join(', ')}
`;

/** Runs until it is interrupted. Throws UsageError. */
export async function runModem(terminal: Terminal, args: readonly string[]): Promise<number> {
  const values = read(args);
  if (values.help === true) {
    terminal.print(HELP);
    return 0;
  }
  if (values.pty !== true) throw new UsageError('--modem needs --pty: it stands on a pseudo-terminal.');
  const fault = MODEM_FAULTS.find((name) => name === values.fault) ?? null;
  if (values.fault !== undefined && fault === null)
    throw new UsageError(`--fault must be one of ${MODEM_FAULTS.join(', ')}.`);
  const pty = await openPty();
  const print = (line: object) => terminal.print(JSON.stringify(line));
  const modem = createSimulatedModem({
    write: pty.write,
    sent: (sms) => print({ sms }),
    pin: values['sim-pin'] ?? null,
    fault,
  });
  pty.onData(modem.feed);
  if (values.link !== undefined) {
    try {
      await linkTo(values.link, pty.path);
    } catch (cause) {
      await pty.close();
      throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
  print({ modem: values.link ?? pty.path });
  await new Promise<void>((resolve) => {
    if (terminal.interrupted.aborted) resolve();
    terminal.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await pty.close();
  if (values.link !== undefined) await dropLink(values.link, pty.path);
  return 0;
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        modem: { type: 'boolean' },
        pty: { type: 'boolean' },
        link: { type: 'string' },
        'sim-pin': { type: 'string' },
        fault: { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause);
    throw new UsageError(`${reason}; --modem --help shows what there is.`, { cause });
  }
}
