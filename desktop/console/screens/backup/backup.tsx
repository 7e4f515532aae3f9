import type { UseQueryResult } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { atTheBox, COMMAND, SETTINGS_FILE } from '#contract/commands.ts';
import { backupWords } from '#words/backup.ts';
import { healthWords } from '#words/box.ts';
import { Answer } from '../../components/answer.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ApiError } from '../../data/api.ts';
import { farm, isKnown } from '../../data/farm-store.ts';
import { type Readiness, useReadiness } from '../../data/health.ts';
import { isHosted } from '../../data/instance.ts';
import { useGet } from '../../data/query.ts';
import { age, dayAndTime } from '../../i18n/format.ts';
import { SystemPage } from '../box/system-page.tsx';
import { type BackupState, StandCard } from './backup-stand.tsx';
import { KeyCard, type NewKey, RecoverySheet } from './recovery-key.tsx';
import { RestoreCard, type RestoreState } from './restore-card.tsx';

const FOLDER = '/mnt/stick';
const service = (verb: string) => `sudo systemctl ${verb} ${COMMAND}`;
const KEEP = `echo BACKUP_DIR=${FOLDER} | sudo tee -a ${SETTINGS_FILE} && ${service('restart')}`;
/** It starts again whatever became of the restore: the motors wait for it. */
const RESTORE = `${service('stop')}; ${atTheBox(`restore --from ${FOLDER}`)}; ${service('start')}`;

/** How the backups of this gateway stand, its recovery key, and the way back. */
export function Backup() {
  const words = healthWords();
  const [made, setMade] = useState<NewKey | null>(null);
  const state = useGet('/system/backup');
  const restore = useGet(state.data === undefined ? null : '/system/restore');
  // on a box without a farm that is what somebody came for
  const isEmptyBox = isKnown.value && farm.value === null;
  const isClosed = state.error instanceof ApiError && [403, 404].includes(state.error.status);
  if (made !== null) {
    return (
      <SystemPage title={words.backup} narrow>
        <RecoverySheet made={made} folder={state.data?.folder ?? null} onClose={() => setMade(null)} />
      </SystemPage>
    );
  }
  return (
    <SystemPage title={words.backup} narrow>
      {isClosed ? (
        <FromOutside />
      ) : (
        <Answer of={state}>
          {(data) =>
            data.folder === null ? (
              <>
                <NoFolder />
                <WayBack state={data} of={restore} />
              </>
            ) : (
              <>
                {isEmptyBox ? <WayBack state={data} of={restore} /> : null}
                <StandCard state={data} />
                <KeyCard state={data} onMade={setMade} />
                {isEmptyBox ? null : <WayBack state={data} of={restore} />}
              </>
            )
          }
        </Answer>
      )}
      <Told />
    </SystemPage>
  );
}

function WayBack({ state, of: restore }: { state: BackupState; of: UseQueryResult<RestoreState> }) {
  return <Answer of={restore}>{(found) => <RestoreCard state={state} restore={found} />}</Answer>;
}

/** For those who may not keep the backups: whether they are in order. */
function FromOutside() {
  const readiness = useReadiness();
  return (
    <>
      {isHosted.value ? (
        <p class="note">{backupWords().atTheFarm}</p>
      ) : (
        <>
          <Answer of={readiness}>{({ checks }) => <Standing check={checks['backup']} />}</Answer>
          <p class="muted">{backupWords().notYours}</p>
        </>
      )}
    </>
  );
}

/** Which folder that is, only who stands before the box can say. */
export function NoFolder() {
  const words = healthWords();
  return (
    <>
      <p class="note p2">
        <strong>{words.backupOff}</strong>
      </p>
      <section class="card stack">
        <p class="note p2">{words.keyWarn}</p>
        <p class="muted">{words.commandsText}</p>
        <Command text={words.prepare} command={atTheBox(`backup --to ${FOLDER}`)} />
        <Command text={words.keep} command={KEEP} />
      </section>
      <section class="card stack">
        <h2>{words.restoreTitle}</h2>
        <Command text={words.dryRun} command={atTheBox(`restore --from ${FOLDER} --dry-run`)} />
        <Command text={words.restore} command={RESTORE} />
      </section>
    </>
  );
}

function Command({ text, command }: { text: string; command: string }) {
  return (
    <div class="stack">
      <p>{text}</p>
      <CopyText label={text} text={command} />
    </div>
  );
}

function Standing({ check }: { check: Readiness['checks'][string] | undefined }) {
  const words = healthWords();
  // a gateway without a folder for backups has nothing to be late with; for its farm it is trouble all the same
  const isOff = check === undefined || check.age_s === undefined;
  const isWell = !isOff && check.ok;
  return (
    <section class={`note ${isWell ? '' : 'p2'}`}>
      <div>
        <strong>{isOff ? words.backupOff : isWell ? words.backupOk : words.backupBad}</strong>
        {check?.age_s === undefined || check.age_s === null ? null : (
          <p>{words.lastAge(age(check.age_s * 1_000))}</p>
        )}
      </div>
    </section>
  );
}

/** Notifications of the system that speak of backups or restores. */
function Told() {
  const words = healthWords();
  const told = useGet('/notifications/', { type: 'SYSTEM', page_size: 50 });
  return (
    <section class="stack">
      <h2>{words.told}</h2>
      <Answer of={told}>
        {({ notifications }) => {
          const own = notifications.filter(({ data }) =>
            ['restore', 'backup_failed'].includes(String(data['event'])),
          );
          if (own.length === 0) return <p class="muted">{words.noneTold}</p>;
          return (
            <ul class="stack">
              {own.map(({ id, title, message, created_at }) => (
                <li key={id} class="card">
                  <h3>{title}</h3>
                  <p class="pre-line">{message}</p>
                  <p class="muted small">{dayAndTime(created_at)}</p>
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </section>
  );
}
