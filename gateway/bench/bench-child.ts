import { standBack } from '#adapters/system/process-pauses.ts';
import { type BenchAnswer, CANCEL_WITHIN_MS } from './bench-process.ts';
import { type JobContext, readJob, runJob } from './job.ts';
import { BenchTrouble } from './trouble.ts';

// Does one job of bench-process.ts and ends.

standBack();
const cancel = new AbortController();
const answer = (one: BenchAnswer, then?: () => void) => process.send?.(one, () => then?.());
// the gateway is gone: the board is left with its program running, as after a cancel
process.once('disconnect', () => {
  cancel.abort();
  setTimeout(() => process.exit(1), CANCEL_WITHIN_MS).unref();
});
process.on('message', (said: { job: unknown } | 'cancel') => {
  if (said === 'cancel') {
    cancel.abort();
    return;
  }
  const context: JobContext = { tell: (progress) => answer({ progress }), signal: cancel.signal };
  const end = () => process.exit(0);
  Promise.resolve()
    .then(() => runJob(readJob(said.job), context))
    .then(
      (done) => answer({ done }, end),
      (error: unknown) => {
        if (error instanceof BenchTrouble) {
          const { code, said } = error;
          answer({ trouble: { code, said } }, end);
        } else
          answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }, end);
      },
    );
});
