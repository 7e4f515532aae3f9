import { realpath } from 'node:fs/promises';
import { type ChipFacts, connectBoard, type EspBoard } from '#adapters/serial/esp-board.ts';
import { EspTrouble } from '#adapters/serial/esp-trouble.ts';
import { listPorts, portUsers } from '#adapters/serial/list-ports.ts';
import { openPort, type SerialLink } from '#adapters/serial/open-port.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import { type JobContext, sentence } from './job.ts';
import { asBenchTrouble, espWords } from './port-faults.ts';
import { BenchTrouble, cancelled } from './trouble.ts';

/** The loader always greets at this baud. */
const FIRST_BAUD = 115_200;
/** How often a step that was disturbed on its way is done again. */
const TRIES = 3;
const READ_PIECE = 16_384;

const ANSWERS = inEach('a placa responde', 'the board answers', 'la placa responde');
const goingSlowly = (baud: number) =>
  inEach(
    `o cabo não aguenta ${baud} baud; segue a ${FIRST_BAUD}`,
    `the cable does not carry ${baud} baud; going on at ${FIRST_BAUD}`,
    `el cable no aguanta ${baud} baudios; sigue a ${FIRST_BAUD}`,
  );
const connectingAnew = inEach(
  `conectando de novo a ${FIRST_BAUD} baud`,
  `connecting anew at ${FIRST_BAUD} baud`,
  `conectando de nuevo a ${FIRST_BAUD} baudios`,
);
const tryingAgain = inEach('tentando de novo', 'trying again', 'intentando de nuevo');
const followed = (first: InEach, then: InEach) =>
  inEach(`${first['pt-BR']}; ${then['pt-BR']}`, `${first.en}; ${then.en}`, `${first.es}; ${then.es}`);

/**
 * Opens the port, brings the board into its loader, lets `work` use it, and starts its program again, whatever became of
 * the work. Throws BenchTrouble.
 */
export async function withBoard<Result>(
  { port, baud }: { port: string; baud: number },
  context: JobContext,
  work: (board: EspBoard, facts: ChipFacts) => Promise<Result>,
): Promise<Result> {
  let opened: SerialLink | null = null;
  try {
    context.signal.throwIfAborted();
    context.tell(
      sentence(
        'connect',
        inEach(
          `conectando à placa em ${port}`,
          `connecting to the board at ${port}`,
          `conectando con la placa en ${port}`,
        ),
      ),
    );
    const link = await (context.openPort ?? openPort)(port, FIRST_BAUD);
    opened = link;
    const usb = await usbOf(port);
    return await withPatience(context, baud, async (rate) => {
      const tell = (said: InEach) => context.tell(sentence('connect', said));
      const say = (news: 'answers' | 'slow') => tell(news === 'answers' ? ANSWERS : goingSlowly(rate));
      const board = await connectBoard(link, { baud: rate, usb, signal: context.signal, say });
      return startedAgain(board, link, async () => {
        const facts = await steadily(board, context, () => board.facts());
        const who = `${facts.description}, MAC ${facts.mac}`;
        tell(
          inEach(
            `${who}, memória de ${flashSize(facts)}`,
            `${who}, ${flashSize(facts)} flash`,
            `${who}, memoria de ${flashSize(facts)}`,
          ),
        );
        return work(board, facts);
      });
    });
  } catch (error) {
    if (context.signal.aborted) throw cancelled();
    throw await named(error, port);
  } finally {
    await opened?.close();
  }
}

/**
 * A board that restarts on its own, or a line that does not carry the rate, costs one connection: the job is begun again
 * once, slowly, and skips what is right already.
 */
async function withPatience<Result>(
  context: JobContext,
  baud: number,
  attempt: (baud: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt(baud);
  } catch (error) {
    if (!isPassing(error)) throw error;
    context.tell(sentence('again', followed(espWords(error), connectingAnew), 'warning'));
    return attempt(FIRST_BAUD);
  }
}

function isPassing(error: unknown): error is EspTrouble {
  return error instanceof EspTrouble && (error.fault === 'disturbed' || error.fault === 'fell_silent');
}

/** Does a step, and does it again when bytes were lost or changed on the way. */
export async function steadily<Result>(
  board: EspBoard,
  context: JobContext,
  step: () => Promise<Result>,
): Promise<Result> {
  let disturbed: EspTrouble | null = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (error.fault === 'disturbed') disturbed = error;
      // a disturbed line also loses answers: the damage says more than the silence after it
      if (attempt === TRIES) throw disturbed ?? (await board.diagnose(error));
      context.tell(sentence('again', followed(espWords(error), tryingAgain), 'warning'));
      await board.settle();
    }
  }
}

/** Reads in small pieces, so that a disturbed line costs one of them. `got`: bytes of the next piece. */
export async function readSteadily(
  board: EspBoard,
  context: JobContext,
  range: { address: number; length: number },
  got: (bytes: number) => void = () => undefined,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < range.length; at += READ_PIECE) {
    const length = Math.min(READ_PIECE, range.length - at);
    pieces.push(await steadily(board, context, () => board.read(range.address + at, length)));
    got(length);
  }
  return Buffer.concat(pieces);
}

async function startedAgain<Result>(
  board: EspBoard,
  link: SerialLink,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    await board.run();
    return result;
  } catch (error) {
    // the work's own fault is what is told
    if (!link.lost.aborted) await board.run().catch(() => undefined);
    throw error;
  } finally {
    await board.release();
  }
}

/** Some chips are reset otherwise when the port is a part of them. */
async function usbOf(port: string): Promise<{ vendorId?: number; productId?: number }> {
  const device = await realpath(port).catch(() => port);
  const found = (await listPorts()).find((one) => one.path === port || one.device === device);
  if (found?.vendor_id == null || found.product_id === null) return {};
  return { vendorId: Number.parseInt(found.vendor_id, 16), productId: Number.parseInt(found.product_id, 16) };
}

async function named(error: unknown, port: string): Promise<unknown> {
  const trouble = asBenchTrouble(error);
  if (!(trouble instanceof BenchTrouble) || trouble.code !== 'PORT_BUSY') return trouble;
  const users = await portUsers(port);
  if (users.length === 0) return trouble;
  const named = (word: string) => users.map(({ pid, name: user }) => `${user} (${word} ${pid})`).join(', ');
  const message = inEach(
    `${port} está em uso por ${named('processo')}`,
    `${port} is in use by ${named('process')}`,
    `${port} está en uso por ${named('proceso')}`,
  );
  return new BenchTrouble('PORT_BUSY', { message, next: trouble.said.next }, error);
}

export function flashSize({ flash_bytes: bytes }: Pick<ChipFacts, 'flash_bytes'>): string {
  return bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MiB` : `${bytes / 1_024} KiB`;
}
