import { inEach } from '#core/each-language.ts';
import { holdsProgram, isPartOf, readBoard } from './board-facts.ts';
import { checkFirmware } from './check-firmware.ts';
import { type JobContext, type JobOf, type JobResult, sentence } from './job.ts';
import { NVS_OFFSET, NVS_SIZE } from './nvs-image.ts';
import { withBoard } from './open-board.ts';
import { readFirmware } from './read-firmware.ts';
import { BenchTrouble } from './trouble.ts';
import { bytesOf, planSegments, readBackSegments, segmentsToWrite } from './write-segments.ts';

/**
 * Whether the board holds a firmware, its identity partition left out, and starts it. Writes nothing. Throws BenchTrouble
 * VERIFY_FAILED with the first piece that is otherwise.
 */
export async function verifyBoard(job: JobOf<'verify'>, context: JobContext): Promise<JobResult> {
  const firmware = await readFirmware(job.firmware);
  return withBoard(job, context, async (board, facts) => {
    checkFirmware(firmware, { ...facts, ...board });
    const segments = planSegments(firmware.parts, { offset: NVS_OFFSET, size: NVS_SIZE });
    if (job.verify === 'read_back') {
      await readBackSegments(board, segments, context);
    } else {
      const [wrong] = await segmentsToWrite(board, segments, context);
      if (wrong !== undefined) {
        const place = `0x${wrong.address.toString(16)}`;
        throw new BenchTrouble('VERIFY_FAILED', {
          message: inEach(
            `a placa tem outra coisa que não ${wrong.name} em ${place}`,
            `the board holds something else than ${wrong.name} at ${place}`,
            `la placa tiene otra cosa que no es ${wrong.name} en ${place}`,
          ),
          next: inEach(
            'grave nela o mesmo firmware',
            'flash it with the same firmware',
            'grabe en ella el mismo firmware',
          ),
        });
      }
    }
    const { start } = await readBoard(board, facts, context);
    if (holdsProgram(firmware) && !isPartOf(firmware, start.at)) throw startsAnother(start.name);
    context.tell(
      sentence(
        'done',
        inEach('a placa tem este firmware', 'the board holds this firmware', 'la placa tiene este firmware'),
      ),
    );
    return { chip: facts.chip, mac: facts.mac, version: firmware.version, bytes: bytesOf(segments) };
  });
}

function startsAnother(name: string): BenchTrouble {
  return new BenchTrouble('VERIFY_FAILED', {
    message: inEach(
      `a placa tem este firmware e inicia outro, o da partição ${name}`,
      `the board holds this firmware and starts another one, that of its partition ${name}`,
      `la placa tiene este firmware y arranca otro, el de la partición ${name}`,
    ),
    next: inEach(
      'grave nela o mesmo firmware: o que já está certo é pulado, e ela passa a iniciá-lo',
      'flash it with the same firmware: what is right already is skipped, and it starts that then',
      'grabe en ella el mismo firmware: lo que ya está bien se salta, y pasa a arrancarlo',
    ),
  });
}
