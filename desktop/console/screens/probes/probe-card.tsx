import { useState } from 'preact/hooks';
import type {
  ProbeAnswer,
  ProbeBusAnswer,
  ProbeParameter,
  ProbeReading,
} from '#contract/resources/probes.ts';
import { probeWords } from '#words/probes.ts';
import { systemWords } from '#words/system.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { DateField, TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { del, post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { age, calendarDay, instantAt, isoDay, quantity } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const decimalsOf = (parameter: ProbeParameter): number =>
  parameter === 'oxygen_saturation' ? 0 : parameter === 'conductivity' ? 1 : WATER[parameter].decimals;

/**
 * What a probe said last. A value of the past is not shown as if it were one of now. `told`: what is said of a value
 * that is not believed.
 */
export function ReadingList({
  readings,
  isOld,
  told,
}: {
  readings: readonly ProbeReading[];
  isOld: boolean;
  told: 'quality' | 'reason';
}) {
  const words = probeWords();
  return (
    <dl class="facts" data-fresh={isOld ? 'stale' : 'fresh'}>
      {readings.map(({ parameter, unit, value, quality, reason }) => (
        <div key={parameter} data-parameter={parameter}>
          <dt>{words.parameter[parameter]}</dt>
          <dd>
            {isOld ? '—' : quantity(value, decimalsOf(parameter), unit)}
            {isOld || quality === 'good' ? null : (
              <span class="by-line muted small">
                {told === 'reason' && reason !== null ? words.reason[reason] : words.quality[quality]}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What keeps a bus or a probe from being read, in the gateway's own words, and the next thing to do. */
export function TroubleNote({ trouble }: { trouble: ProbeBusAnswer['trouble'] }) {
  const words = probeWords();
  if (trouble === null) return null;
  return (
    <div class="note p2 stack" data-trouble={trouble.code}>
      <p>
        <strong>{trouble.message}</strong>{' '}
        <span class="small">{words.since(age(Math.max(0, now.value - Date.parse(trouble.since))))}</span>
      </p>
      <p>
        {words.whatNow}: {trouble.next}
      </p>
    </div>
  );
}

/** Not the colour tells what a reading is worth. */
const MARK = { good: '●', stale: '○', suspect: '▲', fault: '■' } as const;

export function ProbeCard({ probe, onEdit }: { probe: ProbeAnswer; onEdit: () => void }) {
  const words = probeWords();
  const [asks, setAsks] = useState<'calibrate' | 'remove' | null>(null);
  const { last_answer_at: answered } = probe;
  return (
    <li
      class="card stack"
      data-probe={probe.name}
      data-quality={probe.is_enabled ? probe.quality : 'off'}
      data-trouble={probe.trouble?.code}
    >
      <div>
        <h2>
          {probe.pond_cod} · {probe.name}
        </h2>
        <p class="muted small">
          {words.qualityName}:{' '}
          <strong>
            {probe.is_enabled ? (
              <>
                <span aria-hidden="true">{MARK[probe.quality]}</span> {words.quality[probe.quality]}
              </>
            ) : (
              words.off
            )}
          </strong>
          {' · '}
          {answered === null
            ? words.neverAnswered
            : words.answered(age(Math.max(0, now.value - Date.parse(answered))))}
          {' · '}
          {probe.profile_name} · {words.address(probe.unit_id)}
        </p>
      </div>
      <ReadingList readings={probe.readings} isOld={probe.quality === 'stale'} told="quality" />
      {probe.is_enabled ? <TroubleNote trouble={probe.trouble} /> : null}
      {probe.is_enabled && probe.trouble === null ? <Doubt readings={probe.readings} /> : null}
      <Calibration probe={probe} />
      {mayOperate.value ? (
        <div class="row">
          <Button
            look={probe.is_calibration_due ? 'main' : 'plain'}
            disabled={isBlind.value}
            onClick={() => setAsks('calibrate')}
          >
            {words.calibrate}
          </Button>
          <Button disabled={isBlind.value} onClick={onEdit}>
            {words.edit}
          </Button>
          <Button look="danger" disabled={isBlind.value} onClick={() => setAsks('remove')}>
            {words.remove}
          </Button>
        </div>
      ) : null}
      {asks === 'calibrate' ? <CalibrationDialog probe={probe} onClose={() => setAsks(null)} /> : null}
      {asks === 'remove' ? (
        <ConfirmDialog
          title={words.removeTitle(`${probe.pond_cod} · ${probe.name}`)}
          label={words.remove}
          work={async () => {
            await del(`/probes/${probe.id}`);
            refresh('probes', 'probe-buses');
            toast(words.removed, null, 4_000);
          }}
          onClose={() => setAsks(null)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}

/** It answers, and is not believed: why, and what a hand does about it. */
function Doubt({ readings }: { readings: readonly ProbeReading[] }) {
  const words = probeWords();
  const reasons = [...new Set(readings.map(({ reason }) => reason))];
  const [reason] = reasons.filter((one) => one !== null && one !== 'NO_ANSWER');
  if (reason === undefined) return null;
  return (
    <div class="note p3 stack" data-reason={reason}>
      <p>
        <strong>{words.doubt(words.reason[reason])}</strong>
      </p>
      <p>
        {words.whatNow}: {words.what[reason]}
      </p>
      <p class="small">{words.notUsed}</p>
    </div>
  );
}

function Calibration({ probe }: { probe: ProbeAnswer }) {
  const words = probeWords();
  const done =
    probe.calibrated_at === null ? words.neverCalibrated : words.calibrated(calendarDay(probe.calibrated_at));
  const due =
    probe.calibration_due_at === null ? '' : ` · ${words.dueOn(calendarDay(probe.calibration_due_at))}`;
  return (
    <p class={probe.is_calibration_due ? 'note p3' : 'muted small'}>
      <span>
        {probe.is_calibration_due ? <strong>{words.due} </strong> : null}
        {done}
        {due}
      </span>
    </p>
  );
}

/** Notes that a probe was calibrated; from that day the next reminder counts. */
function CalibrationDialog({ probe, onClose }: { probe: ProbeAnswer; onClose: () => void }) {
  const words = probeWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const today = isoDay(now.value);
  const [day, setDay] = useState(today);
  const [notes, setNotes] = useState('');
  const save = async () => {
    const isDone = await run(async () => {
      await post(`/probes/${probe.id}/calibrations`, {
        ...(day === today ? {} : { calibrated_at: instantAt(day, '12:00') }),
        ...(notes.trim() === '' ? {} : { notes: notes.trim() }),
      });
      refresh('probes');
    }, words.calibrateDone);
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={words.calibrateTitle(probe.name)}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            disabled={isBlind.value}
            unready={day === '' || day > today}
            work={save}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <DateField needed label={words.calibrateDay} value={day} max={today} onDay={setDay} />
      <TextField
        label={words.calibrateNotes}
        hint={words.calibrateHint}
        value={notes}
        maxLength={1_000}
        onInput={(event) => setNotes(event.currentTarget.value)}
      />
      <FaultNote fault={fault} />
    </Dialog>
  );
}
