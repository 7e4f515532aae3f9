import '../../styles/system.css';
import '../../styles/welcome.css';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { welcomeWords } from '#words/onboarding.ts';
import { Awaited } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { LanguageChoice } from '../../components/language-choice.tsx';
import { SimulatedMark } from '../../components/simulated.tsx';
import { Toasts } from '../../components/toast.tsx';
import { farm, farmControlPoints, isKnown } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { usePonds } from '../../data/places.ts';
import { isSignedIn } from '../../data/session.ts';
import { SoundTest } from '../account/preferences.tsx';
import { PointDialog } from '../devices/point-dialog.tsx';
import { SeenDevices } from '../devices/seen-devices.tsx';
import { PondPatternForm } from '../farms/pond-pattern-form.tsx';
import { AccountStep } from './account-step.tsx';
import { FarmStep } from './farm-step.tsx';
import { STEPS, type Step, stepAfter, useProgress } from './progress.ts';

/** From nothing to a farm that can be watched; every step can be left out and taken later. */
export function Welcome({ params }: { params: Readonly<Record<string, string>> }) {
  const words = welcomeWords();
  const [, go] = useLocation();
  const done = useProgress();
  const asked = STEPS.find((step) => step === params['step']);
  const step: Step = isSignedIn() ? (asked ?? STEPS.find((known) => !done[known]) ?? 'som') : 'conta';
  const next = stepAfter(step);
  const goOn = () => go(next === null ? '/' : `/bem-vindo/${next}`);
  return (
    <main class="page narrow welcome">
      <div class="row apart">
        <h1>{words.title}</h1>
        <LanguageChoice />
      </div>
      <Steps shown={step} done={done} />
      <div class="card stack" key={step}>
        {step === 'conta' ? (
          <AccountStep onDone={goOn} />
        ) : step === 'fazenda' ? (
          <FarmStep onDone={goOn} />
        ) : step === 'viveiros' ? (
          <PondsStep count={done.pondCount} onDone={goOn} />
        ) : step === 'controlador' ? (
          <ControllerStep />
        ) : (
          <>
            <h2>{words.sound}</h2>
            <p>{words.soundText}</p>
            <SoundTest />
          </>
        )}
      </div>
      {isSignedIn() ? (
        <div class="row apart">
          {next === null ? (
            <span />
          ) : (
            <Link class="button quiet" href="/">
              {words.finish}
            </Link>
          )}
          <Button big look={done[step] ? 'main' : 'plain'} onClick={goOn}>
            {next === null ? words.finish : done[step] ? words.next : words.skip}
          </Button>
        </div>
      ) : null}
      <Toasts />
    </main>
  );
}

function Steps({ shown, done }: { shown: Step; done: Readonly<Record<Step, boolean>> }) {
  const words = welcomeWords();
  return (
    <nav aria-label={words.progress}>
      <ol class="welcome-steps">
        {STEPS.map((step, index) => {
          const text = (
            <>
              <span aria-hidden="true">{done[step] ? '✓' : index + 1}</span>{' '}
              <span class="step-name">{words.steps[step]}</span>
              {done[step] ? <span class="visually-hidden"> ({words.isDone})</span> : null}
            </>
          );
          return (
            <li key={step} class={step === shown ? 'now' : ''}>
              {isSignedIn() ? (
                <Link href={`/bem-vindo/${step}`} aria-current={step === shown ? 'step' : undefined}>
                  {text}
                </Link>
              ) : (
                <span aria-current={step === shown ? 'step' : undefined}>{text}</span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function PondsStep({ count, onDone }: { count: number; onDone: () => void }) {
  const words = welcomeWords();
  const answer = usePonds();
  const { ponds, isSuccess } = answer;
  const known = farm.value;
  return (
    <>
      <h2>{words.ponds}</h2>
      <p class="muted">{count > 0 ? words.havePonds(count) : words.pondsText}</p>
      {known === null ? (
        isKnown.value ? (
          <p>{words.farmFirst}</p>
        ) : (
          <div class="skeleton" aria-busy="true" />
        )
      ) : isSuccess ? (
        <PondPatternForm farmId={known.id} existing={ponds.map(({ cod }) => cod)} onDone={onDone} />
      ) : (
        <Awaited of={[answer]} />
      )}
    </>
  );
}

function ControllerStep() {
  const words = welcomeWords();
  const [adopting, setAdopting] = useState<string | null>(null);
  const points = farmControlPoints.value;
  const real = points.filter(({ is_simulated }) => !is_simulated).length;
  if (farm.value === null) {
    return (
      <>
        <h2>{words.controller}</h2>
        <p>{words.farmFirst}</p>
      </>
    );
  }
  return (
    <>
      <h2>{words.controller}</h2>
      {points.length > 0 ? (
        <>
          {real > 0 ? <p>{words.haveControllers(real)}</p> : null}
          <ul>
            {points.map(({ id, cod, device_id, is_simulated }) => (
              <li key={id}>
                <Link class="way" href={`/sistema/dispositivos/${id}`}>
                  {cod}
                </Link>{' '}
                <span class="mono">{device_id}</span> <SimulatedMark is={is_simulated} />
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p class="muted">{words.controllerText}</p>
      )}
      <SeenDevices onAdopt={setAdopting} />
      <div>
        <Button big look={real === 0 ? 'main' : 'plain'} onClick={() => setAdopting('')}>
          {words.addController}
        </Button>
      </div>
      {isHosted.value ? null : (
        <details>
          <summary>{words.noController}</summary>
          <div class="stack">
            <p class="muted">{words.simulatorText}</p>
            <div>
              <Link class="button" href="/sistema/bancada/simulador">
                {words.simulator}
              </Link>
            </div>
          </div>
        </details>
      )}
      {adopting === null ? null : <PointDialog deviceId={adopting} onClose={() => setAdopting(null)} />}
    </>
  );
}
