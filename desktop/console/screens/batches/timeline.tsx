import type { BatchDetail, HarvestAnswer } from '#contract/resources/batches.ts';
import type { BiometryJournal } from '#contract/resources/biometries.ts';
import type { RecordAnswer } from '#contract/resources/farm-records.ts';
import type { RecordLogAnswer } from '#contract/resources/logs.ts';
import type { LossAnswer } from '#contract/resources/losses.ts';
import type { TransferHistory } from '#contract/resources/transfers.ts';
import { recordWords } from '#words/production.ts';
import { AllAnswered } from '../../components/answer.tsx';
import { now } from '../../data/clock.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { calendarDay, figure, instantAt, percent, quantity } from '../../i18n/format.ts';
import { detailsOf } from '../records/records.tsx';

type Kind = keyof ReturnType<typeof recordWords>['events'];
type Event = { kind: Kind; at: number; told: string };

const MOST_ENTRIES = 1_000;
const MOST_RECORDS = 200;

const OF_RECORD = {
  TREATMENT: 'treated',
  WATER_EXCHANGE: 'exchanged',
  NOTE: 'noted',
  DISEASE: 'sick',
  LAB: 'tested',
  PREPARATION: 'prepared',
} as const;

const MARK: Readonly<Record<Kind, string>> = {
  stocked: '●',
  weighed: '│',
  moved: '→',
  died: '†',
  treated: '+',
  exchanged: '≈',
  noted: '✎',
  sick: '☹',
  tested: '⚗',
  prepared: '▤',
  harvested: '▾',
  ended: '■',
  lost: '✕',
  expected: '◇',
};

/** The life of the batch as one line, and the same in words. */
export function Timeline({ batch }: { batch: BatchDetail }) {
  const questions = useQuestions(batch);
  return (
    <section class="card stack">
      <h2>{recordWords().timeline}</h2>
      <AllAnswered of={questions}>
        {(...told) => <Life batch={batch} events={eventsOf(batch, told)} />}
      </AllAnswered>
    </section>
  );
}

function Life({ batch, events }: { batch: BatchDetail; events: readonly Event[] }) {
  const words = recordWords();
  const begin = events[0]?.at ?? now.value;
  const ended = batch.actual_harvest_date === null ? null : Date.parse(batch.actual_harvest_date);
  const end = Math.max(ended ?? now.value, events.at(-1)?.at ?? 0);
  const share = (at: number) =>
    `${(Math.min(1, Math.max(0, (at - begin) / (end - begin || 1))) * 100).toFixed(2)}%`;
  const dead = 100 - batch.survival_rate;
  return (
    <>
      <div class="life" aria-hidden="true">
        <span class="life-lived" style={{ width: share(ended ?? now.value) }} />
        {events.map(({ kind, at }) => (
          <span
            key={`${kind} ${at}`}
            class="life-mark"
            data-kind={kind}
            style={{ insetInlineStart: share(at) }}
          >
            {MARK[kind]}
          </span>
        ))}
      </div>
      <p class="muted small life-key" aria-hidden="true">
        {[...new Set(events.map(({ kind }) => kind))].map((kind) => (
          <span key={kind}>
            {MARK[kind]} {words.events[kind]}
          </span>
        ))}
      </p>
      <p class="muted small">{words.lost(percent(dead, 1))}</p>
      <details>
        <summary>{words.allEvents(events.length)}</summary>
        <ol class="life-list">
          {events.map(({ kind, at, told }) => (
            <li key={`${kind} ${at}`}>
              <span aria-hidden="true">{MARK[kind]}</span>
              <span class="muted">{calendarDay(at)}</span>
              <span>
                {words.events[kind]}
                {told === '' ? '' : `: ${told}`}
              </span>
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

function useQuestions(batch: BatchDetail) {
  const journal = useGet(`/biometries/batch/${batch.id}`, { limit: 100 });
  const moves = useGet(`/transfers/batch/${batch.id}/history`);
  const harvests = useGet(`/batches/${batch.id}/harvests`);
  const losses = useGet(`/batches/${batch.id}/losses`);
  // a survival that was set stands in the log of the pond where the batch was stocked
  const log = useGet(`/logs/ponds/${batch.pond_id}`, { limit: MOST_ENTRIES });
  const ponds = usePonds();
  const records = useGet(`/batches/${batch.id}/records`, { limit: MOST_RECORDS, except: 'FEED_TRAYS' });
  return [journal, moves, harvests, losses, log, ponds, records] as const;
}

type Told = readonly [
  journal: BiometryJournal,
  moves: TransferHistory,
  harvests: readonly HarvestAnswer[],
  losses: readonly LossAnswer[],
  log: readonly RecordLogAnswer[],
  ponds: readonly Pond[],
  records: readonly RecordAnswer[],
];

function eventsOf(
  batch: BatchDetail,
  [journal, moves, harvests, losses, log, ponds, records]: Told,
): Event[] {
  // what names no pond is of the whole batch
  const inPond = (pondId: unknown) => {
    const cod = ponds.find(({ id }) => id === pondId)?.cod;
    return cod === undefined ? '' : `, ${cod}`;
  };
  const events: Event[] = [
    {
      kind: 'stocked',
      at: Date.parse(instantAt(batch.start_date, '00:00')),
      told: `${figure(batch.initial_count)} · ${quantity(batch.initial_avg_weight, 3, 'g')}`,
    },
    ...journal.biometries.map(
      ({ measurement_date, average_weight_g, pond_id }): Event => ({
        kind: 'weighed',
        at: Date.parse(measurement_date),
        told: `${quantity(average_weight_g, 2, 'g')}${inPond(pond_id)}`,
      }),
    ),
    ...moves.history.map(
      ({ date, from, to, quantity: count }): Event => ({
        kind: 'moved',
        at: Date.parse(date),
        told: `${from} → ${to}, ${figure(count)}`,
      }),
    ),
    ...harvests.map(
      ({ harvest_date, quantity: count, weight_kg }): Event => ({
        kind: 'harvested',
        at: Date.parse(harvest_date),
        told: `${quantity(weight_kg, 0, 'kg')}, ${figure(count)}`,
      }),
    ),
    ...losses.map(
      ({ lost_at, dead_count, severity, pond_id, event_description: why }): Event => ({
        kind: 'died',
        at: Date.parse(lost_at),
        told: `−${figure(dead_count)}${share(severity)}${inPond(pond_id)}${why === null ? '' : `, ${why}`}`,
      }),
    ),
    ...records.flatMap((record): Event[] =>
      record.kind === 'FEED_TRAYS' || record.kind === 'METER'
        ? []
        : [
            {
              kind: OF_RECORD[record.kind],
              at: Date.parse(record.happened_at),
              told: `${record.product === null ? '' : `${record.product} · `}${detailsOf({ ...record, batches: [] })}${inPond(record.pond_id)}`,
            },
          ],
    ),
    ...log.flatMap((entry) => setOf(entry, batch.id)),
    ...endOf(batch),
  ];
  return events.toSorted((a, b) => a.at - b.at);
}

const share = (severity: number | null): string =>
  severity === null ? '' : ` (${percent(severity * 100, 1)})`;

/** A survival that was set; losses are told by themselves, as they stand now. */
function setOf({ action, entity_id, timestamp, details }: RecordLogAnswer, batchId: string): Event[] {
  const { old_survival_rate: before, new_survival_rate: after, description, severity } = details ?? {};
  if (action !== 'survival_adjusted' || entity_id !== batchId || severity !== undefined) return [];
  const rate = (value: unknown) => percent(typeof value === 'number' ? value : null, 1);
  const why = typeof description === 'string' ? `, ${description}` : '';
  return [{ kind: 'died', at: Date.parse(timestamp), told: `${rate(before)} → ${rate(after)}${why}` }];
}

function endOf(batch: BatchDetail): Event[] {
  const { actual_harvest_date: ended, expected_harvest_date: expected } = batch;
  if (ended !== null) {
    const isLost = batch.status === 'ABORTED';
    return [
      {
        kind: isLost ? 'lost' : 'ended',
        at: Date.parse(ended),
        told: isLost ? (batch.end_reason ?? '') : quantity(batch.final_weight_kg, 0, 'kg'),
      },
    ];
  }
  if (expected === null) return [];
  const lateDays = Math.floor((now.value - Date.parse(expected)) / 86_400_000);
  return [
    {
      kind: 'expected',
      at: Date.parse(expected),
      told: lateDays > 0 ? recordWords().late(figure(lateDays)) : '',
    },
  ];
}
