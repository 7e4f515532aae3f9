import type { DoctorReport, Finding } from '#contract/resources/system-doctor.ts';
import { healthWords } from '#words/box.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { farmControlPoints, isOwner, presence } from '../../data/farm-store.ts';
import { type Readiness, useReadiness } from '../../data/health.ts';
import { isHosted } from '../../data/instance.ts';
import { link } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { adviceLanguage } from '../../i18n/language.ts';
import { ClockCard } from './clock-card.tsx';
import { SystemPage } from './system-page.tsx';

const LOOK = { bad: 'p1', warn: 'p2', note: '' } as const;

/** How the gateway is: for whoever owns it each thing that is wrong and what to do; for the others, which part is well. */
export function Diagnostics() {
  const words = healthWords();
  const readiness = useReadiness();
  // the doctor speaks to the owner alone; a hosted instance is its operator's matter
  const hasDoctor = isOwner.value && !isHosted.value;
  const doctor = useGet<DoctorReport>(hasDoctor ? '/system/doctor' : null);
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
      {hasDoctor ? <Answer of={doctor}>{(report) => <Findings report={report} />}</Answer> : null}
      <ClockCard />
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
