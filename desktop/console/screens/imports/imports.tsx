import '../../styles/imports.css';
import { useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { IMPORT_KINDS, type ImportKind } from '#contract/resources/imports.ts';
import { importWords, recordWords } from '#words/imports.ts';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { FileField } from '../../components/file-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { download } from '../../data/api.ts';
import { farm, isKnown, mayManage } from '../../data/farm-store.ts';
import { FaultNote } from '../box/system-page.tsx';
import { OneFile } from './one-file.tsx';
import { ImportRecord } from './record.tsx';
import { useRecords } from './use-records.ts';

const MOST_BYTES = 8 * 1_048_576;

/** A sheet of the past is brought here: chosen, read, corrected, and only then imported. */
export function Imports() {
  const words = importWords();
  const [chosen, setChosen] = useState<{ file: File; number: number } | null>(null);
  const input = useRef<HTMLInputElement>(null);
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
    <div class="page">
      <div class="page-head">
        <div class="row nowrap">
          <Link class="button quiet" href="/relatorios/arquivos" aria-label={words.back}>
            <Icon name="back" />
          </Link>
          <h1>{words.title}</h1>
        </div>
      </div>
      <section
        class="card stack drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          choose(event.dataTransfer?.files[0] ?? null);
        }}
      >
        <p>{words.intro}</p>
        <FileField label={words.file} hint={words.drop} inputRef={input} onChoose={choose} />
        {chosen === null ? <Templates /> : <p class="muted small">{chosen.file.name}</p>}
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
