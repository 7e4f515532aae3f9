import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { welcomeWords } from '#words/onboarding.ts';
import { Button } from '../../components/button.tsx';
import { farm, isKnown, isOwner } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { STEPS, useProgress } from './progress.ts';
import '../../styles/system.css';

const KEPT = 'checklist';

/** What is still missing until the farm can be watched; gone once it is not, or once nobody wants to see it. */
export function Checklist() {
  const words = welcomeWords();
  const done = useProgress();
  const { isSuccess } = usePonds();
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(KEPT) === 'dismissed');
  const hasFarm = farm.value !== null;
  const isWhole = done.fazenda && done.viveiros && done.controlador;
  const mayHelp = !hasFarm || isOwner.value;
  if (isDismissed || isWhole || !mayHelp || !isKnown.value || (hasFarm && !isSuccess)) return null;
  const next = STEPS.find((step) => !done[step]) ?? 'fazenda';
  return (
    <section class="card stack" data-checklist>
      <h2>{words.checklist}</h2>
      {hasFarm ? null : <p class="muted">{words.noFarmText}</p>}
      <ul>
        {STEPS.map((step) => (
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
        <Button
          look="quiet"
          onClick={() => {
            localStorage.setItem(KEPT, 'dismissed');
            setDismissed(true);
          }}
        >
          {words.dismiss}
        </Button>
      </div>
    </section>
  );
}
