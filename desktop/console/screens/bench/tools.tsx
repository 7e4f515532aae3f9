import { useState } from 'preact/hooks';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { JobView } from './job-view.tsx';
import type { BenchDesk } from './use-job.ts';
import { benchWords } from './words.ts';

/** Listening to a board, and emptying it. */
export function Tools({ desk, port }: { desk: BenchDesk; port: string | null }) {
  const words = benchWords();
  const [asking, setAsking] = useState<'all' | 'identity' | null>(null);
  const isIdle = port !== null && !desk.isBusy;
  const monitor = async (reset: boolean) => {
    if (port !== null) await desk.start('tools', { kind: 'monitor', port, reset });
  };
  const erase = async () => {
    if (port !== null && asking !== null) await desk.start('tools', { kind: 'erase', port, what: asking });
  };
  return (
    <section class="card stack" aria-labelledby="bench-tools">
      <h2 id="bench-tools">{words.tools}</h2>
      <div class="row">
        <WorkButton disabled={!isIdle} work={() => monitor(false)}>
          {words.monitor}
        </WorkButton>
        <WorkButton disabled={!isIdle} work={() => monitor(true)}>
          {words.monitorReset}
        </WorkButton>
        <Button look="danger" disabled={!isIdle} onClick={() => setAsking('identity')}>
          {words.eraseIdentity}
        </Button>
        <Button look="danger" disabled={!isIdle} onClick={() => setAsking('all')}>
          {words.erase}
        </Button>
      </div>
      <JobView desk={desk} place="tools" />
      {asking === null ? null : (
        <ConfirmDialog
          title={asking === 'all' ? words.eraseTitle : words.forgetTitle}
          label={asking === 'all' ? words.erase : words.eraseIdentity}
          work={erase}
          onClose={() => setAsking(null)}
        >
          <p>{asking === 'all' ? words.eraseText : words.forgetText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
