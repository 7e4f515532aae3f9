import { readFile } from 'node:fs/promises';
import { inBoth, verbatim } from '#core/both-languages.ts';
import { BATCH_COMMAND } from './batch-command.ts';
import { type BenchCommands, type Terminal, text, textOf, type Values } from './command.ts';
import { type JobResult, readJob } from './job.ts';
import { LABEL_COMMAND } from './label-command.ts';
import { badInput, GATEWAY_HELP, GATEWAY_OPTIONS, openGateway } from './provision-gateway.ts';
import {
  needed,
  pausing,
  pointNamed,
  SELF_TEST_HELP,
  WISH_HELP,
  WISH_OPTIONS,
  wishOf,
} from './provision-options.ts';
import { provisionPoint } from './provision-point.ts';
import { runJob } from './run-job.ts';

const PORT = '  --port P           serial port, see npm run bench-tool -- ports\n';

/** Commands that give a board its identity and its Wi-Fi. */
export const PROVISION_COMMANDS: BenchCommands = {
  provision: {
    summary: 'make a board the controller of a control point, proved by its first report',
    help: `${PORT}  --control-point C  code, device id or id of the control point
${WISH_HELP}${GATEWAY_HELP}
  --identity FILE    instead of a gateway: write this identity (JSON); nothing is proved
`,
    options: { port: text, 'control-point': text, identity: text, ...WISH_OPTIONS, ...GATEWAY_OPTIONS },
    run: async (values, terminal) => {
      const result = await provisioned(values, terminal);
      const board = shown(result);
      return { sentence: inBoth(`provisionada: ${board}`, `provisioned: ${board}`), value: result };
    },
  },
  'self-test': {
    summary: 'let the relay of a board click, and read what the motor draws',
    help: `${PORT}${SELF_TEST_HELP}\nA motor that is wired starts: nobody may have a hand in it.\n`,
    options: { port: text, for: text, 'min-current': text },
    run: async (values, terminal) => {
      const seconds = textOf(values, 'for');
      const current = textOf(values, 'min-current');
      const result = await runJob(
        readJob({
          kind: 'self_test',
          port: needed(values, 'port'),
          ...(seconds === undefined ? {} : { for_s: Number(seconds) }),
          ...(current === undefined ? {} : { min_current_ma: Number(current) }),
        }),
        terminal,
      );
      const board = shown(result);
      return { sentence: inBoth(`o relé obedece: ${board}`, `the relay obeys: ${board}`), value: result };
    },
  },
  'wifi-scan': {
    summary: 'Wi-Fi networks that a board hears where it lies',
    help: PORT,
    options: { port: text },
    run: async (values, terminal) => {
      const result = await runJob(readJob({ kind: 'wifi_scan', port: needed(values, 'port') }), terminal);
      const networks = Array.isArray(result['networks']) ? result['networks'] : [];
      const lines = networks.map(({ ssid, rssi }: { ssid: string; rssi: number }) => `${rssi} dBm  ${ssid}`);
      const sentence =
        lines.length === 0
          ? inBoth('a placa não ouve nenhuma rede', 'the board hears no network')
          : verbatim(lines.join('\n'));
      return { sentence, value: result };
    },
  },
  batch: BATCH_COMMAND,
  label: LABEL_COMMAND,
};

async function provisioned(values: Values, terminal: Terminal): Promise<JobResult> {
  const port = needed(values, 'port');
  const wish = await wishOf(values, terminal.environment);
  const file = textOf(values, 'identity');
  if (file !== undefined) {
    const identity = await identityIn(file);
    return runJob(readJob({ kind: 'provision', port, wifi: wish.wifi, identity }), terminal);
  }
  const gateway = await openGateway(values, terminal);
  const point = pointNamed(await gateway.points(), needed(values, 'control-point'));
  return provisionPoint(
    {
      gateway,
      run: (job, context) => runJob(readJob(job), context),
      pause: pausing,
      monotonic: () => performance.now(),
    },
    point,
    { ...wish, port },
    terminal,
  );
}

async function identityIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw badInput(
      inBoth(`--identity ${file} não é um arquivo com JSON`, `--identity ${file} is no file with JSON`),
      inBoth('escreva-o como o flash --identity o aceita', 'write it as flash --identity takes it'),
      cause,
    );
  }
}

function shown(result: JobResult): string {
  const parts = ['device_id', 'mac', 'chip', 'firmware_version', 'address'].map((name) => result[name]);
  const current = result['motor_current_ma'];
  const drawn = typeof current === 'number' ? `${current} mA` : null;
  return [...parts, drawn].filter((part) => typeof part === 'string').join(', ');
}
