import { useState } from 'preact/hooks';
import type { ProbeAnswer } from '#contract/resources/probes.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { instantAt, isoDay } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { systemWords } from '../system/words.ts';
import { probeWords } from './words.ts';

/** Notes that a probe was calibrated; from that day the next reminder counts. */
export function CalibrationDialog({ probe, onClose }: { probe: ProbeAnswer; onClose: () => void }) {
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
          <WorkButton big look="main" disabled={isBlind.value || day === '' || day > today} work={save}>
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <TextField
        label={words.calibrateDay}
        type="date"
        value={day}
        max={today}
        onInput={(event) => setDay(event.currentTarget.value)}
      />
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
