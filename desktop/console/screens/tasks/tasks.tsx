import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Empty, Fault } from '../../components/answer.tsx';
import { now } from '../../data/clock.ts';
import { mayRecord } from '../../data/farm-store.ts';
import { entries } from '../../data/outbox.ts';
import { refresh } from '../../data/query.ts';
import { useRound, useTasks } from '../../data/tasks.ts';
import { age, clockTime } from '../../i18n/format.ts';
import { byPlace, grouped, type Task } from '../../state/tasks.ts';
import '../../styles/tasks.css';
import { taskWords } from '#words/entries.ts';
import { AllTasks } from './all-tasks.tsx';
import { isToDo, OwnTasks, useOwnTasks } from './own-tasks.tsx';
import { TaskForm } from './task-form.tsx';

/** What is to be done today, and the pages of the tasks that people set themselves: one screen, so that all opens without a line. */
export function Tasks({ params }: { params: Readonly<Record<string, string>> }) {
  switch (params['what']) {
    case undefined:
      return <Today />;
    case 'todas':
      return <AllTasks />;
    case 'nova':
      return <TaskForm id={null} />;
    default:
      return <TaskForm key={params['what']} id={params['what']} />;
  }
}

/** What is to be done, longest overdue in front; every line leads to the screen that does it. */
function Today() {
  const words = taskWords();
  const own = useOwnTasks();
  const { tasks, isReady, error } = useTasks();
  const round = useRound();
  const saved = entries.value.filter(({ state }) => state === 'saved').length;
  // what was just entered here is done
  useEffect(() => {
    if (saved > 0) refresh('duties');
  }, [saved]);
  const overdue = tasks.filter(({ isOverdue }) => isOverdue);
  const later = tasks.filter(({ isOverdue }) => !isOverdue);
  return (
    <div class="page">
      <div class="page-head">
        <div>
          <h1>{words.title}</h1>
          {round.all === 0 ? null : <p class="muted">{words.round(round.done, round.all)}</p>}
        </div>
        {mayRecord.value ? (
          <Link class="button main big" href="/lancar/agua">
            {words.startRound}
          </Link>
        ) : null}
      </div>
      {error ? <Fault error={error} /> : null}
      {isReady || error ? null : (
        <p class="muted small asking" role="status">
          {words.asking}
        </p>
      )}
      <OwnTasks of={own} />
      {isReady && tasks.length === 0 && own.data !== undefined && !own.data.tasks.some(isToDo) ? (
        <Empty text={words.none} />
      ) : (
        <>
          <section class="stack">
            <h2>{words.overdue(overdue.length)}</h2>
            {overdue.length === 0 && isReady ? <p class="muted">{words.noneOverdue}</p> : null}
            <Groups tasks={overdue} />
          </section>
          {later.length === 0 ? null : (
            <section class="stack">
              <h2>{words.later(later.length)}</h2>
              <Groups tasks={later} />
            </section>
          )}
        </>
      )}
    </div>
  );
}

function Groups({ tasks }: { tasks: readonly Task[] }) {
  const words = taskWords();
  return (
    <div class="task-groups">
      {grouped(tasks).map(({ kind, tasks: alike }) => (
        <section key={kind} class="card stack">
          <h3>
            {words.kinds[kind]} <span class="muted">{alike.length}</span>
          </h3>
          <ul class="task-list">
            {(kind === 'meal' ? byPlace(alike) : alike.map((task) => [task])).map((together) => {
              const [task] = together;
              if (task === undefined) return null;
              return (
                <li key={`${task.place} ${task.href} ${task.dueAt}`}>
                  <Doing task={task}>
                    <strong>{task.place}</strong>
                    <span class="muted small">
                      {together.map((each) => taskTime(each, words)).join(', ')}
                    </span>
                  </Doing>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Who may not record sees what is due, without a way that ends in a refusal. */
function Doing({ task, children }: { task: Task; children: ComponentChildren }) {
  if (!mayRecord.value && task.kind !== 'alarm') return <div class="task">{children}</div>;
  return (
    <Link class="task" href={task.href}>
      {children}
    </Link>
  );
}

function taskTime(task: Task, words: ReturnType<typeof taskWords>): string {
  const { kind, isOverdue, lastAt, dueAt } = task;
  if (kind === 'alarm') return words.since(age(now.value - dueAt));
  if (kind === 'meal') return clockTime(dueAt);
  if (!isOverdue) return words.until(clockTime(dueAt));
  return lastAt === null ? words.never : words.lastly(age(now.value - lastAt));
}
