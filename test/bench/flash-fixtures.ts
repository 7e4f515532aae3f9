import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type StartedBoard, startBoard } from '#sim/board/start-board.ts';
import { createRandom } from '#sim/random.ts';
import type { Identity } from '../../gateway/bench/identity.ts';
import { type BenchJobInput, type Progress, readJob, runJob } from '../../gateway/bench/job.ts';
import { BenchTrouble } from '../../gateway/bench/trouble.ts';
import { signBundle } from '../../scripts/sign-firmware.ts';

const ESP32 = 0;

/** Lies beside the files of a bundle here; elsewhere in the data folder of the gateway. */
export const KEYS = 'firmware-keys.pem';
/** Who signs the firmware of these tests. */
export const PUBLISHER = aPublisher();

export function aPublisher(): { secret: string; open: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    open: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** A folder that is gone after the test. */
export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A simulated board at a pseudo-terminal, its flash in a file. */
export async function aBoard(options: Partial<Parameters<typeof startBoard>[0]> = {}): Promise<StartedBoard> {
  const board = await startBoard({ port: { kind: 'pty' }, replugAfterMs: 1, ...options });
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= board.close();
    return closing;
  };
  onTestFinished(close);
  return { ...board, close };
}

/** An image as ESP-IDF lays it out: one segment, checksum, digest. Bytes that do not compress. */
export function anImage({ chipId = ESP32, version = '2.1.0', bytes = 4_096 } = {}): Buffer {
  const random = createRandom(bytes);
  const segment = Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256)));
  segment.writeUInt32LE(0xabcd_5432, 0);
  segment.fill(0, 16, 80);
  segment.write(version, 16, 'latin1');
  segment.write('aerator-controller', 48, 'latin1');
  const head = Buffer.alloc(32);
  head.set([0xe9, 1, 2, 0x20]);
  head.writeUInt16LE(chipId, 12);
  head.writeUInt8(1, 23);
  head.writeUInt32LE(0x3f40_0020, 24);
  head.writeUInt32LE(segment.length, 28);
  const body = Buffer.concat([head, segment, Buffer.alloc(16 - ((32 + segment.length) % 16))]);
  body.writeUInt8(
    segment.reduce((sum, byte) => sum ^ byte, 0xef),
    body.length - 1,
  );
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

type Row = [type: number, subtype: number, offset: number, size: number];
/** A board that takes updates over the air: two slots, and where the choice between them is noted. */
export const WITH_UPDATES: readonly Row[] = [
  [1, 2, 0x9000, 0x6000],
  [1, 0, 0xf000, 0x2000],
  [0, 0x10, 0x2_0000, 0x10_0000],
  [0, 0x11, 0x12_0000, 0x10_0000],
];

/** A partition table as the build writes it, with the MD5 of its rows and an end. */
export function aTable(...rows: readonly Row[]): Buffer {
  const table = Buffer.alloc(0xc00, 0xff);
  rows.forEach(([type, subtype, offset, size], index) => {
    const at = index * 32;
    table.set([0xaa, 0x50, type, subtype], at);
    table.writeUInt32LE(offset, at + 4);
    table.writeUInt32LE(size, at + 8);
    table.fill(0, at + 12, at + 32);
    table.write(`${type === 0 ? 'app' : 'data'}_${subtype.toString(16)}`, at + 12);
  });
  const end = rows.length * 32;
  table.set([0xeb, 0xeb], end);
  table.set(createHash('md5').update(table.subarray(0, end)).digest(), end + 16);
  return table;
}

/** A folder with manifest and files: a bootloader and a program of about so many bytes, and a table where one is wanted. */
export async function aBundle({
  chip = 'ESP32',
  chipId = ESP32,
  bytes = 40_000,
  version = '2.1.0',
  table = null as Buffer | null,
} = {}) {
  const folder = await aFolder();
  const parts = [
    { file: 'boot.bin', offset: '0x1000' as string | number, image: anImage({ chipId, bytes: 4_096 }) },
    ...(table === null ? [] : [{ file: 'partitions.bin', offset: 0x8000, image: table }]),
    {
      file: 'app.bin',
      offset: table === null ? 0x1_0000 : 0x2_0000,
      image: anImage({ chipId, bytes, version }),
    },
  ];
  for (const { file, image } of parts) await writeFile(path.join(folder, file), image);
  const listed = parts.map(({ file, offset, image }) => ({
    file,
    offset,
    sha256: createHash('sha256').update(image).digest('hex'),
  }));
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify({ chip, version, parts: listed }));
  await signBundle(folder, PUBLISHER.secret);
  await writeFile(path.join(folder, KEYS), PUBLISHER.open);
  return folder;
}

export const AN_IDENTITY: Identity = {
  device_id: 'dev-17',
  mqtt_id: 'm-17',
  key: 'q83vEjRWeJA',
  gw_host: '192.168.0.10',
  gw_http: 8080,
  gw_mqtt: 1883,
  gw_mqtts: 0,
  gw_pin: null,
  cp: 'AER-3',
  fail_safe: 'ON',
  claim: 'K7QX9M2P4RTW',
};

/** A flash job with what makes its firmware acceptable: the keys beside a bundle, the word for single files. */
export function trusted(job: BenchJobInput): BenchJobInput {
  if (job.kind !== 'flash' || job.firmware_keys !== undefined) return job;
  if ('bundle' in job.firmware) return { ...job, firmware_keys: path.join(job.firmware.bundle, KEYS) };
  return { allow_unsigned: true, ...job };
}

/** Runs a job; what it told comes with what became of it. */
export async function run(
  job: BenchJobInput,
  signal: AbortSignal = new AbortController().signal,
  told: Progress[] = [],
) {
  const result = await runJob(readJob(trusted(job)), { tell: (progress) => told.push(progress), signal });
  return { result, told };
}

/** The code a job fails with, `done` when it does not. */
export async function codeOf(job: BenchJobInput): Promise<string> {
  try {
    await run(job);
    return 'done';
  } catch (error) {
    if (error instanceof BenchTrouble && error.said.next.en !== '') return error.code;
    throw error;
  }
}
