import { useState } from 'preact/hooks';
import { componentWords } from '#words/components.ts';
import { feedStockWords } from '#words/feed-stock.ts';
import { Empty } from '../../components/answer.tsx';
import { CheckField, DateField, TextField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import { farm, mayRecord, seesMoney } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { currencySign, quantity } from '../../i18n/format.ts';
import { EntryHead, SaveButton, useSubmit, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { STOCK_TOUCHES, sameFeed } from './stock-touches.ts';

/** Feed that came, or what lies in the store; without a line it waits as any entry does. */
export function StockEntry({ kind }: { kind: 'DELIVERY' | 'COUNT' }) {
  const words = feedStockWords();
  const farmId = farm.value?.id;
  const isForbidden = farm.value !== null && !mayRecord.value;
  return (
    <div class="page narrow">
      <EntryHead title={kind === 'DELIVERY' ? words.newDelivery : words.newCount} />
      {isForbidden ? (
        <Empty text={componentWords().forbidden} />
      ) : farmId === undefined ? (
        <div class="skeleton" aria-busy="true" />
      ) : (
        <div class="card stack">
          {kind === 'DELIVERY' ? <DeliveryForm farmId={farmId} /> : <CountForm farmId={farmId} />}
        </div>
      )}
    </div>
  );
}

type Form = { farmId: string };

function useProducts(farmId: string) {
  const { data } = useGet(`/farms/${farmId}/feed-stock`);
  return data?.products ?? [];
}

/** The products of the stock are offered: one that is written otherwise would be another one. */
function ProductField({
  value,
  onProduct,
  names,
  hint,
}: {
  value: string;
  onProduct: (name: string) => void;
  names: readonly string[];
  hint?: string;
}) {
  return (
    <>
      <TextField
        needed
        label={feedStockWords().product}
        hint={hint}
        value={value}
        maxLength={255}
        list="stock-products"
        onInput={(event) => onProduct(event.currentTarget.value)}
      />
      <datalist id="stock-products">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

const typed = (text: string) => (text.trim() === '' ? null : text.trim());
const told = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function DeliveryForm({ farmId }: Form) {
  const words = feedStockWords();
  const submit = useSubmit();
  const when = useWhen();
  const products = useProducts(farmId);
  const [product, setProduct] = useState('');
  const [lot, setLot] = useState('');
  const [supplier, setSupplier] = useState('');
  const [expires, setExpires] = useState('');
  const [isInBags, setInBags] = useState(true);
  const [kg, bags, bagKg] = [useFigure(), useFigure(), useFigure('25')];
  const optional = { isNeeded: false };
  const protein = useFigure('', { ...optional, most: 100 });
  const [pellet, price] = [
    useFigure('', { ...optional, mayBeZero: false, most: 50 }),
    useFigure('', optional),
  ];
  const weight = isInBags ? (bags.value ?? 0) * (bagKg.value ?? 0) : kg.value;
  const isRight =
    product.trim() !== '' &&
    (isInBags ? bags.isRight && bagKg.isRight : kg.isRight) &&
    [protein, pellet, price, when].every((each) => each.isRight);
  const save = () =>
    submit({
      path: `/farms/${farmId}/feed-stock/entries`,
      label: `${words.delivery} · ${product.trim()} ${quantity(weight, 0, 'kg')}`,
      body: {
        kind: 'DELIVERY',
        product: product.trim(),
        happened_at: when.instant(),
        ...(isInBags ? { bags: bags.value, bag_kg: bagKg.value } : { quantity_kg: kg.value }),
        ...told({
          lot: typed(lot),
          supplier: typed(supplier),
          expires_on: typed(expires),
          protein_percent: protein.value,
          pellet_mm: pellet.value,
          price_per_kg: price.value,
        }),
      },
      touches: STOCK_TOUCHES,
    });
  return (
    <>
      <ProductField
        value={product}
        onProduct={setProduct}
        names={products.map(({ product: name }) => name)}
        hint={words.productHint}
      />
      <CheckField
        label={words.inBags}
        checked={isInBags}
        onChange={(event) => setInBags(event.currentTarget.checked)}
      />
      {isInBags ? (
        <div class="form-grid">
          <FigureField
            label={words.bags}
            figure={bags}
            hint={weight === 0 ? undefined : quantity(weight, 0, 'kg')}
          />
          <FigureField label={words.bagKg} unit="kg" figure={bagKg} />
        </div>
      ) : (
        <FigureField label={words.quantity} unit="kg" figure={kg} />
      )}
      <TextField
        label={words.lot}
        value={lot}
        maxLength={255}
        onInput={(event) => setLot(event.currentTarget.value)}
      />
      <div class="form-grid">
        <DateField label={words.expires} value={expires} onDay={setExpires} />
        {seesMoney.value ? (
          <FigureField label={words.price} unit={currencySign.value} figure={price} />
        ) : null}
        <FigureField label={words.protein} unit="%" figure={protein} />
        <FigureField label={words.pellet} unit="mm" figure={pellet} />
      </div>
      <TextField
        label={words.supplier}
        value={supplier}
        maxLength={255}
        onInput={(event) => setSupplier(event.currentTarget.value)}
      />
      <WhenFields when={when} />
      <SaveButton isRight={isRight} save={save} />
    </>
  );
}

function CountForm({ farmId }: Form) {
  const words = feedStockWords();
  const submit = useSubmit();
  const when = useWhen();
  const products = useProducts(farmId);
  const [product, setProduct] = useState('');
  const [lot, setLot] = useState('');
  const [notes, setNotes] = useState('');
  const kg = useFigure('', { mayBeZero: true });
  const known = products.find(({ product: name }) => sameFeed(name, product));
  const inBooks =
    lot.trim() === ''
      ? known?.left_kg
      : known?.lots
          .filter((each) => sameFeed(each.lot ?? '', lot))
          .reduce((sum, { left_kg }) => sum + left_kg, 0);
  const save = () =>
    submit({
      path: `/farms/${farmId}/feed-stock/entries`,
      label: `${words.count} · ${product.trim()} ${quantity(kg.value, 0, 'kg')}`,
      body: {
        kind: 'COUNT',
        product: product.trim(),
        quantity_kg: kg.value,
        happened_at: when.instant(),
        ...told({ lot: typed(lot), notes: typed(notes) }),
      },
      touches: STOCK_TOUCHES,
    });
  return (
    <>
      <ProductField value={product} onProduct={setProduct} names={products.map((each) => each.product)} />
      <TextField
        label={words.lotOnly}
        value={lot}
        maxLength={255}
        onInput={(event) => setLot(event.currentTarget.value)}
      />
      <FigureField label={words.counted} unit="kg" figure={kg} />
      {inBooks === undefined ? null : (
        <p class="note" role="status" data-in-books>
          <span>
            {words.inBooks(quantity(inBooks, 0, 'kg'))}{' '}
            {kg.value === null ? null : words.difference(signed(kg.value - inBooks))}
          </span>
        </p>
      )}
      <TextField
        label={words.notes}
        value={notes}
        maxLength={1_000}
        onInput={(event) => setNotes(event.currentTarget.value)}
      />
      <WhenFields when={when} />
      <SaveButton isRight={product.trim() !== '' && kg.isRight && when.isRight} save={save} />
    </>
  );
}

const signed = (kg: number): string =>
  `${kg > 0 ? '+' : kg < 0 ? '−' : ''}${quantity(Math.abs(kg), 0, 'kg')}`;
