import { useState } from 'preact/hooks';
import type { ControlPoint } from '../data/farm-store.ts';
import { isBlind } from '../data/live.ts';
import { type Segment, useOutcome } from '../data/outlook.ts';
import { Button } from './button.tsx';
import { controlWords } from './control-words.ts';
import { momentText } from './next-run.tsx';

/** Motors stand still for a feeding or for work in the pond: minutes. */
const MINUTES = [15, 30, 60] as const;
const USUAL = 30;

export type Hold = {
  minutes: number | null;
  /** As the interface takes it: null: without an end. */
  forS: number | null;
  choose: (minutes: number | null) => void;
};

export function useHold(): Hold {
  const [minutes, choose] = useState<number | null>(USUAL);
  return { minutes, forS: minutes === null ? null : minutes * 60, choose };
}

/** For how long a motor is to be off; with `point`, what will come of it, as the gateway reckons it. */
export function HoldField({
  point,
  hold,
  isForced = false,
}: {
  point?: ControlPoint;
  hold: Hold;
  isForced?: boolean;
}) {
  const words = controlWords();
  const choices = [
    ...MINUTES.map((n) => ({ is: n, label: words.forMinutes(n) })),
    { is: null, label: words.untilOn },
  ];
  return (
    <fieldset class="stack hold-field">
      <legend class="label">{words.offFor}</legend>
      <div class="row">
        {choices.map(({ is, label }) => (
          <Button
            big
            key={label}
            look={hold.minutes === is ? 'main' : 'plain'}
            disabled={isBlind.value}
            aria-pressed={hold.minutes === is}
            onClick={() => hold.choose(is)}
          >
            {label}
          </Button>
        ))}
      </div>
      {point === undefined ? null : <Outcome point={point} forS={hold.forS} isForced={isForced} />}
    </fieldset>
  );
}

function Outcome({ point, forS, isForced }: { point: ControlPoint; forS: number | null; isForced: boolean }) {
  const words = controlWords();
  const outcome = useOutcome(point.id, {
    order: 'OFF',
    for_s: forS ?? undefined,
    ...(isForced ? { force: true } : {}),
  });
  const said =
    outcome.data === undefined || outcome.isPlaceholderData
      ? outcome.isError
        ? words.outcomeUnknown
        : '\u00a0'
      : outcomeText(outcome.data);
  return (
    <p data-outcome role="status">
      {said}
    </p>
  );
}

/** When it will run again, if nothing new comes. */
function outcomeText(segments: readonly Segment[]): string {
  const words = controlWords();
  const [first] = segments;
  if (first === undefined || first.cause === 'FAIL_SAFE') return words.outcomeUnknown;
  if (first.target === 'ON') return words.staysOn[first.cause] ?? words.outcomeUnknown;
  const back = segments.find(({ target }) => target === 'ON');
  return back === undefined ? words.staysOff : words.backOn(momentText(back.from));
}
