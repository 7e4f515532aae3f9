import { SelectField, TextField } from '../../components/field.tsx';
import { farmControlPoints } from '../../data/farm-store.ts';
import type { Identity } from './use-identity.ts';
import { benchWords } from './words.ts';

export function IdentityStep({ identity }: { identity: Identity }) {
  const words = benchWords();
  return (
    <section class="card stack" aria-labelledby="bench-identity">
      <h2 id="bench-identity">{words.identity}</h2>
      <SelectField
        label={words.point}
        value={identity.pointId}
        options={[
          { value: '', label: words.newPoint },
          ...farmControlPoints.value
            .filter(({ is_simulated }) => !is_simulated)
            .map((point) => ({
              value: point.id,
              label: `${point.cod} · ${point.device_id}`,
            })),
        ]}
        onChange={(event) => identity.choose(event.currentTarget.value)}
      />
      {identity.pointId === '' ? (
        <>
          <TextField
            label={words.code}
            value={identity.code}
            maxLength={255}
            onInput={(event) => identity.setCod(event.currentTarget.value)}
          />
          <TextField
            label={words.device}
            value={identity.deviceId}
            maxLength={255}
            autoCapitalize="none"
            spellcheck={false}
            onInput={(event) => identity.setDevice(event.currentTarget.value)}
          />
        </>
      ) : null}
      <p class="muted small">{words.identityText}</p>
    </section>
  );
}
