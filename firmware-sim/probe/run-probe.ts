import { createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { openPty } from '../board/open-pty.ts';
import type { Terminal } from '../cli/gateway-api.ts';
import { UsageError } from '../cli/options.ts';
import { dropLink, linkTo } from '../port-link.ts';
import { createRandom } from '../random.ts';
import {
  type Answer,
  createSlaves,
  PROBE_FAULTS,
  type ProbeFault,
  type SimProbe,
  type Slaves,
  takeRtuRequests,
  takeTcpRequests,
} from './modbus-slave.ts';
import { hourOf, isModelName, MODELS, type PondValues, pondAt } from './models.ts';

export type StartedProbe = {
  /** Path of the serial port, or the TCP port. */
  at: string | number;
  close: () => Promise<void>;
};

const MOST_BYTES = 4_096;

/** Probes at a pseudo-terminal, as at an RS-485 adapter. */
export async function startProbePty(slaves: Slaves): Promise<StartedProbe> {
  const pty = await openPty();
  const line = createLine(takeRtuRequests, slaves.rtu, pty.write);
  pty.onData(line.feed);
  return {
    at: pty.path,
    async close() {
      line.stop();
      await pty.close();
    },
  };
}

/** Probes behind Modbus TCP, or behind a serial server that hands RTU frames through. Port 0: any. */
export async function startProbeTcp(
  slaves: Slaves,
  { port, framing, host = '127.0.0.1' }: { port: number; framing: 'tcp' | 'rtu'; host?: string },
): Promise<StartedProbe> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    const write = (bytes: Uint8Array) => void (socket.writable && socket.write(bytes));
    const line =
      framing === 'tcp'
        ? createLine(takeTcpRequests, slaves.tcp, write)
        : createLine(takeRtuRequests, slaves.rtu, write);
    socket.on('data', line.feed);
    // 'close' follows
    socket.on('error', () => undefined);
    socket.once('close', () => {
      line.stop();
      open.delete(socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    at: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Take = (bytes: Uint8Array, take: (frame: Uint8Array) => void) => Uint8Array;

function createLine(
  take: Take,
  answer: (frame: Uint8Array) => Answer | null,
  write: (bytes: Uint8Array) => void,
) {
  let waiting: Uint8Array = new Uint8Array(0);
  const timers = new Set<NodeJS.Timeout>();
  const send = ({ bytes, afterMs }: Answer) => {
    if (afterMs === 0) return write(bytes);
    const timer = setTimeout(() => {
      timers.delete(timer);
      write(bytes);
    }, afterMs);
    timers.add(timer);
  };
  return {
    feed(bytes: Uint8Array) {
      const all = new Uint8Array(waiting.length + bytes.length);
      all.set(waiting);
      all.set(bytes, waiting.length);
      waiting = take(all.slice(-MOST_BYTES), (frame) => {
        const answered = answer(frame);
        if (answered !== null) send(answered);
      });
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

const OPTIONS = {
  probe: { type: 'boolean' },
  pty: { type: 'boolean' },
  link: { type: 'string' },
  tcp: { type: 'string' },
  rtu: { type: 'boolean' },
  host: { type: 'string', default: '127.0.0.1' },
  model: { type: 'string', default: 'in-situ-odo' },
  units: { type: 'string', default: '1' },
  set: { type: 'string', multiple: true, default: [] as string[] },
  fault: { type: 'string', default: '' },
  zone: { type: 'string', default: '-3' },
  hour: { type: 'string' },
  speed: { type: 'string', default: '1' },
  seed: { type: 'string', default: '42' },
  help: { type: 'boolean' },
} as const;

const PROBE_HELP = [
  'Simulated Modbus probes in a pond: oxygen falls until dawn and rises with the light.',
  '',
  'usage: npm run sim -- --probe (--pty [--link PATH] | --tcp PORT [--rtu]) [options]',
  '',
  '  --pty             at a pseudo-terminal, as at an RS-485 adapter; its path is printed',
  '  --link PATH       a link to it, so that the path stays the same',
  '  --tcp PORT        Modbus TCP on that port (0: any); with --rtu as a serial server: RTU frames over TCP',
  '  --host ADDRESS    address to listen on (default 127.0.0.1)',
  `  --model NAME      ${Object.keys(MODELS).join(', ')} (default in-situ-odo)`,
  '  --units 1,2,...   addresses of the probes on the line (default 1)',
  '  --set NAME=VALUE  holds a value: dissolved_oxygen=2.5, temperature, ph, salinity, conductivity; repeatable',
  `  --fault A,B       ${PROBE_FAULTS.join(', ')}`,
  '  --hour H          begins at that hour of the day; --speed X: the pond lives X times as fast',
  '  --zone HOURS      time zone of the pond (default -3); --seed N: the same seed gives the same unrest',
].join('\n');

/** Simulated probes until Ctrl-C. Throws UsageError with one sentence. */
export async function runProbe(terminal: Terminal, args: readonly string[]): Promise<number> {
  const values = read(args);
  if (values.help === true) {
    terminal.print(PROBE_HELP);
    return 0;
  }
  const speed = numberOf('speed', values.speed, 0.1, 10_000);
  const random = createRandom(numberOf('seed', values.seed, 0, 2 ** 31));
  const zone = numberOf('zone', values.zone, -14, 14);
  const startedMs = Date.now();
  const firstHour =
    values.hour === undefined ? hourOf(startedMs, zone) : numberOf('hour', values.hour, 0, 24);
  const pond = () => pondAt(firstHour + ((Date.now() - startedMs) * speed) / 3_600_000, random);
  const slaves = createSlaves({ pond }, probesOf(values));
  const started =
    values.tcp === undefined
      ? await startProbePty(slaves)
      : await startProbeTcp(slaves, {
          port: numberOf('tcp', values.tcp, 0, 65_535),
          framing: values.rtu === true ? 'rtu' : 'tcp',
          host: values.host,
        });
  if (values.link !== undefined) {
    try {
      await linkTo(values.link, String(started.at));
    } catch (cause) {
      await started.close();
      throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
  const shown =
    values.tcp === undefined ? { pty: started.at, link: values.link ?? null } : { tcp: started.at };
  terminal.print(JSON.stringify({ ...shown, model: values.model, units: values.units }));
  await new Promise<void>((resolve) => {
    if (terminal.interrupted.aborted) resolve();
    else terminal.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  if (values.link !== undefined) await dropLink(values.link, String(started.at));
  await started.close();
  return 0;
}

function read(args: readonly string[]) {
  const values = parsed(args);
  if (values.help !== true && (values.pty === true) === (values.tcp !== undefined))
    throw new UsageError('A probe hangs on one line: give --pty or --tcp PORT.');
  return values;
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause);
    throw new UsageError(`${reason}; --probe --help shows what there is.`, { cause });
  }
}

function probesOf(values: ReturnType<typeof parsed>): SimProbe[] {
  const { model } = values;
  if (!isModelName(model)) throw new UsageError(`--model must be one of ${Object.keys(MODELS).join(', ')}.`);
  const fixed: Partial<PondValues> = {};
  const names = Object.keys(pondAt(12, () => 0.5));
  for (const pair of values.set) {
    const [name = '', value = ''] = pair.split('=');
    if (!names.includes(name)) throw new UsageError(`--set knows ${names.join(', ')}, not "${name}".`);
    Object.assign(fixed, { [name]: numberOf('set', value, -100, 1_000) });
  }
  const faults = values.fault.split(',').filter((word) => word !== '');
  for (const word of faults) {
    if (!isFault(word)) throw new UsageError(`--fault must be of ${PROBE_FAULTS.join(', ')}, not "${word}".`);
  }
  return values.units.split(',').map((unit) => ({
    unitId: numberOf('units', unit, 1, 247),
    model,
    fixed,
    faults: new Set(faults.filter(isFault)),
  }));
}

const isFault = (word: string): word is ProbeFault => PROBE_FAULTS.some((fault) => fault === word);

function numberOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a number from ${min} to ${max}, not "${text}".`);
}
