import type { DoctorReport } from '#contract/resources/system-doctor.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { farmControlPoints, isOwner, presence } from '../../data/farm-store.ts';
import { type Readiness, useReadiness } from '../../data/health.ts';
import { isHosted } from '../../data/instance.ts';
import { link } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { ClockCard } from './clock-card.tsx';
import { Findings } from './findings.tsx';
import { healthWords } from './health-words.ts';
import { SystemPage } from './system-page.tsx';

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
