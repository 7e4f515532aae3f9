import { useState } from 'preact/hooks';
import { farmWords } from '#words/farms.ts';
import { bulkWords } from '#words/tables.ts';
import { BulkDialog, type BulkStep } from '../../components/bulk-dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { CountField, FigureField, useCount, useFigure } from '../../components/figure-field.tsx';
import { codeOf } from '../../components/simulated.tsx';
import { put } from '../../data/api.ts';
import { controlPoints, farmAirPoints } from '../../data/farm-store.ts';
import type { Pond } from '../../data/places.ts';
import { quantity } from '../../i18n/format.ts';

const FIELDS = ['pond_type', 'size_m2', 'depth_m', 'control_point_id'] as const;
type Field = (typeof FIELDS)[number];

/** One field of several ponds, each in a request of its own. */
export function PondBulk({ ponds, onClose }: { ponds: readonly Pond[]; onClose: () => void }) {
  const words = farmWords();
  const [field, setField] = useState<Field>('pond_type');
  const [type, setType] = useState<string>('FATTENING');
  const [point, setPoint] = useState('');
  const area = useCount('', { isNeeded: true });
  const depth = useFigure('', { isNeeded: true, mayBeZero: false });
  const names: Record<Field, string> = {
    pond_type: words.type,
    size_m2: words.size,
    depth_m: words.depth,
    control_point_id: words.point,
  };
  const wanted = {
    pond_type: type === '' ? null : type,
    size_m2: area.value,
    depth_m: depth.value,
    control_point_id: point === '' ? null : point,
  }[field];
  const isReady = field === 'size_m2' ? area.isRight : field === 'depth_m' ? depth.isRight : true;
  const steps = ponds
    .filter((pond) => pond[field] !== wanted)
    .map((pond): BulkStep => {
      const was = pond[field];
      const path = `/ponds/${pond.id}` as const;
      return {
        id: pond.id,
        label: pond.cod,
        from: textOf(field, was),
        to: textOf(field, wanted),
        run: async () => {
          await put(path, { [field]: wanted });
          return () => put(path, { [field]: was });
        },
      };
    });
  return (
    <BulkDialog
      count={ponds.length}
      touches={['ponds', 'farms', 'control-points', 'dashboard']}
      {...{ steps, isReady, onClose }}
    >
      <div class="form-grid">
        <SelectField
          label={bulkWords().field}
          value={field}
          options={FIELDS.map((value) => ({ value, label: names[value] }))}
          onChange={(event) => setField(FIELDS.find((one) => one === event.currentTarget.value) ?? field)}
        />
        {field === 'pond_type' ? (
          <SelectField
            label={words.type}
            value={type}
            options={(['FATTENING', 'NURSERY', ''] as const).map((value) => ({
              value,
              label: value === '' ? words.noType : words.types[value],
            }))}
            onChange={(event) => setType(event.currentTarget.value)}
          />
        ) : field === 'size_m2' ? (
          <CountField label={words.size} unit="m²" count={area} />
        ) : field === 'depth_m' ? (
          <FigureField label={words.depth} unit="m" figure={depth} />
        ) : (
          <SelectField
            label={words.point}
            value={point}
            options={[
              { value: '', label: words.noPoint },
              ...farmAirPoints.value.map((one) => ({ value: one.id, label: codeOf(one) })),
            ]}
            onChange={(event) => setPoint(event.currentTarget.value)}
          />
        )}
      </div>
    </BulkDialog>
  );
}

function textOf(field: Field, value: string | number | null): string {
  const words = farmWords();
  if (field === 'pond_type')
    return value === 'NURSERY' || value === 'FATTENING' ? words.types[value] : words.noType;
  if (field === 'control_point_id') return controlPoints.value.get(String(value))?.cod ?? words.noPoint;
  const [decimals, unit] = field === 'size_m2' ? [0, 'm²'] : [1, 'm'];
  return quantity(typeof value === 'number' ? value : null, decimals, unit);
}
