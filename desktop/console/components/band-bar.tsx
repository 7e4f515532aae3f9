import { type Band, isWithin, onBar } from '../state/water-span.ts';

/**
 * A small bar with the good range shaded and a tick where the figure stands: out of the range is seen before it alarms.
 * The figure itself stands beside it in words, so it is hidden from readers of the screen.
 */
export function BandBar({
  value,
  band,
  range,
}: {
  value: number | null | undefined;
  /** null: what is good is not known. */
  band: Band | null;
  range: readonly [number, number];
}) {
  if (value === null || value === undefined || band === null)
    return <span class="band-bar" aria-hidden="true" />;
  const { from, to, at } = onBar(value, band, range);
  return (
    <span class="band-bar" aria-hidden="true" data-within={isWithin(value, band)}>
      <span
        class="band-good"
        style={{ insetInlineStart: `${from * 100}%`, width: `${(to - from) * 100}%` }}
      />
      <span class="band-tick" style={{ insetInlineStart: `${at * 100}%` }} />
    </span>
  );
}
