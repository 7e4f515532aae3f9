import { Link } from 'wouter-preact';
import { alarmText } from '../components/alarm-words.ts';
import { faultText } from '../components/answer.tsx';
import { WorkButton } from '../components/button.tsx';
import { PriorityMark } from '../components/priority-mark.tsx';
import { toast } from '../components/toast.tsx';
import { acknowledge, unanswered } from '../data/alarms.ts';
import { now } from '../data/clock.ts';
import { isBlind } from '../data/live.ts';
import { usePlaceOf } from '../data/places.ts';
import { age } from '../i18n/format.ts';
import { shellWords } from './words.ts';

/** The alarm that must be answered first, on every page, with the one press that answers it. */
export function AlarmStrip() {
  const words = shellWords();
  const placeOf = usePlaceOf();
  const [first, ...others] = unanswered.value;
  if (first === undefined) return null;
  return (
    <div class={`alarm-strip p${first.priority}`} role="alert" data-alarm={first.key}>
      <Link href={`/alarmes/${first.key}`} class="grow row nowrap alarm-text">
        <PriorityMark priority={first.priority} />
        <span>
          <strong>{placeOf(first.newest)}</strong> {alarmText(first.newest)}{' '}
          <span class="muted">
            · {age(now.value - first.since)}
            {others.length === 0 ? '' : ` · ${words.others(others.length)}`}
          </span>
        </span>
      </Link>
      <WorkButton big look="main" disabled={isBlind.value} work={() => answerFirst()} title="F8">
        {words.acknowledge}
      </WorkButton>
      <Link href="/alarmes" class="button big wide-only">
        {words.open}
      </Link>
    </div>
  );
}

/** Also on F8. */
export async function answerFirst(): Promise<void> {
  const [first] = unanswered.value;
  if (first === undefined) return;
  await acknowledge(first.key).catch((error: unknown) => toast(faultText(error)));
}
