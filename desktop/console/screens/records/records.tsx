import { useQueries } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  DOSE_UNITS,
  EXCHANGE_UNITS,
  PREPARATION_UNITS,
  PRODUCT_KINDS,
  type RecordAnswer,
} from '#contract/resources/farm-records.ts';
import type { LossAnswer } from '#contract/resources/losses.ts';
import { METER_CHANGES } from '#contract/resources/meter-readings.ts';
import { PREPARATION_STEPS } from '#contract/resources/pond-preparation.ts';
import { meterWords } from '#words/meters.ts';
import { recordWords } from '#words/production.ts';
import { recordsWords } from '#words/records.ts';
import { trayWords } from '#words/trays.ts';
import { AllAnswered, Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import type { CorrectedField } from '../../components/correction-dialog.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { get } from '../../data/api.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayAttend, mayCorrect, mayCorrectNote, mayRecord } from '../../data/farm-store.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, dayAndTime, figure, plainDay, quantity } from '../../i18n/format.ts';
import { findingsIn, healthFieldsOf, namedOf } from './health-details.ts';
import { trayFieldOf, traysIn } from './tray-details.tsx';

/** Kinds of questions that rest on what was recorded. */
export const RECORD_TOUCHES = [
  'ponds',
  'batches',
  'control-points',
  'farms',
  'dashboard',
  'financial',
  'logs',
  'feeding',
];

const MOST = 200;
/** Batches whose losses are asked for at once; of earlier ones when somebody asks. */
const BATCHES_AT_ONCE = 20;
const pathOf = ({ id }: RecordAnswer) => `/records/${id}` as const;

/** One line of the list; losses are corrected at their batch. */
type Line = { key: string; at: string; record: RecordAnswer | null; what: string; details: string };

/** What was written down of a batch or a control point, newest first. */
export function Records({
  path,
  enter,
}: {
  path: `/batches/${string}` | `/control-points/${string}`;
  enter: string | null;
}) {
  const records = useGet(`${path}/records`, { limit: MOST, except: 'FEED_TRAYS' });
  return (
    <Frame enter={enter === null ? [] : [{ href: enter, label: recordsWords().note }]}>
      <Answer
        of={records}
        isEmpty={(rows) => rows.length === 0}
        empty={<p class="muted">{recordsWords().none}</p>}
      >
        {(rows) => <Lines lines={rows.map(lineOf)} />}
      </Answer>
    </Frame>
  );
}

/** The same of a pond, among the losses told of batches that were in it. */
export function PondRecords({ pond }: { pond: Pond }) {
  const words = recordsWords();
  const records = useGet(`/ponds/${pond.id}/records`, { limit: MOST, except: 'FEED_TRAYS' });
  const [most, setMost] = useState(BATCHES_AT_ONCE);
  // one more tells whether there are earlier ones
  const batches = useGet('/batches/', { pond_id: pond.id, limit: most + 1 });
  const losses = useQueries({
    queries: (batches.data ?? []).slice(0, most).map(({ id }) => ({
      queryKey: ['batches', `/batches/${id}/losses`, {}],
      queryFn: ({ signal }: { signal: AbortSignal }) => get(`/batches/${id}/losses`, {}, signal),
    })),
  });
  const asked = `?pond=${encodeURIComponent(pond.cod)}`;
  return (
    <Frame
      enter={
        mayRecord.value
          ? [
              { href: `/lancar/tratamento${asked}`, label: words.treatment },
              { href: `/lancar/troca${asked}`, label: words.exchange },
              { href: `/lancar/anotacao${asked}`, label: words.note },
              { href: `/lancar/sanidade/sinais${asked}`, label: words.kinds.DISEASE },
              { href: `/lancar/sanidade/exame${asked}`, label: words.kinds.LAB },
              { href: `/lancar/sanidade/preparo${asked}`, label: words.kinds.PREPARATION },
            ]
          : []
      }
    >
      <AllAnswered of={[records, batches, ...losses]}>
        {() => {
          const died = losses
            .flatMap(({ data }) => data ?? [])
            .filter(({ pond_id }) => pond_id === pond.id || pond_id === null);
          const lines = [...(records.data ?? []).map(lineOf), ...died.map(lossLine)];
          const hasEarlier = (batches.data ?? []).length > most;
          return (
            <>
              {lines.length > 0 ? (
                <Lines lines={lines.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))} />
              ) : hasEarlier ? null : (
                <p class="muted">{words.none}</p>
              )}
              {hasEarlier ? (
                <div class="row no-print">
                  <span class="muted">{words.lossesOfLast(figure(most))}</span>
                  <Button onClick={() => setMost(most + BATCHES_AT_ONCE)}>{words.earlierBatches}</Button>
                </div>
              ) : null}
            </>
          );
        }}
      </AllAnswered>
    </Frame>
  );
}

const LOOKS = 20;

/** The last looks at the feeding trays of a pond: there are several a day, which would hide all else among the records. */
export function PondTrays({ pond }: { pond: Pond }) {
  const words = trayWords();
  const looks = useGet(`/ponds/${pond.id}/records`, { kind: 'FEED_TRAYS', limit: LOOKS });
  const enter = `/lancar/racao/bandejas?pond=${encodeURIComponent(pond.cod)}`;
  return (
    <Frame
      title={words.title}
      name="trays"
      enter={mayRecord.value ? [{ href: enter, label: words.enter }] : []}
    >
      <Answer
        of={looks}
        isEmpty={(rows) => rows.length === 0}
        empty={<p class="muted">{recordsWords().none}</p>}
      >
        {(rows) => <Lines lines={rows.map(lineOf)} />}
      </Answer>
    </Frame>
  );
}

/** The last readings of the electricity meters of a farm. */
export const READINGS = { kind: 'METER', limit: 30 } as const;

export function MeterReadings({ farmId }: { farmId: string }) {
  const readings = useGet(`/farms/${farmId}/records`, READINGS);
  return (
    <Frame title={meterWords().readings} name="meters" enter={[]}>
      <Answer
        of={readings}
        isEmpty={(rows) => rows.length === 0}
        empty={<p class="muted">{recordsWords().none}</p>}
      >
        {(rows) => <Lines lines={rows.map(lineOf)} />}
      </Answer>
    </Frame>
  );
}

function Frame({
  title = recordsWords().title,
  name = '',
  enter,
  children,
}: {
  title?: string;
  name?: string;
  enter: readonly { href: string; label: string }[];
  children: ComponentChildren;
}) {
  return (
    <section class="card stack" data-records={name}>
      <div class="row apart">
        <h2>{title}</h2>
        <div class="row no-print">
          {enter.map(({ href, label }) => (
            <Link key={href} class="button" href={href}>
              {label}
            </Link>
          ))}
        </div>
      </div>
      {children}
    </section>
  );
}

function Lines({ lines }: { lines: readonly Line[] }) {
  const words = recordsWords();
  const shown = lines.filter(({ record }) => record === null || !isLeaving(pathOf(record)));
  return (
    <RecordTable<Line>
      label={words.title}
      address="registros"
      keyOf={({ key }) => key}
      rows={shown}
      columns={[
        { name: words.when, of: ({ at }) => dayAndTime(at), raw: ({ at }) => at },
        { name: words.what, of: ({ what }) => what, raw: ({ what }) => what },
        { name: words.details, isLong: true, of: ({ details }) => details },
      ]}
      actionsName={words.actions}
      actions={
        mayAttend.value
          ? ({ record }) => (record !== null && isCorrectable(record) ? <Actions record={record} /> : null)
          : undefined
      }
    />
  );
}

const isCorrectable = (record: RecordAnswer): boolean =>
  record.control_point_id === null ? mayCorrect(record) : mayCorrectNote(record);

function lineOf(record: RecordAnswer): Line {
  const words = recordsWords();
  return {
    key: record.id,
    at: record.happened_at,
    record,
    what:
      record.kind === 'TREATMENT' ? `${words.treatment}: ${record.product ?? ''}` : words.kinds[record.kind],
    details: detailsOf(record),
  };
}

function lossLine(loss: LossAnswer): Line {
  return {
    key: loss.id,
    at: loss.lost_at,
    record: null,
    what: recordsWords().kinds.LOSS,
    details: [
      `−${figure(loss.dead_count)}`,
      loss.cause === null ? '' : recordWords().causes[loss.cause],
      loss.event_description ?? '',
    ]
      .filter(Boolean)
      .join(' · '),
  };
}

export function detailsOf(record: RecordAnswer): string {
  const words = recordsWords();
  const { amount, unit, product_kind, product_lot, text, responsible, source, batches } = record;
  return [
    ...findingsIn(record),
    ...traysIn(record),
    ...preparedIn(record),
    record.meter ?? '',
    amount === null || unit === null
      ? ''
      : quantity(amount, Number.isInteger(amount) ? 0 : 2, words.units[unit]),
    product_kind === null ? '' : words.productKinds[product_kind],
    record.meter_change === null ? '' : meterWords().changes[record.meter_change],
    record.meter_factor === null ? '' : `× ${figure(record.meter_factor, 2)}`,
    text ?? '',
    source === null ? '' : record.kind === 'LAB' ? source : words.from(source),
    product_lot === null ? '' : words.lotOf(product_lot),
    responsible === null
      ? ''
      : record.kind === 'TREATMENT' || record.kind === 'WATER_EXCHANGE' || record.kind === 'PREPARATION'
        ? words.by(responsible)
        : responsible,
    withdrawalOf(record),
    ...batches.map(({ batch_code }) => words.batch(batch_code)),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function preparedIn({ step, ended_on: end, product }: RecordAnswer): string[] {
  const { steps, ended, goesOn } = recordsWords().preparation;
  return step === null ? [] : [steps[step], end === null ? goesOn : ended(plainDay(end)), product ?? ''];
}

/** A period that nobody knows is said to be unknown; 0 days are said as well. */
function withdrawalOf({ kind, withdrawal_days: days, harvest_from: from }: RecordAnswer): string {
  const words = recordsWords();
  if (kind !== 'TREATMENT') return '';
  return days === null || from === null
    ? words.withdrawalUnknown
    : words.withdrawalOf(figure(days), plainDay(from));
}

function Actions({ record }: { record: RecordAnswer }) {
  const words = recordsWords();
  return (
    <RowActions
      path={pathOf(record)}
      label={words.thisRecord(words.kinds[record.kind], dayAndTime(record.happened_at))}
      touches={RECORD_TOUCHES}
      fields={fieldsOf(record)}
    />
  );
}

function fieldsOf(record: RecordAnswer): CorrectedField[] {
  const words = recordsWords();
  const line = (
    name: 'text' | 'product' | 'product_lot' | 'responsible' | 'source',
    label: string,
  ): CorrectedField => ({ name, label, kind: 'text', first: record[name] ?? '', isOptional: true });
  const units = record.kind === 'TREATMENT' ? DOSE_UNITS : EXCHANGE_UNITS;
  const amount: CorrectedField[] = [
    { name: 'amount', label: words.amount, kind: 'figure', first: asTyped(record.amount) },
    {
      name: 'unit',
      label: words.unit,
      kind: 'choice',
      first: record.unit ?? '',
      options: units.map((each) => ({ value: each, label: words.units[each] })),
    },
  ];
  const when: CorrectedField = {
    name: 'happened_at',
    label: words.when,
    kind: 'moment',
    first: record.happened_at,
  };
  switch (record.kind) {
    case 'DISEASE':
    case 'LAB':
      return [when, ...healthFieldsOf(record)];
    case 'FEED_TRAYS':
      return [
        when,
        trayFieldOf(record),
        line('text', trayWords().remark),
        line('responsible', trayWords().who),
      ];
    case 'METER':
      return [
        when,
        { name: 'meter', label: meterWords().meter, kind: 'text', first: record.meter ?? '' },
        { name: 'amount', label: meterWords().counter, kind: 'figure', first: asTyped(record.amount) },
        {
          name: 'meter_change',
          label: meterWords().change,
          kind: 'choice',
          first: record.meter_change ?? '',
          isOptional: true,
          options: [{ value: '', label: '–' }, ...namedOf(METER_CHANGES, meterWords().changes)],
        },
        {
          name: 'meter_factor',
          label: meterWords().factor,
          kind: 'figure',
          first: asTyped(record.meter_factor),
          isOptional: true,
        },
        line('responsible', meterWords().who),
        line('text', meterWords().remark),
      ];
    case 'PREPARATION':
      return [
        when,
        {
          name: 'step',
          label: words.preparation.step,
          kind: 'choice',
          first: record.step ?? '',
          options: namedOf(PREPARATION_STEPS, words.preparation.steps),
        },
        {
          name: 'ended_on',
          label: words.preparation.until,
          kind: 'day',
          first: record.ended_on ?? '',
          isOptional: true,
        },
        line('product', words.product),
        {
          name: 'amount',
          label: words.amount,
          kind: 'figure',
          first: asTyped(record.amount),
          isOptional: true,
        },
        {
          name: 'unit',
          label: words.unit,
          kind: 'choice',
          first: record.unit ?? '',
          isOptional: true,
          options: [{ value: '', label: '–' }, ...namedOf(PREPARATION_UNITS, words.units)],
        },
        line('product_lot', words.lot),
        line('source', words.source),
        line('text', words.text),
        line('responsible', words.responsible),
      ];
    case 'NOTE':
      return [when, { ...line('text', words.text), isOptional: false }];
    case 'WATER_EXCHANGE':
      return [when, ...amount, line('source', words.source), line('text', words.reason)];
    case 'TREATMENT':
      return [
        when,
        { ...line('product', words.product), isOptional: false },
        {
          name: 'product_kind',
          label: words.productKind,
          kind: 'choice',
          first: record.product_kind ?? '',
          options: PRODUCT_KINDS.map((each) => ({ value: each, label: words.productKinds[each] })),
        },
        ...amount,
        {
          name: 'withdrawal_days',
          label: words.withdrawal,
          kind: 'count',
          first: asTyped(record.withdrawal_days),
          isOptional: true,
        },
        line('product_lot', words.lot),
        line('text', words.reason),
        line('responsible', words.responsible),
      ];
  }
}
