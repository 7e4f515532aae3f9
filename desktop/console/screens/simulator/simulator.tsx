import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { MOST_SIMULATED, type SimulatorAnswer } from '#contract/resources/simulator.ts';
import { simulatorWords } from '#words/simulator.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { CountField, useCount } from '../../components/figure-field.tsx';
import { SimulatedMark, watermark } from '../../components/simulated.tsx';
import { del, post, put } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { age, quantity } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { ConditionsDialog, troublesOf, WELL } from './conditions-dialog.tsx';

type One = SimulatorAnswer['controllers'][number];

/** Virtual controllers of the farm: made, started, given trouble, stopped, taken away. */
export function Simulator() {
  const words = simulatorWords();
  const farmId = farm.value?.id;
  if (isHosted.value || !mayOperate.value || farmId === undefined) {
    return (
      <SystemPage title={words.title}>
        <Empty text={isHosted.value ? words.onlyHere : systemWords().noRight} />
      </SystemPage>
    );
  }
  return (
    <SystemPage title={words.title}>
      <p class="muted">{words.intro}</p>
      <OfFarm key={farmId} farmId={farmId} />
    </SystemPage>
  );
}

function OfFarm({ farmId }: { farmId: string }) {
  const simulator = useGet('/simulator', { farm_id: farmId });
  return (
    <Answer of={simulator}>
      {(answer) => (
        <>
          <div class="two-columns">
            {answer.controllers.length === 0 ? null : <Stand answer={answer} />}
            <Making answer={answer} />
          </div>
          {answer.controllers.length === 0 ? null : <SimulatedList answer={answer} />}
        </>
      )}
    </Answer>
  );
}

const isAlive = ({ state }: SimulatorAnswer) => state === 'starting' || state === 'running';

function Stand({ answer }: { answer: SimulatorAnswer }) {
  const words = simulatorWords();
  const { fault, run } = useWork(words.faults);
  const { farm_id, state, started_at, controllers } = answer;
  const connected = controllers.filter((one) => one.now?.is_connected === true).length;
  const order = (what: 'start' | 'stop') =>
    run(() => post(`/simulator/${what}`, { farm_id }).finally(() => refresh('simulator')));
  return (
    <section class="card stack" aria-labelledby="simulator-stand" data-simulator={state}>
      <div class="row apart">
        <h2 id="simulator-stand">{words.state[state]}</h2>
        <SimulatedMark is />
      </div>
      {isAlive(answer) ? (
        <>
          <p>
            {words.connected(connected, controllers.length)}
            {started_at === null ? '' : ` · ${words.since(age(now.value - Date.parse(started_at)))}`}
          </p>
          <progress
            class="wide"
            aria-label={words.connected(connected, controllers.length)}
            value={connected}
            max={controllers.length}
          />
        </>
      ) : null}
      {state === 'stopped' ? <p class="muted">{words.stoppedText}</p> : null}
      {state === 'failed' ? (
        <p class="note p2" role="alert">
          {words.failedText}
        </p>
      ) : null}
      <FaultNote fault={fault} />
      <div>
        {isAlive(answer) ? (
          <WorkButton key="stop" disabled={isBlind.value} work={() => order('stop')}>
            {words.stop}
          </WorkButton>
        ) : (
          <WorkButton key="start" look="main" disabled={isBlind.value} work={() => order('start')}>
            {words.start}
          </WorkButton>
        )}
      </div>
    </section>
  );
}

function Making({ answer }: { answer: SimulatorAnswer }) {
  const words = simulatorWords();
  const { fault, run } = useWork(words.faults);
  const { farm_id, free, controllers } = answer;
  const count = useCount('4', { most: Math.min(free, MOST_SIMULATED) });
  const [isRemoving, setRemoving] = useState(false);
  const renew = () => refresh('simulator', 'control-points', 'devices');
  const make = () =>
    run(
      () => post('/simulator/controllers', { farm_id, count: count.value }).finally(renew),
      words.made(count.value ?? 0),
    );
  return (
    <section class="card stack" aria-labelledby="simulator-controllers">
      <h2 id="simulator-controllers">{words.controllers}</h2>
      {controllers.length === 0 ? <p>{words.none}</p> : null}
      {free > 0 && !isAlive(answer) ? (
        <>
          <CountField label={words.howMany} hint={words.free(free)} count={count} />
          <div>
            <WorkButton
              look={controllers.length === 0 ? 'main' : 'plain'}
              disabled={isBlind.value}
              unready={!count.isRight}
              work={make}
            >
              {words.make}
            </WorkButton>
          </div>
        </>
      ) : (
        <p class="muted">{free === 0 ? words.full : `${words.free(free)} ${words.stopFirst}`}</p>
      )}
      <FaultNote fault={fault} />
      {controllers.length === 0 ? null : (
        <div>
          <Button look="danger" disabled={isBlind.value} onClick={() => setRemoving(true)}>
            {words.remove}
          </Button>
        </div>
      )}
      {isRemoving ? (
        <ConfirmDialog
          title={words.removeTitle(controllers.length)}
          label={words.remove}
          isReady={!isBlind.value}
          work={() => del(`/simulator/controllers?farm_id=${farm_id}`).finally(renew)}
          onClose={() => setRemoving(false)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

/** Each virtual controller as it stands in the simulator itself, and what is wrong with it. */
function SimulatedList({ answer }: { answer: SimulatorAnswer }) {
  const words = simulatorWords();
  const { farm_id, controllers } = answer;
  const { fault, run } = useWork(words.faults);
  const [asked, ask] = useState<readonly One[] | null>(null);
  const isAnyTroubled = controllers.some(({ conditions }) => troublesOf(conditions).length > 0);
  const heal = () =>
    run(() => put('/simulator/conditions', { farm_id, ...WELL }).finally(() => refresh('simulator')));
  return (
    <>
      <div class="row">
        <Button disabled={isBlind.value} onClick={() => ask(controllers)}>
          {words.changeAll}
        </Button>
        <WorkButton disabled={isBlind.value} why={isAnyTroubled ? null : words.nothingToHeal} work={heal}>
          {words.heal}
        </WorkButton>
      </div>
      <FaultNote fault={fault} />
      <ul class="cards">
        {controllers.map((one) => (
          <SimulatedCard key={one.control_point_id} one={one} onChange={() => ask([one])} />
        ))}
      </ul>
      {asked === null ? null : <ConditionsDialog farmId={farm_id} of={asked} onClose={() => ask(null)} />}
    </>
  );
}

function SimulatedCard({ one, onChange }: { one: One; onChange: () => void }) {
  const words = simulatorWords();
  const troubles = troublesOf(one.conditions);
  return (
    <li class="card stack" data-virtual={one.cod} {...watermark(true)}>
      <h2>
        <Link class="way" href={`/sistema/dispositivos/${one.control_point_id}`}>
          {one.cod}
        </Link>
      </h2>
      <p>{nowOf(one)}</p>
      <p class={troubles.length === 0 ? 'muted small' : 'small'} data-troubles={troubles.length}>
        {troubles.length === 0 ? words.well : troubles.join(' · ')}
      </p>
      <div class="row">
        <Button disabled={isBlind.value} aria-label={`${words.change}: ${one.cod}`} onClick={onChange}>
          {words.change}
        </Button>
        <Link
          class="button quiet"
          aria-label={`${words.shadow}: ${one.cod}`}
          href={`/sistema/bancada/sombra/${one.control_point_id}`}
        >
          {words.shadow}
        </Link>
      </div>
    </li>
  );
}

function nowOf({ now }: One): string {
  const words = simulatorWords().now;
  if (now === null) return words.rests;
  if (!now.is_powered) return words.noPower;
  return [
    now.is_connected ? words.connected : words.notConnected,
    now.current_status === 'ON' ? words.on : words.off,
    now.is_motor_running ? words.runs(quantity(now.consumption_kw, 2, 'kW')) : null,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}
