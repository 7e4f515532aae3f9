import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { waterWords } from '#words/water.ts';
import { Awaited } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { farm } from '../../data/farm-store.ts';
import { usePondCards, usePonds } from '../../data/places.ts';
import { WATER } from '../../data/water.ts';
import '../../styles/reports.css';
import { reportWords } from '#words/reports.ts';

const ONCE: readonly WaterField[] = ['ph', 'salinity', 'transparency', 'ammonia', 'nitrite', 'alkalinity'];
const EACH: readonly WaterField[] = ['dissolved_oxygen', 'temperature'];

/** The paper that goes on the round: the ponds in walking order, and room to write. */
export function WaterSheet() {
  const words = reportWords();
  const names = waterWords().short;
  const known = usePonds();
  const { ponds } = known;
  const cards = usePondCards();
  const [count, setCount] = useState(3);
  const [isOnlyActive, setOnlyActive] = useState(true);
  const active = new Set(
    (cards.data?.ponds ?? []).filter(({ status }) => status === 'ACTIVE').map(({ pond_id }) => pond_id),
  );
  const shown = isOnlyActive ? ponds.filter(({ id }) => active.has(id)) : ponds;
  const readings = Array.from({ length: count }, (_, index) => index + 1);
  const head = (field: WaterField) => `${names[field]} ${WATER[field].unit}`.trim();
  return (
    <div class="page">
      <div class="page-head">
        <div class="row nowrap">
          <Link href="/relatorios/arquivos" class="button quiet no-print" aria-label={words.title}>
            <Icon name="back" />
          </Link>
          <h1>{words.sheetTitle(farm.value?.name ?? '')}</h1>
        </div>
        <Button
          big
          look="main"
          disabled={cards.data === undefined || known.data === undefined}
          onClick={() => print()}
        >
          <Icon name="print" size={18} /> {words.print}
        </Button>
      </div>
      <div class="row far no-print">
        <SelectField
          label={words.rounds}
          value={String(count)}
          options={['1', '2', '3', '4'].map((value) => ({ value, label: value }))}
          onChange={(event) => setCount(Number(event.currentTarget.value))}
        />
        <CheckField
          label={words.onlyActive}
          checked={isOnlyActive}
          onChange={(event) => setOnlyActive(event.currentTarget.checked)}
        />
      </div>
      {/* a sheet without its ponds is not printed: none is not the same as not known yet */}
      {cards.data === undefined || known.data === undefined ? <Awaited of={[cards, known]} /> : null}
      <p class="sheet-lines">
        <span>{words.date}: ____/____/________</span>
        <span>{words.who}: ______________________________</span>
      </p>
      <div class="table-frame" tabIndex={0} role="region" aria-label={words.sheet}>
        <table class="table sheet">
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>
                {words.pond}
              </th>
              {readings.map((reading) => (
                <th key={reading} scope="colgroup" colSpan={EACH.length}>
                  {words.reading(reading)} · {words.time} ___:___
                </th>
              ))}
              <th scope="colgroup" colSpan={ONCE.length}>
                {words.once}
              </th>
              <th scope="col" rowSpan={2} class="sheet-notes">
                {words.notes}
              </th>
            </tr>
            <tr>
              {readings.flatMap((reading) =>
                EACH.map((field) => (
                  <th key={`${reading} ${field}`} scope="col">
                    {head(field)}
                  </th>
                )),
              )}
              {ONCE.map((field) => (
                <th key={field} scope="col">
                  {head(field)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, cod }) => (
              <tr key={id}>
                <th scope="row">{cod}</th>
                {Array.from({ length: count * EACH.length + ONCE.length + 1 }, (_, index) => (
                  <td key={index} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
