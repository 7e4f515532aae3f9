import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { FeedStockAnswer, StockEntryAnswer } from '#contract/resources/feed-stock.ts';
import { feedStockWords } from '#words/feed-stock.ts';
import { AllAnswered, Empty, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import type { CorrectedField } from '../../components/correction-dialog.tsx';
import { ElsewhereNote, useEdited } from '../../components/edited.tsx';
import { CountField, countOf } from '../../components/figure-field.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { toast } from '../../components/toast.tsx';
import { put } from '../../data/api.ts';
import { isLeaving } from '../../data/corrections.ts';
import { farm, mayCorrect, mayManage, mayRecord, seesMoney } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { asTyped, dayAndTime, figure, money, plainDay, quantity } from '../../i18n/format.ts';
import { EntryHead } from '../entries/entry-form.tsx';
import { StockEntry } from './stock-entry.tsx';
import { STOCK_TOUCHES } from './stock-touches.ts';

const MOST = 500;

/** Feed that is left, and the forms of what changes it: one screen, so that all of it opens without a line. */
export function FeedStock({ params }: { params: Readonly<Record<string, string>> }) {
  switch (params['what']) {
    case 'entrega':
      return <StockEntry kind="DELIVERY" />;
    case 'contagem':
      return <StockEntry kind="COUNT" />;
    default:
      return <StockPage />;
  }
}

function StockPage() {
  const words = feedStockWords();
  const farmId = farm.value?.id;
  const stock = useGet(farmId === undefined ? null : `/farms/${farmId}/feed-stock`);
  const entries = useGet(farmId === undefined ? null : `/farms/${farmId}/feed-stock/entries`, {
    limit: MOST,
  });
  return (
    <div class="page" data-feed-stock>
      <EntryHead title={words.title}>
        {mayRecord.value ? (
          <div class="row no-print">
            <Link class="button main" href="/lancar/estoque/entrega">
              {words.newDelivery}
            </Link>
            <Link class="button" href="/lancar/estoque/contagem">
              {words.newCount}
            </Link>
          </div>
        ) : null}
      </EntryHead>
      <AllAnswered of={[stock, entries]}>
        {() =>
          stock.data === undefined || entries.data === undefined ? null : entries.data.length === 0 ? (
            <Empty text={words.none} />
          ) : (
            <>
              <Summary told={stock.data} />
              <Products told={stock.data} />
              <Entries rows={entries.data} />
              {mayManage.value ? <WarningSetting told={stock.data} /> : null}
            </>
          )
        }
      </AllAnswered>
    </div>
  );
}

type Product = FeedStockAnswer['products'][number];
const kg = (value: number | null) => quantity(value, 0, 'kg');

function Summary({ told }: { told: FeedStockAnswer }) {
  const words = feedStockWords();
  const expired = told.products.flatMap((product) =>
    product.lots.filter(({ is_expired }) => is_expired).map((lot) => ({ product, lot })),
  );
  return (
    <section class="card stack">
      <p>
        <strong>
          {words.left} {kg(Math.max(0, told.left_kg))}
        </strong>{' '}
        {told.days_left === null ? words.notFed : words.lasts(figure(told.days_left))}
      </p>
      <p class="muted">{words.rates(kg(told.daily_use_kg), kg(told.coming_ration_kg))}</p>
      {told.products
        .filter(({ is_low }) => is_low)
        .map(({ product, days_left: days }) => (
          <p key={product} class="note p2" role="status">
            ▲ {words.low(product, figure(days))}
          </p>
        ))}
      {told.products
        .filter(({ left_kg }) => left_kg < 0)
        .map(({ product, left_kg }) => (
          <p key={product} class="note p2" role="status">
            ▲ {words.missing(product, kg(-left_kg))}
          </p>
        ))}
      {expired.map(({ product, lot }) => (
        <p key={lot.entry_id} class="note p2" role="status">
          ▲ {words.expired(nameOf(product, lot.lot), plainDay(lot.expires_on))}
        </p>
      ))}
    </section>
  );
}

const nameOf = ({ product }: Pick<Product, 'product'>, lot: string | null): string =>
  lot === null ? product : `${product}, ${lot}`;

function Products({ told }: { told: FeedStockAnswer }) {
  const words = feedStockWords();
  const lotsOf = ({ lots }: Product) =>
    lots
      .map(({ lot, left_kg, expires_on }) =>
        [
          lot === null ? kg(left_kg) : `${words.lotOf(lot)}: ${kg(left_kg)}`,
          expires_on === null ? '' : words.expiresOn(plainDay(expires_on)),
        ]
          .filter(Boolean)
          .join(', '),
      )
      .join(' · ');
  return (
    <section class="card stack" data-stock-products>
      <h2>{words.products}</h2>
      <RecordTable<Product>
        label={words.products}
        address="produtos"
        keyOf={({ product }) => product}
        rows={told.products}
        columns={[
          { name: words.product, of: ({ product }) => product, raw: ({ product }) => product },
          {
            name: words.left,
            isNumber: true,
            of: ({ left_kg }) => kg(left_kg),
            raw: ({ left_kg }) => left_kg,
          },
          {
            name: words.days,
            isNumber: true,
            of: ({ days_left: days }) => (days === null ? '–' : figure(days)),
            raw: ({ days_left: days }) => days,
          },
          {
            name: words.received,
            isNumber: true,
            of: (row) => kg(row.received_kg),
            raw: (row) => row.received_kg,
          },
          { name: words.used, isNumber: true, of: (row) => kg(row.used_kg), raw: (row) => row.used_kg },
          {
            name: words.corrected,
            isNumber: true,
            of: (row) => signedKg(row.corrected_kg),
            raw: (row) => row.corrected_kg,
          },
          { name: words.lots, isLong: true, of: lotsOf },
        ]}
      />
    </section>
  );
}

const signedKg = (value: number): string =>
  value === 0 ? kg(0) : `${value > 0 ? '+' : '−'}${kg(Math.abs(value))}`;

const pathOf = ({ id }: Pick<StockEntryAnswer, 'id'>) => `/feed-stock/${id}` as const;

function Entries({ rows }: { rows: readonly StockEntryAnswer[] }) {
  const words = feedStockWords();
  const whatOf = (row: StockEntryAnswer) =>
    `${row.kind === 'DELIVERY' ? words.delivery : words.count}: ${row.product}`;
  return (
    <section class="card stack" data-stock-entries>
      <h2>{words.entries}</h2>
      <RecordTable<StockEntryAnswer>
        label={words.entries}
        address="entradas"
        keyOf={({ id }) => id}
        rows={rows.filter((row) => !isLeaving(pathOf(row)))}
        columns={[
          { name: words.when, of: (row) => dayAndTime(row.happened_at), raw: (row) => row.happened_at },
          { name: words.what, of: whatOf, raw: whatOf },
          {
            name: words.quantity,
            isNumber: true,
            of: (row) => kg(row.quantity_kg),
            raw: (row) => row.quantity_kg,
          },
          { name: words.details, isLong: true, of: detailsOf },
        ]}
        actionsName={words.actions}
        actions={
          mayRecord.value
            ? (row) =>
                mayCorrect(row) ? (
                  <RowActions
                    path={pathOf(row)}
                    label={words.thisEntry(whatOf(row), dayAndTime(row.happened_at))}
                    touches={STOCK_TOUCHES}
                    fields={fieldsOf(row)}
                  />
                ) : null
            : undefined
        }
      />
    </section>
  );
}

function detailsOf(row: StockEntryAnswer): string {
  const words = feedStockWords();
  return [
    row.difference_kg === null ? '' : words.difference(signedKg(row.difference_kg)),
    row.left_kg === null ? '' : words.leftOf(kg(row.left_kg)),
    row.bags === null ? '' : words.bagsOf(figure(row.bags), quantity(row.bag_kg, 0, 'kg')),
    row.lot === null ? '' : words.lotOf(row.lot),
    row.expires_on === null ? '' : words.expiresOn(plainDay(row.expires_on)),
    row.supplier ?? '',
    row.protein_percent === null ? '' : quantity(row.protein_percent, 0, '%'),
    row.pellet_mm === null ? '' : quantity(row.pellet_mm, 1, 'mm'),
    row.price_per_kg === null || !seesMoney.value ? '' : `${money(row.price_per_kg)}/kg`,
    row.notes ?? '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function fieldsOf(row: StockEntryAnswer): CorrectedField[] {
  const words = feedStockWords();
  const text = (name: 'lot' | 'supplier' | 'notes', label: string): CorrectedField => ({
    name,
    label,
    kind: 'text',
    first: row[name] ?? '',
    isOptional: true,
  });
  const number = (
    name: 'protein_percent' | 'pellet_mm' | 'price_per_kg',
    label: string,
    unit?: string,
  ): CorrectedField => ({
    name,
    label,
    kind: 'figure',
    first: asTyped(row[name]),
    isOptional: true,
    ...(unit === undefined ? {} : { unit }),
  });
  const common: CorrectedField[] = [
    { name: 'happened_at', label: words.when, kind: 'moment', first: row.happened_at },
    { name: 'product', label: words.product, kind: 'text', first: row.product },
    ...(row.bags === null
      ? [
          {
            name: 'quantity_kg',
            label: words.quantity,
            kind: 'figure',
            first: asTyped(row.quantity_kg),
          } as const,
        ]
      : [
          { name: 'bags', label: words.bags, kind: 'figure', first: asTyped(row.bags) } as const,
          { name: 'bag_kg', label: words.bagKg, kind: 'figure', first: asTyped(row.bag_kg) } as const,
        ]),
    text('lot', words.lot),
  ];
  if (row.kind === 'COUNT') return [...common, text('notes', words.notes)];
  return [
    ...common,
    { name: 'expires_on', label: words.expires, kind: 'day', first: row.expires_on ?? '', isOptional: true },
    ...(seesMoney.value ? [number('price_per_kg', words.price)] : []),
    number('protein_percent', words.protein, '%'),
    number('pellet_mm', words.pellet, 'mm'),
    text('supplier', words.supplier),
    text('notes', words.notes),
  ];
}

/** How many days before it runs out people are told. */
function WarningSetting({ told }: { told: FeedStockAnswer }) {
  const words = feedStockWords();
  const edited = useEdited<Readonly<{ days: string }>>({ days: String(told.warn_days) });
  const days = countOf(edited.text.days, (text) => edited.set({ days: text }), { mayBeZero: true, most: 90 });
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await put(`/farms/${told.farm_id}/science`, { feedStock: { warnDays: days.value } });
      edited.saved();
      refresh('farms');
    } catch (error) {
      toast(faultText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="card stack no-print" data-stock-warning>
      <h2>{words.warning}</h2>
      <CountField label={words.warningDays} hint={words.warningHint} count={days} />
      <ElsewhereNote of={edited.elsewhere} label={() => words.warningDays} />
      <div>
        <WorkButton disabled={isBlind.value || isBusy} unready={!days.isRight} work={save}>
          {words.save}
        </WorkButton>
      </div>
    </section>
  );
}
