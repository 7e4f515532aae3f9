import { useState } from 'preact/hooks';
import { farmWords } from '#words/farms.ts';
import { systemWords } from '#words/system.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { CountField, FigureField, useCount, useFigure } from '../../components/figure-field.tsx';
import { codeOf } from '../../components/simulated.tsx';
import { toast } from '../../components/toast.tsx';
import { del, get, put } from '../../data/api.ts';
import { farmAirPoints } from '../../data/farm-store.ts';
import type { Pond } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { asTyped } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

export function PondDialog({ pond, onClose }: { pond: Pond; onClose: () => void }) {
  const words = farmWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const [isRemoving, setRemoving] = useState(false);
  const [cod, setCod] = useState(pond.cod);
  const [type, setType] = useState<string>(pond.pond_type ?? '');
  const area = useCount(asTyped(pond.size_m2), { isNeeded: false });
  const depth = useFigure(asTyped(pond.depth_m), { isNeeded: false, mayBeZero: false });
  const [point, setPoint] = useState(pond.control_point_id ?? '');
  const rewritten = useRewritten(pond, () => get(`/ponds/${pond.id}`));
  // what nobody touched stays as it is, whatever somebody else made of it meanwhile
  const changes = {
    ...(cod.trim() === pond.cod ? {} : { cod: cod.trim() }),
    ...(type === (pond.pond_type ?? '') ? {} : { pond_type: type === '' ? null : type }),
    ...(area.isTouched ? { size_m2: area.value } : {}),
    ...(depth.isTouched ? { depth_m: depth.value } : {}),
    ...(point === (pond.control_point_id ?? '') ? {} : { control_point_id: point === '' ? null : point }),
  };
  const save = async () => {
    if (!(await rewritten.mayOverwrite(changes))) return;
    const isDone = await run(async () => {
      await put(`/ponds/${pond.id}`, changes);
      refresh('ponds', 'farms');
    }, shared.saved);
    if (isDone) onClose();
  };
  const labels: Readonly<Record<string, string>> = {
    cod: words.code,
    pond_type: words.type,
    size_m2: words.size,
    depth_m: words.depth,
    control_point_id: words.point,
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
          <WorkButton look="main" unready={cod.trim() === '' || !area.isRight || !depth.isRight} work={save}>
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <div class="form-grid">
        <TextField
          needed
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
        <CountField label={words.size} unit="m²" count={area} />
        <FigureField label={words.depth} unit="m" figure={depth} />
        <SelectField
          label={words.point}
          value={point}
          options={[
            { value: '', label: words.noPoint },
            ...farmAirPoints.value.map((point) => ({ value: point.id, label: codeOf(point) })),
          ]}
          onChange={(event) => setPoint(event.currentTarget.value)}
        />
      </div>
      <ElsewhereNote
        of={rewritten.elsewhere}
        label={(name) => labels[name] ?? name}
        shown={(name, text) =>
          name === 'control_point_id'
            ? (farmAirPoints.value.find(({ id }) => id === text)?.cod ?? text)
            : text === 'NURSERY' || text === 'FATTENING'
              ? words.types[text]
              : text
        }
      />
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
