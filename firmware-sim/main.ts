import { askHidden, GatewayRefused, type Terminal } from './cli/gateway-api.ts';
import { helpText, readOptions, UsageError } from './cli/options.ts';
import { runBoard } from './cli/run-board.ts';
import { runControllerConformance, runGatewayConformance } from './cli/run-conformance.ts';
import { listScenarios, runFleet } from './cli/run-fleet.ts';
import { runModem } from './modem/modem.ts';
import { runProbe } from './probe/run-probe.ts';
import { runRelays } from './relays/run-relays.ts';

const EXIT_USAGE = 2;
const EXIT_REFUSED = 3;
const EXIT_INTERRUPTED = 130;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const interrupt = new AbortController();
  const terminal: Terminal = {
    print: (line) => console.log(line),
    complain: (line) => console.error(line),
    interrupted: interrupt.signal,
    ...(process.stdin.isTTY ? { askHidden } : {}),
  };
  try {
    if (args.includes('--modem')) {
      listenForCtrlC(interrupt);
      return await runModem(terminal, args);
    }
    if (args.includes('--probe')) {
      listenForCtrlC(interrupt);
      return await runProbe(terminal, args);
    }
    const options = readOptions(args, process.env);
    if (options.is('help')) {
      terminal.print(helpText());
      return 0;
    }
    if (options.text('scenario') === 'list') {
      terminal.print(listScenarios());
      return 0;
    }
    if (options.is('conformance-gateway')) return await runControllerConformance(terminal, options);
    if (options.text('conformance') !== undefined) return await runGatewayConformance(terminal, options);
    listenForCtrlC(interrupt);
    if (options.is('board')) return await runBoard(terminal, options);
    if (options.text('tasmota') !== '0' || options.text('shelly') !== '0')
      return await runRelays(terminal, options);
    return await runFleet(terminal, options);
  } catch (error) {
    if (error instanceof UsageError || error instanceof GatewayRefused) {
      terminal.complain(error.message);
      return error instanceof UsageError ? EXIT_USAGE : EXIT_REFUSED;
    }
    throw error;
  }
}

/** The first Ctrl-C lets the controllers say goodbye; the second does not wait for them. */
function listenForCtrlC(interrupt: AbortController): void {
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(EXIT_INTERRUPTED);
    interrupt.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
