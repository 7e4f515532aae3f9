import { useState } from 'preact/hooks';
import type { SimulatorAnswer, SimulatorConditions } from '#contract/resources/simulator.ts';
import { simulatorWords } from '#words/simulator.ts';
import { systemWords } from '#words/system.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { CountField, useCount } from '../../components/figure-field.tsx';
import { put } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { figure, percent } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Chosen = readonly SimulatorAnswer['controllers'][number][];
const CLOCKS = ['right', 'ahead', 'behind'] as const;
type ClockIs = (typeof CLOCKS)[number];
const SIGNS: Readonly<Record<ClockIs, number>> = { right: 0, ahead: 1, behind: -1 };
const MOST_DELAY_MS = 10_000;
const MOST_LOSS_PERCENT = 90;
const MOST_SKEW_S = 86_400;

/** What shall be wrong with one virtual controller, or with all of them alike. */
export function ConditionsDialog({
  farmId,
  of: chosen,
  onClose,
}: {
  farmId: string;
  of: Chosen;
  onClose: () => void;
}) {
  const words = simulatorWords();
  const { fault, run } = useWork(words.faults);
  const [typed, setTyped] = useState(() => commonOf(chosen));
  const set = (part: Partial<SimulatorConditions>) => setTyped({ ...typed, ...part });
  const delay = useCount(String(typed.delay_ms), { mayBeZero: true, most: MOST_DELAY_MS });
  const loss = useCount(String(Math.round(typed.loss * 100)), { mayBeZero: true, most: MOST_LOSS_PERCENT });
  const [clock, setClock] = useState<ClockIs>(() => clockOf(typed.clock_skew_s));
  const skew = useCount(String(Math.abs(typed.clock_skew_s) || 3_600), { most: MOST_SKEW_S });
  const apply = async () => {
    const isDone = await run(() =>
      put('/simulator/conditions', {
        farm_id: farmId,
        control_point_ids: chosen.map(({ control_point_id }) => control_point_id),
        ...typed,
        delay_ms: delay.value ?? 0,
        loss: (loss.value ?? 0) / 100,
        clock_skew_s: clock === 'right' ? 0 : (skew.value ?? 0) * SIGNS[clock],
      }).finally(() => refresh('simulator')),
    );
    if (isDone) onClose();
  };
  const isRight = delay.isRight && loss.isRight && (clock === 'right' || skew.isRight);
  return (
    <Dialog
      title={chosen.length === 1 ? words.titleOne(chosen[0]?.cod ?? '') : words.titleAll(chosen.length)}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {systemWords().cancel}
          </Button>
          <WorkButton big look="main" disabled={isBlind.value} unready={!isRight} work={apply}>
            {words.apply}
          </WorkButton>
        </>
      }
    >
      {chosen.length > 1 ? <p class="muted">{words.allText}</p> : null}
      <CheckField
        label={words.noPower}
        checked={typed.power === 'off'}
        onChange={(event) => set({ power: event.currentTarget.checked ? 'off' : 'on' })}
      />
      <CheckField
        label={words.noNetwork}
        checked={typed.network === 'down'}
        onChange={(event) => set({ network: event.currentTarget.checked ? 'down' : 'up' })}
      />
      <CheckField
        label={words.breaker}
        checked={typed.breaker === 'tripped'}
        onChange={(event) => set({ breaker: event.currentTarget.checked ? 'tripped' : 'closed' })}
      />
      <div class="form-grid">
        <SelectField
          label={words.stuck}
          value={typed.stuck_at ?? ''}
          options={(['', 'ON', 'OFF'] as const).map((at) => ({ value: at, label: words.stuckAt[at] }))}
          onChange={({ currentTarget: { value } }) =>
            set({ stuck_at: value === 'ON' || value === 'OFF' ? value : null })
          }
        />
        <SelectField
          label={words.hand}
          value={typed.hand_switch}
          options={(['AUTO', 'ON', 'OFF'] as const).map((at) => ({ value: at, label: words.handAt[at] }))}
          onChange={({ currentTarget: { value } }) =>
            set({ hand_switch: value === 'ON' || value === 'OFF' ? value : 'AUTO' })
          }
        />
        <CountField label={words.delay} hint={words.delayHint} unit="ms" count={delay} />
        <CountField label={words.loss} hint={words.lossHint} unit="%" count={loss} />
        <SelectField
          label={words.clock}
          value={clock}
          options={CLOCKS.map((is) => ({ value: is, label: words.clockIs[is] }))}
          onChange={({ currentTarget: { value } }) => setClock(CLOCKS.find((is) => is === value) ?? 'right')}
        />
        {clock === 'right' ? null : (
          <CountField label={words.skew} hint={words.skewHint} unit="s" count={skew} />
        )}
      </div>
      <FaultNote fault={fault} />
    </Dialog>
  );
}

const clockOf = (skewS: number): ClockIs => (skewS === 0 ? 'right' : skewS > 0 ? 'ahead' : 'behind');

/** What all of them have; where they differ, nothing wrong. */
function commonOf(chosen: Chosen): SimulatorConditions {
  const [first, ...others] = chosen.map(({ conditions }) => conditions);
  if (first === undefined) return WELL;
  const isOne = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
  return isOne ? first : WELL;
}

/** Nothing is wrong. */
export const WELL: SimulatorConditions = {
  power: 'on',
  network: 'up',
  delay_ms: 0,
  loss: 0,
  clock_skew_s: 0,
  stuck_at: null,
  breaker: 'closed',
  hand_switch: 'AUTO',
};

/** What is wrong with a virtual controller, each in a few words. */
export function troublesOf(conditions: SimulatorConditions): string[] {
  const words = simulatorWords().troubles;
  const { power, network, delay_ms, loss, clock_skew_s: skew, stuck_at, breaker, hand_switch } = conditions;
  return [
    power === 'off' ? words.power : null,
    network === 'down' ? words.network : null,
    delay_ms > 0 ? words.delay(figure(delay_ms)) : null,
    loss > 0 ? words.loss(percent(loss * 100)) : null,
    skew > 0 ? words.ahead(figure(skew)) : null,
    skew < 0 ? words.behind(figure(-skew)) : null,
    stuck_at === null ? null : words.stuck[stuck_at],
    breaker === 'tripped' ? words.breaker : null,
    hand_switch === 'AUTO' ? null : words.hand[hand_switch],
  ].filter((trouble) => trouble !== null);
}
