import type { ChipFacts, EspBoard } from '#adapters/serial/esp-board.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import { saveFlash } from './backup-board.ts';
import { type BoardFacts, holdsProgram, isPartOf, readBoard } from './board-facts.ts';
import { checkFirmware, isBlank, requirePublisher } from './check-firmware.ts';
import { eraseAround } from './erase-board.ts';
import type { Firmware } from './firmware-manifest.ts';
import { type JobContext, type JobOf, type JobResult, sentence } from './job.ts';
import { identityImage, type Kept, NVS_OFFSET, NVS_SIZE, readNvs } from './nvs-image.ts';
import { steadily, withBoard } from './open-board.ts';
import { readFirmware } from './read-firmware.ts';
import {
  bytesOf,
  planSegments,
  readBackSegments,
  type Segment,
  segmentsToWrite,
  writeSegments,
} from './write-segments.ts';

/** Versions that can be compared. */
const NUMBERED = /^v?\d+(\.\d+)*/;
/** Two sectors. */
const MOST_CHOICE = 8_192;
const IDENTITY = { offset: NVS_OFFSET, size: NVS_SIZE };

/**
 * Writes a firmware and proves it. All is checked before a byte is written; what the board holds already is skipped, so
 * a job that was cut off goes on where it stopped. The identity partition is never part of what is written unless the
 * job says so: no fault of the cable can cost a board its identity. Throws BenchTrouble.
 */
export async function flashBoard(job: JobOf<'flash'>, context: JobContext): Promise<JobResult> {
  const firmware = await readFirmware(job.firmware);
  await requirePublisher(firmware, job, context);
  return withBoard(job, context, async (board, facts) => {
    checkFirmware(firmware, { ...facts, ...board });
    const { shown, nvs } = await readBoard(board, facts, context);
    sayVersions(firmware, shown, context);
    if (job.backup !== null) await saveFlash(board, facts, { file: job.backup, context });
    const segments = [
      ...planSegments(firmware.parts, IDENTITY),
      ...planSegments(identityParts(job.identity, nvs), null),
    ];
    const missing = await prepared(board, {
      facts,
      job,
      context,
      nvs,
      isOurs: shown.content === 'ours',
      segments,
    });
    if (missing.length > 0) await writeSegments(board, missing, context);
    if (job.verify === 'read_back') await readBackSegments(board, segments, context);
    const after = await startsWritten(board, { firmware, facts, context });
    const written = bytesOf(missing);
    const skipped = bytesOf(segments) - written;
    context.tell(
      sentence(
        'done',
        inEach(
          `${written} bytes gravados, ${skipped} já estavam lá; tudo conferido`,
          `${written} bytes written, ${skipped} were there already; all proved`,
          `${written} bytes grabados, ${skipped} ya estaban; todo revisado`,
        ),
      ),
    );
    return { ...after, version: firmware.version, bytes_written: written, bytes_skipped: skipped };
  });
}

/**
 * A board that took an update over the air may still start that, whatever lies in the slot that was written: its choice is
 * taken back. Answers what the board shows of itself then.
 */
async function startsWritten(
  board: EspBoard,
  { firmware, facts, context }: { firmware: Firmware; facts: ChipFacts; context: JobContext },
): Promise<BoardFacts> {
  const { shown, start } = await readBoard(board, facts, context);
  if (isPartOf(firmware, start.at) || !holdsProgram(firmware)) return shown;
  if (start.choice === null || !isPartOf(firmware, start.defaultAt)) {
    context.tell(sentence('check', startsAnother(start.name), 'warning'));
    return shown;
  }
  const { offset, size } = start.choice;
  context.tell(sentence('write', choosesWritten(start.name)));
  await steadily(board, context, () => board.eraseRegion(offset, Math.min(size, MOST_CHOICE)));
  return (await readBoard(board, facts, context)).shown;
}

const startsAnother = (name: string) =>
  inEach(
    `a placa inicia outro programa que não o gravado, o da partição ${name}`,
    `the board starts another program than the one written, that of its partition ${name}`,
    `la placa arranca otro programa que no es el grabado, el de la partición ${name}`,
  );
const choosesWritten = (name: string) =>
  inEach(
    `a placa iniciaria a atualização em ${name}; agora inicia o que foi gravado`,
    `the board would start the update in ${name}; now it starts what was written`,
    `la placa arrancaría la actualización en ${name}; ahora arranca lo que se grabó`,
  );

function identityParts(identity: JobOf<'flash'>['identity'], nvs: Buffer) {
  if (identity === 'keep' || identity === 'erase') return [];
  return [{ name: 'identity', offset: NVS_OFFSET, bytes: identityImage(identity, keptIn(nvs)) }];
}

/** A board that already knows the farm's Wi-Fi and has a label keeps both with a new identity. */
function keptIn(nvs: Buffer): Kept {
  const ours = readNvs(nvs);
  const [ssid, key, claim] = [ours?.get('ssid'), ours?.get('wifi_key'), ours?.get('claim')];
  return {
    ...(typeof ssid === 'string' && typeof key === 'string' ? { ssid, wifi_key: key } : {}),
    ...(typeof claim === 'string' ? { claim } : {}),
  };
}

type Preparing = {
  facts: ChipFacts;
  job: JobOf<'flash'>;
  context: JobContext;
  nvs: Buffer;
  isOurs: boolean;
  segments: readonly Segment[];
};

/** Erases what is to be blank, and answers what is still to be written. */
async function prepared(board: EspBoard, { facts, job, context, nvs, isOurs, segments }: Preparing) {
  const staysHeld = job.identity === 'keep' && isOurs;
  if (!staysHeld && !isBlank(nvs) && typeof job.identity === 'string') {
    context.tell(
      sentence(
        'erase',
        inEach(
          'apagando a partição da identidade',
          'erasing the identity partition',
          'borrando la partición de la identidad',
        ),
      ),
    );
    await steadily(board, context, () => board.eraseRegion(NVS_OFFSET, NVS_SIZE));
  }
  if (!job.erase) return segmentsToWrite(board, segments, context);
  await eraseAround(board, facts, context);
  return segments.filter(({ bytes }) => !isBlank(bytes));
}

function sayVersions(firmware: Firmware, board: BoardFacts, context: JobContext): void {
  const tell = (said: InEach, level?: 'warning') => context.tell(sentence('check', said, level));
  const id = board.identity?.device_id;
  if (id !== undefined) tell(inEach(`a placa é ${id}`, `the board is ${id}`, `la placa es ${id}`));
  if (board.content === 'other')
    tell(
      inEach(
        'a placa tem algo sem identidade nossa, que será substituído',
        'the board holds something without an identity of ours; it is replaced',
        'la placa tiene algo sin identidad nuestra, que será sustituido',
      ),
      'warning',
    );
  const before = board.firmware?.version;
  if (before === undefined || firmware.version === null) return;
  const areNumbers = NUMBERED.test(before) && NUMBERED.test(firmware.version);
  const isOlder = areNumbers && before.localeCompare(firmware.version, 'en', { numeric: true }) > 0;
  tell(
    inEach(
      `a placa tem a versão ${before}, este firmware é a ${firmware.version}${isOlder ? ', que é mais antiga' : ''}`,
      `the board has version ${before}, this firmware is ${firmware.version}${isOlder ? ', which is older' : ''}`,
      `la placa tiene la versión ${before}, este firmware es la ${firmware.version}${isOlder ? ', que es más antigua' : ''}`,
    ),
    isOlder ? 'warning' : undefined,
  );
}
