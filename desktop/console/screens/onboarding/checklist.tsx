import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { welcomeWords } from '#words/onboarding.ts';
import { Button } from '../../components/button.tsx';
import { farm, isKnown, isOwner } from '../../data/farm-store.ts';
import { useProgress } from './progress.ts';
import '../../styles/system.css';

const KEPT = 'checklist';

/**
 * What is still missing. Until the farm can be watched it stands above everything, with each step; after that it is one
 * line below the ponds. Gone once nothing is missing, or once nobody wants to see it.
 */
export function Checklist({ place }: { place: 'above' | 'below' }) {
  const words = welcomeWords();
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(KEPT) === 'dismissed');
  const hasFarm = farm.value !== null;
  const mayHelp = !hasFarm || isOwner.value;
  if (isDismissed || !mayHelp || !isKnown.value) return null;
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
  return <Missing place={place} dismiss={dismiss} />;
}

function Missing({ place, dismiss }: { place: 'above' | 'below'; dismiss: JSX.Element }) {
  const words = welcomeWords();
  const { steps: all, done } = useProgress();
  // whoever sees this has an account
  const steps = all.filter((step) => step !== 'conta');
  const missing = steps.filter((step) => done[step] === false);
  const [next] = missing;
  if (next === undefined || steps.some((step) => done[step] === null)) return null;
  const canBeWatched = done.fazenda === true && done.viveiros === true && done.controlador === true;
  if (canBeWatched !== (place === 'below')) return null;
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
