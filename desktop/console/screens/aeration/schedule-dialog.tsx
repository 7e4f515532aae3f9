import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { savedScheduleAnswer } from '#contract/resources/schedules.ts';
import { scheduleWords } from '#words/aeration.ts';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { CheckField, DateField, SelectField, TextField } from '../../components/field.tsx';
import { codeOf } from '../../components/simulated.tsx';
import { toast } from '../../components/toast.tsx';
import { del, get, patch, post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { useSend } from '../../data/corrections.ts';
import { type ControlPoint, farm } from '../../data/farm-store.ts';
import { refresh } from '../../data/query.ts';
import { instantsOf, plannedRuleOf, type Schedule, TIME } from '../../data/schedules.ts';
import { clockTime, dayAndTime, isoDay } from '../../i18n/format.ts';
import { plainSentence } from '../../i18n/plain-sentence.ts';
import { daysMore, weekdayOf } from '../../state/week-outlook.ts';
import { FaultNote } from '../box/system-page.tsx';

type SavedSchedule = z.infer<typeof savedScheduleAnswer>;
/** Long enough to be read twice. */
const WARNED_MS = 20_000;

const PATTERNS = ['DAILY', 'WEEKLY', 'ONCE', 'MONTHLY', 'YEARLY'] as const;
type Pattern = (typeof PATTERNS)[number];

type Typed = {
  pointId: string;
  action: 'ON' | 'OFF';
  day: string;
  start: string;
  end: string;
  /** Days that it holds beyond a night. */
  moreDays: number;
  pattern: Pattern;
  days: readonly number[];
  isActive: boolean;
  applyNow: boolean;
  description: string;
};

function typedOf(schedule: Schedule | null, pointId: string): Typed {
  const day = isoDay(schedule?.start_time ?? now.value);
  return {
    pointId,
    action: schedule?.action ?? 'ON',
    day,
    start: schedule === null ? '18:00' : clockTime(schedule.start_time),
    end: schedule === null ? '06:00' : schedule.end_time === null ? '' : clockTime(schedule.end_time),
    moreDays: schedule === null ? 0 : daysMore(plannedRuleOf(schedule)),
    pattern: schedule?.repeat_pattern ?? 'DAILY',
    days: schedule?.days_of_week ?? [weekdayOf(day)],
    isActive: schedule?.is_active ?? true,
    applyNow: false,
    description: schedule?.description ?? '',
  };
}

/** Says where a motor keeps running, or stays off, against the time just saved. */
function showEffect({ takes_effect, warnings = [] }: SavedSchedule, holdsNow: string): void {
  if (warnings.length > 0)
    toast(warnings.map(({ message }) => plainSentence(message)).join(' '), null, WARNED_MS);
  else if (takes_effect === 'NOW') toast(holdsNow);
}

/** Makes or changes a time of switching; every time is the farm's. */
export function ScheduleDialog({
  schedule,
  points,
  onClose,
}: {
  schedule: Schedule | null;
  points: readonly ControlPoint[];
  onClose: () => void;
}) {
  const words = scheduleWords();
  const [typed, setTyped] = useState(() =>
    typedOf(schedule, schedule?.control_point_id ?? points[0]?.id ?? ''),
  );
  const [fault, setFault] = useState<string | null>(null);
  const send = useSend();
  const set = (part: Partial<Typed>) => setTyped({ ...typed, ...part });
  const timeFault = (text: string, mayBeEmpty: boolean) =>
    TIME.test(text) || (mayBeEmpty && text === '') ? null : words.badTime;
  const isWrong =
    timeFault(typed.start, false) !== null ||
    timeFault(typed.end, true) !== null ||
    (typed.pattern === 'WEEKLY' && typed.days.length === 0);

  const rewritten = useRewritten(schedule === null ? null : bodyOf(typedOf(schedule, '')), async () => {
    const all = await get(`/control-points/${schedule?.control_point_id ?? ''}/schedules`);
    const found = all.find(({ id }) => id === schedule?.id);
    return found === undefined ? undefined : bodyOf(typedOf(found, ''));
  });
  const save = async () => {
    try {
      const body = bodyOf(typed);
      if (!(await rewritten.mayOverwrite(body))) return;
      const saved =
        schedule === null
          ? await send(`/control-points/${typed.pointId}/schedules`, body)
          : await patch(`/schedules/${schedule.id}`, rewritten.changesOf(body));
      refresh('control-points');
      showEffect(saved, words.holdsNow);
      onClose();
    } catch (error) {
      setFault(faultText(error));
    }
  };
  const labels: Readonly<Record<string, string>> = {
    action: words.action,
    start_time: words.start,
    end_time: words.end,
    repeat_pattern: words.repeat,
    days_of_week: words.repeat,
    is_active: words.active,
    description: words.description,
  };
  return (
    <Dialog
      title={schedule === null ? words.add : words.edit}
      onClose={onClose}
      actions={
        <>
          {schedule === null ? null : <RemoveButton schedule={schedule} onDone={onClose} />}
          <Button big onClick={onClose}>
            {words.cancel}
          </Button>
          <WorkButton big look="main" unready={isWrong} work={save}>
            {words.save}
          </WorkButton>
        </>
      }
    >
      <p class="muted small">{words.zone(farm.value?.timezone ?? '')}</p>
      {schedule === null && points.length > 1 ? (
        <SelectField
          label={words.point}
          value={typed.pointId}
          options={points.map((point) => ({ value: point.id, label: codeOf(point) }))}
          onChange={(event) => set({ pointId: event.currentTarget.value })}
        />
      ) : null}
      <SelectField
        label={words.action}
        value={typed.action}
        options={[
          { value: 'ON', label: words.on },
          { value: 'OFF', label: words.off },
        ]}
        onChange={(event) => set({ action: event.currentTarget.value === 'ON' ? 'ON' : 'OFF' })}
      />
      <div class="facts">
        <TextField
          needed
          label={words.start}
          value={typed.start}
          inputMode="numeric"
          fault={timeFault(typed.start, false)}
          onInput={(event) => set({ start: event.currentTarget.value })}
        />
        <TextField
          label={words.end}
          value={typed.end}
          inputMode="numeric"
          hint={
            typed.moreDays > 0 && typed.pattern !== 'DAILY' ? words.moreDays(typed.moreDays) : words.noEnd
          }
          fault={timeFault(typed.end, true)}
          onInput={(event) => set({ end: event.currentTarget.value })}
        />
      </div>
      <SelectField
        label={words.repeat}
        value={typed.pattern}
        options={PATTERNS.map((pattern) => ({ value: pattern, label: words.patterns[pattern] }))}
        onChange={(event) =>
          set({ pattern: PATTERNS.find((found) => found === event.currentTarget.value) ?? 'DAILY' })
        }
      />
      {typed.pattern === 'WEEKLY' ? <Weekdays days={typed.days} onChange={(days) => set({ days })} /> : null}
      <DateField label={words.firstDay} value={typed.day} onDay={(day) => set({ day })} />
      <TextField
        label={words.description}
        value={typed.description}
        maxLength={255}
        onInput={(event) => set({ description: event.currentTarget.value })}
      />
      <CheckField
        label={words.active}
        checked={typed.isActive}
        onChange={(event) => set({ isActive: event.currentTarget.checked })}
      />
      <p class="small" data-acts-now>
        {words.actsNow[typed.action]}
      </p>
      <CheckField
        label={words.applyNow}
        checked={typed.applyNow}
        onChange={(event) => set({ applyNow: event.currentTarget.checked })}
      />
      <ElsewhereNote
        of={rewritten.elsewhere}
        label={(name) => labels[name] ?? name}
        shown={(name, text) =>
          name === 'start_time' || name === 'end_time'
            ? dayAndTime(text)
            : name === 'action'
              ? words[text === 'ON' ? 'on' : 'off']
              : name === 'repeat_pattern'
                ? words.patterns[PATTERNS.find((pattern) => pattern === text) ?? 'DAILY']
                : text
        }
      />
      <FaultNote fault={fault} />
    </Dialog>
  );
}

function bodyOf(typed: Typed): Record<string, unknown> {
  return {
    action: typed.action,
    // what comes every day cannot hold longer than one
    ...instantsOf({ ...typed, moreDays: typed.pattern === 'DAILY' ? 0 : typed.moreDays }),
    repeat_pattern: typed.pattern,
    days_of_week: typed.pattern === 'WEEKLY' ? typed.days : null,
    is_active: typed.isActive,
    description: typed.description === '' ? null : typed.description,
    ...(typed.applyNow ? { apply_now: true } : {}),
  };
}

function Weekdays({
  days,
  onChange,
}: {
  days: readonly number[];
  onChange: (days: readonly number[]) => void;
}) {
  const words = scheduleWords();
  return (
    <fieldset class="row weekdays">
      <legend class="visually-hidden">{words.repeat}</legend>
      {words.weekdays.map((name, index) => {
        const day = index + 1;
        const isChosen = days.includes(day);
        return (
          <button
            key={name}
            type="button"
            class={`button ${isChosen ? 'main' : ''}`}
            aria-pressed={isChosen}
            onClick={() =>
              onChange(
                isChosen ? days.filter((found) => found !== day) : [...days, day].sort((a, b) => a - b),
              )
            }
          >
            {name}
          </button>
        );
      })}
      {days.length === 0 ? <span class="fault">{words.needsDays}</span> : null}
    </fieldset>
  );
}

function RemoveButton({ schedule, onDone }: { schedule: Schedule; onDone: () => void }) {
  const words = scheduleWords();
  const again = () => {
    const { action, start_time, end_time, repeat_pattern, days_of_week, is_active, description } = schedule;
    void post(`/control-points/${schedule.control_point_id}/schedules`, {
      action,
      start_time,
      end_time,
      repeat_pattern,
      days_of_week,
      is_active,
      description,
    }).then(
      () => refresh('control-points'),
      (error: unknown) => toast(faultText(error)),
    );
  };
  const remove = async () => {
    try {
      await del(`/schedules/${schedule.id}`);
      refresh('control-points');
      toast(words.removed, { label: words.undo, run: again });
      onDone();
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <WorkButton big look="danger" work={remove}>
      {words.remove}
    </WorkButton>
  );
}
