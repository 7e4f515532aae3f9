import { useLocation } from 'wouter-preact';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { del } from '../../data/api.ts';
import { BATCH_TOUCHES, type Batch } from '../../data/batches.ts';
import { useSend } from '../../data/corrections.ts';
import { refresh } from '../../data/query.ts';
import { figure, percent, plainDay, quantity } from '../../i18n/format.ts';
import { stockingWords } from './stocking-words.ts';
import type { useStocking } from './use-stocking.ts';
import { batchWords } from './words.ts';

/** Everything once more before it is saved, with what is unlikely. */
export function StockingSummary({ form }: { form: ReturnType<typeof useStocking> }) {
  const words = stockingWords();
  const names = batchWords();
  const send = useSend();
  const [, go] = useLocation();
  const alive = (form.count.value ?? 0) * ((form.survival.value ?? 0) / 100);
  const undo = (id: string) =>
    del(`/batches/${id}?force=true`).then(
      () => {
        refresh(...BATCH_TOUCHES);
        go('/lotes');
        toast(words.undone, null, 4_000);
      },
      (error: unknown) => toast(faultText(error)),
    );
  const save = async () => {
    try {
      const batch = await send<Batch>('/batches/', form.body());
      refresh(...BATCH_TOUCHES);
      go(`/lotes/${encodeURIComponent(batch.batch_code)}`);
      toast(words.done(batch.batch_code), { label: words.undo, run: () => void undo(batch.id) });
    } catch (error) {
      form.faults.tell(error);
      form.setReviewing(false);
      toast(faultText(error));
    }
  };
  const rows = [
    [words.pond, form.pond?.cod ?? ''],
    [words.code, form.code],
    [words.species, form.words.species],
    [words.lineage, form.words.lineage],
    [words.origin, form.words.larva_origin],
    [words.count, figure(form.count.value)],
    [words.weight, quantity(form.weight.value, 3, 'g')],
    [words.density, `${figure(form.density, 1)} ${words.perM2}`],
    [names.started, plainDay(form.start)],
    [words.harvest, plainDay(form.harvest)],
    [words.survival, percent(form.survival.value)],
    [words.harvested, figure(Math.round(alive))],
  ] as const;
  return (
    <Dialog
      title={words.summary}
      onClose={() => form.setReviewing(false)}
      actions={
        <>
          <Button big onClick={() => form.setReviewing(false)}>
            {words.back}
          </Button>
          <WorkButton big look="main" work={save}>
            {words.save}
          </WorkButton>
        </>
      }
    >
      <dl class="pairs">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {form.doubts.map((doubt) => (
        <p key={doubt} class="note p2">
          ▲ {words.doubts[doubt]}
        </p>
      ))}
    </Dialog>
  );
}
