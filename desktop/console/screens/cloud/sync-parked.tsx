import type * as z from 'zod';
import type { ParkedRowAnswer, parkedRetryAnswer } from '#contract/resources/sync-status.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { syncWords, tableName } from './sync-words.ts';

/** Rows that one side could not apply. */
export function SyncParked() {
  const words = syncWords();
  const parked = useGet<ParkedRowAnswer[]>('/sync/parked');
  const { fault, run } = useWork();
  const retry = (id: string) =>
    run(async () => {
      const { state, reason } = await post<z.infer<typeof parkedRetryAnswer>>(`/sync/parked/${id}/retry`);
      toast(state === 'applied' ? words.applied : `${words.stillParked} ${reason ?? ''}`, null, 6_000);
      refresh('sync');
    });
  return (
    <section class="card stack">
      <h2>{words.parked}</h2>
      <p class="muted">{words.parkedText}</p>
      <Answer of={parked}>
        {(rows) => (
          <ul class="lines">
            {rows.map((row) => (
              <li key={row.id} class="row apart">
                <div class="grow">
                  <strong class="breaks">{row.reason}</strong>
                  <p class="muted small">
                    {tableName(row.table)} · {row.kept === 'here' ? words.keptHere : words.keptThere} ·{' '}
                    {dayAndTime(row.parked_at)} · {words.tries(row.tries)}
                  </p>
                </div>
                {row.kept === 'here' ? (
                  <WorkButton disabled={isBlind.value} work={() => retry(row.id)}>
                    {words.retry}
                  </WorkButton>
                ) : null}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <FaultNote fault={fault} />
    </section>
  );
}
