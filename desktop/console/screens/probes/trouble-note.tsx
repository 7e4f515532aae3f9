import type { ProbeBusAnswer } from '#contract/resources/probes.ts';
import { now } from '../../data/clock.ts';
import { age } from '../../i18n/format.ts';
import { probeWords } from './words.ts';

/** What keeps a bus or a probe from being read, in the gateway's own words, and the next thing to do. */
export function TroubleNote({ trouble }: { trouble: ProbeBusAnswer['trouble'] }) {
  const words = probeWords();
  if (trouble === null) return null;
  return (
    <div class="note p2 stack" data-trouble={trouble.code}>
      <p>
        <strong>{trouble.message}</strong>{' '}
        <span class="small">{words.since(age(Math.max(0, now.value - Date.parse(trouble.since))))}</span>
      </p>
      <p>
        {words.whatNow}: {trouble.next}
      </p>
    </div>
  );
}
