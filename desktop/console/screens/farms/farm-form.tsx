import type { FarmAnswer } from '#contract/resources/farms.ts';
import { farmWords } from '#words/farms.ts';
import { spoken } from '#words/language.ts';
import { systemWords } from '#words/system.ts';
import { WorkButton } from '../../components/button.tsx';
import { ElsewhereNote, useEdited } from '../../components/edited.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { put } from '../../data/api.ts';
import { farms, mayManage } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { zonesWith } from '../../data/zones.ts';
import { readDecimal } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

/** Degrees are kept as text with a point; they are shown as people write figures here. */
const shownDegrees = (text: string | null) => (text ?? '').replace('.', spoken.decimalSign);

/** undefined: cannot be read. */
function degreesOf(typed: string, most: number): string | null | undefined {
  const value = readDecimal(typed);
  if (value === null) return null;
  return Number.isNaN(value) || Math.abs(value) > most ? undefined : String(value);
}

const textsOf = (known: FarmAnswer) => ({
  name: known.name,
  description: known.description ?? '',
  timezone: known.timezone,
  lat: shownDegrees(known.lat),
  lng: shownDegrees(known.lng),
});
type Texts = Readonly<ReturnType<typeof textsOf>>;

export function FarmForm({ known }: { known: FarmAnswer }) {
  const words = farmWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const edited = useEdited<Texts>(textsOf(known));
  const { name, description, timezone, lat, lng } = edited.text;
  const [latValue, lngValue] = [degreesOf(lat, 90), degreesOf(lng, 180)];
  const isLocked = !mayManage.value;
  const isRight = name.trim() !== '' && latValue !== undefined && lngValue !== undefined;
  const values = {
    name: name.trim(),
    description: description.trim() === '' ? null : description.trim(),
    timezone,
    lat: latValue,
    lng: lngValue,
  };
  // what nobody touched stays as it is: a position keeps every digit that it was given with
  const changes = Object.fromEntries(edited.touched.map((field) => [field, values[field]]));
  const labels = {
    name: words.name,
    description: words.description,
    timezone: words.zone,
    lat: words.lat,
    lng: words.lng,
  };
  const save = () =>
    run(async () => {
      await put(`/farms/${known.id}`, changes);
      edited.saved();
      // the event stream tells a farm's name and zone again only when the farms of the person change
      farms.value = farms.value.map((farm) =>
        farm.id === known.id ? { ...farm, name: name.trim(), timezone } : farm,
      );
      refresh('farms', 'logs');
    }, shared.saved);
  return (
    <>
      <div class="form-grid">
        <TextField
          needed
          label={words.name}
          value={name}
          maxLength={255}
          disabled={isLocked}
          onInput={(event) => edited.set({ name: event.currentTarget.value })}
        />
        <SelectField
          label={words.zone}
          hint={words.zoneHint}
          value={timezone}
          disabled={isLocked}
          options={zonesWith(known.timezone).map((zone) => ({
            value: zone,
            label: zone.replace('America/', '').replaceAll('_', ' '),
          }))}
          onChange={(event) => edited.set({ timezone: event.currentTarget.value })}
        />
        <DecimalField
          label={words.lat}
          hint={words.position}
          value={lat}
          disabled={isLocked}
          fault={latValue === undefined ? words.badPosition : null}
          onInput={(event) => edited.set({ lat: event.currentTarget.value })}
        />
        <DecimalField
          label={words.lng}
          value={lng}
          disabled={isLocked}
          fault={lngValue === undefined ? words.badPosition : null}
          onInput={(event) => edited.set({ lng: event.currentTarget.value })}
        />
      </div>
      <TextField
        label={words.description}
        value={description}
        maxLength={10_000}
        disabled={isLocked}
        onInput={(event) => edited.set({ description: event.currentTarget.value })}
      />
      <ElsewhereNote of={edited.elsewhere} label={(field) => labels[field]} />
      <FaultNote fault={fault} />
      {isLocked ? null : (
        <div>
          <WorkButton look="main" disabled={isBlind.value} unready={!isRight} work={save}>
            {shared.save}
          </WorkButton>
        </div>
      )}
    </>
  );
}
