import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { farmWords } from '#words/farms.ts';
import { WorkButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { CountField, useCount } from '../../components/figure-field.tsx';
import { useSend } from '../../data/corrections.ts';
import { createPonds } from '../../data/create-ponds.ts';
import { isOwner } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { codesOf } from '../../state/wall-places.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type PondType = 'NURSERY' | 'FATTENING';

/** `V-01` to `V-24`, all alike; what differs is changed afterwards. */
export function PondPatternForm({
  farmId,
  existing,
  onDone,
}: {
  farmId: string;
  existing: readonly string[];
  onDone: () => void;
}) {
  const words = farmWords();
  const { fault, run } = useWork();
  const send = useSend();
  const [from, setFrom] = useState(existing.length === 0 ? 'V-01' : '');
  const [to, setTo] = useState('');
  const [type, setType] = useState<PondType>('FATTENING');
  const area = useCount('', { isNeeded: false });
  const [done, setDone] = useState<number | null>(null);
  const codes = from.trim() === '' || to.trim() === '' ? [] : codesOf(from, to);
  const wrong = typeof codes === 'string' ? codes : null;
  const wanted = typeof codes === 'string' ? [] : codes.filter((cod) => !existing.includes(cod));
  const skipped = typeof codes === 'string' ? 0 : codes.length - wanted.length;
  const create = async () => {
    const common = { farm_id: farmId, pond_type: type, size_m2: area.value };
    const isDone = await run(() => createPonds(send, wanted, common, setDone), words.done(wanted.length));
    setDone(null);
    if (isDone) onDone();
  };
  return (
    <div class="stack">
      <div class="form-grid">
        <TextField
          label={words.from}
          value={from}
          maxLength={50}
          placeholder="V-01"
          onInput={(event) => setFrom(event.currentTarget.value)}
        />
        <TextField
          label={words.to}
          value={to}
          maxLength={50}
          placeholder="V-24"
          fault={wrong === null ? null : words.patternFault[wrong]}
          onInput={(event) => setTo(event.currentTarget.value)}
        />
        <SelectField
          label={words.type}
          value={type}
          options={(['FATTENING', 'NURSERY'] as const).map((word) => ({
            value: word,
            label: words.types[word],
          }))}
          onChange={(event) => setType(event.currentTarget.value === 'NURSERY' ? 'NURSERY' : 'FATTENING')}
        />
        <CountField label={words.size} unit="m²" count={area} />
      </div>
      <p class="muted small">{words.patternHint}</p>
      <PlanRoom existing={existing.length} wanted={wanted.length} />
      <p aria-live="polite">
        {wanted.length === 0 ? null : words.creates(wanted.length, wanted[0] ?? '', wanted.at(-1) ?? '')}{' '}
        {skipped === 0 ? null : <span class="muted">{words.skips(skipped)}</span>}
      </p>
      {done === null ? null : (
        <progress
          class="wide"
          value={done}
          max={wanted.length}
          aria-label={words.doing(done, wanted.length)}
        />
      )}
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          big
          look="main"
          disabled={isBlind.value}
          unready={wanted.length === 0 || !area.isRight}
          work={create}
        >
          {done === null ? words.add : words.doing(done, wanted.length)}
        </WorkButton>
      </div>
    </div>
  );
}

/** Said before the ponds are made, where the plan of the farm's owner does not hold all of them. */
function PlanRoom({ existing, wanted }: { existing: number; wanted: number }) {
  const words = farmWords();
  const { data } = useGet(isOwner.value ? '/subscriptions/me/limits' : null);
  const most = data?.limits.max_ponds_per_farm ?? -1;
  if (data === undefined || most < 0 || existing + wanted <= most) return null;
  return (
    <p class="note pending" role="status">
      {words.planHolds(data.plan, most, Math.max(0, most - existing))}{' '}
      <Link class="way" href="/sistema/plano">
        {words.toPlan}
      </Link>
    </p>
  );
}
