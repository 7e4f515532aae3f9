import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { componentWords } from '#words/components.ts';
import { controlWords } from '#words/control.ts';
import { useAiredPonds } from '../data/aired-ponds.ts';
import type { ControlPoint } from '../data/farm-store.ts';
import { isFarmNight } from '../data/farm-sun.ts';
import { isBlind } from '../data/live.ts';
import { type Segment, useOutcome } from '../data/outlook.ts';
import { age, figure, quantity } from '../i18n/format.ts';
import { type OffRisk, offRiskOf, type PondRisk } from '../state/off-risk.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { momentText } from './next-run.tsx';
import { codeOf } from './simulated.tsx';

/**
 * Asks before a motor stops: what it airs, how the oxygen is and how old that word is, what hour it is. By night, or where
 * oxygen is low or not known, its code must be typed. A screen that hears nothing cannot confirm.
 */
export function OffDialog({
  point,
  onClose,
  onConfirm,
  isReady = true,
  words: own,
  first,
  children,
}: {
  point: ControlPoint;
  onClose: () => void;
  onConfirm: () => void;
  /** False while what was asked besides is not answered. */
  isReady?: boolean;
  /** Where the motor stops for another reason than to be off. */
  words?: { title: string; confirm: string; leave: string };
  /** What is decided before anything else. */
  first?: ComponentChildren;
  /** What else is to be decided. */
  children?: ComponentChildren;
}) {
  const words = controlWords();
  const [typed, setTyped] = useState('');
  const risk = offRiskOf(useAiredPonds(point), isFarmNight.value);
  const isTyped = !risk.mustType || isCode(typed, point.cod);
  return (
    <Dialog
      isQuestion
      title={own?.title ?? words.offTitle(codeOf(point))}
      onClose={onClose}
      actions={
        <>
          <Button big autofocus onClick={onClose}>
            {own?.leave ?? words.keepOn}
          </Button>
          <Button
            big
            look="danger"
            disabled={isBlind.value}
            unready={!isReady || !isTyped}
            onClick={onConfirm}
            data-confirm-off={point.id}
          >
            {own?.confirm ?? words.confirmOff}
          </Button>
        </>
      }
    >
      {first}
      <Risk risk={risk} />
      {risk.mustType ? (
        <TextField
          needed
          label={words.typeToConfirm(point.cod)}
          value={typed}
          fault={typed === '' || isTyped ? null : componentWords().otherText(point.cod)}
          autoComplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      {children}
      <BlindNote />
    </Dialog>
  );
}

/** The code of a motor, written out by hand. */
export const isCode = (typed: string, cod: string): boolean =>
  typed.trim().toUpperCase() === cod.toUpperCase();

/** In a question that cannot be answered now. */
export const BlindNote = () => (isBlind.value ? <p class="note p2">{controlWords().blind}</p> : null);

function Risk({ risk }: { risk: OffRisk }) {
  const words = controlWords();
  const { ponds, biomassKg } = risk;
  return (
    <>
      {ponds === null ? <p>{words.offUnknown}</p> : null}
      {ponds === null || ponds.length === 0 ? null : (
        <>
          <p>
            {words.offAirs(ponds.map(({ cod }) => cod).join(', '))}
            {biomassKg > 0 ? ` ${words.offBiomass(quantity(biomassKg, 0, 'kg'))}` : ''}
          </p>
          {ponds.map((pond) => (
            <p key={pond.cod} data-risk={pond.is}>
              {pondText(pond)}
            </p>
          ))}
        </>
      )}
      {risk.isNight ? <p>{words.offNight}</p> : null}
    </>
  );
}

function pondText({ cod, is, oxygen, oxygenAgeMs }: PondRisk): string {
  const words = controlWords();
  if (is === 'empty') return words.offEmpty(cod);
  if (oxygen === null || oxygenAgeMs === null) return words.offNotMeasured(cod);
  const told = words.offOxygen(cod, figure(oxygen, 1), age(oxygenAgeMs));
  return is === 'unknown' ? `${told} ${words.offTooOld}` : told;
}

/** Motors stand still for a feeding or for work in the pond: minutes. */
const MINUTES = [15, 30, 60] as const;
const USUAL = 30;

type Hold = {
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
