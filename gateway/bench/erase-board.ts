import type { ChipFacts, EspBoard } from '#adapters/serial/esp-board.ts';
import { inEach } from '#core/each-language.ts';
import { type JobContext, type JobOf, type JobResult, sentence, stepProgress } from './job.ts';
import { NVS_OFFSET, NVS_SIZE } from './nvs-image.ts';
import { steadily, withBoard } from './open-board.ts';

/** A piece that the chip erases within a second or two: a board that hangs is noticed. */
const PIECE = 256 * 1_024;

/** Blanks all, the identity partition only, or all but that. Throws BenchTrouble. */
export async function eraseBoard(job: JobOf<'erase'>, context: JobContext): Promise<JobResult> {
  return withBoard(job, context, async (board, facts) => {
    if (job.what === 'all') {
      context.tell(
        sentence(
          'erase',
          inEach(
            'apagando toda a memória, até dois minutos',
            'erasing the whole flash, up to two minutes',
            'borrando toda la memoria, hasta dos minutos',
          ),
        ),
      );
      await board.eraseAll();
    } else if (job.what === 'identity') {
      await steadily(board, context, () => board.eraseRegion(NVS_OFFSET, NVS_SIZE));
    } else {
      await eraseAround(board, facts, context);
    }
    context.tell(sentence('done', inEach('apagada', 'erased', 'borrada')));
    return { chip: facts.chip, mac: facts.mac, erased: job.what };
  });
}

/** Blanks all but the identity partition, which is not touched even for a moment. */
export async function eraseAround(board: EspBoard, facts: ChipFacts, context: JobContext): Promise<void> {
  const behind = NVS_OFFSET + NVS_SIZE;
  const progress = stepProgress(context, {
    name: 'erase',
    total: facts.flash_bytes - NVS_SIZE,
    message: inEach('tudo menos a identidade', 'all but the identity', 'todo menos la identidad'),
  });
  for (const [from, to] of [[0, NVS_OFFSET] as const, [behind, facts.flash_bytes] as const]) {
    for (let at = from; at < to; at += PIECE) {
      const length = Math.min(PIECE, to - at);
      await steadily(board, context, () => board.eraseRegion(at, length));
      progress.add(length);
    }
  }
}
