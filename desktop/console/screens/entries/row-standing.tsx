import { Link } from 'wouter-preact';
import { Icon } from '../../components/icon.tsx';
import { now } from '../../data/clock.ts';
import { entries } from '../../data/outbox.ts';
import { clockTime } from '../../i18n/format.ts';
import { entryWords } from './words.ts';

/** What was measured so long ago belongs to another round. */
const THIS_ROUND_MS = 3_600_000;

/** How far the measurement of a pond got: still here, with the gateway, or refused; then when it was measured last. */
export function RowStanding({ pondId, lastAt }: { pondId: string; lastAt: string | undefined }) {
  const words = entryWords();
  const entry = entries.value.findLast(
    ({ path, body }) => path === '/water-quality/' && body['pond_id'] === pondId,
  );
  if (entry === undefined || entry.state === 'saved') {
    const at = entry?.enteredAt ?? (lastAt === undefined ? null : Date.parse(lastAt));
    if (at === null || (entry === undefined && now.value - at > THIS_ROUND_MS)) return null;
    return (
      <span class="standing" data-standing="saved">
        <Icon name="check" size={16} />{' '}
        {entry === undefined ? words.measuredAt(clockTime(at)) : words.savedAt(clockTime(at))}
      </span>
    );
  }
  const isRefused = entry.state === 'refused';
  return (
    <Link class="standing" href="/lancar/fila" data-standing={entry.state}>
      <Icon name={isRefused ? 'close' : 'clock'} size={16} /> {words.state[entry.state]}
    </Link>
  );
}
