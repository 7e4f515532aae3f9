import { useState } from 'preact/hooks';
import { componentWords } from '#words/components.ts';
import { farmWords } from '#words/farms.ts';
import { systemWords } from '#words/shell.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { RecordTable } from '../../components/record-table.tsx';
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
  const typeOf = ({ pond_type }: Pond) => (pond_type === null ? words.noType : words.types[pond_type]);
  const pointOf = ({ control_point_id: id }: Pond) => controlPoints.value.get(id ?? '')?.cod ?? words.noPoint;
  return (
    <RecordTable<Pond>
      label={words.ponds}
      address="viveiros"
      rows={ponds}
      keyOf={({ id }) => id}
      columns={[
        { name: words.code, of: ({ cod }) => cod, raw: ({ cod }) => cod },
        { name: words.type, of: typeOf, raw: typeOf },
        {
          name: words.size,
          isNumber: true,
          of: ({ size_m2 }) => quantity(size_m2, 0, 'm²'),
          raw: ({ size_m2 }) => size_m2,
        },
        {
          name: words.depth,
          isNumber: true,
          of: ({ depth_m }) => quantity(depth_m, 1, 'm'),
          raw: ({ depth_m }) => depth_m,
        },
        { name: words.pointShort, of: pointOf, raw: pointOf },
      ]}
      actionsName={edit}
      actions={
        mayManage.value
          ? (pond) => (
              <Button aria-label={`${edit} ${pond.cod}`} onClick={() => onEdit(pond)}>
                {edit}
              </Button>
            )
          : undefined
      }
    />
  );
}
