import { Button } from '../../components/button.tsx';
import { DecimalField, SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import type { Pond } from '../../data/places.ts';
import { figure, quantity } from '../../i18n/format.ts';
import type { Destination } from './use-transfer.ts';
import { transferWords } from './words.ts';

/** One pond that animals go to, and how many. */
export function DestinationRow({
  row,
  ponds,
  mixesWith,
  fault,
  onChange,
  onAll,
  onRemove,
}: {
  row: Destination;
  ponds: readonly Pond[];
  mixesWith: string | null;
  fault: string | null;
  onChange: (change: Partial<Pick<Destination, 'pondId' | 'text'>>) => void;
  onAll: () => void;
  onRemove: (() => void) | null;
}) {
  const words = transferWords();
  return (
    <div class="destination">
      <SelectField
        label={words.to}
        value={row.pondId}
        hint={mixesWith === null ? undefined : `▲ ${words.mixes(mixesWith)}`}
        options={[
          { value: '', label: words.choose },
          ...ponds.map(({ id, cod, size_m2 }) => ({
            value: id,
            label: `${cod} · ${quantity(size_m2, 0, 'm²')}`,
          })),
        ]}
        onChange={(event) => onChange({ pondId: event.currentTarget.value })}
      />
      <DecimalField
        label={words.quantity}
        inputMode="numeric"
        value={row.text}
        hint={row.count !== null && row.text.trim().length > 3 ? `= ${figure(row.count)}` : undefined}
        fault={row.fault ?? fault}
        onInput={(event) => onChange({ text: event.currentTarget.value })}
      />
      <div class="row nowrap destination-acts">
        <Button onClick={onAll}>{words.all}</Button>
        {onRemove === null ? null : (
          <Button look="quiet" aria-label={words.remove} onClick={onRemove}>
            <Icon name="close" size={18} />
          </Button>
        )}
      </div>
    </div>
  );
}
