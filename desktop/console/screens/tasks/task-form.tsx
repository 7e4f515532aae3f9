import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { TASK_REPEATS, type TaskAnswer, type TaskRepeat } from '#contract/resources/tasks.ts';
import { componentWords } from '#words/components.ts';
import { ownTaskWords } from '#words/own-tasks.ts';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { DateField, SelectField, TextArea, TextField } from '../../components/field.tsx';
import { CountField, useCount } from '../../components/figure-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { get, newUuid, post, put } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { farm, mayManage } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { TIME } from '../../data/schedules.ts';
import { TASK_TOUCHES } from '../../data/tasks.ts';
import { isoDay, plainDay } from '../../i18n/format.ts';
import { SaveButton } from '../entries/entry-form.tsx';

/** A new task, or another word of one that is there. */
export function TaskForm({ id }: { id: string | null }) {
  const words = ownTaskWords();
  const asked = useGet(id === null ? null : `/tasks/${id}`);
  const farmId = farm.value?.id;
  return (
    <div class="page narrow">
      <div class="page-head">
        <div class="row nowrap">
          <Link href="/tarefas/todas" class="button quiet" aria-label={words.all}>
            <Icon name="back" />
          </Link>
          <h1>{id === null ? words.new : words.edit}</h1>
        </div>
      </div>
      {farm.value !== null && !mayManage.value ? (
        <Empty text={componentWords().forbidden} />
      ) : farmId === undefined ? (
        <div class="skeleton" aria-busy="true" />
      ) : id === null ? (
        <Fields farmId={farmId} was={null} />
      ) : (
        <Answer of={asked}>{(was) => <Fields key={was.id} farmId={farmId} was={was} />}</Answer>
      )}
    </div>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function Fields({ farmId, was }: { farmId: string; was: TaskAnswer | null }) {
  const words = ownTaskWords();
  const [, go] = useLocation();
  const { ponds } = usePonds();
  const people = useGet(`/farms/${farmId}/tasks/people`);
  // the same task however often the press is sent
  const [ownId] = useState(newUuid);
  const [text, setText] = useState(was?.text ?? '');
  const [notes, setNotes] = useState(was?.notes ?? '');
  const [items, setItems] = useState((was?.items ?? []).join('\n'));
  const [repeat, setRepeat] = useState<TaskRepeat>(was?.repeat ?? 'ONCE');
  const everyDays = useCount(String(was?.every_days ?? 1), { most: 366 });
  const [days, setDays] = useState<readonly number[]>(was?.days_of_week ?? [1]);
  const [firstDay, setFirstDay] = useState(was?.first_day ?? isoDay(now.value));
  const [remindAt, setRemindAt] = useState(was?.remind_at ?? '');
  const [pondId, setPondId] = useState(was?.pond_id ?? '');
  const [assigneeId, setAssigneeId] = useState(was?.assignee_name == null ? '' : (was.assignee_id ?? ''));
  const lines = linesOf(items);
  const areItemsRight = lines.length <= 30 && lines.every((line) => line.length <= 120);
  const isTimeRight = remindAt === '' || TIME.test(remindAt);
  const isRight =
    text.trim() !== '' &&
    firstDay !== '' &&
    areItemsRight &&
    isTimeRight &&
    (repeat !== 'DAYS' || everyDays.isRight) &&
    (repeat !== 'WEEKDAYS' || days.length > 0);
  const rewritten = useRewritten(was, () => get(`/tasks/${was?.id ?? ''}`));
  const save = async () => {
    const body = {
      text: text.trim(),
      notes: notes.trim() === '' ? null : notes.trim(),
      items: lines,
      repeat,
      every_days: repeat === 'DAYS' ? everyDays.value : null,
      days_of_week: repeat === 'WEEKDAYS' ? days : null,
      first_day: firstDay,
      remind_at: remindAt === '' ? null : remindAt,
      pond_id: pondId === '' ? null : pondId,
      assignee_id: assigneeId === '' ? null : assigneeId,
    };
    if (!(await rewritten.mayOverwrite(body))) return;
    try {
      if (was === null) await post(`/farms/${farmId}/tasks`, { id: ownId, ...body });
      else await put(`/tasks/${was.id}`, rewritten.changesOf(body));
      refresh(...TASK_TOUCHES);
      toast(words.saved);
      go('/tarefas/todas');
    } catch (error) {
      toast(faultText(error));
    }
  };
  const labels: Readonly<Record<string, string>> = {
    text: words.text,
    notes: words.notes,
    items: words.items,
    repeat: words.repeat,
    every_days: words.everyDays,
    days_of_week: words.repeat,
    first_day: words.firstDay,
    remind_at: words.remindAt,
    pond_id: words.pond,
    assignee_id: words.assignee,
  };
  const shown = (name: string, text: string): string => {
    if (name === 'first_day') return plainDay(text);
    if (name === 'repeat') return words.repeats[TASK_REPEATS.find((word) => word === text) ?? 'ONCE'];
    if (name === 'pond_id') return ponds.find(({ id }) => id === text)?.cod ?? text;
    if (name === 'assignee_id') return people.data?.find(({ user_id }) => user_id === text)?.name ?? text;
    return text;
  };
  return (
    <div class="card stack">
      <TextField
        needed
        label={words.text}
        value={text}
        maxLength={200}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <SelectField
        label={words.repeat}
        value={repeat}
        options={TASK_REPEATS.map((value) => ({ value, label: words.repeats[value] }))}
        onChange={(event) =>
          setRepeat(TASK_REPEATS.find((word) => word === event.currentTarget.value) ?? 'ONCE')
        }
      />
      {repeat === 'DAYS' ? <CountField label={words.everyDays} count={everyDays} /> : null}
      {repeat === 'WEEKDAYS' ? <Weekdays days={days} onChange={setDays} /> : null}
      <div class="form-grid">
        <DateField label={words.firstDay} value={firstDay} onDay={setFirstDay} />
        <TextField
          label={words.remindAt}
          hint={words.remindHint}
          inputMode="numeric"
          value={remindAt}
          fault={isTimeRight ? null : words.badTime}
          onInput={(event) => setRemindAt(event.currentTarget.value.trim())}
        />
        <SelectField
          label={words.pond}
          value={pondId}
          options={[
            { value: '', label: words.farm },
            ...ponds.map(({ id, cod }) => ({ value: id, label: cod })),
          ]}
          onChange={(event) => setPondId(event.currentTarget.value)}
        />
        <SelectField
          label={words.assignee}
          value={assigneeId}
          options={[
            { value: '', label: words.anybody },
            ...(people.data ?? knownPerson(was)).map(({ user_id, name }) => ({
              value: user_id,
              label: name,
            })),
          ]}
          onChange={(event) => setAssigneeId(event.currentTarget.value)}
        />
      </div>
      <TextArea
        label={words.items}
        hint={words.itemsHint}
        fault={areItemsRight ? null : words.tooManyItems}
        rows={4}
        value={items}
        onInput={(event) => setItems(event.currentTarget.value)}
      />
      <TextArea
        label={words.notes}
        rows={2}
        maxLength={2_000}
        value={notes}
        onInput={(event) => setNotes(event.currentTarget.value)}
      />
      <ElsewhereNote of={rewritten.elsewhere} label={(name) => labels[name] ?? name} shown={shown} />
      <SaveButton isRight={isRight} save={save} label={words.save} />
    </div>
  );
}

/** Until the people are there, whose it is now. */
const knownPerson = (was: TaskAnswer | null): { user_id: string; name: string }[] =>
  was?.assignee_id == null || was.assignee_name === null
    ? []
    : [{ user_id: was.assignee_id, name: was.assignee_name }];

function Weekdays({
  days,
  onChange,
}: {
  days: readonly number[];
  onChange: (days: readonly number[]) => void;
}) {
  const words = ownTaskWords();
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
                isChosen ? days.filter((found) => found !== day) : [...days, day].toSorted((a, b) => a - b),
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
