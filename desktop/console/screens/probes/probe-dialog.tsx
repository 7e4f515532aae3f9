import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type {
  busReadAnswer,
  ProbeAnswer,
  ProbeBusAnswer,
  ProbeProfileAnswer,
} from '#contract/resources/probes.ts';
import { probeWords } from '#words/probes.ts';
import { systemWords } from '#words/system.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { CheckField, DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { get, post, put } from '../../data/api.ts';
import { useSend } from '../../data/corrections.ts';
import { isBlind } from '../../data/live.ts';
import { usePonds } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { readCount } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { ReadingList } from './probe-card.tsx';

/** Where a new probe was found; null: nobody looked. */
export type ProbePlace = { probe_bus_id: string; unit_id: number | null };
type Readings = z.infer<typeof busReadAnswer>['readings'];

const isWithin = (value: number | null, least: number, most: number) =>
  value !== null && value >= least && value <= most;
const DELIVERED_UNIT = 1;

/** A probe into a pond, or what changes about one that hangs there. */
export function ProbeDialog({
  of,
  buses,
  profiles,
  count,
  onClose,
}: {
  of: ProbeAnswer | ProbePlace;
  buses: readonly ProbeBusAnswer[];
  profiles: readonly ProbeProfileAnswer[];
  count: number;
  onClose: () => void;
}) {
  const words = probeWords();
  const shared = systemWords();
  const { ponds } = usePonds();
  const { fault, setFault, run } = useWork();
  const send = useSend();
  const known = 'id' in of ? of : null;
  const [bus, setBus] = useState(of.probe_bus_id);
  const [unit, setUnit] = useState(of.unit_id === null ? '' : String(of.unit_id));
  const [typedModel, setModel] = useState(known?.probe_profile_id ?? '');
  const [typedPond, setPond] = useState(known?.pond_id ?? '');
  const [name, setName] = useState(known?.name ?? words.newName(count + 1));
  const [pace, setPace] = useState(String(known?.poll_s ?? 10));
  const [remind, setRemind] = useState(known === null ? '30' : String(known.calibration_days ?? ''));
  const [isEnabled, setEnabled] = useState(known?.is_enabled ?? true);
  const [readings, setReadings] = useState<Readings | null>(null);
  const model = typedModel === '' ? (profiles[0]?.id ?? '') : typedModel;
  const pond = typedPond === '' ? (ponds[0]?.id ?? '') : typedPond;
  const delivered = profiles.find(({ id }) => id === model)?.serial?.unit_id ?? DELIVERED_UNIT;
  const unitId = unit === '' ? delivered : readCount(unit);
  const [pollS, days] = [readCount(pace), readCount(remind)];
  const isRight = {
    unit: isWithin(unitId, 1, 247),
    pace: isWithin(pollS, 2, 300),
    remind: days === null || isWithin(days, 1, 730),
  };
  /** Another place or model: what was read there tells nothing of here. */
  const elsewhere = (set: () => void) => {
    set();
    setReadings(null);
  };
  const readNow = () =>
    run(async () => {
      setReadings(null);
      const told = await post(`/probe-buses/${bus}/read`, {
        unit_id: unitId,
        probe_profile_id: model,
      });
      setReadings(told.readings);
    });
  const rewritten = useRewritten(known, () => get(`/probes/${known?.id ?? ''}`));
  const save = async () => {
    const wanted = {
      pond_id: pond,
      probe_bus_id: bus,
      unit_id: unitId,
      probe_profile_id: model,
      name: name.trim(),
      poll_s: pollS,
      calibration_days: days,
      is_enabled: isEnabled,
    };
    if (!(await rewritten.mayOverwrite(wanted))) return;
    const isDone = await run(async () => {
      await (known === null
        ? send('/probes/', wanted)
        : put(`/probes/${known.id}`, rewritten.changesOf(wanted)));
      refresh('probes', 'probe-buses');
    }, words.saved);
    if (isDone) onClose();
  };
  const labels: Readonly<Record<string, string>> = {
    pond_id: words.pond,
    probe_bus_id: words.bus,
    unit_id: words.unit,
    probe_profile_id: words.model,
    name: words.name,
    poll_s: words.pace,
    calibration_days: words.remind,
    is_enabled: words.enabled,
  };
  const mayRead = isRight.unit && bus !== '' && model !== '' && !isBlind.value;
  return (
    <Dialog
      title={known === null ? words.add : `${known.pond_cod} · ${known.name}`}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            unready={!mayRead || !isRight.pace || !isRight.remind || pond === '' || name.trim() === ''}
            work={save}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      {ponds.length === 0 ? <p class="note">{words.noPond}</p> : null}
      <div class="form-grid">
        <SelectField
          needed
          label={words.pond}
          value={pond}
          options={ponds.map(({ id, cod }) => ({ value: id, label: cod }))}
          onChange={(event) => setPond(event.currentTarget.value)}
        />
        <TextField
          needed
          label={words.name}
          value={name}
          maxLength={255}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <SelectField
          label={words.model}
          value={model}
          options={profiles.map(({ id, name: label }) => ({ value: id, label }))}
          onChange={({ currentTarget: { value } }) => elsewhere(() => setModel(value))}
        />
        <SelectField
          label={words.bus}
          value={bus}
          options={buses.map(({ id, name: label }) => ({ value: id, label }))}
          onChange={({ currentTarget: { value } }) => elsewhere(() => setBus(value))}
        />
        <DecimalField
          label={words.unit}
          hint={words.unitHint}
          inputMode="numeric"
          value={unit}
          placeholder={String(delivered)}
          fault={isRight.unit ? null : words.badUnit}
          onInput={({ currentTarget: { value } }) => elsewhere(() => setUnit(value))}
        />
        <DecimalField
          label={words.pace}
          unit="s"
          inputMode="numeric"
          value={pace}
          fault={isRight.pace ? null : words.badPace}
          onInput={(event) => setPace(event.currentTarget.value)}
        />
        <DecimalField
          label={words.remind}
          hint={words.remindHint}
          inputMode="numeric"
          value={remind}
          fault={isRight.remind ? null : words.badRemind}
          onInput={(event) => setRemind(event.currentTarget.value)}
        />
      </div>
      {known === null ? null : (
        <CheckField
          label={words.enabled}
          checked={isEnabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
      )}
      <div class="row">
        <WorkButton unready={!mayRead} work={readNow} onFocus={() => setFault(null)}>
          {words.readNow}
        </WorkButton>
        <span class="muted small grow">{words.readHint}</span>
      </div>
      {readings === null ? null : (
        <div role="status">
          <ReadingList readings={readings} isOld={false} told="reason" />
        </div>
      )}
      <ElsewhereNote
        of={rewritten.elsewhere}
        label={(field) => labels[field] ?? field}
        shown={(_, text) =>
          [...ponds.map(({ id, cod }) => ({ id, name: cod })), ...profiles, ...buses].find(
            ({ id }) => id === text,
          )?.name ?? text
        }
      />
      <FaultNote fault={fault} />
    </Dialog>
  );
}
