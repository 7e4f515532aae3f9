import type { ComponentChildren } from 'preact';
import type { LotTrace } from '#contract/resources/lot-trace.ts';
import { lotWords } from '#words/harvest-lots.ts';
import { recordWords } from '#words/production.ts';
import { recordsWords } from '#words/records.ts';
import { waterWords } from '#words/water.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { download } from '../../data/api.ts';
import { useGet } from '../../data/query.ts';
import { dayAndTime, figure, grams, plainDay, quantity } from '../../i18n/format.ts';
import { findingsIn } from '../records/health-details.ts';
import { classText } from './lots.tsx';

/** From the hatchery to the lot, to read and to print. */
export function LotTracePage({ lotId }: { lotId: string }) {
  const trace = useGet(`/harvest-lots/${lotId}/trace`);
  return <Answer of={trace}>{(told) => <Trace told={told} />}</Answer>;
}

function Trace({ told }: { told: LotTrace }) {
  const words = lotWords();
  const { lot, batch, harvest } = told;
  const save = () =>
    download(`/exports/harvest-lot/${lot.id}/trace/csv`, `${lot.lot_code.replaceAll('/', '-')}.csv`).catch(
      (error: unknown) => toast(faultText(error)),
    );
  return (
    <div class="stack" data-trace>
      <div class="row no-print">
        <WorkButton work={save}>
          <Icon name="download" size={18} /> {words.csv}
        </WorkButton>
        <Button onClick={() => print()}>
          <Icon name="print" size={18} /> {words.print}
        </Button>
      </div>
      <section class="card stack">
        <p class="muted">{words.recordedUntil(plainDay(told.day))}</p>
        <dl class="facts">
          <Fact name={words.farm} value={told.farm.name} />
          <Fact name={words.when} value={dayAndTime(lot.harvested_at)} />
          <Fact name={words.weight} value={quantity(lot.weight_kg, 1, 'kg')} />
          <Fact name={words.mean} value={quantity(lot.average_weight_g, 1, 'g')} />
          <Fact name={words.count} value={figure(lot.count)} />
          <Fact name={words.classes} value={lot.classes.map(classText).join(' · ')} />
          <Fact name={words.buyer} value={joined(lot.buyer, lot.buyer_tax_id)} />
          <Fact name={words.document} value={lot.transport_document} />
          <Fact name={words.vehicle} value={joined(lot.vehicle, lot.driver)} />
          <Fact name={words.temperature} value={quantity(lot.loading_temperature_c, 1, '°C')} />
          <Fact
            name={harvest.kind === 'FINAL' ? words.final : words.partial}
            value={joined(quantity(harvest.weight_kg, 1, 'kg'), harvest.is_weighed ? null : words.estimated)}
          />
          <Fact name={words.batch} value={batch.batch_code} />
          <Fact name={words.species} value={joined(batch.species, batch.lineage)} />
          <Fact name={words.origin} value={batch.larva_origin} />
          <Fact
            name={words.stocked}
            value={joined(
              plainDay(batch.start_date),
              figure(batch.initial_count),
              grams(batch.initial_avg_weight),
            )}
          />
        </dl>
      </section>
      <Kept told={told} />
      <Part
        title={words.ponds}
        rows={told.ponds.map(({ pond_cod, from, to }) => [
          pond_cod,
          to === null
            ? `${words.since} ${plainDay(from)}`
            : `${plainDay(from)} ${words.until} ${plainDay(to)}`,
        ])}
      />
      <Part
        title={words.moves}
        rows={told.transfers.map((move) => [
          dayAndTime(move.transfer_date),
          `${move.source_pond_cod} → ${move.destination_pond_cod}`,
          figure(move.quantity),
        ])}
      />
      <Part
        title={words.feeds}
        rows={told.feeds.flatMap((feed) => [
          [
            feed.feed_type,
            quantity(feed.kg, 1, 'kg'),
            `${dayAndTime(feed.first_fed_at)} ${words.until} ${dayAndTime(feed.last_fed_at)}`,
          ],
          ...feed.lots.map((of) => [
            `↳ ${joined(of.product, of.lot ?? words.unknownLot)}`,
            quantity(of.kg, 1, 'kg'),
            joined(of.supplier, dayAndTime(of.delivered_at)),
          ]),
          ...(feed.unknown_lot_kg === 0
            ? []
            : [[`↳ ${words.unknownLot}`, quantity(feed.unknown_lot_kg, 1, 'kg'), '']]),
        ])}
      />
      <Treatments told={told} />
      <Part
        title={words.exchanges}
        rows={told.water_exchanges.map((each) => [
          dayAndTime(each.happened_at),
          each.pond_cod,
          doseOf(each),
          joined(each.source, each.reason),
        ])}
      />
      <Part
        title={words.signs}
        rows={told.signs_of_disease.map((each) => [
          dayAndTime(each.happened_at),
          each.pond_cod ?? '',
          joined(...findingsIn({ ...each, kind: 'DISEASE', amount: null, ...NO_RESULT })),
          joined(each.details, each.responsible),
        ])}
      />
      <Part
        title={words.laboratory}
        rows={told.laboratory.map((each) => [
          dayAndTime(each.happened_at),
          each.pond_cod ?? '',
          joined(...findingsIn({ ...each, kind: 'LAB', ...NO_SIGNS }), doseOf(each)),
          joined(each.laboratory, each.details, each.responsible),
        ])}
      />
      <Part
        title={words.losses}
        rows={told.losses.map((each) => [
          dayAndTime(each.lost_at),
          each.pond_cod ?? '',
          `−${figure(each.dead_count)}`,
          joined(
            each.cause === null ? recordWords().causeNotKnown : recordWords().causes[each.cause],
            each.event_description,
          ),
        ])}
      />
      <Part
        title={words.weighings}
        rows={told.weighings.map((each) => [
          dayAndTime(each.measurement_date),
          each.pond_cod ?? '',
          quantity(each.average_weight_g, 2, 'g'),
          `n = ${figure(each.sample_size)}`,
        ])}
      />
      {told.water.map((water) => (
        <Part
          key={water.pond_id}
          title={`${words.water}: ${water.pond_cod} (${words.measurements(figure(water.measurements))})`}
          head={[words.parameter, words.least, words.average, words.most]}
          rows={water.parameters.map(({ parameter, least, mean, most }) => [
            waterWords().name[parameter],
            figure(least, 2),
            figure(mean, 2),
            figure(most, 2),
          ])}
        />
      ))}
    </div>
  );
}

function Kept({ told: { withdrawal } }: { told: LotTrace }) {
  const words = lotWords();
  const kept = recordsWords();
  return (
    <section class="card stack">
      <h2>{words.kept}</h2>
      {withdrawal === null ? (
        <p>{words.keptNone}</p>
      ) : (
        withdrawal.treatments.map(({ record_id, product, harvest_from: from }) => (
          <p key={record_id} class="note p2">
            ▲ {from === null ? kept.runsUnknown(product) : kept.runs(product, plainDay(from))}
          </p>
        ))
      )}
    </section>
  );
}

function Treatments({ told }: { told: LotTrace }) {
  const words = lotWords();
  return (
    <Part
      title={words.treatments}
      head={[words.when, words.pond, words.product, words.productLot, words.dose, words.harvestFrom]}
      rows={told.treatments.map((each) => [
        dayAndTime(each.happened_at),
        each.pond_cod,
        joined(
          each.product,
          each.product_kind === null ? null : recordsWords().productKinds[each.product_kind],
        ),
        each.product_lot ?? words.unknownLot,
        joined(doseOf(each), each.reason, each.responsible),
        each.harvest_from === null ? words.unknownWithdrawal : plainDay(each.harvest_from),
      ])}
    />
  );
}

const NO_SIGNS = { signs: null, affected_percent: null, severity: null };
const NO_RESULT = { sample: null, method: null, result: null, result_on: null, report_number: null };

const joined = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' · ');

const doseOf = ({ amount, unit }: Pick<LotTrace['treatments'][number], 'amount' | 'unit'>): string =>
  amount === null || unit === null
    ? ''
    : quantity(amount, Number.isInteger(amount) ? 0 : 2, recordsWords().units[unit]);

function Fact({ name, value }: { name: string; value: string | null }) {
  if (value === null || value === '') return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Part({
  title,
  head,
  rows,
}: {
  title: string;
  head?: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}) {
  return (
    <section class="card stack">
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p class="muted">{lotWords().nothing}</p>
      ) : (
        <div class="table-frame" tabIndex={0} role="region" aria-label={title}>
          <table class="table">
            {head === undefined ? null : (
              <thead>
                <tr>
                  {head.map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
            )}
            <tbody>
              {rows.map((cells, at) => (
                <tr key={at}>
                  {cells.map((cell, index) =>
                    index === 0 ? (
                      <th key={index} scope="row">
                        {cell}
                      </th>
                    ) : (
                      <td key={index}>{cell}</td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
