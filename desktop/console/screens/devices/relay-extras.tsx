import type { RelayAnswer, RelayKind } from '#contract/resources/relays.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import { farm } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { relayWords } from './relay-words.ts';

/** As the interface takes them; its own constant would bring every schema into the page. */
const MOST_CHANNELS = 16;

export const NO_EXTRAS = { channel: 1, carrierId: '', host: '' };
type Extras = typeof NO_EXTRAS;

/** What a relay with one channel on the usual network needs nothing of. */
export function RelayExtras({
  kind,
  pointId,
  extras,
  onChange,
}: {
  kind: RelayKind;
  pointId: string;
  extras: Extras;
  onChange: (extras: Extras) => void;
}) {
  const words = relayWords();
  const relays = useGet<RelayAnswer[]>('/relays/', { farm_id: farm.value?.id });
  const carriers = (relays.data ?? []).filter(
    (row) => row.kind === kind && row.carrier_id === null && row.control_point_id !== pointId,
  );
  const isUsual = extras.channel === 1 && extras.carrierId === '';
  return (
    <details open={!isUsual}>
      <summary>{words.more}</summary>
      <div class="stack">
        <SelectField
          label={words.channel}
          hint={words.channelHint}
          value={String(extras.channel)}
          options={Array.from({ length: MOST_CHANNELS }, (_, index) => ({
            value: String(index + 1),
            label: String(index + 1),
          }))}
          onChange={(event) => onChange({ ...extras, channel: Number(event.currentTarget.value) })}
        />
        {carriers.length === 0 ? null : (
          <SelectField
            label={words.carrier}
            value={extras.carrierId}
            options={[
              { value: '', label: words.ownRelay },
              ...carriers.map((row) => ({ value: row.control_point_id, label: words.ofOther(row.cod) })),
            ]}
            onChange={(event) => onChange({ ...extras, carrierId: event.currentTarget.value })}
          />
        )}
        <TextField
          label={words.host}
          hint={words.hostHint}
          value={extras.host}
          maxLength={64}
          autoCapitalize="none"
          spellcheck={false}
          onInput={(event) => onChange({ ...extras, host: event.currentTarget.value })}
        />
      </div>
    </details>
  );
}
