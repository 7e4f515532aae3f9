import { readPublisherKeys } from '#adapters/firmware/image-files.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import type { PublisherKey } from '#features/equipment/firmware/ports.ts';
import { type EspImage, readEspImage } from './esp-image.ts';
import type { Firmware, FirmwareManifest, FirmwarePart, Signed } from './firmware-manifest.ts';
import { type JobContext, sentence } from './job.ts';
import { NVS_OFFSET, NVS_SIZE } from './nvs-image.ts';
import { BenchTrouble } from './trouble.ts';
import { isSoundTable, type Partition, readPartitions, TABLE_OFFSET, TABLE_SIZE } from './write-segments.ts';

const SECTOR = 4_096;
/** Where the first program lies when no table says otherwise. */
export const FIRST_PROGRAM = 0x1_0000;

/** The chip that is to be written. */
type Target = {
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
    throw wrongChip(
      inEach(`o firmware é para ${chip}`, `the firmware is for ${chip}`, `el firmware es para ${chip}`),
      target,
    );
  if (target.imageChipId === null)
    throw wrongChip(
      inEach(
        'aqui só se grava a família ESP32',
        'only the ESP32 family is flashed here',
        'aquí solo se graba la familia ESP32',
      ),
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
        inEach(
          `${name}: o endereço ${hex(offset)} não é múltiplo de ${hex(SECTOR)}`,
          `${name}: its offset ${hex(offset)} is no multiple of ${hex(SECTOR)}`,
          `${name}: la dirección ${hex(offset)} no es múltiplo de ${hex(SECTOR)}`,
        ),
      );
    if (offset + bytes.length > flashBytes)
      throw wrongImage(
        inEach(
          `${name} em ${hex(offset)} passa do fim da memória de ${flashBytes / 2 ** 20} MiB`,
          `${name} at ${hex(offset)} ends beyond the flash of ${flashBytes / 2 ** 20} MiB`,
          `${name} en ${hex(offset)} pasa del fin de la memoria de ${flashBytes / 2 ** 20} MiB`,
        ),
      );
    const next = inOrder[index + 1];
    if (next !== undefined && sectorEnd(offset + bytes.length) > next.offset)
      throw wrongImage(
        inEach(
          `${name} em ${hex(offset)} invade ${next.name} em ${hex(next.offset)}`,
          `${name} at ${hex(offset)} reaches into ${next.name} at ${hex(next.offset)}`,
          `${name} en ${hex(offset)} invade ${next.name} en ${hex(next.offset)}`,
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
      inEach(
        `em ${hex(TABLE_OFFSET)} não há tabela de partições`,
        `at ${hex(TABLE_OFFSET)} there is no partition table`,
        `en ${hex(TABLE_OFFSET)} no hay tabla de particiones`,
      ),
    );
  if (!isSoundTable(table)) throw damagedTable();
  const nvs = partitions.find(({ kind }) => kind === 'nvs');
  if (nvs === undefined || nvs.offset !== NVS_OFFSET || nvs.size < NVS_SIZE)
    throw wrongImage(
      inEach(
        `a tabela de partições não guarda a identidade (nvs) em ${hex(NVS_OFFSET)}`,
        `its partition table keeps no identity (nvs) at ${hex(NVS_OFFSET)}`,
        `la tabla de particiones no guarda la identidad (nvs) en ${hex(NVS_OFFSET)}`,
      ),
    );
  const beyond = partitions.find(({ offset, size }) => offset + size > flashBytes);
  if (beyond !== undefined)
    throw wrongImage(
      inEach(
        `a partição ${beyond.name} passa do fim da memória desta placa`,
        `its partition ${beyond.name} ends beyond the flash of this board`,
        `la partición ${beyond.name} pasa del fin de la memoria de esta placa`,
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
      inEach(
        `${name} é maior que o seu lugar de ${Math.floor(place.size / 1_024)} KiB`,
        `${name} is larger than its place of ${Math.floor(place.size / 1_024)} KiB`,
        `${name} es más grande que su lugar de ${Math.floor(place.size / 1_024)} KiB`,
      ),
    );
}

function checkFor({ chipId }: EspImage, name: string, target: Target): void {
  if (chipId === target.imageChipId) return;
  throw wrongChip(
    inEach(
      `${name} é para o chip de número ${chipId}`,
      `${name} is for the chip with number ${chipId}`,
      `${name} es para el chip de número ${chipId}`,
    ),
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

function sectorEnd(address: number): number {
  return Math.ceil(address / SECTOR) * SECTOR;
}

const plain = (chip: string) => chip.toUpperCase().replace(/[^A-Z0-9]/g, '');
const hex = (value: number) => `0x${value.toString(16)}`;

function damagedTable(): BenchTrouble {
  return new BenchTrouble('CHECKSUM_REFUSED', {
    message: inEach(
      'a tabela de partições está danificada: com ela a placa não iniciaria nada',
      'its partition table is damaged: with it the board would start nothing',
      'la tabla de particiones está dañada: con ella la placa no arrancaría nada',
    ),
    next: inEach(
      'copie o firmware de novo e recomece; nada foi gravado',
      'copy the firmware again and start again; nothing was written',
      'copie el firmware de nuevo y recomience; no se grabó nada',
    ),
  });
}

function wrongChip(why: InEach, { chip }: Target): BenchTrouble {
  return new BenchTrouble('WRONG_CHIP', {
    message: inEach(
      `${why['pt-BR']}, e esta placa é ${chip}`,
      `${why.en}, and this board is ${chip}`,
      `${why.es}, y esta placa es ${chip}`,
    ),
    next: inEach(
      'use o firmware desta placa, ou a placa deste firmware; nada foi gravado',
      'take the firmware for this board, or the board for this firmware; nothing was written',
      'use el firmware de esta placa, o la placa de este firmware; no se grabó nada',
    ),
  });
}

function wrongImage(message: InEach): BenchTrouble {
  return new BenchTrouble('WRONG_IMAGE', {
    message,
    next: inEach(
      'use o firmware como foi publicado, com os próprios endereços; nada foi gravado',
      'take the firmware as it was published, with its own offsets; nothing was written',
      'use el firmware como fue publicado, con sus propias direcciones; no se grabó nada',
    ),
  });
}

/** What is known of who made a firmware. `unknown`: it is signed, by nobody whose key is here. */
export type Publisher = { signature: 'valid'; signed_by: string } | { signature: 'unknown' | 'none' };

/**
 * What a publisher signs of a bundle: chip, version and every part with its place, so that none can be left out, moved or
 * put under another version. Its first line is another one than that of a single image (device protocol, 11.3).
 */
export function statementOfBundle({
  chip,
  version,
  parts,
}: Pick<FirmwareManifest, 'chip' | 'version' | 'parts'>): string {
  const lines = parts
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, sha256 }) => `part 0x${offset.toString(16)} ${sha256.toLowerCase()}\n`);
  return `shrimp-farm firmware bundle 1\nchip ${chip}\nversion ${version}\n${lines.join('')}`;
}

/** Who signed it, as far as these keys know. Several statements count as one firmware: each must be signed. */
export function publisherOf(
  signed: readonly Signed[] | null,
  keys: readonly Pick<PublisherKey, 'id' | 'isSignatureOf'>[],
): Publisher {
  if (signed === null || signed.length === 0) return { signature: 'none' };
  const ids = signed.map(
    ({ statement, signature }) => keys.find((key) => key.isSignatureOf(statement, signature))?.id,
  );
  const [first] = ids;
  return first === undefined || ids.includes(undefined)
    ? { signature: 'unknown' }
    : { signature: 'valid', signed_by: first };
}

/**
 * Lets only firmware of a known publisher through, or what somebody said is unsigned. Throws BenchTrouble UNSIGNED before
 * the port is opened: a board that was flashed by a stranger holds the farm's keys afterwards.
 */
export async function requirePublisher(
  { signed }: Pick<Firmware, 'signed'>,
  job: { firmware_keys: string | null; allow_unsigned: boolean },
  context: JobContext,
): Promise<void> {
  const keys = job.firmware_keys === null ? [] : await readPublisherKeys(job.firmware_keys);
  const publisher = publisherOf(signed, keys);
  if (publisher.signature === 'valid') {
    const { signed_by: by } = publisher;
    context.tell(
      sentence(
        'check',
        inEach(
          `assinado pelo fabricante ${by}`,
          `signed by the publisher ${by}`,
          `firmado por el fabricante ${by}`,
        ),
      ),
    );
    return;
  }
  const message = whyUnsigned(publisher.signature, keys.length);
  if (!job.allow_unsigned) throw new BenchTrouble('UNSIGNED', { message, next: NEXT });
  context.tell(sentence('check', message, 'warning'));
}

/** The same for a list of bundles. */
export function whyUnsigned(signature: 'unknown' | 'none', keys: number): InEach {
  if (signature === 'none')
    return inEach(
      'este firmware não está assinado',
      'this firmware is not signed',
      'este firmware no está firmado',
    );
  if (keys === 0)
    return inEach(
      'nenhum fabricante de firmware é conhecido aqui, e este não pode ser conferido',
      'no publisher of firmware is known here, and this one cannot be checked',
      'aquí no se conoce a ningún fabricante de firmware, y este no se puede revisar',
    );
  return inEach(
    'este firmware não está assinado por um fabricante conhecido aqui',
    'this firmware is not signed by a publisher known here',
    'este firmware no está firmado por un fabricante conocido aquí',
  );
}

const NEXT = inEach(
  'peça o firmware assinado, ou ponha a chave pública do fabricante em firmware-keys.pem; quem o fez ele mesmo diz --unsigned (no console, "sem assinatura"); nada foi gravado',
  'ask for the signed firmware, or put the public key of its publisher into firmware-keys.pem; whoever built it himself says --unsigned (in the console, "without a signature"); nothing was written',
  'pida el firmware firmado, o ponga la clave pública del fabricante en firmware-keys.pem; quien lo hizo usted mismo indica --unsigned (en el panel, "sin firma"); no se grabó nada',
);
