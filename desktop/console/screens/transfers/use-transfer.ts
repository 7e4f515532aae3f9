import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { BatchDetail } from '#contract/resources/batches.ts';
import type { TransferAnswer } from '#contract/resources/transfers.ts';
import { formWords } from '#words/entries.ts';
import { transferWords } from '#words/production.ts';
import { faultText } from '../../components/answer.tsx';
import { useFigure } from '../../components/figure-field.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, del, newUuid } from '../../data/api.ts';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { useSend } from '../../data/corrections.ts';
import { refresh } from '../../data/query.ts';
import { figure, readCount } from '../../i18n/format.ts';
import { equalShares, rest } from '../../state/typed-figure.ts';
import { useWhen } from '../entries/use-form.ts';

export type Destination = {
  key: string;
  pondId: string;
  text: string;
  count: number | null;
  fault: string | null;
};

const blank = (): Destination => ({ key: newUuid(), pondId: '', text: '', count: null, fault: null });

/** Animals of one pond to several: what is typed, what there is, and one transfer for each destination. */
export function useTransfer(batch: BatchDetail) {
  const words = transferWords();
  const badFigure = formWords().badFigure;
  const [, go] = useLocation();
  const [sourceId, setSourceId] = useState(batch.ponds[0]?.pond_id ?? batch.pond_id);
  const [rows, setRows] = useState<readonly Destination[]>(() => [blank()]);
  const [reason, setReason] = useState('');
  const [told, setTold] = useState<{ row: number | null; text: string } | null>(null);
  const send = useSend();
  const when = useWhen();
  const weight = useFigure('', { isNeeded: false, most: 1_000 });
  const available = batch.ponds.find(({ pond_id }) => pond_id === sourceId)?.population ?? 0;
  const moved = rows.reduce((sum, { count }) => sum + (count ?? 0), 0);

  const withText = (row: Destination, text: string): Destination => {
    const count = readCount(text);
    const isBad = Number.isNaN(count) || count === 0;
    return { ...row, text, count: isBad ? null : count, fault: isBad ? badFigure : null };
  };
  const setAt = (key: string, change: (row: Destination) => Destination) =>
    setRows(rows.map((row) => (row.key === key ? change(row) : row)));

  const bodyOf = (row: Destination) => ({
    batch_id: batch.id,
    source_pond_id: sourceId,
    destination_pond_id: row.pondId,
    quantity: row.count,
    transfer_date: when.instant(),
    ...(weight.value === null ? {} : { average_weight: weight.value }),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  });

  const sendAll = async (): Promise<TransferAnswer[]> => {
    const stored: TransferAnswer[] = [];
    for (const [index, row] of rows.entries()) {
      try {
        stored.push(await send<TransferAnswer>('/transfers/', bodyOf(row)));
      } catch (error) {
        const isAtRow = error instanceof ApiError && error.status < 500;
        const text = faultText(error);
        setTold({
          row: isAtRow ? index : null,
          text: stored.length > 0 ? words.partly(stored.length, rows.length, text) : text,
        });
        break;
      }
    }
    return stored;
  };

  const undo = async (stored: readonly TransferAnswer[]) => {
    try {
      for (const { id } of stored) await del(`/transfers/${id}`);
      toast(words.undone, null, 4_000);
    } catch (error) {
      toast(faultText(error));
    }
    refresh(...BATCH_TOUCHES);
  };

  return {
    sourceId,
    setSourceId,
    available,
    moved,
    missing: Math.max(0, moved - available),
    rows,
    add: () => setRows([...rows, blank()]),
    remove: (key: string) => setRows(rows.filter((row) => row.key !== key)),
    change: (key: string, change: Partial<Pick<Destination, 'pondId' | 'text'>>) =>
      setAt(key, (row) => ({
        ...(change.text === undefined ? row : withText(row, change.text)),
        pondId: change.pondId ?? row.pondId,
      })),
    takeRest: (key: string) =>
      setAt(key, (row) =>
        withText(
          row,
          String(
            rest(
              available,
              rows.filter((other) => other.key !== key).map(({ count }) => count),
            ),
          ),
        ),
      ),
    splitEvenly: () => {
      const shares = equalShares(available, rows.length);
      setRows(rows.map((row, index) => withText(row, String(shares[index] ?? 0))));
    },
    reason,
    setReason,
    when,
    weight,
    faultRow: told?.row ?? null,
    fault: told?.text ?? null,
    whole: told !== null && told.row === null ? told.text : null,
    isRight:
      rows.every(({ pondId, count }) => pondId !== '' && count !== null) &&
      moved > 0 &&
      moved <= available &&
      weight.isRight &&
      when.isRight,
    save: async () => {
      setTold(null);
      const stored = await sendAll();
      if (stored.length > 0) refresh(...BATCH_TOUCHES);
      if (stored.length < rows.length) {
        // what is stored is not sent again
        setRows(rows.slice(stored.length));
        return;
      }
      go('/transferencias/historico');
      toast(words.done(figure(moved)), { label: words.undo, run: () => void undo(stored) });
    },
  };
}
