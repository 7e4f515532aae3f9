import { useQuery } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { ImportRecordAnswer } from '#contract/resources/import-records.ts';
import { IMPORT_KINDS, type ImportLook, type ImportReport } from '#contract/resources/imports.ts';
import { importWords } from '#words/imports.ts';
import { Fault } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { get } from '../../data/api.ts';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { isBlind } from '../../data/live.ts';
import { queries, refresh } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { saidIn, useWork } from '../system/use-work.ts';
import { Asks } from './asks.tsx';
import { Doubts } from './doubts.tsx';
import { Preview, Reading } from './reading.tsx';
import { type Answers, NOTHING_SAID, saidAs, sendFile, useImport } from './use-import.ts';

type Sheet = ImportLook['sheets'][number];

/** One file: what it is, how it was read, what is doubtful in it, and what comes in. */
export function OneFile({ file, number, farmId }: { file: File; number: number; farmId: string }) {
  const words = importWords();
  const [said, setSaid] = useState<Answers>(NOTHING_SAID);
  const [done, setDone] = useState<ImportRecordAnswer | null>(null);
  const [finished, setFinished] = useState<readonly string[]>([]);
  const say = (more: Partial<Answers>) => setSaid((before) => ({ ...before, ...more }));
  const { look, report, lacking, send } = useImport(file, number, { farmId, said });
  const told = look.data;
  const remembered = look.isPlaceholderData ? null : (told?.remembered ?? null);
  // once for each sheet: what a person says from then on counts
  const sheetOf = told === undefined ? null : `${told.kind} ${told.sheet}`;
  const recalled = useRef<string | null>(null);
  useEffect(() => {
    if (look.isPlaceholderData || recalled.current === sheetOf) return;
    recalled.current = sheetOf;
    if (remembered !== null) say(saidAs(remembered));
  });
  if (told === undefined) {
    if (look.isError)
      return <Fault error={saidIn(look.error, words.refused)} again={() => void look.refetch()} />;
    return <Waiting text={words.reading} />;
  }
  const next = told.sheets.find(
    ({ name, kind }) => kind !== null && name !== null && name !== told.sheet && !finished.includes(name),
  );
  if (done !== null)
    return (
      <Brought
        {...{ done, farmId }}
        next={next ?? null}
        goOn={(sheet) => {
          setDone(null);
          setSaid({ ...NOTHING_SAID, kind: sheet.kind, sheet: sheet.name });
        }}
        again={() => setDone(null)}
      />
    );
  const failed = look.isError ? look : report.isError ? report : null;
  const shown = lacking.length > 0 || told.twice.length > 0 || told.kind === null ? undefined : report.data;
  return (
    <>
      <WhatItIs {...{ told, said }} choose={(more) => setSaid({ ...NOTHING_SAID, ...more })} />
      {failed === null ? null : (
        <Fault error={saidIn(failed.error, words.refused)} again={() => void failed.refetch()} />
      )}
      {told.kind === null ? (
        <p class="note" role="status">
          {words.untold}
        </p>
      ) : (
        <>
          <Asks look={told} {...{ report: shown, said, say }} />
          <Reading look={told} {...{ report: shown, lacking, said, say }} />
        </>
      )}
      {look.isFetching || report.isFetching ? <Waiting text={words.checking} /> : null}
      {shown === undefined ? null : (
        <>
          <Preview report={shown} />
          <Doubts report={shown} {...{ said, say }} />
          <Bring
            report={shown}
            isFresh={!report.isPlaceholderData && !report.isFetching && !look.isFetching}
            hasBatches={told.sheets.some(({ kind }) => kind === 'batches')}
            work={async () => {
              const query = { ...send.query, dry_run: 'false', background: 'true', file_name: file.name };
              const record = await sendFile<ImportRecordAnswer>(file, send.path, { query });
              await queries.invalidateQueries({ queryKey: ['imports', '/imports/'] });
              setFinished([...finished, told.sheet ?? '']);
              setDone(record);
            }}
          />
        </>
      )}
    </>
  );
}

function Waiting({ text }: { text: string }) {
  return (
    <p class="note pending" role="status">
      {text}
    </p>
  );
}

function WhatItIs({
  told,
  said,
  choose,
}: {
  told: ImportLook;
  said: Answers;
  choose: (more: Pick<Answers, 'kind' | 'sheet'>) => void;
}) {
  const words = importWords();
  const kind = said.kind ?? told.kind;
  return (
    <section class="card form-grid">
      <SelectField
        label={words.kind}
        value={kind ?? ''}
        options={[
          ...(kind === null ? [{ value: '', label: words.chooseKind }] : []),
          ...IMPORT_KINDS.map((each) => ({ value: each, label: words.kinds[each] })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          choose({ kind: IMPORT_KINDS.find((each) => each === value) ?? null, sheet: told.sheet })
        }
      />
      {told.sheets.length < 2 ? null : (
        <SelectField
          label={words.sheet}
          value={said.sheet ?? told.sheet ?? ''}
          options={told.sheets.map(({ name }) => ({ value: name ?? '', label: name ?? '' }))}
          onChange={({ currentTarget: { value } }) =>
            choose({ kind: told.sheets.find(({ name }) => name === value)?.kind ?? null, sheet: value })
          }
        />
      )}
    </section>
  );
}

/** What comes in, and the press that brings it. */
function Bring({
  report,
  isFresh,
  hasBatches,
  work,
}: {
  report: ImportReport;
  /** What stands above holds for what was said last. */
  isFresh: boolean;
  hasBatches: boolean;
  work: () => Promise<void>;
}) {
  const words = importWords();
  const { fault, run } = useWork(words.refused);
  const { to_import: fresh, already_there: there, skipped, left_out: leftOut, errors_total: wrong } = report;
  const counts = [
    words.counts.new(fresh, figure(fresh)),
    there === 0 ? null : words.counts.there(figure(there)),
    skipped === 0 ? null : words.counts.skipped(figure(skipped)),
    leftOut === 0 ? null : words.counts.leftOut(figure(leftOut)),
    wrong === 0 ? null : words.counts.wrong(figure(wrong)),
  ].filter((count) => count !== null);
  const lacksBatches =
    hasBatches &&
    report.kind !== 'batches' &&
    report.errors.some(({ column, code }) => column === 'batch' && code === 'UNKNOWN');
  const why = !isFresh
    ? words.checking
    : report.questions.length > 0
      ? `${words.questionTitle}.`
      : wrong > 0
        ? words.errorsHint
        : fresh === 0
          ? words.nothingNew
          : null;
  return (
    <section class="card stack" data-bring>
      <p role="status">
        <strong>{counts.join(' · ')}</strong>
      </p>
      {report.questions.length > 0 ? <p>{words.questionTitle}.</p> : null}
      {lacksBatches ? <p class="note">{words.batchesFirst}</p> : null}
      {fresh === 0 && wrong === 0 ? <p>{words.nothingNew}</p> : null}
      <FaultNote fault={fault} />
      <div>
        <WorkButton big look="main" disabled={isBlind.value} why={why} work={() => run(work)}>
          {words.import(fresh, figure(fresh))}
        </WorkButton>
      </div>
    </section>
  );
}

/** The file is being brought, and then what to go on with. */
/** Where what came in is seen. */
function whereSeen({ kind, batch_codes: [code] }: ImportRecordAnswer): { href: string; text: string } {
  const words = importWords();
  if (kind === 'measurements') return { href: '/', text: words.seePonds };
  if (kind === 'meters') return { href: '/relatorios/energia', text: words.seeEnergy };
  return code === undefined
    ? { href: '/lotes', text: words.seeBatches }
    : { href: `/lotes/${encodeURIComponent(code)}`, text: words.seeGrowth(code) };
}

function Brought({
  done,
  farmId,
  next,
  goOn,
  again,
}: {
  done: ImportRecordAnswer;
  farmId: string;
  next: Sheet | null;
  goOn: (sheet: Sheet) => void;
  again: () => void;
}) {
  const words = importWords();
  const records = useRecords(farmId);
  const record = records.data?.find(({ id }) => id === done.id) ?? done;
  const seen = whereSeen(record);
  if (isUnderWay(record)) return null;
  if (record.state !== 'DONE')
    return (
      <div>
        <Button onClick={again}>{words.backToFile}</Button>
      </div>
    );
  return (
    <section class="card stack" data-done>
      <p role="status">
        <Icon name="check" /> {words.done(record.imported, figure(record.imported))}
      </p>
      <div class="row">
        {next === null || next.kind === null ? null : (
          <Button big look="main" onClick={() => goOn(next)}>
            {words.nextSheet(next.name ?? '', words.kinds[next.kind])}
          </Button>
        )}
        <Link class={`button big ${next === null ? 'main' : ''}`} href={seen.href}>
          {seen.text}
        </Link>
      </div>
    </section>
  );
}

const LOOKS_EVERY_MS = 1_000;

export const isUnderWay = ({ state }: Pick<ImportRecordAnswer, 'state'>): boolean =>
  state === 'CHECKING' || state === 'IMPORTING' || state === 'UNDOING';

/** What was imported on this farm in the last days; asked again and again while something is under way. */
export function useRecords(farmId: string) {
  const result = useQuery<ImportRecordAnswer[]>({
    queryKey: ['imports', '/imports/', { farm_id: farmId }],
    queryFn: ({ signal }) => get('/imports/', { farm_id: farmId }, signal),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) === true ? LOOKS_EVERY_MS : false),
  });
  // whatever comes in or goes is on every screen at once
  const brought = (result.data ?? []).map(({ id, state }) => `${id} ${state}`).join();
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (result.data === undefined) return;
    if (before.current !== null && before.current !== brought) refresh(...BATCH_TOUCHES, 'water-quality');
    before.current = brought;
  }, [brought, result.data]);
  return result;
}
