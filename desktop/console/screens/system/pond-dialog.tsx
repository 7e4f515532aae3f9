import { useState } from 'preact/hooks';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { del, put } from '../../data/api.ts';
import { farmAirPoints } from '../../data/farm-store.ts';
import type { Pond } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { figure, readDecimal } from '../../i18n/format.ts';
import { farmWords } from './farm-words.ts';
import { FaultNote } from './system-page.tsx';
import { useWork } from './use-work.ts';
import { systemWords } from './words.ts';

const typedAs = (value: number | null, decimals: number) =>
  value === null ? '' : figure(value, decimals).replaceAll(/[.\s](?=\d{3})/g, '');
const isWrong = (value: number | null) => value !== null && (Number.isNaN(value) || value <= 0);

export function PondDialog({ pond, onClose }: { pond: Pond; onClose: () => void }) {
  const words = farmWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const [isRemoving, setRemoving] = useState(false);
  const [cod, setCod] = useState(pond.cod);
  const [type, setType] = useState<string>(pond.pond_type ?? '');
  const [size, setSize] = useState(typedAs(pond.size_m2, 0));
  const [depth, setDepth] = useState(typedAs(pond.depth_m, 1));
  const [point, setPoint] = useState(pond.control_point_id ?? '');
  const [area, metres] = [readDecimal(size), readDecimal(depth)];
  const save = async () => {
    const isDone = await run(async () => {
      await put(`/ponds/${pond.id}`, {
        cod: cod.trim(),
        pond_type: type === '' ? null : type,
        size_m2: area === null ? null : Math.round(area),
        depth_m: metres,
        control_point_id: point === '' ? null : point,
      });
      refresh('ponds', 'farms');
    }, shared.saved);
    if (isDone) onClose();
  };
  if (isRemoving) return <Removal pond={pond} onClose={onClose} />;
  return (
    <Dialog
      title={words.editPond(pond.cod)}
      onClose={onClose}
      actions={
        <>
          <Button look="danger" onClick={() => setRemoving(true)}>
            {words.removePond}
          </Button>
          <span class="grow" />
          <Button onClick={onClose}>{shared.cancel}</Button>
          <WorkButton
            look="main"
            disabled={cod.trim() === '' || isWrong(area) || isWrong(metres)}
            work={save}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <div class="form-grid">
        <TextField
          label={words.code}
          value={cod}
          maxLength={255}
          onInput={(event) => setCod(event.currentTarget.value)}
        />
        <SelectField
          label={words.type}
          value={type}
          options={[
            { value: '', label: words.noType },
            { value: 'NURSERY', label: words.types.NURSERY },
            { value: 'FATTENING', label: words.types.FATTENING },
          ]}
          onChange={(event) => setType(event.currentTarget.value)}
        />
        <DecimalField
          label={words.size}
          unit="m²"
          value={size}
          fault={isWrong(area) ? words.badFigure : null}
          onInput={(event) => setSize(event.currentTarget.value)}
        />
        <DecimalField
          label={words.depth}
          unit="m"
          value={depth}
          fault={isWrong(metres) ? words.badFigure : null}
          onInput={(event) => setDepth(event.currentTarget.value)}
        />
        <SelectField
          label={words.point}
          value={point}
          options={[
            { value: '', label: words.noPoint },
            ...farmAirPoints.value.map(({ id, cod: name }) => ({ value: id, label: name })),
          ]}
          onChange={(event) => setPoint(event.currentTarget.value)}
        />
      </div>
      <FaultNote fault={fault} />
    </Dialog>
  );
}

function Removal({ pond, onClose }: { pond: Pond; onClose: () => void }) {
  const words = farmWords();
  const remove = async () => {
    await del(`/ponds/${pond.id}`);
    refresh('ponds', 'farms', 'batches', 'dashboard');
    toast(words.removed(pond.cod), null, 4_000);
  };
  return (
    <ConfirmDialog
      title={words.removePondTitle(pond.cod)}
      label={words.removePond}
      mustType={{ label: words.typeName(pond.cod), text: pond.cod }}
      work={remove}
      onClose={onClose}
    >
      <p>{words.removePondText}</p>
    </ConfirmDialog>
  );
}
