import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { spoken } from '#words/language.ts';
import { reportWords } from '#words/reports.ts';
import { faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { CheckField, DateField, SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, download, Unreachable } from '../../data/api.ts';
import { useBatches } from '../../data/batches.ts';
import { farm, isOwner, mayManage } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { quantity } from '../../i18n/format.ts';

type Kind =
  | 'biometries'
  | 'feeding'
  | 'water'
  | 'losses'
  | 'records'
  | 'feed-stock'
  | 'harvest-lots'
  | 'report'
  | 'farm';
const KINDS: readonly Kind[] = [
  'water',
  'biometries',
  'feeding',
  'losses',
  'records',
  'feed-stock',
  'harvest-lots',
  'report',
  'farm',
];

/** What a file is of, by its name in the interface. */
const OF = {
  water: 'pond_id',
  records: 'farm_id',
  'feed-stock': 'farm_id',
  'harvest-lots': 'farm_id',
  biometries: 'batch_id',
  feeding: 'batch_id',
  losses: 'batch_id',
} as const;

/** Files for spreadsheets, and sheets for paper. */
export function Files() {
  const words = reportWords();
  const subscription = useGet(isOwner.value ? '/subscriptions/me' : null);
  // of others' farms only the refusal tells
  const [isRefused, setRefused] = useState(false);
  const isLocked = isRefused || subscription.data?.features?.export_data === false;
  return (
    <>
      <section class="card stack">
        <h2>{words.files}</h2>
        {isLocked ? <Locked /> : <Download onRefused={() => setRefused(true)} />}
      </section>
      {mayManage.value && !isLocked ? <Archive onRefused={() => setRefused(true)} /> : null}
      {mayManage.value ? (
        <ul class="cards">
          <li>
            <Link class="card choice" href="/importar">
              <strong>{words.bring}</strong>
              <span class="muted small">{words.bringHint}</span>
            </Link>
          </li>
        </ul>
      ) : null}
      <section class="stack">
        <h2>{words.print}</h2>
        <ul class="cards">
          <li>
            <Link class="card choice" href="/relatorios/ficha">
              <strong>{words.sheet}</strong>
              <span class="muted small">{words.sheetHint}</span>
            </Link>
          </li>
          <li>
            <Link class="card choice" href="/lotes">
              <strong>{words.batchReport}</strong>
              <span class="muted small">{words.batchReportHint}</span>
            </Link>
          </li>
        </ul>
      </section>
    </>
  );
}

function Locked() {
  const words = reportWords();
  return (
    <div class="note">
      <Icon name="lock" />
      <div class="stack">
        <p>
          <strong>{words.locked}</strong>
        </p>
        <p>{words.lockedText}</p>
        <div class="row">
          <Link class="button" href="/sistema/plano">
            {words.seePlan}
          </Link>
          <Link class="button" href="/sistema/backup">
            {words.backup}
          </Link>
        </div>
      </div>
    </div>
  );
}

function Download({ onRefused }: { onRefused: () => void }) {
  const words = reportWords();
  const { ponds } = usePonds();
  const batches = [useBatches('ACTIVE'), useBatches('FINISHED'), useBatches('ABORTED')].flatMap(
    (found) => found.batches,
  );
  const [kind, setKind] = useState<Kind>('water');
  const [pondId, setPondId] = useState('');
  const [batchId, setBatchId] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [isLocal, setLocal] = useState(spoken.decimalSign === ',');
  const pond = pondId || ponds[0]?.id;
  const batch = batchId || batches[0]?.id;
  const isOfFarm = kind === 'farm' || (kind !== 'report' && OF[kind] === 'farm_id');
  const hasDays = kind !== 'biometries' && kind !== 'report';
  const target = kind === 'water' ? pond : isOfFarm ? farm.value?.id : batch;
  const hasCsv = kind !== 'farm';
  const hasWorkbook = kind !== 'report';
  const { received, save } = useDownload(onRefused);
  const query = (more: Readonly<Record<string, string>>) =>
    new URLSearchParams({
      ...(kind === 'report' || kind === 'farm' ? {} : { [OF[kind]]: target ?? '' }),
      ...(hasDays && from !== '' ? { start_date: from } : {}),
      ...(hasDays && to !== '' ? { end_date: to } : {}),
      ...more,
    }).toString();
  const saveCsv = () => {
    const path = kind === 'report' ? `/exports/batch/${batch}/report/csv` : `/exports/${fileOf(kind)}/csv`;
    const asked = query({
      ...(kind === 'water' || kind === 'biometries' ? { columns: 'all' } : {}),
      ...(isLocal ? { bom: '1', separator: 'semicolon' } : {}),
    });
    return save(`${path}?${asked}`, `${kind}.csv`);
  };
  const saveWorkbook = () => {
    const path = kind === 'farm' ? `/exports/farm/${target}/xlsx` : `/exports/${fileOf(kind)}/xlsx`;
    return save(`${path}?${query({})}`, `${kind}.xlsx`);
  };
  return (
    <>
      <div class="form-grid">
        <SelectField
          label={words.what}
          value={kind}
          options={KINDS.map((value) => ({ value, label: words.kinds[value] }))}
          onChange={(event) => setKind(KINDS.find((found) => found === event.currentTarget.value) ?? 'water')}
        />
        {kind === 'water' ? (
          <SelectField
            label={words.pond}
            value={pond ?? ''}
            options={ponds.map(({ id, cod }) => ({ value: id, label: cod }))}
            onChange={(event) => setPondId(event.currentTarget.value)}
          />
        ) : isOfFarm ? null : (
          <SelectField
            label={words.batch}
            value={batch ?? ''}
            options={batches.map(({ id, batch_code }) => ({ value: id, label: batch_code }))}
            onChange={(event) => setBatchId(event.currentTarget.value)}
          />
        )}
        {hasDays ? (
          <>
            <DateField label={words.from} hint={words.wholeTime} value={from} onDay={setFrom} />
            <DateField label={words.to} value={to} onDay={setTo} />
          </>
        ) : null}
      </div>
      {hasCsv ? (
        <CheckField
          label={words.forSpreadsheet}
          checked={isLocal}
          onChange={(event) => setLocal(event.currentTarget.checked)}
        />
      ) : null}
      <div class="row">
        {hasWorkbook ? (
          <WorkButton big look="main" disabled={target === undefined} work={saveWorkbook}>
            <Icon name="download" size={18} /> {words.xlsx}
          </WorkButton>
        ) : null}
        {hasCsv ? (
          <WorkButton
            big
            look={hasWorkbook ? 'quiet' : 'main'}
            disabled={target === undefined}
            work={saveCsv}
          >
            <Icon name="download" size={18} /> {words.csv}
          </WorkButton>
        ) : null}
        <Received bytes={received} />
      </div>
      <p class="muted small">{words.neverLocked}</p>
    </>
  );
}

const fileOf = (kind: Kind): string => (kind === 'water' ? 'water-quality' : kind);

/** Everything of the farm, for keeping and for other programs. */
function Archive({ onRefused }: { onRefused: () => void }) {
  const words = reportWords();
  const { received, save } = useDownload(onRefused);
  const id = farm.value?.id;
  return (
    <section class="card stack">
      <h2>{words.archive}</h2>
      <p>{words.archiveHint}</p>
      <div class="row">
        <WorkButton
          look="quiet"
          disabled={id === undefined}
          work={() => save(`/exports/farm/${id}/archive`, 'archive.zip')}
        >
          <Icon name="download" size={18} /> {words.getArchive}
        </WorkButton>
        <Received bytes={received} />
      </div>
    </section>
  );
}

/** Files are made while they come, so that nobody knows how long they will be: what has come is told. */
function useDownload(onRefused: () => void) {
  const [received, setReceived] = useState<number | null>(null);
  const save = async (path: string, name: string) => {
    try {
      await download(path, name, (response) => counted(response, setReceived));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'FEATURE_NOT_AVAILABLE') onRefused();
      else toast(faultText(error));
    } finally {
      setReceived(null);
    }
  };
  return { received, save };
}

function Received({ bytes }: { bytes: number | null }) {
  return (
    <span class="muted small" role="status">
      {bytes === null ? '' : reportWords().received(quantity(bytes / 1_000_000, 1, 'MB'))}
    </span>
  );
}

const TELL_EVERY_MS = 250;

/** A file that was cut off is none. */
async function counted(response: Response, tell: (bytes: number) => void): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let toldAt = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const read = await reader?.read().catch((error: unknown) => {
      throw new Unreachable(error);
    });
    if (read === undefined || read.done)
      return new Blob(pieces, { type: response.headers.get('content-type') ?? '' });
    pieces.push(read.value);
    bytes += read.value.length;
    if (performance.now() - toldAt < TELL_EVERY_MS) continue;
    toldAt = performance.now();
    tell(bytes);
  }
}
