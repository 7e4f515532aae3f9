import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { ComparedBatch } from '#contract/resources/dashboard.ts';
import { comparisonWords } from '#words/comparison.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { type Column, useShownRows } from '../../components/record-table.tsx';
import { soon } from '../../data/clock.ts';
import { chooseFarm, farm, farms } from '../../data/farm-store.ts';
import { useGetAgain } from '../../data/query.ts';
import { calendarDay, clockTime, figure, grams, money, percent, plainDay } from '../../i18n/format.ts';
import { type Mark, type Ranked, ranksOf } from '../../state/batch-ranks.ts';
import { type Asked, Choice, STATUSES } from './compare-asked.tsx';
import { ReportTable } from './report-table.tsx';

const STATUS_OF = {
  todos: undefined,
  ativos: 'ACTIVE',
  despescados: 'FINISHED',
  encerrados: 'ABORTED',
} as const;
const AT_ONCE = 500;
/** Under this word order and search stand in the page's address. */
const ADDRESS = 'lotes';

/** Batches side by side, running and finished, of the farm or of all farms of the reader. */
export function BatchTable({ asked }: { asked: Asked }) {
  const words = comparisonWords();
  const [most, setMost] = useState(AT_ONCE);
  const isOfAll = asked.isOfAll && farms.value.length > 1;
  const told = useGetAgain(farm.value === null ? null : '/dashboard/batch-comparison', {
    ...(isOfAll ? {} : { farm_id: farm.value?.id }),
    status: STATUS_OF[asked.status],
    limit: most,
  });
  return (
    <>
      <div class="form-grid no-print">
        {farms.value.length < 2 ? null : (
          <SelectField
            label={words.farms}
            value={isOfAll ? 'todas' : 'esta'}
            options={[
              { value: 'esta', label: words.thisFarm },
              { value: 'todas', label: words.allFarms },
            ]}
            onChange={(event) => asked.set('f', event.currentTarget.value)}
          />
        )}
        <SelectField
          label={words.state}
          value={asked.status}
          options={STATUSES.map((value) => ({ value, label: words.states[value] }))}
          onChange={(event) => asked.set('s', event.currentTarget.value)}
        />
      </div>
      <Answer of={told}>
        {({ batches, total }) => (
          <>
            <Compared batches={batches} asked={asked} isOfAll={isOfAll} />
            {total <= batches.length ? null : (
              <p class="row no-print" role="status">
                {words.newest(figure(batches.length), figure(total))}
                <Button look="quiet" onClick={() => setMost(most + AT_ONCE)}>
                  {words.more}
                </Button>
              </p>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

function Compared({
  batches,
  asked,
  isOfAll,
}: {
  batches: readonly ComparedBatch[];
  asked: Asked;
  isOfAll: boolean;
}) {
  const words = comparisonWords();
  const { chosen } = asked;
  const rows = batches.filter(({ batch_number }) => chosen.length === 0 || chosen.includes(batch_number));
  // the best of what is seen: also of what was looked for
  const plain = columnsOf({ words, isOfAll, seesMoney: batches.some(({ sees_money }) => sees_money) });
  const seen = useShownRows(ADDRESS, plain, rows);
  const columns = plain.map(({ ranked, ...column }) =>
    ranked === undefined ? column : withMarks(column, ranksOf(seen, ranked)),
  );
  return (
    <>
      <details class="no-print">
        <summary>{chosen.length === 0 ? words.choose : words.chosen(figure(chosen.length))}</summary>
        <Choice
          label={words.which}
          names={batches.map(({ batch_number }) => batch_number)}
          asked={asked}
          most={Number.POSITIVE_INFINITY}
        />
      </details>
      <MadeOf place={isOfAll ? words.allFarms : (farm.value?.name ?? '')} />
      {rows.length === 0 ? (
        <Empty text={words.none} />
      ) : (
        <div class="compared-table">
          <ReportTable<ComparedBatch>
            label={words.title}
            address={ADDRESS}
            columns={columns}
            rows={rows}
            keyOf={({ batch_id }) => batch_id}
          />
        </div>
      )}
      <p class="muted small">{words.legend}</p>
    </>
  );
}

/** Of which farm and when: for the sheet that is printed. By the clock of the gateway. */
function MadeOf({ place }: { place: string }) {
  const at = soon.value;
  const words = comparisonWords();
  return (
    <p class="muted small">
      <strong>{words.title}</strong> · {words.as(place, `${calendarDay(at)} ${clockTime(at)}`)}
    </p>
  );
}

type Words = ReturnType<typeof comparisonWords>;
type Compare = Column<ComparedBatch> & { ranked?: Ranked<ComparedBatch> };

/** Optional ones stand last: the order in an address is by number. */
function columnsOf(of: { words: Words; isOfAll: boolean; seesMoney: boolean }): Compare[] {
  return [
    ...whichColumns(of),
    ...growthColumns(of.words),
    ...yieldColumns(of.words),
    ...(of.seesMoney ? moneyColumns(of.words) : []),
    missingColumn(of.words),
  ];
}

function whichColumns({ words, isOfAll }: { words: Words; isOfAll: boolean }): Compare[] {
  const pondsOf = ({ farm_name, ponds }: ComparedBatch) =>
    [...(isOfAll ? [farm_name] : []), ...ponds.map(({ pond_cod }) => pond_cod)].join(' · ');
  const stateOf = ({ status, end_date }: ComparedBatch) =>
    end_date === null ? words.stateOf[status] : `${words.stateOf[status]} ${plainDay(end_date)}`;
  return [
    {
      name: words.batch,
      of: ({ batch_number, farm_id }) => (
        <Link href={`/lotes/${encodeURIComponent(batch_number)}`} onClick={() => chooseFarm(farm_id)}>
          {batch_number}
        </Link>
      ),
      raw: ({ batch_number }) => batch_number,
    },
    { name: words.ponds, of: pondsOf, raw: pondsOf },
    {
      name: words.state,
      of: (row) => <span class={`batch-state ${row.status === 'ACTIVE' ? 'runs' : ''}`}>{stateOf(row)}</span>,
      raw: stateOf,
    },
    { name: words.species, of: ({ species }) => species, raw: ({ species }) => species },
    { name: words.start, of: (row) => plainDay(row.start_date), raw: (row) => row.start_date },
    number(words, { name: words.days, raw: (row) => row.days_in_production, text: figure }),
    number(words, { name: words.density, raw: (row) => row.density_per_m2, text: (of) => figure(of, 1) }),
  ];
}

function growthColumns(words: Words): Compare[] {
  return [
    number(words, {
      name: words.survival,
      raw: (row) => row.survival_rate,
      text: (of) => percent(of, 1),
      isAssumed: ({ missing }) => missing.includes('SURVIVAL'),
      better: 'more',
    }),
    number(words, { name: words.weight, raw: (row) => row.average_weight_g, text: grams }),
    number(words, {
      name: words.growth,
      raw: (row) => row.growth_g_per_week,
      text: (of) => figure(of, 2),
      better: 'more',
      whileRunning: true,
    }),
    number(words, {
      name: words.fcr,
      raw: (row) => row.fca,
      text: (of) => figure(of, 2),
      // while it runs every conversion is by an estimate of what lives
      isAssumed: (row) =>
        row.status === 'ACTIVE' ? row.missing.includes('RECENT_WEIGHING') : row.is_estimated,
      better: 'less',
      whileRunning: true,
    }),
    number(words, { name: words.feed, raw: (row) => row.total_feed_kg, text: figure }),
  ];
}

function yieldColumns(words: Words): Compare[] {
  const isAssumed = ({ is_estimated }: ComparedBatch) => is_estimated;
  return [
    number(words, { name: words.produced, raw: (row) => row.produced_kg, text: figure, isAssumed }),
    number(words, {
      name: words.perHa,
      raw: (row) => row.kg_per_ha,
      text: figure,
      isAssumed,
      better: 'more',
    }),
    number(words, {
      name: words.perHaDay,
      raw: (row) => row.kg_per_ha_day,
      text: (of) => figure(of, 1),
      isAssumed,
      better: 'more',
    }),
  ];
}

function moneyColumns(words: Words): Compare[] {
  const isAssumed = ({ is_estimated, missing_costs }: ComparedBatch) =>
    is_estimated || missing_costs.length > 0;
  return [
    number(words, {
      name: words.cost,
      raw: (row) => row.cost_per_kg,
      text: money,
      isAssumed,
      better: 'less',
    }),
    number(words, {
      name: words.revenue,
      raw: (row) => row.revenue_per_kg,
      text: money,
      better: 'more',
    }),
    number(words, {
      name: words.margin,
      raw: (row) => row.margin_percent,
      text: (of) => percent(of, 1),
      isAssumed,
      better: 'more',
    }),
  ];
}

function missingColumn(words: Words): Compare {
  const told = ({ missing, missing_costs }: ComparedBatch) =>
    [...new Set([...missing, ...missing_costs])].map((each) => words.missingOf[each]).join(', ');
  return { name: words.missing, isLong: true, of: told, raw: told };
}

/** A column of figures; what an assumption stands in for says so, and what nobody knows, too. */
function number(
  words: Words,
  column: {
    name: string;
    raw: (row: ComparedBatch) => number | null;
    text: (value: number) => string;
    isAssumed?: (row: ComparedBatch) => boolean;
    better?: 'more' | 'less';
    whileRunning?: boolean;
  },
): Compare {
  const { name, raw, text, isAssumed = () => false, better, whileRunning = false } = column;
  return {
    name,
    isNumber: true,
    raw,
    of(row) {
      const value = raw(row);
      if (value === null) return <span class="muted">{words.unknown}</span>;
      if (!isAssumed(row)) return text(value);
      return (
        <span>
          <span aria-hidden="true">≈ </span>
          {text(value)}
          <span class="visually-hidden"> ({words.assumed})</span>
        </span>
      );
    },
    ...(better === undefined
      ? {}
      : {
          ranked: {
            better,
            valueOf: (row) => (isAssumed(row) ? null : raw(row)),
            groupOf: ({ status }) =>
              status === 'FINISHED' || (status === 'ACTIVE' && whileRunning) ? status : null,
          },
        }),
  };
}

const SIGNS = { best: '▲', worst: '▼' } as const;

function withMarks(
  column: Column<ComparedBatch>,
  marks: ReadonlyMap<ComparedBatch, Mark>,
): Column<ComparedBatch> {
  return {
    ...column,
    of(row) {
      const mark = marks.get(row);
      if (mark === undefined) return column.of(row);
      return (
        <span class="ranked" data-rank={mark}>
          {column.of(row)}
          <strong class="small">
            <span aria-hidden="true">{SIGNS[mark]}</span> {comparisonWords()[mark]}
          </strong>
        </span>
      );
    },
  };
}
