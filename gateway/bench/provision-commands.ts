import { readFile, writeFile } from 'node:fs/promises';
import { inEach, verbatim } from '#core/each-language.ts';
import type { Language } from '#core/notifying.ts';
import { BATCH_COMMAND } from './batch-command.ts';
import {
  type BenchCommand,
  type BenchCommands,
  type Terminal,
  text,
  textOf,
  type Values,
} from './command.ts';
import { type JobResult, readJob, runJob } from './job.ts';
import { type Label, labelPage, labelPayload, labelSheets, labelSvg, labelText } from './label-sheet.ts';
import { badInput, GATEWAY_HELP, GATEWAY_OPTIONS, openGateway } from './provision-gateway.ts';
import {
  needed,
  pausing,
  pointNamed,
  provisionPoint,
  SELF_TEST_HELP,
  WISH_HELP,
  WISH_OPTIONS,
  wishOf,
} from './provision-options.ts';

const FORMATS = ['html', 'svg', 'sheet', 'text'] as const;

const LABEL_COMMAND: BenchCommand = {
  summary: 'labels with QR code, for printing',
  help: `  --points A,B,C     codes, device ids or ids of control points
  --format F         html (A4 sheets of 24, 70 × 37 mm), sheet (the same as SVG), svg (one label), text [html]
  --to FILE          where to; text may go to the screen
${GATEWAY_HELP}
  --device-id D --claim C   instead of a gateway: a label of your own
`,
  options: { points: text, format: text, to: text, 'device-id': text, claim: text, ...GATEWAY_OPTIONS },
  async run(values, terminal) {
    const format = FORMATS.find((one) => one === (textOf(values, 'format') ?? 'html'));
    if (format === undefined)
      throw badInput(
        inEach(
          `--format é um de ${FORMATS.join(', ')}`,
          `--format is one of ${FORMATS.join(', ')}`,
          `--format es uno de ${FORMATS.join(', ')}`,
        ),
        inEach('corrija e comece de novo', 'correct it and start again', 'corrija y comience de nuevo'),
      );
    const labels = await labelsOf(values, terminal);
    const drawn = drawing(format, labels, terminal.language);
    const file = format === 'text' ? textOf(values, 'to') : needed(values, 'to');
    if (file !== undefined) await writeFile(file, drawn);
    const value = {
      labels: labels.map((label) => ({ ...label, qr: labelPayload(label) })),
      file: file ?? null,
    };
    const sentence =
      file === undefined
        ? verbatim(drawn)
        : inEach(
            `${labels.length} etiquetas em ${file}`,
            `${labels.length} labels in ${file}`,
            `${labels.length} etiquetas en ${file}`,
          );
    return { sentence, value };
  },
};

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
      return {
        sentence: inEach(`provisionada: ${board}`, `provisioned: ${board}`, `aprovisionada: ${board}`),
        value: result,
      };
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
      return {
        sentence: inEach(
          `o relé obedece: ${board}`,
          `the relay obeys: ${board}`,
          `el relé obedece: ${board}`,
        ),
        value: result,
      };
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
          ? inEach(
              'a placa não ouve nenhuma rede',
              'the board hears no network',
              'la placa no oye ninguna red',
            )
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
      inEach(
        `--identity ${file} não é um arquivo com JSON`,
        `--identity ${file} is no file with JSON`,
        `--identity ${file} no es un archivo con JSON`,
      ),
      inEach(
        'escreva-o como o flash --identity o aceita',
        'write it as flash --identity takes it',
        'escríbalo como lo acepta flash --identity',
      ),
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

async function labelsOf(values: Values, terminal: Terminal): Promise<Label[]> {
  const device = textOf(values, 'device-id');
  if (device !== undefined) {
    const claim = needed(values, 'claim');
    if (!/^[0-9A-Z]{12,64}$/.test(claim))
      throw badInput(
        inEach(
          '--claim tem de 12 a 64 maiúsculas e dígitos',
          '--claim has 12 to 64 capitals and digits',
          '--claim tiene de 12 a 64 mayúsculas y dígitos',
        ),
        inEach('corrija', 'correct it', 'corrija'),
      );
    return [{ device_id: device, claim, code: null, farm: null, ponds: [] }];
  }
  const gateway = await openGateway(values, terminal);
  const all = await gateway.points();
  const points = needed(values, 'points')
    .split(',')
    .map((name) => pointNamed(all, name.trim()));
  return gateway.labels(points.map(({ id }) => id));
}

function drawing(format: (typeof FORMATS)[number], labels: readonly Label[], language: Language): string {
  switch (format) {
    case 'html':
      return labelPage(labels, language);
    case 'sheet':
      if (labels.length > 24)
        throw badInput(
          inEach('uma folha tem 24 etiquetas', 'a sheet holds 24 labels', 'una hoja tiene 24 etiquetas'),
          inEach(
            'diga --format html para mais',
            'say --format html for more',
            'indique --format html para más',
          ),
        );
      return labelSheets(labels).join('');
    case 'svg': {
      const [label] = labels;
      if (label === undefined || labels.length > 1)
        throw badInput(
          inEach('--format svg é uma etiqueta', '--format svg is one label', '--format svg es una etiqueta'),
          inEach('diga um dos --points', 'say one of --points', 'indique uno de los --points'),
        );
      return labelSvg(label);
    }
    case 'text':
      return labels.map(labelText).join('\n');
  }
}
