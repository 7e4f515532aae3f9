import { inEach } from '#core/each-language.ts';
import { scanWifi } from './improv-client.ts';
import { type JobContext, type JobOf, type JobResult, sentence } from './job.ts';
import { atConsole } from './provision-at-console.ts';

/** The Wi-Fi networks the board hears where it lies now, strongest first. */
export async function scanFromBoard(job: JobOf<'wifi_scan'>, context: JobContext): Promise<JobResult> {
  return atConsole(job, context, async (console) => {
    context.tell(
      sentence(
        'wifi',
        inEach('a placa procura redes', 'the board listens for networks', 'la placa busca redes'),
      ),
    );
    const networks = await scanWifi(console);
    context.tell(
      sentence(
        'wifi',
        inEach(`ela ouve ${networks.length}`, `it hears ${networks.length}`, `oye ${networks.length}`),
      ),
    );
    return { networks };
  });
}
