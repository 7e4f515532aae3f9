import { parseArgs } from 'node:util';
import * as z from 'zod';
import { RATE_NAMES, RATES, runFleet } from './bench/fleet.ts';
import { tableOf } from './bench/table.ts';

// Honest gateways by the thousand against a hosted instance of two processes: sockets, sign-in, readings, heartbeats, orders.

const HELP = `npm run fleet -- [options]

  --gateways N   gateways that connect [2000]
  --known N      gateways and farms that the hosted instance knows [10000, or as many as connect]
  --rate NAME    how they speak: ${RATE_NAMES.join(', ')} [real]
  --seconds N    how long each share of the processor is measured [60]
  --orders N     orders given at one process to gateways at the other [200]

It starts a PostgreSQL and the hosted processes itself, and removes them. What is measured is processor time, which holds on a
machine that is busy elsewhere; times of orders do not.
`;

const wanted = z.object({
  gateways: z.coerce.number().int().min(1).max(100_000),
  known: z.coerce.number().int().min(1).max(1_000_000).optional(),
  rate: z.enum(RATE_NAMES),
  seconds: z.coerce.number().min(1).max(86_400),
  orders: z.coerce.number().int().min(1).max(1_000_000),
});

// without this, Ctrl-C would leave the servers behind: they end with us, and only an exit tells them
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  if (options === null) {
    console.log(HELP);
    return 0;
  }
  const { gateways, rate, seconds, orders } = options;
  const findings = await runFleet(
    {
      connected: gateways,
      known: Math.max(gateways, options.known ?? 10_000),
      rate: RATES[rate],
      forMs: seconds * 1_000,
      orders,
    },
    (line) => console.error(`… ${line}`),
  );
  console.log(tableOf(findings));
  return findings.every(({ isMet }) => isMet) ? 0 : 1;
}

/** null: the help was asked for; a text: what is wrong with them. */
function readOptions(args: readonly string[]): z.infer<typeof wanted> | string | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        gateways: { type: 'string', default: '2000' },
        known: { type: 'string' },
        rate: { type: 'string', default: 'real' },
        seconds: { type: 'string', default: '60' },
        orders: { type: 'string', default: '200' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return null;
    const read = wanted.safeParse(values);
    return read.success ? read.data : z.prettifyError(read.error);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
