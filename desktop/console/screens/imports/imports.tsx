import '../../styles/imports.css';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { ImportRecordAnswer } from '#contract/resources/import-records.ts';
import { IMPORT_KINDS, type ImportKind } from '#contract/resources/imports.ts';
import { importWords, recordWords } from '#words/imports.ts';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { FileField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, download, post } from '../../data/api.ts';
import { farm, isKnown, mayManage } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { nameOf } from '../../data/people.ts';
import { refresh } from '../../data/query.ts';
import { dayAndTime, figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { saidIn, useWork } from '../system/use-work.ts';
import { isUnderWay, OneFile, useRecords } from './one-file.tsx';

const MOST_BYTES = 32 * 1_048_576;

/** A sheet of the past is brought here: chosen, read, corrected, and only then imported. */
export function Imports() {
  const words = importWords();
  const [chosen, setChosen] = useState<{ file: File; number: number } | null>(null);
  if (!isKnown.value) return <div class="page" aria-busy="true" />;
  if (farm.value === null || !mayManage.value)
    return (
      <div class="page">
        <Empty text={words.notYours} />
      </div>
    );
  const choose = (file: File | null) =>
    setChosen(file === null ? null : { file, number: (chosen?.number ?? 0) + 1 });
  const wrong = chosen === null ? null : faultIn(chosen.file);
  return (
    // wherever it falls: a browser opens in place of the page what nobody takes
    <div
      class="page"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer?.files ?? [];
        if (file !== undefined) choose(file);
      }}
    >
      <div class="page-head">
        <div class="row nowrap">
          <Link class="button quiet" href="/relatorios/arquivos" aria-label={words.back}>
            <Icon name="back" />
          </Link>
          <h1>{words.title}</h1>
        </div>
      </div>
      <section class="card stack drop">
        <p>{words.intro}</p>
        <FileField label={words.file} hint={words.drop} file={chosen?.file ?? null} onChoose={choose} />
        {chosen === null ? <Templates /> : null}
        <FaultNote fault={wrong} />
      </section>
      {chosen === null || wrong !== null ? null : (
        <OneFile key={`${farm.value.id} ${chosen.number}`} farmId={farm.value.id} {...chosen} />
      )}
      <Recent farmId={farm.value.id} />
    </div>
  );
}

/** What was brought lately, under way or ended. */
function Recent({ farmId }: { farmId: string }) {
  const words = recordWords();
  const records = useRecords(farmId);
  return (
    <section class="stack" data-records>
      <h2>{words.title}</h2>
      <Answer of={records} isEmpty={(told) => told.length === 0} empty={<Empty text={words.none} />}>
        {(told) => (
          <ul class="cards">
            {told.map((record) => (
              <li key={record.id} class="card">
                <ImportRecord of={record} />
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </section>
  );
}

function faultIn(file: File): string | null {
  const words = importWords();
  if (file.size === 0) return words.empty;
  return file.size > MOST_BYTES ? words.tooLarge : null;
}

function Templates() {
  const words = importWords();
  const save = async (kind: ImportKind) => {
    await download(`/imports/${kind}/template.csv`, `${kind}-template.csv`).catch((error: unknown) =>
      toast(faultText(error)),
    );
  };
  return (
    <details>
      <summary>{words.templates}</summary>
      <div class="row">
        {IMPORT_KINDS.map((kind) => (
          <WorkButton key={kind} work={() => save(kind)}>
            <Icon name="download" size={18} /> {words.kinds[kind]}
          </WorkButton>
        ))}
      </div>
    </details>
  );
}

/** One file that was imported: how far it is or what became of it, and the way to call it off or take it back. */
function ImportRecord({ of: record }: { of: ImportRecordAnswer }) {
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
