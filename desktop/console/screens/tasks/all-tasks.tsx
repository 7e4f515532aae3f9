import { Link } from 'wouter-preact';
import type { TaskAnswer, TaskMarkAnswer } from '#contract/resources/tasks.ts';
import { ownTaskWords } from '#words/own-tasks.ts';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { CheckField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import { toast } from '../../components/toast.tsx';
import { put } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { isLeaving, removeLater } from '../../data/corrections.ts';
import { farm, mayManage } from '../../data/farm-store.ts';
import { useInAddress } from '../../data/in-address.ts';
import { refresh, useGet } from '../../data/query.ts';
import { TASK_TOUCHES } from '../../data/tasks.ts';
import { dayAndTime, isoDay, plainDay } from '../../i18n/format.ts';

const MOST = 500;

/** All tasks of the farm, and what was done of them. */
export function AllTasks() {
  const words = ownTaskWords();
  const [ended, keepEnded] = useInAddress('encerradas');
  const withEnded = ended === 'sim';
  const farmId = farm.value?.id;
  const tasks = useGet(farmId === undefined ? null : `/farms/${farmId}/tasks`, { ended: withEnded });
  return (
    <div class="page" data-all-tasks>
      <div class="page-head">
        <div class="row nowrap">
          <Link href="/tarefas" class="button quiet" aria-label={words.own}>
            <Icon name="back" />
          </Link>
          <h1>{words.allTitle}</h1>
        </div>
        {mayManage.value ? (
          <Link class="button main no-print" href="/tarefas/nova">
            {words.new}
          </Link>
        ) : null}
      </div>
      <CheckField
        label={words.showEnded}
        checked={withEnded}
        onChange={(event) => keepEnded(event.currentTarget.checked ? 'sim' : '')}
      />
      <Answer of={tasks} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.nothing} />}>
        {(rows) => (
          <ul class="own-tasks">
            {rows
              .filter((row) => !isLeaving(pathOf(row)))
              .map((row) => (
                <li key={row.id} class="card stack" data-task={row.id}>
                  <Line row={row} />
                </li>
              ))}
          </ul>
        )}
      </Answer>
      {farmId === undefined ? null : <Journal farmId={farmId} />}
    </div>
  );
}

const pathOf = ({ id }: Pick<TaskAnswer, 'id'>) => `/tasks/${id}` as const;

function ruleText({ repeat, every_days, days_of_week, first_day }: TaskAnswer): string {
  const words = ownTaskWords();
  if (repeat === 'DAYS') return words.everyN(every_days ?? 1);
  if (repeat === 'WEEKDAYS')
    return (days_of_week ?? []).map((day) => words.weekdays[day - 1] ?? '').join(', ');
  return words.once(plainDay(first_day));
}

function Line({ row }: { row: TaskAnswer }) {
  const words = ownTaskWords();
  const isEnded = row.ended_on !== null && row.next_due_on === null;
  const beside = [
    row.pond_cod ?? '',
    ruleText(row),
    row.remind_at === null ? '' : words.at(row.remind_at),
    row.assignee_name ?? '',
    row.items.length === 0 ? '' : words.itemCount(row.items.length),
    isEnded
      ? words.ended(plainDay(row.ended_on))
      : row.next_due_on === null || row.repeat === 'ONCE'
        ? ''
        : words.next(plainDay(row.next_due_on)),
  ].filter((part) => part !== '');
  const end = async () => {
    try {
      await put(pathOf(row), { ended_on: isoDay(now.value) });
      refresh(...TASK_TOUCHES);
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <>
      <div>
        <strong>{row.text}</strong>
        <p class="muted small">{beside.join(' · ')}</p>
      </div>
      {mayManage.value ? (
        <div class="row no-print">
          <Link class="button" href={`/tarefas/${row.id}`}>
            {words.edit}
            <span class="visually-hidden">: {row.text}</span>
          </Link>
          {isEnded ? null : (
            <WorkButton look="quiet" work={end}>
              {words.end}
              <span class="visually-hidden">: {row.text}</span>
            </WorkButton>
          )}
          <WorkButton
            look="quiet"
            work={() => {
              removeLater({ path: pathOf(row), label: words.thisTask(row.text), touches: TASK_TOUCHES });
              return Promise.resolve();
            }}
          >
            {words.remove}
            <span class="visually-hidden">: {row.text}</span>
          </WorkButton>
        </div>
      ) : null}
    </>
  );
}

function Journal({ farmId }: { farmId: string }) {
  const words = ownTaskWords();
  const marks = useGet(`/farms/${farmId}/task-marks`, { limit: MOST });
  return (
    <section class="card stack" data-task-journal>
      <h2>{words.journal}</h2>
      <Answer of={marks} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.noJournal}</p>}>
        {(rows) => (
          <RecordTable<TaskMarkAnswer>
            label={words.journal}
            address="feitas"
            keyOf={({ id }) => id}
            rows={rows}
            columns={[
              { name: words.when, of: (row) => dayAndTime(row.done_at), raw: (row) => row.done_at },
              { name: words.what, of: (row) => row.text, raw: (row) => row.text },
              { name: words.state, of: (row) => words.states[row.state], raw: (row) => row.state },
              { name: words.who, of: (row) => row.done_by_name ?? '–', raw: (row) => row.done_by_name },
              { name: words.details, isLong: true, of: detailsOf },
            ]}
          />
        )}
      </Answer>
    </section>
  );
}

const detailsOf = ({ due_on, ticked, note }: TaskMarkAnswer): string =>
  [ownTaskWords().dueOn(plainDay(due_on)), ticked.join(', '), note ?? '']
    .filter((part) => part !== '')
    .join(' · ');
