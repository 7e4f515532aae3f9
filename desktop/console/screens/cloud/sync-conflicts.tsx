import type { SyncConflictAnswer } from '#contract/resources/sync-status.ts';
import { syncWords } from '#words/cloud.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { CheckField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { useInAddress } from '../../data/in-address.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { asTyped, dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

/** The newest; those that are settled make room for the others. */
const SHOWN = 100;

/** Both versions of what two people changed at once, who and when, and the choice between them. */
export function SyncConflicts() {
  const words = syncWords();
  const [shown, keep] = useInAddress('resolvidos');
  const isAll = shown === 'sim';
  const conflicts = useGet('/sync/conflicts', isAll ? { limit: SHOWN } : { limit: SHOWN, state: 'open' });
  const { fault, run } = useWork();
  const settle = (id: string, how: 'restore' | 'confirm') =>
    run(
      async () => {
        await post(`/sync/conflicts/${id}/${how}`);
        refresh('sync');
      },
      how === 'restore' ? words.restored : words.confirmed,
    );
  return (
    <section class="stack">
      <div class="row apart">
        <h2>{words.conflicts}</h2>
        <CheckField
          label={words.settledToo}
          checked={isAll}
          onChange={(event) => keep(event.currentTarget.checked ? 'sim' : '')}
        />
      </div>
      <FaultNote fault={fault} />
      <Answer
        of={conflicts}
        isEmpty={(rows) => rows.length === 0}
        empty={<p class="muted">{words.noConflicts}</p>}
      >
        {(rows) => (
          <>
            <p class="muted">{words.conflictsText}</p>
            <ul class="stack">
              {rows.map((conflict) => (
                <li key={conflict.id} class="card stack" data-conflict={conflict.state}>
                  <Conflict conflict={conflict} settle={settle} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Answer>
    </section>
  );
}

function Conflict({
  conflict,
  settle,
}: {
  conflict: SyncConflictAnswer;
  settle: (id: string, how: 'restore' | 'confirm') => Promise<boolean>;
}) {
  const words = syncWords();
  const { id, table, row_name, rule_text, found_at, state, is_restorable } = conflict;
  return (
    <>
      <div class="row apart">
        <h3>
          {tableName(table)}
          {row_name === null ? '' : ` ${row_name}`}
        </h3>
        <span class="muted small">{dayAndTime(found_at)}</span>
      </div>
      <p>{rule_text}</p>
      <Versions conflict={conflict} />
      {state === 'open' && mayOperate.value ? (
        <div class="row">
          <WorkButton disabled={isBlind.value} work={() => settle(id, 'confirm')}>
            {words.confirm}
          </WorkButton>
          <WorkButton
            disabled={isBlind.value}
            why={is_restorable ? null : words.notRestorable}
            work={() => settle(id, 'restore')}
          >
            {words.restore}
          </WorkButton>
          {is_restorable ? null : <span class="muted small">{words.notRestorable}</span>}
        </div>
      ) : null}
      {state === 'open' ? null : (
        <p class="muted small">
          {words.outcome[state]} {conflict.settled_at === null ? '' : `· ${dayAndTime(conflict.settled_at)}`}
        </p>
      )}
    </>
  );
}

type Version = SyncConflictAnswer['kept'];

function Versions({ conflict: { fields, kept, dropped } }: { conflict: SyncConflictAnswer }) {
  const words = syncWords();
  const all = [...new Set([...fields, ...Object.keys(kept.values), ...Object.keys(dropped.values)])];
  // what both sides say alike is nothing to choose by
  const apart = all.filter((name) => shown(kept, name) !== shown(dropped, name));
  const names = apart.length === 0 ? all : apart;
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={words.conflicts}>
      <table class="table versions">
        <thead>
          <tr>
            <th scope="col">{words.field}</th>
            <Side name={words.kept} version={kept} />
            <Side name={words.dropped} version={dropped} />
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{fieldName(name)}</th>
              <td>{shown(kept, name)}</td>
              <td>{shown(dropped, name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Side({ name, version }: { name: string; version: Version }) {
  const words = syncWords();
  return (
    <th scope="col">
      {name}
      <span class="muted small by-line">
        {version.by_name ?? words.unknownPerson} · {dayAndTime(version.at)}
      </span>
    </th>
  );
}

const INSTANT = /^\d{4}-\d\d-\d\dT/;

function shown({ values }: Version, name: string): string {
  // a side that says nothing at all says that the row is deleted
  if (Object.keys(values).length === 0) return syncWords().deleted;
  const value = values[name];
  if (value === null || value === undefined) return '—';
  if (typeof value === 'string') return INSTANT.test(value) ? dayAndTime(value) : value;
  if (typeof value === 'number') return asTyped(value);
  if (typeof value === 'boolean') return value ? syncWords().yes : syncWords().no;
  return JSON.stringify(value);
}

/** What a table is called on a farm; one without such a name keeps its own. */
export function tableName(table: string): string {
  const known: Readonly<Record<string, string>> = syncWords().tables;
  return known[table] ?? table;
}

function fieldName(field: string): string {
  const known: Readonly<Record<string, string>> = syncWords().fields;
  return known[field] ?? field;
}
