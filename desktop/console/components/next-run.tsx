import { Link } from 'wouter-preact';
import type { ControlPlan } from '#contract/resources/control-points.ts';
import { now } from '../data/clock.ts';
import { usePlans } from '../data/outlook.ts';
import { clockTime, dayAndTime, isoDay } from '../i18n/format.ts';
import { Awaited } from './answer.tsx';
import { controlWords } from './control-words.ts';

/** When the control point will next switch by itself, and who decides until then. */
export function NextRunLine({ pointId }: { pointId: string }) {
  const words = controlWords();
  const { known, plan, text } = useNextRun(pointId);
  if (known.data === undefined) return known.isError ? <Awaited of={[known]} /> : null;
  return (
    <p class="small" data-next-run={plan?.then ?? ''}>
      {plan?.until == null ? <span class="muted">{text}</span> : text}{' '}
      <Link class="tall" href="/aeracao/agenda">
        {words.calendar}
      </Link>
    </p>
  );
}

/** The same in one line of a row whose buttons must not move: it has its room before the plan is known. */
export function NextRunInRow({ pointId }: { pointId: string }) {
  const words = controlWords();
  const { known, plan, text } = useNextRun(pointId);
  const said = known.data !== undefined ? text : known.isError ? words.calendarUnknown : '';
  return (
    <p class="small muted one-line" data-next-run={plan?.then ?? ''}>
      {said === '' ? '\u00a0' : said}
    </p>
  );
}

function useNextRun(pointId: string) {
  const known = usePlans();
  const plan = known.data?.get(pointId);
  return { known, plan, text: planText(plan) };
}

function planText(plan: ControlPlan | undefined): string {
  const words = controlWords();
  if (plan === undefined) return words.nothingPlanned;
  const { cause, until, then } = plan;
  const isOrder = cause === 'LOCAL_ORDER' || cause === 'REMOTE_ORDER';
  if (until === null || then === null) {
    if (cause === 'SCHEDULE' || cause === 'BASE') return words.nothingPlanned;
    return isOrder ? words.orderStays : words.decides[cause];
  }
  const at =
    isoDay(until) === isoDay(now.value) ? words.atTime(clockTime(until)) : words.onDay(dayAndTime(until));
  return (isOrder ? words.afterOrder : words.nextRun)(words.goes[then], at);
}
