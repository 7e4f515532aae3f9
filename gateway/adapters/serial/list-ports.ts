import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

export type PortUser = { pid: number; name: string };

export type SerialPortFacts = {
  /** The name that stays the same when the cable is put back: by-id where the system gives one. */
  path: string;
  device: string;
  vendor_id: string | null;
  product_id: string | null;
  serial_number: string | null;
  manufacturer: string | null;
  product: string | null;
  /** Programs that hold it now, as far as this user may see them. */
  in_use_by: PortUser[];
};

type Places = { dev: string; sys: string; proc: string };

const PLACES: Places = { dev: '/dev', sys: '/sys', proc: '/proc' };
const USB_NAME = /^(ttyUSB|ttyACM)\d+$/;
/** More than any box has; a folder full of odd names costs no more than this. */
const MAX_PORTS = 64;

/**
 * The serial ports of USB cables, in order of their names. On Linux the kernel's own folders are read, so neither udev nor
 * root is needed; elsewhere the driver is asked. Pseudo-terminals and fixed UARTs are not listed: they are named by hand.
 */
export async function listPorts(places: Places = PLACES): Promise<SerialPortFacts[]> {
  if (process.platform !== 'linux') return listByDriver();
  const names = (await namesIn(places.dev)).filter((name) => USB_NAME.test(name)).slice(0, MAX_PORTS);
  const stable = await stableNames(places.dev);
  const users = await usersOf(places, new Set(names.map((name) => path.join(places.dev, name))));
  return Promise.all(
    names.toSorted(byNumber).map(async (name) => {
      const device = path.join(places.dev, name);
      return {
        path: stable.get(device) ?? device,
        device,
        ...(await usbFacts(places.sys, name)),
        in_use_by: users.get(device) ?? [],
      };
    }),
  );
}

/** Who holds one port now, this process left out; by its own name or by one that leads there. */
export async function portUsers(port: string, places: Places = PLACES): Promise<PortUser[]> {
  if (process.platform !== 'linux') return [];
  const device = await realpath(port).catch(() => port);
  return (await usersOf(places, new Set([device]))).get(device) ?? [];
}

/** /dev/serial/by-id: link by device. */
async function stableNames(dev: string): Promise<Map<string, string>> {
  const folder = path.join(dev, 'serial', 'by-id');
  const found = new Map<string, string>();
  for (const name of (await namesIn(folder)).slice(0, MAX_PORTS)) {
    const link = path.join(folder, name);
    const device = await realpath(link).catch(() => null);
    if (device !== null) found.set(device, link);
  }
  return found;
}

/** The USB device lies some folders above its tty: the first one with a vendor. */
async function usbFacts(sys: string, name: string) {
  let folder = await realpath(path.join(sys, 'class', 'tty', name, 'device')).catch(() => null);
  for (let depth = 0; folder !== null && depth < 6; depth += 1) {
    const vendor = await wordIn(folder, 'idVendor');
    if (vendor !== null) {
      return {
        vendor_id: vendor,
        product_id: await wordIn(folder, 'idProduct'),
        serial_number: await wordIn(folder, 'serial'),
        manufacturer: await wordIn(folder, 'manufacturer'),
        product: await wordIn(folder, 'product'),
      };
    }
    folder = path.dirname(folder);
  }
  return { vendor_id: null, product_id: null, serial_number: null, manufacturer: null, product: null };
}

async function usersOf({ proc }: Places, devices: ReadonlySet<string>): Promise<Map<string, PortUser[]>> {
  const found = new Map<string, PortUser[]>();
  if (devices.size === 0) return found;
  for (const entry of await namesIn(proc)) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    for (const device of await openedBy(path.join(proc, entry, 'fd'))) {
      if (!devices.has(device)) continue;
      const users = found.get(device) ?? [];
      if (users.some((user) => user.pid === pid)) continue;
      found.set(device, [...users, { pid, name: await programName(path.join(proc, entry)) }]);
    }
  }
  return found;
}

/** As it was called: what the kernel calls it may be the name of a thread. */
async function programName(folder: string): Promise<string> {
  const called = (await wordIn(folder, 'cmdline'))?.split('\0')[0] ?? '';
  return path.basename(called) || ((await wordIn(folder, 'comm')) ?? 'unknown');
}

async function openedBy(folder: string): Promise<string[]> {
  const links = (await namesIn(folder)).map((name) => readlink(path.join(folder, name)).catch(() => ''));
  return Promise.all(links);
}

async function listByDriver(): Promise<SerialPortFacts[]> {
  const { SerialPort } = await import('serialport');
  const listed = await SerialPort.list();
  return listed.slice(0, MAX_PORTS).map((port) => ({
    path: port.path,
    device: port.path,
    vendor_id: port.vendorId ?? null,
    product_id: port.productId ?? null,
    serial_number: port.serialNumber ?? null,
    manufacturer: port.manufacturer ?? null,
    product: null,
    in_use_by: [],
  }));
}

/** A folder that is not there or not ours to read holds nothing for us. */
const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

async function wordIn(folder: string, name: string): Promise<string | null> {
  const text = await readFile(path.join(folder, name), 'utf8').catch(() => '');
  return text.trim().slice(0, 200) || null;
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
