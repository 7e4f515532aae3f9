import { useState } from 'preact/hooks';
import type { DeletedFarmAnswer } from '#contract/resources/farms.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { calendarDay } from '../../i18n/format.ts';
import { saidIn } from '../system/said-in.ts';
import { removalWords } from './farm-removal-words.ts';

/** Farms that the person deleted and can still bring back; nothing where there are none. */
export function DeletedFarms() {
  const words = removalWords();
  const { data = [] } = useGet<DeletedFarmAnswer[]>('/farms/deleted');
  const [asked, setAsked] = useState<DeletedFarmAnswer | null>(null);
  if (data.length === 0) return null;
  const bringBack = async ({ id, name }: DeletedFarmAnswer) => {
    await post(`/farms/${id}/restore`).catch((error: unknown) => {
      throw saidIn(error, words.refused);
    });
    refresh('farms', 'ponds', 'control-points');
    toast(words.isBack(name), null, 6_000);
  };
  return (
    <section class="card stack" data-trash>
      <h2>{words.trash}</h2>
      <ul class="stack">
        {data.map((one) => (
          <li key={one.id} class="row">
            <span>
              <strong>{one.name}</strong>{' '}
              <span class="muted small">
                {words.until(calendarDay(one.deleted_at), calendarDay(one.restorable_until))}
              </span>
            </span>
            <Button disabled={isBlind.value} onClick={() => setAsked(one)}>
              {words.bringBack}
            </Button>
          </li>
        ))}
      </ul>
      {asked === null ? null : (
        <ConfirmDialog
          title={words.bringBackTitle(asked.name)}
          label={words.bringBack}
          work={() => bringBack(asked)}
          onClose={() => setAsked(null)}
        >
          <p class="note p2">{words.bringBackText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
