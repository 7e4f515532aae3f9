import { useState } from 'preact/hooks';
import type { DoctorReport, Finding } from '#contract/resources/system-doctor.ts';
import { healthWords } from '#words/box.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { DateField, TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { farmControlPoints, isOwner, mayOperate, presence } from '../../data/farm-store.ts';
import { type Readiness, useReadiness } from '../../data/health.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind, link } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { TIME } from '../../data/schedules.ts';
import { clockTime, dayAndTime, figure, instantAt, isoDay } from '../../i18n/format.ts';
import { adviceLanguage } from '../../i18n/language.ts';
import { useWork } from '../system/use-work.ts';
import { BoxCare } from './care.tsx';
import { FaultNote, SystemPage } from './system-page.tsx';

const LOOK = { bad: 'p1', warn: 'p2', note: '' } as const;

/** How the gateway is: for whoever owns it each thing that is wrong and what to do; for the others, which part is well. */
export function Diagnostics() {
  const words = healthWords();
  const readiness = useReadiness();
  // the doctor speaks to the owner alone; a hosted instance is its operator's matter
  const hasDoctor = isOwner.value && !isHosted.value;
  const doctor = useGet(hasDoctor ? '/system/doctor' : null);
  const lookAgain = () => {
    void readiness.refetch();
    if (hasDoctor) void doctor.refetch();
  };
  const points = farmControlPoints.value.filter(({ is_simulated }) => !is_simulated);
  const online = points.filter(({ id }) => presence.value.get(id)?.is_online === true).length;
  return (
    <SystemPage title={words.diagnostics} action={<Button onClick={lookAgain}>{words.again}</Button>}>
      <dl class="facts card">
        <div>
          <dt>{words.link}</dt>
          <dd>{words.linkState[link.value]}</dd>
        </div>
        <div>
          <dt>{words.devices}</dt>
          <dd>{words.devicesOf(figure(online), figure(points.length))}</dd>
        </div>
      </dl>
      <Answer of={readiness}>
        {(told) => (
          <>
            <p class={`note ${told.ready ? '' : 'p1'}`}>{standingOf(told.ready)}</p>
            {hasDoctor ? null : <Checks told={told} />}
          </>
        )}
      </Answer>
      {hasDoctor ? (
        <div class="stack long-awaited">
          <Answer of={doctor}>{(report) => <Findings report={report} />}</Answer>
        </div>
      ) : null}
      <ClockCard />
      <BoxCare />
    </SystemPage>
  );
}

function standingOf(isReady: boolean): string {
  const words = healthWords();
  if (isHosted.value) return isReady ? words.cloudReady : words.cloudNotReady;
  return isReady ? words.ready : words.notReady;
}

function Checks({ told }: { told: Readiness }) {
  const words = healthWords();
  const names: Readonly<Record<string, string>> = words.check;
  const reasons: Readonly<Record<string, string>> = words.reason;
  // what a part says while it is well is for machines; of one in trouble it is all there is
  const said = (name: string, ok: boolean, detail = '') =>
    reasons[detail] ?? (ok ? '' : name === 'backup' ? words.backupBad : detail);
  return (
    <div class="table-frame">
      <table class="table stacks">
        <thead>
          <tr>
            <th scope="col">{words.part}</th>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.detail}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(told.checks).map(([name, { ok, detail }]) => (
            <tr key={name}>
              <th scope="row">{names[name] ?? name}</th>
              <td data-label={words.state}>{ok ? `✓ ${words.ok}` : <strong>▲ {words.bad}</strong>}</td>
              <td data-label={words.detail} class="breaks">
                {said(name, ok, detail)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the doctor of the gateway found, each with what a hand does next; what is well is folded away. */
function Findings({ report }: { report: DoctorReport }) {
  const words = healthWords();
  const well = report.findings.filter(({ severity }) => severity === 'ok');
  const rest = report.findings.filter(({ severity }) => severity !== 'ok');
  return (
    <section class="stack">
      <h2>{words.attention}</h2>
      {rest.length === 0 ? (
        <p class="note">{words.allWell}</p>
      ) : (
        <ul class="stack">
          {rest.map((found, index) => (
            <li key={`${found.id} ${index}`}>
              <FindingNote found={found} />
            </li>
          ))}
        </ul>
      )}
      <details class="card">
        <summary>{words.inOrder(figure(well.length))}</summary>
        <ul class="lines">
          {well.map(({ id, sentence }, index) => (
            <li key={`${id} ${index}`}>✓ {sentence[adviceLanguage]}</li>
          ))}
        </ul>
      </details>
    </section>
  );
}

function FindingNote({ found: { id, severity, sentence, next_step } }: { found: Finding }) {
  const words = healthWords();
  if (severity === 'ok') return null;
  return (
    <div class={`note ${LOOK[severity]}`} data-finding={id}>
      <div class="breaks">
        <p>
          <strong>
            {severity === 'note' ? '' : '▲ '}
            {words.severity[severity]}:
          </strong>{' '}
          {sentence[adviceLanguage]}
        </p>
        {next_step === null ? null : (
          <p class="muted">
            {words.toDo}: {next_step[adviceLanguage]}
          </p>
        )}
      </div>
    </div>
  );
}

/** The time that schedules are read off, whether it is to be trusted, and the way to set it by hand. */
function ClockCard() {
  const words = healthWords();
  const clock = useGet('/system/clock');
  const { fault, run } = useWork();
  const confirm = () =>
    run(async () => {
      await post('/system/clock', {});
      refresh('system');
    }, words.confirmed);
  return (
    <section class="card stack">
      <h2>{isHosted.value ? words.cloudClock : words.clock}</h2>
      <Answer of={clock}>
        {(told) => (
          <>
            <p>
              <strong class="plan-name">{dayAndTime(now.value)}</strong>{' '}
              <span class="muted">
                {words[told.quality]} · {words.reason[told.reason]}
                {told.correction_s === 0 ? '' : ` · ${words.correction(figure(told.correction_s, 1))}`}
              </span>
            </p>
            {told.quality === 'estimated' && mayOperate.value && !isHosted.value ? (
              <div>
                <WorkButton big look="main" disabled={isBlind.value} work={confirm}>
                  {words.isRight}
                </WorkButton>
              </div>
            ) : null}
            <FaultNote fault={fault} />
            {/* nobody of a farm sets the clock of the cloud */}
            {mayOperate.value && !isHosted.value ? <SetByHand shown={told.server_time} /> : null}
          </>
        )}
      </Answer>
    </section>
  );
}

function SetByHand({ shown }: { shown: string }) {
  const words = healthWords();
  const [day, setDay] = useState(() => isoDay(now.value));
  const [time, setTime] = useState('');
  const [reason, setReason] = useState('');
  const [isAsking, setAsking] = useState(false);
  const isRight = day !== '' && TIME.test(time);
  const set = async () => {
    await post('/system/clock', {
      server_time: instantAt(day, time),
      replaces: shown,
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    });
    refresh('system');
  };
  return (
    <details>
      <summary>{words.setByHand}</summary>
      <div class="stack">
        <p class="muted">{words.setText}</p>
        <div class="form-grid">
          <DateField label={words.day} value={day} onDay={setDay} />
          <TextField
            label={words.time}
            value={time}
            placeholder={clockTime(now.value)}
            inputMode="numeric"
            maxLength={5}
            fault={time === '' || TIME.test(time) ? null : words.badTime}
            onInput={(event) => setTime(event.currentTarget.value)}
          />
          <TextField
            label={words.why}
            value={reason}
            maxLength={255}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
        <div>
          <Button look="danger" disabled={isBlind.value} unready={!isRight} onClick={() => setAsking(true)}>
            {words.set}
          </Button>
        </div>
      </div>
      {isAsking ? (
        <ConfirmDialog title={words.setTitle} label={words.set} work={set} onClose={() => setAsking(false)}>
          <p>{words.setWarn(dayAndTime(now.value), dayAndTime(instantAt(day, time)))}</p>
        </ConfirmDialog>
      ) : null}
    </details>
  );
}
