import { useState } from 'preact/hooks';
import { scheduleWords } from '#words/aeration.ts';
import { welcomeWords } from '#words/onboarding.ts';
import { AllAnswered, Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { useBatches } from '../../data/batches.ts';
import { farm, farmAirPoints } from '../../data/farm-store.ts';
import { addressForOthers } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { schedulesAt, useSchedules } from '../../data/schedules.ts';
import { calendarDay } from '../../i18n/format.ts';
import { ruleText } from '../aeration/reason-text.ts';
import { ScheduleDialog } from '../aeration/schedule-dialog.tsx';
import { NoFolder } from '../backup/backup.tsx';
import { KeyCard, type NewKey, RecoverySheet } from '../backup/recovery-key.tsx';
import { StockingForm } from '../batches/stocking.tsx';
import { PairBox } from '../gateways/claim.tsx';
import { phoneIn } from './checklist.tsx';

// What makes a farm that can be watched one that runs by itself: its schedule, its first batch, the key of its backups,
// a phone; and on a hosted instance the box at the farm.

export function BoxStep({ code, onDone }: { code: string; onDone: () => void }) {
  const words = welcomeWords();
  const boxes = useGet('/sync/gateways');
  return (
    <>
      <h2>{words.box}</h2>
      <Answer of={boxes}>
        {(rows) =>
          rows.length > 0 && code === '' ? (
            <p>
              {words.haveBoxes(rows.length)} {words.boxTaken}
            </p>
          ) : (
            <>
              <p class="muted">{words.boxText}</p>
              <PairBox first={code} onDone={onDone} />
              <p class="muted">{words.boxNone}</p>
            </>
          )
        }
      </Answer>
    </>
  );
}

export function ScheduleStep() {
  const words = welcomeWords();
  const known = useSchedules();
  const [isAdding, setAdding] = useState(false);
  const points = farmAirPoints.value;
  // those of real motors first: the dialog begins with the first one
  const inOrder = points.toSorted((a, b) => Number(a.is_simulated) - Number(b.is_simulated));
  return (
    <>
      <h2>{words.schedule}</h2>
      <p class="muted">{words.scheduleText}</p>
      {farm.value === null || inOrder.length === 0 ? (
        <p>{farm.value === null ? words.farmFirst : words.noPoint}</p>
      ) : (
        <>
          <Answer of={known}>
            {(all) => (
              <ul class="stack" aria-label={scheduleWords().repeat}>
                {inOrder.flatMap((point) =>
                  schedulesAt(all, point.id).map((schedule) => (
                    <li key={schedule.id}>
                      <strong>{point.cod}</strong> {ruleText(schedule)}
                    </li>
                  )),
                )}
              </ul>
            )}
          </Answer>
          <div>
            <Button big look={known.data?.size === 0 ? 'main' : 'plain'} onClick={() => setAdding(true)}>
              {words.addSchedule}
            </Button>
          </div>
        </>
      )}
      {isAdding ? <ScheduleDialog schedule={null} points={inOrder} onClose={() => setAdding(false)} /> : null}
    </>
  );
}

export function BatchStep({ onDone }: { onDone: () => void }) {
  const words = welcomeWords();
  const batches = useBatches();
  if (farm.value === null) return <FarmFirst title={words.batch} />;
  return (
    <>
      <h2>{words.batch}</h2>
      <p class="muted">{words.batchText}</p>
      <Answer of={batches}>
        {(rows) =>
          rows.length > 0 ? (
            <p>
              {words.haveBatches(rows.length)} {rows.map(({ batch_code }) => batch_code).join(' · ')}
            </p>
          ) : (
            <StockingForm asked={null} onSaved={onDone} onUndone={() => undefined} />
          )
        }
      </Answer>
    </>
  );
}

export function FarmFirst({ title }: { title: string }) {
  return (
    <>
      <h2>{title}</h2>
      <p>{welcomeWords().farmFirst}</p>
    </>
  );
}

export function KeyStep() {
  const words = welcomeWords();
  const state = useGet('/system/backup');
  const [made, setMade] = useState<NewKey | null>(null);
  if (made !== null) {
    return <RecoverySheet made={made} folder={state.data?.folder ?? null} onClose={() => setMade(null)} />;
  }
  return (
    <Answer of={state}>
      {(data) => (
        <>
          <h2>{words.steps.chave}</h2>
          {data.key === null ? null : <p>{words.haveKey(calendarDay(data.key.made_at))}</p>}
          {data.folder === null ? <NoFolder /> : <KeyCard state={data} onMade={setMade} />}
        </>
      )}
    </Answer>
  );
}

export function PhoneStep() {
  const words = welcomeWords();
  const identity = useGet('/system/identity');
  const sessions = useGet('/auth/sessions');
  return (
    <>
      <h2>{words.phone}</h2>
      <p class="muted">{words.phoneText}</p>
      <AllAnswered of={[identity, sessions]}>
        {(known, rows) => {
          const address = addressForOthers(location, known);
          const phone = phoneIn(rows);
          return (
            <>
              {address === null ? (
                <p class="note">{words.phoneUnknown}</p>
              ) : (
                <div class="stack" data-address={address}>
                  <CopyText label={words.phoneAddress} text={address} />
                  <QrCode text={address} label={words.phoneAddress} />
                </div>
              )}
              <p class="muted">{words.phoneInstall}</p>
              {phone === null ? null : <p role="status">✓ {words.havePhone(phone)}</p>}
            </>
          );
        }}
      </AllAnswered>
    </>
  );
}
