import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { welcomeWords } from '#words/onboarding.ts';
import { Button } from '../../components/button.tsx';
import {
  type ControlPoint,
  farm,
  farmControlPoints,
  farms,
  isKnown,
  isOwner,
  presence,
} from '../../data/farm-store.ts';
import '../../styles/system.css';
import { ApiError } from '../../data/api.ts';
import { useBatches } from '../../data/batches.ts';
import { isHosted } from '../../data/instance.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { useSchedules } from '../../data/schedules.ts';
import { isSignedIn } from '../../data/session.ts';
import { soundTestedAt } from '../../shell/sound.ts';

const KEPT = 'checklist';

/**
 * What is still missing. Until the farm can be watched it stands above everything, with each step; after that it is one
 * line below the ponds. Gone once nothing is missing, or once nobody wants to see it.
 */
export function Checklist({ place }: { place: 'above' | 'below' }) {
  const words = welcomeWords();
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(KEPT) === 'dismissed');
  const { ponds, isSuccess } = usePonds();
  const hasFarm = farm.value !== null;
  const mayHelp = !hasFarm || isOwner.value;
  if (isDismissed || !mayHelp || !isKnown.value || (hasFarm && !isSuccess)) return null;
  // only where it stands is asked for what is missing
  const canBeWatched = hasFarm && ponds.length > 0 && farmControlPoints.value.some(isReal);
  if (canBeWatched !== (place === 'below')) return null;
  const dismiss = (
    <Button
      look="quiet"
      onClick={() => {
        localStorage.setItem(KEPT, 'dismissed');
        setDismissed(true);
      }}
    >
      {words.dismiss}
    </Button>
  );
  return <Missing {...{ canBeWatched, dismiss }} />;
}

function Missing({ canBeWatched, dismiss }: { canBeWatched: boolean; dismiss: JSX.Element }) {
  const words = welcomeWords();
  const { steps: all, done } = useProgress();
  // whoever sees this has an account
  const steps = all.filter((step) => step !== 'conta');
  const missing = steps.filter((step) => done[step] === false);
  const [next] = missing;
  if (next === undefined || steps.some((step) => done[step] === null)) return null;
  const title = words.left(missing.length, steps.length);
  if (canBeWatched) {
    return (
      <section class="card row apart" aria-label={title} data-checklist={missing.length}>
        <span>
          <strong>{title}</strong> <span class="muted">{words.nextStep(words.steps[next])}</span>
        </span>
        <span class="row">
          <Link class="button" href={`/bem-vindo/${next}`}>
            {words.continue}
          </Link>
          {dismiss}
        </span>
      </section>
    );
  }
  return (
    <section class="card stack" data-checklist={missing.length}>
      <h2>{words.checklist}</h2>
      <p>
        <strong>{title}</strong>
      </p>
      {farm.value === null ? <p class="muted">{words.noFarmText}</p> : null}
      <ul>
        {steps.map((step) => (
          <li key={step}>
            <span aria-hidden="true">{done[step] ? '✓' : '○'}</span>{' '}
            {done[step] ? (
              <span class="muted">
                {words.steps[step]} ({words.isDone})
              </span>
            ) : (
              <Link class="way" href={`/bem-vindo/${step}`}>
                {words.steps[step]}
              </Link>
            )}
          </li>
        ))}
      </ul>
      <div class="row">
        <Link class="button main" href={`/bem-vindo/${next}`}>
          {words.continue}
        </Link>
        {dismiss}
      </div>
    </section>
  );
}

/** A virtual one airs no pond. */
const isReal = ({ is_simulated, is_siren }: ControlPoint): boolean => !is_simulated && !is_siren;

/** In the order in which one leads to the next; `caixa` is a hosted instance's, `chave` a gateway's. */
const STEPS = [
  'conta',
  'caixa',
  'fazenda',
  'viveiros',
  'controlador',
  'ligar',
  'horario',
  'lote',
  'chave',
  'celular',
  'som',
] as const;
export type Step = (typeof STEPS)[number];

const PHONES: readonly string[] = ['Android', 'iPhone', 'iPad'];

/**
 * The steps that are of any use here to this person, and which of them are done: null while nobody knows yet. It is read
 * off the farm, so nothing has to be remembered.
 */
export function useProgress() {
  const signedIn = isSignedIn();
  const known = farm.value;
  const { ponds, isSuccess } = usePonds();
  const batches = useBatches();
  const schedules = useSchedules();
  const backup = useGet(signedIn && !isHosted.value ? '/system/backup' : null);
  const boxes = useGet(signedIn && isHosted.value ? '/sync/gateways' : null);
  const sessions = useGet(signedIn ? '/auth/sessions' : null);
  const points = farmControlPoints.value.filter(isReal);
  const isClosed = ({ error }: { error: unknown }) =>
    error instanceof ApiError && [403, 404].includes(error.status);
  /** What rests on a farm is not there before it. */
  const onFarm = (isThere: boolean | null): boolean | null => (known === null ? false : isThere);
  const done: Readonly<Record<Step, boolean | null>> = {
    conta: signedIn,
    caixa: boxes.data === undefined ? null : boxes.data.length > 0,
    fazenda: known !== null,
    viveiros: onFarm(isSuccess ? ponds.length > 0 : null),
    controlador: points.length > 0,
    ligar: points.some(
      ({ id, last_command_at }) =>
        last_command_at !== null || presence.value.get(id)?.current_status === 'ON',
    ),
    horario: onFarm(schedules.data === undefined ? null : schedules.data.size > 0),
    lote: onFarm(batches.isSuccess ? batches.batches.length > 0 : null),
    chave: backup.data === undefined ? null : backup.data.key !== null,
    celular: sessions.data === undefined ? null : phoneIn(sessions.data) !== null,
    som: soundTestedAt.value !== null,
  };
  // whoever was invited to a farm finds it set up
  const isMine = known === null || isOwner.value;
  const steps = STEPS.filter(
    (step) =>
      (isHosted.value || step !== 'caixa') &&
      !(step === 'caixa' && isClosed(boxes)) &&
      !(step === 'chave' && (isHosted.value || isClosed(backup))) &&
      (isMine || step === 'conta' || step === 'fazenda' || step === 'celular' || step === 'som'),
  );
  return { steps, done, pondCount: ponds.length, hasFarms: farms.value.length > 0 };
}

/** A phone among the places where the person is signed in, by its name. */
export function phoneIn(
  sessions: readonly { system: string | null; browser: string | null }[],
): string | null {
  const found = sessions.find(({ system }) => system !== null && PHONES.includes(system));
  return found === undefined ? null : [found.browser, found.system].filter(Boolean).join(' · ');
}
