import { readFaults } from '../board/faults.ts';
import type { WifiSettings } from '../board/nvs.ts';
import type { PortKind } from '../board/ports.ts';
import { DEFAULT_MAC, startBoard } from '../board/start-board.ts';
import type { Terminal } from './gateway-api.ts';
import { type Options, readFirmwareKeys, UsageError } from './options.ts';

/** Runs one simulated controller board until it is interrupted; every line it prints is JSON. Answers the exit code. */
export async function runBoard(terminal: Terminal, options: Options): Promise<number> {
  const forMs = options.duration('for');
  const port = readPort(options);
  const settings = {
    port,
    mac: options.text('mac') ?? DEFAULT_MAC,
    seed: options.number('seed', { min: 0, max: 2 ** 31, whole: true }),
    flashFile: options.text('flash'),
    isBlank: options.is('blank'),
    farmWifi: readWifi(options.text('wifi')),
    lineRate: readLineRate(options),
    faults: asUsage('fault', () => readFaults(options.text('fault') ?? '')),
    loaderIdleMs: options.duration('loader-idle') ?? 3_000,
    firmwareKeys: await readFirmwareKeys(options.text('firmware-key')),
  };
  let heartbeats = 0;
  const started = await startBoard({
    ...settings,
    tell: (event) => {
      if (event.kind === 'controller' && event.news === 'heartbeat') {
        heartbeats += 1;
        // the first proves the controller to whoever waits for it; all of them would bury the rest
        if (heartbeats > 1) return;
      }
      const { kind, ...facts } = event;
      const link =
        kind === 'port' && port.kind === 'pty' && port.link !== undefined ? { link: port.link } : {};
      terminal.print(
        JSON.stringify({ event: kind, ...facts, ...link, ...(kind === 'port' ? { mac: settings.mac } : {}) }),
      );
    },
  }).catch((cause: unknown) => {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  });
  await untilInterrupted(terminal.interrupted, forMs);
  await started.close();
  return 0;
}

function readPort(options: Options): PortKind {
  const tcp = options.text('tcp');
  const rfc2217 = options.text('rfc2217');
  const chosen = [options.is('pty'), tcp !== undefined, rfc2217 !== undefined].filter(Boolean).length;
  if (chosen !== 1) throw new UsageError('--board needs one of --pty, --tcp PORT and --rfc2217 PORT.');
  if (options.is('pty')) return { kind: 'pty', link: options.text('link') };
  const name = tcp === undefined ? 'rfc2217' : 'tcp';
  return { kind: name, port: options.number(name, { min: 0, max: 65_535, whole: true }) };
}

function readLineRate(options: Options): number | 'own' | undefined {
  const given = options.text('line-rate');
  if (given === undefined) return undefined;
  return given === 'own' ? 'own' : options.number('line-rate', { min: 300, max: 5_000_000, whole: true });
}

function readWifi(given: string | undefined): WifiSettings | undefined {
  if (given === undefined) return undefined;
  const [ssid = '', ...password] = given.split(':');
  if (ssid === '') throw new UsageError('--wifi must be SSID:PASSWORD, or SSID: for an open network.');
  return { ssid, password: password.join(':') };
}

function asUsage<Value>(flag: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw new UsageError(`--${flag}: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  }
}

function untilInterrupted(interrupted: AbortSignal, forMs: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (interrupted.aborted) return resolve();
    const timer = forMs === undefined ? undefined : setTimeout(resolve, Math.min(forMs, 2 ** 31 - 1));
    interrupted.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
