import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { arch, cpus, freemem, hostname, networkInterfaces, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MachineFacts, MemoryFacts } from '#features/system/doctor/ports.ts';

/** A small file of the kernel without the end of its line; null: there is none, or it may not be read. */
export const textOf = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );

const run = promisify(execFile);
const ASK_TIMEOUT_MS = 2_000;

/** Heat and power of this machine, where it tells. `root`: of the machine. */
export async function machineFacts(root = '/'): Promise<MachineFacts> {
  const model = await textOf(join(root, 'proc/device-tree/model'));
  const heat = Number.parseInt((await textOf(join(root, 'sys/class/thermal/thermal_zone0/temp'))) ?? '', 10);
  const throttled = await textOf(join(root, 'sys/devices/platform/soc/soc:firmware/get_throttled'));
  return {
    model: model?.replaceAll('\0', '').trim() ?? null,
    celsius: Number.isFinite(heat) ? heat / 1000 : null,
    ...powerOf(throttled),
  };
}

/** Bits as the firmware of a Raspberry Pi gives them: 0 to 3 are now, 16 to 19 since the start. */
export function powerOf(text: string | null): Pick<MachineFacts, 'now' | 'sinceStart'> {
  const bits = Number.parseInt(text?.trim() ?? '', 16);
  if (Number.isNaN(bits)) return { now: null, sinceStart: null };
  const from = (at: number) => ({
    undervoltage: (bits & (1 << at)) !== 0,
    // bound, throttled, or at the soft limit of heat
    throttled: (bits & (0b1110 << at)) !== 0,
  });
  return { now: from(0), sinceStart: from(16) };
}

/** `root`: of the machine. */
export async function memoryFacts(root = '/'): Promise<Omit<MemoryFacts, 'residentBytes'>> {
  const available = /^MemAvailable:\s+(\d+) kB/m.exec((await textOf(join(root, 'proc/meminfo'))) ?? '')?.[1];
  return {
    totalBytes: totalmem(),
    availableBytes: available === undefined ? freemem() : Number(available) * 1024,
  };
}

/** A start of the machine; null where it has no name. */
export async function machineStart(): Promise<string | null> {
  return (await textOf('/proc/sys/kernel/random/boot_id'))?.trim() ?? null;
}

/** How far the clock of the machine is from the network's, ms, as its time service says; null: it does not. */
export async function clockOffset(): Promise<number | null> {
  const ask = async (command: string, args: string[]) =>
    run(command, args, { timeout: ASK_TIMEOUT_MS }).then(
      ({ stdout }) => stdout,
      () => null,
    );
  return (
    offsetOfChrony(await ask('chronyc', ['-c', 'tracking'])) ??
    offsetOfTimesyncd(await ask('timedatectl', ['timesync-status']))
  );
}

/** Values with commas between; the fifth is the offset in seconds. Without a source there is none. */
export function offsetOfChrony(text: string | null): number | null {
  const fields = (text ?? '').trim().split(',');
  const seconds = Number(fields[4]);
  const isSynchronised = fields.length > 4 && fields[0] !== '00000000' && fields[0] !== '';
  return isSynchronised && Number.isFinite(seconds) ? seconds * 1000 : null;
}

const MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, min: 60_000 };

/** `Offset: -1.203ms`, or with several units: `+1min 3.1s`. */
export function offsetOfTimesyncd(text: string | null): number | null {
  const found = /^\s*Offset: ([+-]?)(.+)$/m.exec(text ?? '');
  if (found === null) return null;
  const parts = [...(found[2] ?? '').matchAll(/([\d.]+)(us|ms|s|min)\b/g)];
  const ms = parts.reduce(
    (sum, [, number, unit]) => sum + Number(number) * (MS[unit ?? ''] ?? Number.NaN),
    0,
  );
  return parts.length === 0 ? null : ms * (found[1] === '-' ? -1 : 1);
}

/** This box as a person would tell it from another one: its name, its model, its kind of processor. */
export function hardwareOf(): string {
  const model = boardModel() ?? cpus()[0]?.model.trim() ?? 'unknown model';
  return `${hostname()}, ${model}, ${arch()}`.slice(0, 200);
}

/** Small boards say what they are; other machines have no such file. */
function boardModel(): string | null {
  try {
    return readFileSync('/proc/device-tree/model', 'utf8').replaceAll('\0', '').trim() || null;
  } catch {
    return null;
  }
}

/** Version of this program, as its package says. */
export function programVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  // our own file, in our own form
  return (JSON.parse(text) as { version: string }).version;
}

/** Networks inside the machine, and tunnels: no phone of the farm reaches what stands in them. */
const INNER = /^(docker|br-|veth|virbr|vmnet|vboxnet|lxc|cni|flannel|tun|tap|wg|tailscale|zt)/i;

type Found = ReturnType<typeof networkInterfaces>;

/** Addresses outside of the machine itself; those that the farm network reaches come first. */
export function addressesIn(found: Found): string[] {
  const names = Object.keys(found);
  const inOrder = [...names.filter((name) => !INNER.test(name)), ...names.filter((name) => INNER.test(name))];
  const addresses = inOrder
    .flatMap((name) => found[name] ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);
  return [...new Set(addresses)];
}

/** The name of this machine and its addresses outside of itself, IPv4 and IPv6. */
export const machineNetwork = (): { hostname: string; addresses: string[] } => ({
  hostname: hostname(),
  addresses: addressesIn(networkInterfaces()),
});
