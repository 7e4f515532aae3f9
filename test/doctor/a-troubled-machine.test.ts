import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '#features/system/doctor/examine.ts';
import type { DoctorFacts } from '#features/system/doctor/ports.ts';
import { gather, machineQuestions } from '#operations/doctor/gather.ts';

// What the doctor gathers from the machine itself, out of files as the kernel of a Raspberry Pi writes them.

const NOW = Date.UTC(2026, 2, 2, 12);
const CHIP = 'sys/devices/platform/mmc0/block/mmcblk0';
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'machine-'));
  put('proc/self/mountinfo', mountedWith('rw,noatime'));
  put(`${CHIP}/mmcblk0p2/partition`, '2\n');
  put(`${CHIP}/device/type`, 'MMC\n');
  put(`${CHIP}/device/life_time`, '0x01 0x01\n');
  put(`${CHIP}/device/pre_eol_info`, '0x01\n');
  put(`${CHIP}/device/name`, 'SC32G\n');
  put(`${CHIP}/device/date`, '07/2025\n');
  put(`${CHIP}/stat`, '  100  0  2000  50  300  0  20480  80  0  60  130\n');
  put('sys/fs/ext4/mmcblk0p2/errors_count', '0\n');
  put('proc/uptime', '432000.12 300000.00\n');
  put('proc/meminfo', 'MemTotal: 4000000 kB\nMemAvailable:    3000000 kB\n');
  put('sys/class/thermal/thermal_zone0/temp', '51234\n');
  put('sys/devices/platform/soc/soc:firmware/get_throttled', '0\n');
  put('dev/ttyUSB0', '');
  put('sys/fs/cgroup/system.slice/ssh.service/cgroup.procs', '');
  mkdirSync(join(root, 'sys/class/block'), { recursive: true });
  symlinkSync(join(root, CHIP, 'mmcblk0p2'), join(root, 'sys/class/block/mmcblk0p2'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const mountedWith = (options: string) =>
  `22 1 0:5 / / rw - overlay overlay rw\n36 22 179:2 / ${root} ${options} - ext4 /dev/mmcblk0p2 ${options}\n`;

function put(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** What is not well with this machine, as `disk_card_old warn`. */
async function troubles(data = root, machine: string | undefined = root): Promise<string[]> {
  const questions = machineQuestions({ data, role: 'gateway' as const, databaseUrl: null }, null, machine);
  const facts = await gather({ now: NOW, role: 'gateway', version: '1.0.0' }, questions);
  return examine(facts)
    .findings.filter(({ severity }) => severity !== 'ok')
    .map(({ id, severity }) => `${id} ${severity}`);
}

describe('a box', () => {
  it('with which all is well asks for nothing', async () => {
    expect(await troubles()).toEqual([]);
  });

  it.each<[string, Record<string, string>, string[]]>([
    [
      'whose SD card was made in 2019',
      { [`${CHIP}/device/type`]: 'SD\n', [`${CHIP}/device/date`]: '07/2019\n' },
      ['disk_card_old warn', 'disk_wear_unknown note'],
    ],
    ['whose card makes errors', { 'sys/fs/ext4/mmcblk0p2/errors_count': '3\n' }, ['disk_errors bad']],
    [
      'whose card took 200 GB in five days',
      { [`${CHIP}/stat`]: '  100  0  2000  50  300  0  400000000  80  0  60  130\n' },
      ['disk_written warn'],
    ],
    ['whose eMMC used 90 % of its life', { [`${CHIP}/device/life_time`]: '0x02 0x09\n' }, ['disk_wear warn']],
    ['whose eMMC used up its life', { [`${CHIP}/device/life_time`]: '0x0b 0x02\n' }, ['disk_wear bad']],
    [
      'whose eMMC has no spare blocks, and tells no more',
      { [`${CHIP}/device/life_time`]: '0x00 0x00\n', [`${CHIP}/device/pre_eol_info`]: '0x03\n' },
      ['disk_wear bad'],
    ],
    [
      'with 100 MB of memory left',
      { 'proc/meminfo': 'MemAvailable:  100000 kB\n' },
      ['memory_available warn'],
    ],
    ['with 10 MB of memory left', { 'proc/meminfo': 'MemAvailable:  10000 kB\n' }, ['memory_available bad']],
    ['in the sun', { 'sys/class/thermal/thermal_zone0/temp': '82000\n' }, ['temperature warn']],
    ['in an oven', { 'sys/class/thermal/thermal_zone0/temp': '91000\n' }, ['temperature bad']],
    [
      'whose power supply was weak today',
      { 'sys/devices/platform/soc/soc:firmware/get_throttled': '50000\n' },
      ['power_undervoltage warn', 'processor_throttled note'],
    ],
    [
      'whose power supply is weak now',
      { 'sys/devices/platform/soc/soc:firmware/get_throttled': '50005\n' },
      ['power_undervoltage bad', 'processor_throttled warn'],
    ],
  ])('%s', async (_fact, files, kinds) => {
    for (const [file, text] of Object.entries(files)) put(file, text);
    expect(await troubles()).toEqual(kinds);
  });

  it('whose card became read-only', async () => {
    put('proc/self/mountinfo', mountedWith('ro,noatime'));
    expect(await troubles()).toEqual(['disk_read_only bad']);
  });

  it('with an SSD, which tells its wear to nobody here, is told how to look', async () => {
    const disk = 'sys/devices/pci0000:00/nvme/nvme0/nvme0n1';
    const mount = mountedWith('rw').replaceAll('mmcblk0p2', 'nvme0n1p2').replace('179:2', '259:2');
    put('proc/self/mountinfo', mount);
    put(`${disk}/queue/rotational`, '0\n');
    put(`${disk}/nvme0n1p2/partition`, '2\n');
    put('sys/fs/ext4/nvme0n1p2/errors_count', '4\n');
    symlinkSync(join(root, disk, 'nvme0n1p2'), join(root, 'sys/class/block/nvme0n1p2'));
    expect(await troubles()).toEqual(['disk_errors bad', 'disk_wear_unknown note']);
  });

  it('that lost its data folder still tells the rest', async () => {
    put('sys/class/thermal/thermal_zone0/temp', '91000\n');
    expect(await troubles(join(root, 'gone'))).toEqual(['temperature bad', 'disk_unknown warn']);
  });
});

describe('a serial cable', () => {
  it('that ModemManager holds', async () => {
    put('proc/77/cmdline', '/usr/sbin/ModemManager\0');
    mkdirSync(join(root, 'proc/77/fd'));
    symlinkSync(join(root, 'dev/ttyUSB0'), join(root, 'proc/77/fd/5'));
    expect(await troubles()).toEqual(['serial_port_modemmanager warn']);
  });

  it('that it may hold, for its service runs and shows nothing of itself to the gateway', async () => {
    put('sys/fs/cgroup/system.slice/ModemManager.service/cgroup.procs', '');
    expect(await troubles()).toEqual(['serial_port_modemmanager warn']);
    rmSync(join(root, 'dev/ttyUSB0'));
    expect(await troubles()).toEqual([]);
  });

  it('of which nobody knows who holds it, where the services of the machine are hidden', async () => {
    rmSync(join(root, 'sys/fs/cgroup'), { recursive: true });
    expect(await troubles()).toEqual(['serial_port_modemmanager_unknown note']);
  });

  it('that the user of the gateway may not open', async () => {
    chmodSync(join(root, 'dev/ttyUSB0'), 0);
    chmodSync(root, 0o755);
    const module = new URL('../../gateway/operations/doctor/serial-ports.ts', import.meta.url).href;
    // to root every file is open: the gateway is another user
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const asked = spawnSync(process.execPath, ['--input-type=module', '-e', ASK_PORTS, module, root], {
      encoding: 'utf8',
      ...user,
    });
    // the answer of our own function, in its own form
    const serialPorts = JSON.parse(asked.stdout) as DoctorFacts['serialPorts'];
    const { findings } = examine(
      await gather({ now: NOW, role: 'gateway', version: '1' }, { serialPorts: () => serialPorts }),
    );
    expect(findings[0]).toMatchObject({
      id: 'serial_port_denied',
      measured: { value: join(root, 'dev/ttyUSB0') },
    });
  });
});

const ASK_PORTS = `
  const [module, root] = process.argv.slice(1);
  const { serialFacts } = await import(module);
  process.stdout.write(JSON.stringify(await serialFacts(root)));
`;

const mounted: string[] = [];
/** A real disk of that size; null where this machine does not let us mount one. */
function smallDisk(megabytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  mounted.push(folder);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  return status === 0 ? folder : null;
}
const probe = smallDisk(1);

describe.skipIf(probe === null)('a disk', () => {
  afterAll(() => {
    for (const folder of mounted) {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    }
  });
  const ofDisk = async (folder: string) =>
    (await troubles(folder, '/')).filter((kind) => /^disk_(space|read_only)/.test(kind));

  it('with 500 MB left, with 50 MB left, and one that is read-only', async () => {
    expect(await ofDisk(smallDisk(500) ?? '')).toEqual(['disk_space warn']);
    const short = smallDisk(50) ?? '';
    expect(await ofDisk(short)).toEqual(['disk_space bad']);
    spawnSync('mount', ['-o', 'remount,ro', short]);
    expect(await ofDisk(short)).toEqual(['disk_space bad', 'disk_read_only bad']);
  });
});
