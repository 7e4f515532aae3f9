import { useState } from 'preact/hooks';
import type { ImportRecordAnswer } from '#contract/resources/import-records.ts';
import { importWords, recordWords } from '#words/imports.ts';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { ApiError, post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { nameOf } from '../../data/people.ts';
import { refresh } from '../../data/query.ts';
import { dayAndTime, figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { saidIn } from '../system/said-in.ts';
import { useWork } from '../system/use-work.ts';
import { isUnderWay } from './use-records.ts';

/** One file that was imported: how far it is or what became of it, and the way to call it off or take it back. */
export function ImportRecord({ of: record }: { of: ImportRecordAnswer }) {
  const words = recordWords();
  const [isAsking, setAsking] = useState(false);
  const { fault, run } = useWork(importWords().refused);
  const act = async (what: 'cancel' | 'undo') => {
    await post(`/imports/${record.id}/${what}`);
    refresh('imports');
  };
  return (
    <div class="stack" data-import={record.state}>
      <div>
        <strong>{record.file_name ?? importWords().kinds[record.kind]}</strong>
        {record.sheet === null ? null : ` · ${record.sheet}`}
        <p class="muted small">
          {[importWords().kinds[record.kind], dayAndTime(record.created_at), nameOf(record.created_by)]
            .filter((part) => part !== null)
            .join(' · ')}
        </p>
      </div>
      {isUnderWay(record) ? <Progress of={record} /> : <p role="status">{outcomeOf(record)}</p>}
      <FaultNote fault={fault} />
      <div class="row">
        {record.state === 'CHECKING' || record.state === 'IMPORTING' ? (
          <WorkButton disabled={isBlind.value} work={() => run(() => act('cancel'))}>
            {words.cancel}
          </WorkButton>
        ) : null}
        {record.can_undo_until === null ? null : (
          <Button disabled={isBlind.value} onClick={() => setAsking(true)}>
            {words.undo}
          </Button>
        )}
        {record.can_undo_until === null ? null : (
          <span class="muted small">{words.until(dayAndTime(record.can_undo_until))}</span>
        )}
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={words.undoTitle}
          label={words.undo}
          work={async () => {
            await act('undo').catch((error: unknown) => {
              throw saidIn(error, importWords().refused);
            });
          }}
          onClose={() => setAsking(false)}
        >
          <p>{words.undoText(record.imported, figure(record.imported))}</p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}

function Progress({ of: { state, rows_done: done, rows_total: total } }: { of: ImportRecordAnswer }) {
  const words = recordWords();
  const text =
    state === 'CHECKING'
      ? words.checking(figure(done))
      : state === 'IMPORTING'
        ? words.importing(figure(done), figure(total))
        : words.undoing(figure(done), figure(total));
  return (
    <div class="note pending">
      <div class="stack grow">
        <strong>{text}</strong>
        <progress
          class="wide"
          aria-label={text}
          {...(state === 'CHECKING' || total === 0 ? {} : { value: done, max: total })}
        />
        <p class="muted small">{words.goesOn}</p>
      </div>
    </div>
  );
}

function outcomeOf(record: ImportRecordAnswer): string {
  const words = recordWords();
  const { state, imported, undone, kept } = record;
  const came = words.came(imported, figure(imported));
  switch (state) {
    case 'FAILED':
      return [words.failed(reasonOf(record)), imported === 0 ? '' : came].filter(Boolean).join(' ');
    case 'CANCELLED':
      return `${words.cancelled} ${came}`;
    case 'INTERRUPTED':
      return `${words.interrupted} ${came}`;
    case 'UNDONE':
      return [words.undone(undone, figure(undone)), kept === 0 ? '' : words.kept(kept, figure(kept))]
        .filter(Boolean)
        .join(' ');
    default:
      return came;
  }
}

function reasonOf({ fault_code: code, fault }: ImportRecordAnswer): string {
  const known: Readonly<Record<string, string>> = { ...importWords().refused, ...recordWords().reasons };
  const said = known[fault ?? ''] ?? known[code ?? ''];
  return said ?? faultText(new ApiError(422, { code: code ?? '', detail: fault ?? '' }));
}
