import { type InBoth, inBoth } from '#core/both-languages.ts';
import { type EspImage, readEspImage } from './esp-image.ts';
import type { Firmware, FirmwarePart } from './firmware-manifest.ts';
import { NVS_OFFSET, NVS_SIZE } from './nvs-image.ts';
import { isSoundTable, type Partition, readPartitions, TABLE_OFFSET, TABLE_SIZE } from './partition-table.ts';
import { BenchTrouble } from './trouble.ts';

export const SECTOR = 4_096;
/** Where the first program lies when no table says otherwise. */
export const FIRST_PROGRAM = 0x1_0000;

/** The chip that is to be written. */
export type Target = {
  chip: string;
  imageChipId: number | null;
  bootloaderOffset: number;
  flash_bytes: number;
};

/**
 * Holds a firmware to the chip it is to be written to: made for it, whole, within its flash, and with the identity
 * partition where ours is. Throws BenchTrouble WRONG_CHIP, WRONG_IMAGE or CHECKSUM_REFUSED before anything is written.
 */
export function checkFirmware({ chip, parts }: Firmware, target: Target): void {
  if (chip !== null && plain(chip) !== plain(target.chip))
    throw wrongChip(inBoth(`o firmware é para ${chip}`, `the firmware is for ${chip}`), target);
  if (target.imageChipId === null)
    throw wrongChip(
      inBoth('aqui só se grava a família ESP32', 'only the ESP32 family is flashed here'),
      target,
    );
  checkPlaces(parts, target.flash_bytes);
  const partitions = partitionsOf(parts, target.flash_bytes);
  const programs = partitions.filter(({ kind }) => kind === 'app');
  const [first = { name: 'app', offset: FIRST_PROGRAM, size: target.flash_bytes - FIRST_PROGRAM }] = programs;
  checkImage(
    parts,
    { offset: target.bootloaderOffset, size: TABLE_OFFSET - target.bootloaderOffset },
    target,
  );
  for (const place of [first, ...programs.slice(1)]) checkImage(parts, place, target);
  // an image that lies nowhere a boot loader looks is still held to the chip
  for (const part of parts) {
    const isKnown = [target.bootloaderOffset, first.offset, ...programs.map(({ offset }) => offset)].includes(
      part.offset,
    );
    if (!isKnown && part.bytes[0] === 0xe9) checkFor(readEspImage(part.bytes, part.name), part.name, target);
  }
}

function checkPlaces(parts: readonly FirmwarePart[], flashBytes: number): void {
  const inOrder = parts.toSorted((a, b) => a.offset - b.offset);
  inOrder.forEach((part, index) => {
    const { name, offset, bytes } = part;
    if (offset % SECTOR !== 0)
      throw wrongImage(
        inBoth(
          `${name}: o endereço ${hex(offset)} não é múltiplo de ${hex(SECTOR)}`,
          `${name}: its offset ${hex(offset)} is no multiple of ${hex(SECTOR)}`,
        ),
      );
    if (offset + bytes.length > flashBytes)
      throw wrongImage(
        inBoth(
          `${name} em ${hex(offset)} passa do fim da memória de ${flashBytes / 2 ** 20} MiB`,
          `${name} at ${hex(offset)} ends beyond the flash of ${flashBytes / 2 ** 20} MiB`,
        ),
      );
    const next = inOrder[index + 1];
    if (next !== undefined && sectorEnd(offset + bytes.length) > next.offset)
      throw wrongImage(
        inBoth(
          `${name} em ${hex(offset)} invade ${next.name} em ${hex(next.offset)}`,
          `${name} at ${hex(offset)} reaches into ${next.name} at ${hex(next.offset)}`,
        ),
      );
  });
}

/** Of the table among the parts. A table that puts the identity elsewhere would lose it. */
function partitionsOf(parts: readonly FirmwarePart[], flashBytes: number): Partition[] {
  const table = bytesAt(parts, TABLE_OFFSET)?.bytes.subarray(0, TABLE_SIZE);
  if (table === undefined || isBlank(table)) return [];
  const partitions = readPartitions(table);
  if (partitions.length === 0)
    throw wrongImage(
      inBoth(
        `em ${hex(TABLE_OFFSET)} não há tabela de partições`,
        `at ${hex(TABLE_OFFSET)} there is no partition table`,
      ),
    );
  if (!isSoundTable(table)) throw damagedTable();
  const nvs = partitions.find(({ kind }) => kind === 'nvs');
  if (nvs === undefined || nvs.offset !== NVS_OFFSET || nvs.size < NVS_SIZE)
    throw wrongImage(
      inBoth(
        `a tabela de partições não guarda a identidade (nvs) em ${hex(NVS_OFFSET)}`,
        `its partition table keeps no identity (nvs) at ${hex(NVS_OFFSET)}`,
      ),
    );
  const beyond = partitions.find(({ offset, size }) => offset + size > flashBytes);
  if (beyond !== undefined)
    throw wrongImage(
      inBoth(
        `a partição ${beyond.name} passa do fim da memória desta placa`,
        `its partition ${beyond.name} ends beyond the flash of this board`,
      ),
    );
  return partitions;
}

function checkImage(
  parts: readonly FirmwarePart[],
  place: { offset: number; size: number },
  target: Target,
): void {
  const found = bytesAt(parts, place.offset);
  if (found === undefined || isBlank(found.bytes.subarray(0, SECTOR))) return;
  const name = `${found.name} (${hex(place.offset)})`;
  const image = readEspImage(found.bytes, name);
  checkFor(image, name, target);
  if (image.length > place.size)
    throw wrongImage(
      inBoth(
        `${name} é maior que o seu lugar de ${Math.floor(place.size / 1_024)} KiB`,
        `${name} is larger than its place of ${Math.floor(place.size / 1_024)} KiB`,
      ),
    );
}

function checkFor({ chipId }: EspImage, name: string, target: Target): void {
  if (chipId === target.imageChipId) return;
  throw wrongChip(
    inBoth(`${name} é para o chip de número ${chipId}`, `${name} is for the chip with number ${chipId}`),
    target,
  );
}

/** The part that lies at an address, from there on. */
function bytesAt(
  parts: readonly FirmwarePart[],
  address: number,
): { name: string; bytes: Buffer } | undefined {
  const part = parts.find(({ offset, bytes }) => offset <= address && address < offset + bytes.length);
  return part && { name: part.name, bytes: part.bytes.subarray(address - part.offset) };
}

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0xff);
}

export function sectorEnd(address: number): number {
  return Math.ceil(address / SECTOR) * SECTOR;
}

const plain = (chip: string) => chip.toUpperCase().replace(/[^A-Z0-9]/g, '');
const hex = (value: number) => `0x${value.toString(16)}`;

function damagedTable(): BenchTrouble {
  return new BenchTrouble('CHECKSUM_REFUSED', {
    message: inBoth(
      'a tabela de partições está danificada: com ela a placa não iniciaria nada',
      'its partition table is damaged: with it the board would start nothing',
    ),
    next: inBoth(
      'copie o firmware de novo e recomece; nada foi gravado',
      'copy the firmware again and start again; nothing was written',
    ),
  });
}

function wrongChip(why: InBoth, { chip }: Target): BenchTrouble {
  return new BenchTrouble('WRONG_CHIP', {
    message: inBoth(`${why['pt-BR']}, e esta placa é ${chip}`, `${why.en}, and this board is ${chip}`),
    next: inBoth(
      'use o firmware desta placa, ou a placa deste firmware; nada foi gravado',
      'take the firmware for this board, or the board for this firmware; nothing was written',
    ),
  });
}

function wrongImage(message: InBoth): BenchTrouble {
  return new BenchTrouble('WRONG_IMAGE', {
    message,
    next: inBoth(
      'use o firmware como foi publicado, com os próprios endereços; nada foi gravado',
      'take the firmware as it was published, with its own offsets; nothing was written',
    ),
  });
}
