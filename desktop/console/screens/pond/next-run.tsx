import { Link } from 'wouter-preact';
import { Awaited } from '../../components/answer.tsx';
import { controlWords } from '../../components/control-words.ts';
import { now } from '../../data/clock.ts';
import { nextRunsOf, useSchedules } from '../../data/schedules.ts';
import { clockTime, dayAndTime, isoDay } from '../../i18n/format.ts';
import { pondWords } from './words.ts';

/** What the calendar does next at a control point, and whether another of its times wants the opposite then. */
export function NextRunLine({ pointId }: { pointId: string }) {
  const words = pondWords();
  const known = useSchedules([pointId]).get(pointId);
  if (known?.data === undefined) return known?.isError ? <Awaited of={[known]} /> : null;
  const [next] = nextRunsOf(known.data, now.value, 1);
  const at =
    next === undefined
      ? ''
      : isoDay(next.at) === isoDay(now.value)
        ? words.atTime(clockTime(next.at))
        : words.onDay(dayAndTime(next.at));
  return (
    <p class="small" data-next-run={next?.action ?? ''}>
      {next === undefined ? (
        <span class="muted">{words.nothingPlanned}</span>
      ) : (
        <>
          {words.nextRun(controlWords().goes[next.action], at)}
          {next.isContradicted ? ` · ▲ ${words.contradicted}` : ''}
        </>
      )}{' '}
      <Link class="tall" href="/aeracao/agenda">
        {words.calendar}
      </Link>
    </p>
  );
}
