import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskFacts, wearOf } from '#adapters/system/disk-facts.ts';
import {
  addressesIn,
  machineFacts,
  offsetOfChrony,
  offsetOfTimesyncd,
  powerOf,
} from '#adapters/system/machine-facts.ts';
import { isAnswering, ownerOfPort, socketsIn } from '#adapters/system/port-owner.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'machine-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** A board whose data lies on the second partition of a chip. */
function aBoard({ options = 'rw,noatime', type = 'MMC', lifeTime = '0x02 0x04' }) {
  const chip = 'sys/devices/platform/mmc0/block/mmcblk0';
  put(
    'proc/self/mountinfo',
    `22 1 0:5 / / rw - overlay overlay rw\n36 22 179:2 / ${root} ${options} - ext4 /dev/mmcblk0p2 ${options}\n`,
  );
  put(`${chip}/device/type`, `${type}\n`);
  put(`${chip}/device/life_time`, `${lifeTime}\n`);
  put(`${chip}/device/pre_eol_info`, '0x02\n');
  put(`${chip}/mmcblk0p2/partition`, '2\n');
  mkdirSync(join(root, 'sys/class/block'), { recursive: true });
  symlinkSync(join(root, chip, 'mmcblk0p2'), join(root, 'sys/class/block/mmcblk0p2'));
}

describe('the disk of a board', () => {
  it('with an eMMC tells its wear and its spare blocks', async () => {
    aBoard({});
    expect(await diskFacts(root, root)).toMatchObject({
      isReadOnly: false,
      card: 'emmc',
      wearPercent: 40,
      spares: 'warning',
      freeBytes: expect.any(Number) as number,
    });
  });

  it('with an SD card tells nothing of it', async () => {
    aBoard({ type: 'SD' });
    expect(await diskFacts(root, root)).toMatchObject({ card: 'sd', wearPercent: null, spares: null });
  });

  it('that became read-only is known by its mount', async () => {
    aBoard({ options: 'ro' });
    expect(await diskFacts(root, root)).toMatchObject({ isReadOnly: true });
  });

  it('on a machine that tells nothing is measured all the same', async () => {
    expect(await diskFacts(root, root)).toMatchObject({ isReadOnly: null, card: null });
  });

  it('reads steps of ten percent, the worse of two', () => {
    expect(['0x01 0x0b', '0x00 0x00', 'x', null].map((text) => wearOf(text))).toEqual([
      110,
      null,
      null,
      null,
    ]);
  });
});

describe('a Raspberry Pi', () => {
  it('tells its heat and its power', async () => {
    put('proc/device-tree/model', 'Raspberry Pi 4 Model B\0');
    put('sys/class/thermal/thermal_zone0/temp', '61234\n');
    put('sys/devices/platform/soc/soc:firmware/get_throttled', '50005\n');
    expect(await machineFacts(root)).toEqual({
      model: 'Raspberry Pi 4 Model B',
      celsius: 61.234,
      now: { undervoltage: true, throttled: true },
      sinceStart: { undervoltage: true, throttled: true },
    });
  });

  it('that is well says so, and another machine says nothing', () => {
    const well = { undervoltage: false, throttled: false };
    expect(powerOf('0\n')).toEqual({ now: well, sinceStart: well });
    expect(powerOf('50000').now).toEqual(well);
    expect(powerOf(null)).toEqual({ now: null, sinceStart: null });
  });
});

describe('the offset of the clock', () => {
  it('comes from chrony, unless it has no source', () => {
    const line = 'C0A80101,192.168.1.1,3,1700000000.1,-0.000123,0.1,0.2,1.0,0.0,0.01,0.02,0.03,64.2,Normal';
    expect(offsetOfChrony(line)).toBeCloseTo(-0.123);
    expect(offsetOfChrony('00000000,,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised')).toBeNull();
    expect(offsetOfChrony(null)).toBeNull();
  });

  it('or from systemd', () => {
    expect(
      offsetOfTimesyncd('       Server: 1.2.3.4\n       Offset: -1.203ms\n        Delay: 3ms\n'),
    ).toBeCloseTo(-1.203);
    expect(offsetOfTimesyncd('Offset: +1min 3.1s')).toBeCloseTo(63_100);
    expect(offsetOfTimesyncd('Offset: n/a')).toBeNull();
  });
});

describe('a port', () => {
  it('that is taken is found, with the program that has it', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await isAnswering(port, '127.0.0.1')).toBe(true);
    if (process.platform === 'linux') expect(await ownerOfPort(port)).toContain(`(${process.pid})`);
    await new Promise((resolve) => server.close(resolve));
    expect(await isAnswering(port, '127.0.0.1')).toBe(false);
  });

  it('is told from connections that only lead to it', () => {
    const table = `  sl  local_address rem_address   st tx rx tr when retr uid timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 111 1
   1: 0100007F:1F90 0100007F:9999 01 00000000:00000000 00:00000000 00000000 0 0 222 1`;
    expect(socketsIn(table, 8080)).toEqual(['111']);
  });
});

it('a phone of the farm is led to the farm network, not to a network inside the machine', () => {
  const at = (address: string, internal = false) => ({
    address,
    internal,
    family: 'IPv4' as const,
    netmask: '255.255.255.0',
    mac: '00:00:00:00:00:00',
    cidr: null,
  });
  const found = addressesIn({
    lo: [at('127.0.0.1', true)],
    docker0: [at('172.17.0.1')],
    wg0: [at('10.8.0.2')],
    eth0: [at('192.168.0.20')],
    wlan0: [at('192.168.0.21')],
  });
  expect(found).toEqual(['192.168.0.20', '192.168.0.21', '172.17.0.1', '10.8.0.2']);
});
