import { useState } from 'preact/hooks';
import { componentWords } from '#words/components.ts';
import { farmWords } from '#words/farms.ts';
import { systemWords } from '#words/shell.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { controlPoints, mayManage } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { quantity } from '../../i18n/format.ts';
import { PondDialog } from './pond-dialog.tsx';
import { PondPatternForm } from './pond-pattern-form.tsx';

/** Ponds of a farm: many made at once by a pattern, each changed or deleted by itself. */
export function PondRegister({ farmId }: { farmId: string }) {
  const words = farmWords();
  const result = usePonds();
  const [isAdding, setAdding] = useState(false);
  const [editing, setEditing] = useState<Pond | null>(null);
  return (
    <section class="stack">
      <div class="row apart">
        <h2>{words.ponds}</h2>
        {mayManage.value ? (
          <Button look="main" disabled={isBlind.value} onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        ) : null}
      </div>
      <Answer of={result} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.none}</p>}>
        {() => <PondTable ponds={result.ponds} onEdit={setEditing} />}
      </Answer>
      {isAdding ? (
        <Dialog
          title={words.patternTitle}
          onClose={() => setAdding(false)}
          actions={<Button onClick={() => setAdding(false)}>{componentWords().cancel}</Button>}
        >
          <PondPatternForm
            farmId={farmId}
            existing={result.ponds.map(({ cod }) => cod)}
            onDone={() => setAdding(false)}
          />
        </Dialog>
      ) : null}
      {editing === null ? null : <PondDialog pond={editing} onClose={() => setEditing(null)} />}
    </section>
  );
}

function PondTable({ ponds, onEdit }: { ponds: readonly Pond[]; onEdit: (pond: Pond) => void }) {
  const words = farmWords();
  const { edit } = systemWords();
  return (
    <div class="table-frame">
      <table class="table stacks pairs">
        <thead>
          <tr>
            <th scope="col">{words.code}</th>
            <th scope="col">{words.type}</th>
            <th scope="col" class="number">
              {words.size}
            </th>
            <th scope="col" class="number">
              {words.depth}
            </th>
            <th scope="col">{words.point}</th>
            {mayManage.value ? (
              <th scope="col">
                <span class="visually-hidden">{edit}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {ponds.map((pond) => (
            <tr key={pond.id}>
              <th scope="row">{pond.cod}</th>
              <td data-label={words.type}>
                {pond.pond_type === null ? words.noType : words.types[pond.pond_type]}
              </td>
              <td class="number" data-label={words.size}>
                {quantity(pond.size_m2, 0, 'm²')}
              </td>
              <td class="number" data-label={words.depth}>
                {quantity(pond.depth_m, 1, 'm')}
              </td>
              <td data-label={words.pointShort}>
                {controlPoints.value.get(pond.control_point_id ?? '')?.cod ?? words.noPoint}
              </td>
              {mayManage.value ? (
                <td class="number actions">
                  <Button aria-label={`${edit} ${pond.cod}`} onClick={() => onEdit(pond)}>
                    {edit}
                  </Button>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
