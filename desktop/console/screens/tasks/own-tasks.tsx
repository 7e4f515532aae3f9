import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import type { DueTask } from '#contract/resources/tasks.ts';
import { ownTaskWords } from '#words/own-tasks.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { del } from '../../data/api.ts';
import { serverNow } from '../../data/clock.ts';
import { farm, mayManage, mayRecord } from '../../data/farm-store.ts';
import { entries } from '../../data/outbox.ts';
import { refresh, useGet } from '../../data/query.ts';
import { userId } from '../../data/session.ts';
import { TASK_TOUCHES } from '../../data/tasks.ts';
import { dayAndTime, plainDay } from '../../i18n/format.ts';
import { useEnter } from '../entries/entry-form.tsx';

/** What the people of the farm have set themselves for today. */
export function useOwnTasks() {
  return useGet(farm.value === null ? null : `/farms/${farm.value.id}/tasks/due`);
}

/** Names the day of a task, so that one that waits on this device is shown as marked. */
const dayOf = ({ id, due_on }: Pick<DueTask, 'id' | 'due_on'>) => `task:${id}:${due_on}`;

/** The mark of that day which waits here, as it was said. */
function waitingMark(task: DueTask): 'DONE' | 'SKIPPED' | null {
  const entry = entries.value.find(
    ({ settles, state }) => settles === dayOf(task) && state !== 'refused' && state !== 'saved',
  );
  if (entry === undefined) return null;
  return entry.body['state'] === 'SKIPPED' ? 'SKIPPED' : 'DONE';
}

/** True while somebody still has to do it, as far as this device knows. */
export const isToDo = (task: DueTask): boolean => task.mark === null && waitingMark(task) === null;

export function OwnTasks({ of: due }: { of: ReturnType<typeof useOwnTasks> }) {
  const words = ownTaskWords();
  // a reminder names the one it is about
  const asked = useSearchParams()[0].get('tarefa');
  return (
    <section class="stack" data-own-tasks>
      <div class="row">
        <h2 class="grow">{words.own}</h2>
        <Link class="button no-print" href="/tarefas/todas">
          {words.all}
        </Link>
      </div>
      <Answer of={due} isEmpty={({ tasks }) => tasks.length === 0} empty={<p class="muted">{words.none}</p>}>
        {({ tasks }) => (
          <>
            {asked === null || tasks.some(({ id }) => id === asked) ? null : (
              <p class="note" role="status">
                {words.notDue}
              </p>
            )}
            <ul class="own-tasks">
              {tasks.toSorted(askedFirst(asked)).map((task) => (
                <Card key={dayOf(task)} task={task} isAsked={task.id === asked} />
              ))}
            </ul>
          </>
        )}
      </Answer>
    </section>
  );
}

/** The one that was asked for, its days in their order, then what is to be done. */
const askedFirst =
  (asked: string | null) =>
  (a: DueTask, b: DueTask): number =>
    Number(b.id === asked) - Number(a.id === asked) || Number(!isToDo(a)) - Number(!isToDo(b));

function Card({ task, isAsked }: { task: DueTask; isAsked: boolean }) {
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isAsked) return;
    card.current?.focus({ preventScroll: true });
    card.current?.scrollIntoView({ block: 'center' });
  }, [isAsked]);
  return (
    <li
      ref={card}
      class="card stack"
      data-task={task.id}
      {...(isAsked ? { tabIndex: -1, 'aria-current': 'true' as const } : {})}
    >
      <OwnTask task={task} />
    </li>
  );
}

function OwnTask({ task }: { task: DueTask }) {
  const waiting = waitingMark(task);
  return (
    <>
      <Head task={task} />
      {task.mark !== null ? (
        <Marked task={task} mark={task.mark} />
      ) : waiting !== null ? (
        <p class="muted" role="status">
          {waiting === 'DONE' ? '✓' : '–'} {ownTaskWords().waiting}
        </p>
      ) : mayRecord.value ? (
        <Ticks task={task} />
      ) : (
        <Items task={task} />
      )}
    </>
  );
}

function Head({ task }: { task: DueTask }) {
  const words = ownTaskWords();
  const beside = [
    task.pond_cod ?? '',
    task.remind_at === null ? '' : words.at(task.remind_at),
    task.assignee_name ?? '',
    task.is_overdue ? `▲ ${words.overdueSince(plainDay(task.due_on))}` : '',
  ].filter((part) => part !== '');
  return (
    <div>
      <strong>{task.text}</strong>
      {beside.length === 0 ? null : <p class="muted small">{beside.join(' · ')}</p>}
      {task.notes === null ? null : <p class="small pre-line">{task.notes}</p>}
    </div>
  );
}

function Items({ task: { items } }: { task: DueTask }) {
  if (items.length === 0) return null;
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}

/** The items of the checklist and the two ends of a task: done, or not to be done. */
function Ticks({ task }: { task: DueTask }) {
  const words = ownTaskWords();
  const { put, isBusy } = useEnter();
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const [note, setNote] = useState('');
  const [isSkipping, setSkipping] = useState(false);
  const mark = (state: 'DONE' | 'SKIPPED') =>
    put(
      [
        {
          path: `/tasks/${task.id}/marks`,
          label: words.marked(task.text),
          body: {
            due_on: task.due_on,
            state,
            done_at: new Date(serverNow()).toISOString(),
            ticked: task.items.filter((item) => ticked.includes(item)),
            ...(note.trim() === '' ? {} : { note: note.trim() }),
          },
          touches: TASK_TOUCHES,
          settles: dayOf(task),
        },
      ],
      { text: words.marked(task.text) },
    );
  return (
    <>
      {task.items.map((item) => (
        <CheckField
          key={item}
          label={item}
          checked={ticked.includes(item)}
          onChange={(event) =>
            setTicked(
              event.currentTarget.checked ? [...ticked, item] : ticked.filter((found) => found !== item),
            )
          }
        />
      ))}
      {isSkipping ? (
        <TextField
          label={words.reason}
          value={note}
          maxLength={2_000}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      ) : null}
      <div class="row">
        {isSkipping ? (
          <>
            <Button big busy={isBusy} onClick={() => void mark('SKIPPED')}>
              {words.confirmSkip}
            </Button>
            <Button big look="quiet" onClick={() => setSkipping(false)}>
              {words.undo}
            </Button>
          </>
        ) : (
          <>
            <Button big look="main" busy={isBusy} onClick={() => void mark('DONE')}>
              ✓ {words.done}
              <span class="visually-hidden">: {task.text}</span>
            </Button>
            <Button big look="quiet" onClick={() => setSkipping(true)}>
              {words.skip}
              <span class="visually-hidden">: {task.text}</span>
            </Button>
          </>
        )}
      </div>
    </>
  );
}

function Marked({ task, mark }: { task: DueTask; mark: NonNullable<DueTask['mark']> }) {
  const words = ownTaskWords();
  const name = mark.done_by_name ?? words.somebody;
  const at = dayAndTime(mark.done_at);
  const mayUndo = mayManage.value || (mayRecord.value && mark.done_by === userId.value);
  const undo = async () => {
    try {
      await del(`/tasks/${task.id}/marks/${mark.due_on}`);
      refresh(...TASK_TOUCHES);
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <div class="row">
      <p class="muted grow">
        {mark.state === 'DONE' ? `✓ ${words.doneBy(name, at)}` : `– ${words.skippedBy(name, at)}`}
        {task.items.length === 0 ? null : ` · ${words.ticked(mark.ticked.length, task.items.length)}`}
        {mark.note === null ? null : ` · ${mark.note}`}
      </p>
      {mayUndo ? (
        <WorkButton look="quiet" work={undo}>
          {words.undo}
          <span class="visually-hidden">: {task.text}</span>
        </WorkButton>
      ) : null}
    </div>
  );
}
