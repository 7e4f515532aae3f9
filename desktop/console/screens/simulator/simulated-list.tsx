import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { SimulatorAnswer } from '#contract/resources/simulator.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { watermark } from '../../components/simulated.tsx';
import { put } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { quantity } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { ConditionsDialog } from './conditions-dialog.tsx';
import { troublesOf, WELL } from './troubles.ts';
import { simulatorWords } from './words.ts';

type One = SimulatorAnswer['controllers'][number];

/** Each virtual controller as it stands in the simulator itself, and what is wrong with it. */
export function SimulatedList({ answer }: { answer: SimulatorAnswer }) {
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
        <WorkButton disabled={isBlind.value || !isAnyTroubled} work={heal}>
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
