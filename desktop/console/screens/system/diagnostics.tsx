import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { farmControlPoints, presence } from '../../data/farm-store.ts';
import { type Readiness, useReadiness } from '../../data/health.ts';
import { link } from '../../data/live.ts';
import { figure } from '../../i18n/format.ts';
import { ClockCard } from './clock-card.tsx';
import { healthWords } from './health-words.ts';
import { SystemPage } from './system-page.tsx';

/** How the gateway is, in its own words. */
export function Diagnostics() {
  const words = healthWords();
  const readiness = useReadiness();
  const points = farmControlPoints.value.filter(({ is_simulated }) => !is_simulated);
  const online = points.filter(({ id }) => presence.value.get(id)?.is_online === true).length;
  return (
    <SystemPage
      title={words.diagnostics}
      action={<Button onClick={() => void readiness.refetch()}>{words.again}</Button>}
    >
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
      <Answer of={readiness}>{(told) => <Checks told={told} />}</Answer>
      <ClockCard />
    </SystemPage>
  );
}

function Checks({ told }: { told: Readiness }) {
  const words = healthWords();
  const names: Readonly<Record<string, string>> = words.check;
  return (
    <section class="stack">
      <p class={`note ${told.ready ? '' : 'p1'}`}>{told.ready ? words.ready : words.notReady}</p>
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
                  {detail}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
