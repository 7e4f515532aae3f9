import type { UseQueryResult } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { backupWords } from '#words/backup.ts';
import { farmWords, removalWords } from '#words/farms.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { ApiError, del, get, post, put } from '../../data/api.ts';
import { farmControlPoints } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { usePondCards } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { figure, quantity } from '../../i18n/format.ts';
import { type BackupState, saidOfField, WorkNote } from '../backup/backup-stand.tsx';
import { saidIn } from '../system/use-work.ts';

/** The backup that was made before: where it lies and what opens it. */
type Safe = { file: string; folder: string; key: string };
export type GoneFarm = { name: string; safe: Safe | null };

const LOOK_MS = 1_000;
/** A backup of a million log entries takes ten seconds; a stick that hangs must not hold the question for ever. */
const MOST_LOOKS = 900;

export function Removal({
  id,
  name,
  onGone,
}: {
  id: string;
  name: string;
  onGone: (gone: GoneFarm) => void;
}) {
  const words = farmWords();
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card stack">
      <h2>{words.danger}</h2>
      <p class="muted">{words.dangerText}</p>
      <div>
        <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
          {words.removeFarm}
        </Button>
      </div>
      {isAsking ? <Question id={id} name={name} onGone={onGone} onClose={() => setAsking(false)} /> : null}
    </section>
  );
}

type Reason = keyof ReturnType<typeof removalWords>['none'];

/** Why no backup can be made from here; null: one can. undefined: not known yet. */
function useWhyNone(state: UseQueryResult<BackupState>): Reason | null | undefined {
  if (isHosted.value) return 'hosted';
  const { data, error } = state;
  if (error instanceof ApiError && [403, 404].includes(error.status)) return 'notYours';
  if (data === undefined) return error === null ? undefined : 'unknown';
  return data.folder === null || data.key === null || !data.is_ready ? 'notSet' : null;
}

/** The password, a backup that was read back, and only then the deletion. Who closes it before that keeps the farm. */
function Question({
  id,
  name,
  onGone,
  onClose,
}: {
  id: string;
  name: string;
  onGone: (gone: GoneFarm) => void;
  onClose: () => void;
}) {
  const words = farmWords();
  const own = removalWords();
  const cards = usePondCards();
  const state = useGet(isHosted.value ? null : '/system/backup');
  const [password, setPassword] = useState('');
  const [isWithout, setWithout] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const [work, setWork] = useState<BackupState['work']>(null);
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  const none = useWhyNone(state) ?? (hasFailed ? 'failed' : null);
  const remove = async () => {
    await put('/users/me', { current_password: password }).catch((error: unknown) => {
      throw saidOfField(error);
    });
    const safe =
      isWithout || state.data === undefined
        ? null
        : await makeSafe(state.data, { saw: setWork, isWanted: () => isOpen.current }).catch(
            (error: unknown) => {
              setFailed(true);
              throw new ApiError(0, { detail: own.notDeleted(faultText(error)) });
            },
          );
    if (!isOpen.current) return;
    await del(`/farms/${id}`);
    onGone({ name, safe });
    refresh('farms', 'ponds', 'control-points');
  };
  return (
    <ConfirmDialog
      title={words.removeFarmTitle(name)}
      label={words.removeFarm}
      mustType={{ label: words.typeName(name), text: name }}
      isReady={
        cards.data !== undefined &&
        !isBlind.value &&
        password !== '' &&
        (isWithout || (none === null && state.data !== undefined) || none === 'failed')
      }
      work={remove}
      onClose={onClose}
    >
      <p>{words.dangerText}</p>
      <Lost of={cards} />
      {none === null ? (
        state.data === undefined ? null : (
          <p class="note" data-safe="first">
            {own.first(state.data.folder ?? '')} {own.opens(state.data.key?.id ?? '')}
          </p>
        )
      ) : (
        <div class="note p2" data-safe={none}>
          <div class="stack grow">
            <strong>{own.none[none]}</strong>
            {none === 'notSet' || none === 'failed' ? (
              <Link href="/sistema/backup">{own.goBackup}</Link>
            ) : null}
            <CheckField
              label={own.without}
              checked={isWithout}
              onChange={(event) => setWithout(event.currentTarget.checked)}
            />
          </div>
        </div>
      )}
      <TextField
        label={own.password}
        type="password"
        value={password}
        autoComplete="current-password"
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      {work?.state === 'running' ? (
        <>
          <WorkNote work={work} of="backup" />
          <p class="muted small">{own.working}</p>
        </>
      ) : null}
    </ConfirmDialog>
  );
}

/** Makes a backup that stays, and waits until it was read back. Throws why there is none. */
async function makeSafe(
  before: BackupState,
  { saw, isWanted }: { saw: (work: BackupState['work']) => void; isWanted: () => boolean },
): Promise<Safe | null> {
  const words = backupWords();
  const begun = await post('/system/backup/run', { keep: true }).catch((error: unknown) => {
    throw saidIn(error, words.refused);
  });
  const beganAt = begun.work?.began_at;
  for (let looks = 0, { work } = begun; looks < MOST_LOOKS && isWanted(); looks += 1) {
    // another wish took its place: what became of ours nobody can say here
    if (work?.kind !== 'backup' || work.began_at !== beganAt) break;
    saw(work);
    if (work.state === 'done' && work.backup !== null)
      return { file: work.backup, folder: before.folder ?? '', key: before.key?.id ?? '' };
    if (work.state === 'failed') {
      const detail = work.code === null ? words.unknown(work.detail ?? '') : words.trouble[work.code];
      throw new ApiError(0, { detail });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    // one look that gets lost on the Wi-Fi says nothing about the backup
    work = (await get('/system/backup').catch(() => null))?.work ?? work;
  }
  if (!isWanted()) return null;
  throw new ApiError(0, { detail: words.refused.ALREADY_RUNNING });
}

/** Counted, so that nobody takes a farm at work for an empty one. */
function Lost({ of: cards }: { of: ReturnType<typeof usePondCards> }) {
  const words = farmWords();
  return (
    <Answer of={cards}>
      {({ summary }) => (
        <ul class="stack" data-lost>
          <li>
            <strong>{words.lostPonds(figure(summary.total_ponds), figure(summary.active_ponds))}</strong>
            {summary.total_biomass_kg > 0
              ? ` · ${words.lostShrimp(quantity(summary.total_biomass_kg, 0, 'kg'))}`
              : ''}
          </li>
          <li>
            <strong>{words.lostPoints(figure(farmControlPoints.value.length))}</strong>
          </li>
        </ul>
      )}
    </Answer>
  );
}

/** Where the backup is, and how the farm comes back: told on a page that stays until somebody has read it. */
export function Gone({ of: { name, safe }, onRead }: { of: GoneFarm; onRead: () => void }) {
  const words = removalWords();
  return (
    <section class="card stack" data-gone role="status">
      <strong>{words.gone(name)}</strong>
      <p class="note p2">{words.controllers}</p>
      <p>{words.wayBack}</p>
      {safe === null ? (
        <p>{words.noBackup}</p>
      ) : (
        <>
          <p class="breaks">{words.kept(safe.file, safe.folder)}</p>
          <p class="muted">{words.byBackup(safe.key)}</p>
        </>
      )}
      <div class="row">
        <Button look="main" onClick={onRead}>
          {words.done}
        </Button>
        {safe === null ? null : (
          <Link class="button" href="/sistema/backup">
            {words.goBackup}
          </Link>
        )}
      </div>
    </section>
  );
}
