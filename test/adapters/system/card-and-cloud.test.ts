import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloudPath } from '#adapters/system/cloud-path.ts';
import { blockDevice, cardFacts } from '#adapters/system/disk-facts.ts';

describe('an SD card', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'card-'));
    const disk = join(root, 'sys/devices/mmcblk0');
    mkdirSync(join(disk, 'mmcblk0p2'), { recursive: true });
    mkdirSync(join(disk, 'device'), { recursive: true });
    mkdirSync(join(root, 'sys/class/block'), { recursive: true });
    mkdirSync(join(root, 'sys/fs/ext4/mmcblk0p2'), { recursive: true });
    mkdirSync(join(root, 'proc'), { recursive: true });
    symlinkSync(join(disk, 'mmcblk0p2'), join(root, 'sys/class/block/mmcblk0p2'));
    writeFileSync(join(disk, 'mmcblk0p2/partition'), '2\n');
    writeFileSync(join(disk, 'device/name'), 'SC32G\n');
    writeFileSync(join(disk, 'device/date'), '07/2019\n');
    writeFileSync(join(disk, 'stat'), '  100  0  2000  50  300  0  20480  80  0  60  130\n');
    writeFileSync(join(root, 'sys/fs/ext4/mmcblk0p2/errors_count'), '3\n');
    writeFileSync(join(root, 'proc/uptime'), '86400.12 300000.00\n');
  });
  afterAll(() => rmSync(root, { recursive: true }));

  async function deviceOf(source: string, number = '179:2') {
    const device = await blockDevice({ source, number }, root);
    if (device === null) throw new Error(`${source} is no disk`);
    return device;
  }

  it('tells name, age, what was written, and the errors of its file system', async () => {
    expect(await cardFacts(await deviceOf('/dev/mmcblk0p2'), root)).toEqual({
      device: 'mmcblk0',
      name: 'SC32G',
      madeInYear: 2019,
      writtenBytes: 20_480 * 512,
      upS: 86_400.12,
      fileSystemErrors: 3,
    });
  });
  it('that is none tells nothing', async () => {
    expect(await blockDevice({ source: 'overlay', number: '0:5' }, root)).toBeNull();
  });

  it('is known by its number where its name says nothing, and below what is encrypted on it', async () => {
    const volume = join(root, 'sys/devices/virtual/block/dm-0');
    mkdirSync(join(volume, 'slaves'), { recursive: true });
    symlinkSync(join(root, 'sys/devices/mmcblk0/mmcblk0p2'), join(volume, 'slaves/mmcblk0p2'));
    mkdirSync(join(root, 'sys/dev/block'), { recursive: true });
    symlinkSync(join(root, 'sys/devices/mmcblk0/mmcblk0p2'), join(root, 'sys/dev/block/179:2'));
    symlinkSync(volume, join(root, 'sys/dev/block/254:0'));
    const named = await cardFacts(await deviceOf('/dev/root'), root);
    expect(named).toMatchObject({ device: 'mmcblk0', name: 'SC32G', fileSystemErrors: 3 });
    // the file system is that of the volume, and counts its errors there
    const encrypted = await cardFacts(await deviceOf('/dev/mapper/data', '254:0'), root);
    expect(encrypted).toMatchObject({ device: 'mmcblk0', name: 'SC32G', fileSystemErrors: null });
  });
});

describe('the way to the hosted instance', () => {
  it('is open where somebody takes the connection, and else ends at the step that fails', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const networks = () => true;
    expect(await cloudPath(`http://127.0.0.1:${port}`, networks)).toMatchObject({ step: 'open', why: null });
    await new Promise((resolve) => server.close(resolve));
    expect(await cloudPath(`http://127.0.0.1:${port}`, networks)).toMatchObject({ step: 'no_connection' });
    expect(await cloudPath('https://nowhere.invalid', networks)).toMatchObject({ step: 'no_name' });
    expect(await cloudPath('https://nowhere.invalid', () => false)).toMatchObject({ step: 'no_network' });
  });
});
