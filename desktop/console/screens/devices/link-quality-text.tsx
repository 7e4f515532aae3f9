import { quantity } from '../../i18n/format.ts';
import { linkQualityOf } from '../../state/control-state.ts';
import { deviceWords } from './device-words.ts';

const BARS = { good: '▂▄▆█', fair: '▂▄▆', weak: '▂▄', bad: '▂' } as const;

/** Bars and the word for them, with the figure that a technician asks for. */
export function LinkQualityText({ rssi }: { rssi: number | null | undefined }) {
  const words = deviceWords();
  const quality = linkQualityOf(rssi);
  if (quality === null) return <>—</>;
  return (
    <span>
      <span aria-hidden="true">{BARS[quality]} </span>
      {words.quality[quality]} <span class="muted small whole">{quantity(rssi, 0, 'dBm')}</span>
    </span>
  );
}
