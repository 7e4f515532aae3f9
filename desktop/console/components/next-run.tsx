import { Link } from 'wouter-preact';
import type { ControlPlan } from '#contract/resources/control-points.ts';
import { controlWords } from '#words/control.ts';
import { now } from '../data/clock.ts';
import { usePlans } from '../data/outlook.ts';
import { clockTime, dayAndTime, isoDay } from '../i18n/format.ts';
import { Awaited } from './answer.tsx';

/** When the control point will next switch by itself, and who decides until then; off its schedule, that first. */
export function NextRunLine({ pointId }: { pointId: string }) {
  const words = controlWords();
  const { known, plan, text } = useNextRun(pointId);
  if (known.data === undefined) return known.isError ? <Awaited of={[known]} /> : null;
  return (
    <p class="small" data-next-run={plan?.then ?? ''}>
      <OffScheduleMark plan={plan} />
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
    <p class={`small one-line ${isOffSchedule(plan) ? '' : 'muted'}`} data-next-run={plan?.then ?? ''}>
      <OffScheduleMark plan={plan} />
      {said === '' ? '\u00a0' : said}
    </p>
  );
}

/** A person's order holds it at another state than its schedules ask for. */
export const isOffSchedule = (plan: ControlPlan | undefined): boolean => plan?.off_schedule === true;

function OffScheduleMark({ plan }: { plan: ControlPlan | undefined }) {
  if (!isOffSchedule(plan)) return null;
  return (
    <>
      <strong data-off-schedule>
        <span aria-hidden="true">◇</span> {controlWords().offSchedule}
      </strong>{' '}
      ·{' '}
    </>
  );
}

function useNextRun(pointId: string) {
  const known = usePlans();
  const plan = known.data?.get(pointId);
  return { known, plan, text: planText(plan) };
}

/** `às 20:33`, `em 27/11, 06:00`: as the farm's clock shows it, seen from today. */
export function momentText(at: string): string {
  const words = controlWords();
  return isoDay(at) === isoDay(now.value) ? words.atTime(clockTime(at)) : words.onDay(dayAndTime(at));
}

/** When a motor that is off its schedule follows it again. */
export function backText({ until, then }: Pick<ControlPlan, 'until' | 'then'>): string {
  const words = controlWords();
  if (until === null || then === null) return words.untilOrder;
  return words.back[then](momentText(until));
}

function planText(plan: ControlPlan | undefined): string {
  const words = controlWords();
  if (plan === undefined) return words.nothingPlanned;
  if (isOffSchedule(plan)) return backText(plan);
  const { cause, until, then } = plan;
  const isOrder = cause === 'LOCAL_ORDER' || cause === 'REMOTE_ORDER';
  if (until === null || then === null) {
    if (cause === 'SCHEDULE' || cause === 'BASE') return words.nothingPlanned;
    return isOrder ? words.orderStays : words.decides[cause];
  }
  return (isOrder ? words.afterOrder : words.nextRun)(words.goes[then], momentText(until));
}
