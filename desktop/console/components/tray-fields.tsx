import type { TrayReading } from '#contract/resources/feed-trays.ts';
import { trayWords } from '#words/trays.ts';
import { asTyped, readDecimal } from '../i18n/format.ts';
import { DecimalField } from './field.tsx';

type TypedTray = Omit<TrayReading, 'left_percent'> & { left: string };

/** Trays as a text that holds what somebody types, also what is no figure yet. */
export const traysTyped = (trays: readonly TrayReading[]): string =>
  JSON.stringify(trays.map(({ left_percent, ...tray }) => ({ ...tray, left: asTyped(left_percent) })));

const typedTrays = (text: string): TypedTray[] => (text === '' ? [] : (JSON.parse(text) as TypedTray[]));

/** undefined: one of them cannot be read, or none was looked at. */
export function readTrays(text: string): TrayReading[] | undefined {
  const trays = typedTrays(text).map(({ left, ...tray }) => ({ ...tray, left_percent: readDecimal(left) }));
  const isBad = trays.some(({ left_percent: left }) => left !== null && !(left >= 0 && left <= 100));
  return isBad || trays.every(({ left_percent: left }) => left === null) ? undefined : trays;
}

/** A figure for each; an empty one is a tray that nobody looked at. */
export function TrayFields({
  typed,
  fault,
  onType,
}: {
  typed: string;
  fault: string | null;
  onType: (text: string) => void;
}) {
  const words = trayWords();
  const trays = typedTrays(typed);
  return (
    <fieldset class="stack">
      <legend>{words.title}</legend>
      {trays.map((tray) => (
        <DecimalField
          key={tray.tray}
          label={words.one(String(tray.tray))}
          unit="%"
          hint={tray.left === '' ? words.unseen : undefined}
          value={tray.left}
          onInput={(event) =>
            onType(
              JSON.stringify(
                trays.map((each) => (each === tray ? { ...each, left: event.currentTarget.value } : each)),
              ),
            )
          }
        />
      ))}
      {fault === null ? null : <p class="note p2">{fault}</p>}
    </fieldset>
  );
}
