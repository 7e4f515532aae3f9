import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { now } from '../data/clock.ts';
import { type ControlPoint, farm } from '../data/farm-store.ts';
import { useGet } from '../data/query.ts';
import { clockTime, figure } from '../i18n/format.ts';
import { isNight } from '../state/freshness.ts';
import { Button } from './button.tsx';
import { controlWords } from './control-words.ts';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';

const LOW_OXYGEN = 5;

/** Asks before a motor stops: what it airs, how the oxygen is, what hour it is. By night or with low oxygen its code must be typed. */
export function OffDialog({
  point,
  ponds,
  onClose,
  onConfirm,
  isReady = true,
  children,
}: {
  point: ControlPoint;
  ponds: readonly string[];
  onClose: () => void;
  onConfirm: () => void;
  /** False while what was asked besides is not answered. */
  isReady?: boolean;
  /** What else is to be decided about the order. */
  children?: ComponentChildren;
}) {
  const words = controlWords();
  const [typed, setTyped] = useState('');
  const cards = useGet<PondCards>('/ponds/summary-cards', { farm_id: farm.value?.id });
  const low = (cards.data?.ponds ?? []).filter(
    ({ cod, water_quality }) =>
      ponds.includes(cod) && (water_quality?.dissolved_oxygen ?? LOW_OXYGEN) < LOW_OXYGEN,
  );
  const night = isNight(Number(clockTime(now.value).slice(0, 2)));
  const mustType = night || low.length > 0;
  return (
    <Dialog
      title={words.offTitle(point.cod)}
      onClose={onClose}
      actions={
        <>
          <Button big autofocus onClick={onClose}>
            {words.keepOn}
          </Button>
          <Button
            big
            look="danger"
            disabled={!isReady || (mustType && typed.trim().toUpperCase() !== point.cod.toUpperCase())}
            onClick={onConfirm}
            data-confirm-off={point.id}
          >
            {words.confirmOff}
          </Button>
        </>
      }
    >
      {ponds.length === 0 ? null : <p>{words.offAirs(ponds.join(', '))}</p>}
      {night ? <p>{words.offNight}</p> : null}
      {low.map(({ cod, water_quality }) => (
        <p key={cod}>{words.offOxygen(cod, figure(water_quality?.dissolved_oxygen, 1))}</p>
      ))}
      {mustType ? (
        <TextField
          label={words.typeToConfirm(point.cod)}
          value={typed}
          autoComplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      {children}
    </Dialog>
  );
}
