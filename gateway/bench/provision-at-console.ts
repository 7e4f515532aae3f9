import { openPort, type SerialLink } from '#adapters/serial/open-port.ts';
import { inEach, verbatim } from '#core/each-language.ts';
import { type JobContext, sentence } from './job.ts';
import { asBenchTrouble } from './port-faults.ts';
import { type BoardConsole, type Later, openConsole } from './provision-console.ts';

/** A board that talks without end must not fill the log of the job. */
const MOST_LINES = 400;
const LEFT_OUT = inEach(
  'as demais linhas da placa ficam de fora',
  'further lines of the board are left out',
  'las demás líneas de la placa quedan fuera',
);

const later: Later = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** Opens the console of the board, lets `work` talk with it, and closes it whatever happens. Throws BenchTrouble. */
export async function atConsole<Result>(
  { port, baud }: { port: string; baud: number },
  context: JobContext,
  work: (console: BoardConsole) => Promise<Result>,
): Promise<Result> {
  let link: SerialLink | null = null;
  let lines = 0;
  try {
    context.tell(sentence('connect', inEach(`abrindo ${port}`, `opening ${port}`, `abriendo ${port}`)));
    link = await openPort(port, baud);
    const console = openConsole({
      link,
      later,
      signal: context.signal,
      heardLine(text) {
        lines += 1;
        if (lines <= MOST_LINES) context.tell(sentence('board', verbatim(text)));
        if (lines === MOST_LINES) context.tell(sentence('board', LEFT_OUT));
      },
    });
    try {
      return await work(console);
    } finally {
      console.close();
    }
  } catch (error) {
    throw asBenchTrouble(error);
  } finally {
    await link?.close();
  }
}
