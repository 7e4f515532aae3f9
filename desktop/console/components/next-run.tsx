import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { now } from '../data/clock.ts';
import { nextRunsOf, schedulesAt, useSchedules } from '../data/schedules.ts';
import { clockTime, dayAndTime, isoDay } from '../i18n/format.ts';
import { Awaited } from './answer.tsx';
import { controlWords } from './control-words.ts';

/** What the calendar does next at a control point, and whether another of its times wants the opposite then. */
export function NextRunLine({ pointId }: { pointId: string }) {
  const words = controlWords();
  const { known, next, text } = useNextRun(pointId);
  if (known.data === undefined) return known.isError ? <Awaited of={[known]} /> : null;
  return (
    <p class="small" data-next-run={next?.action ?? ''}>
      {next === undefined ? <span class="muted">{text}</span> : text}
      {next?.isContradicted ? ` · ▲ ${words.contradicted}` : ''}{' '}
      <Link class="tall" href="/aeracao/agenda">
        {words.calendar}
      </Link>
    </p>
  );
}

/** The same in one line of a row whose buttons must not move: it has its room before the calendar is known. */
export function NextRunInRow({ pointId }: { pointId: string }) {
  const words = controlWords();
  const { known, next, text } = useNextRun(pointId);
  const said = known.data !== undefined ? text : known.isError ? words.calendarUnknown : '';
  return (
    <p class="small muted one-line" data-next-run={next?.action ?? ''}>
      {next?.isContradicted ? `▲ ${words.contradicts} · ` : ''}
      {said === '' ? '\u00a0' : said}
    </p>
  );
}

function useNextRun(pointId: string) {
  const words = controlWords();
  const known = useSchedules();
  const data = known.data === undefined ? undefined : schedulesAt(known.data, pointId);
  const minute = Math.floor(now.value / 60_000);
  const next = useMemo(() => (data === undefined ? [] : nextRunsOf(data, now.value, 1))[0], [data, minute]);
  if (next === undefined) return { known, next, text: words.nothingPlanned };
  const at =
    isoDay(next.at) === isoDay(now.value)
      ? words.atTime(clockTime(next.at))
      : words.onDay(dayAndTime(next.at));
  return { known, next, text: words.nextRun(words.goes[next.action], at) };
}
