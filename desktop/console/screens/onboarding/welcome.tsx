import '../../styles/system.css';
import '../../styles/welcome.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { welcomeWords } from '#words/onboarding.ts';
import { Awaited } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { LanguageChoice } from '../../components/language-choice.tsx';
import { OrderQuestion } from '../../components/order-question.tsx';
import { Toasts } from '../../components/toast.tsx';
import { useSend } from '../../data/corrections.ts';
import { farm, isKnown } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { usePonds } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { isSignedIn } from '../../data/session.ts';
import { leaveStep } from '../../data/welcome-way.ts';
import { farmPlaces } from '../../data/zones.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { MyInvitations } from '../account/my-invitations.tsx';
import { SoundTest } from '../account/preferences.tsx';
import { FaultNote } from '../box/system-page.tsx';
import { PondPatternForm } from '../farms/pond-pattern-form.tsx';
import { invitationHere } from '../people/member-list.tsx';
import { useWork } from '../system/use-work.ts';
import { AccountStep } from './account-step.tsx';
import { type Step, useProgress } from './checklist.tsx';
import { ControllerStep, FirstOnStep } from './controller-step.tsx';
import { BatchStep, BoxStep, KeyStep, PhoneStep, ScheduleStep } from './farm-ready-steps.tsx';

/** From nothing to a farm that runs by itself; every step can be left out and taken later. */
export function Welcome({ params }: { params: Readonly<Record<string, string>> }) {
  const words = welcomeWords();
  const [, go] = useLocation();
  const { steps, done, pondCount } = useProgress();
  // whoever is here needs no way back
  useEffect(() => leaveStep(null), []);
  const [invitation] = useState(invitationHere);
  // the code of a box that somebody came with goes along
  const came = useSearch();
  const code = new URLSearchParams(came).get('code')?.trim() ?? '';
  const wayTo = (to: string) => `/bem-vindo/${to}${code === '' ? '' : `?code=${encodeURIComponent(code)}`}`;
  const first = invitation !== '' ? 'fazenda' : code !== '' && isHosted.value ? 'caixa' : null;
  const asked = steps.find((step) => step === params['step']) ?? first;
  const open = asked ?? steps.find((known) => done[known] !== true) ?? 'som';
  const step: Step = isSignedIn() ? open : 'conta';
  // what is not known yet is not undone
  const isUnsure = isSignedIn() && asked === null && done[step] === null;
  const next = steps[steps.indexOf(step) + 1] ?? null;
  const goOn = () =>
    go(next === null ? '/' : next === 'caixa' || step === 'conta' ? wayTo(next) : `/bem-vindo/${next}`);
  return (
    <main class="page narrow welcome">
      <div class="row apart">
        <h1>{words.title}</h1>
        <LanguageChoice />
      </div>
      <Steps steps={steps} shown={step} done={done} />
      <div class="card stack" key={step}>
        {isUnsure ? (
          <div class="skeleton" aria-busy="true" />
        ) : step === 'conta' ? (
          <AccountStep onDone={goOn} isInvited={invitation !== ''} pairing={code} />
        ) : step === 'caixa' ? (
          <BoxStep code={code} onDone={goOn} />
        ) : step === 'fazenda' ? (
          <FarmStep onDone={goOn} onJoined={() => go('/')} />
        ) : step === 'viveiros' ? (
          <PondsStep count={pondCount} onDone={goOn} />
        ) : step === 'controlador' ? (
          <ControllerStep />
        ) : step === 'ligar' ? (
          <FirstOnStep />
        ) : step === 'horario' ? (
          <ScheduleStep />
        ) : step === 'lote' ? (
          <BatchStep onDone={goOn} />
        ) : step === 'chave' ? (
          <KeyStep />
        ) : step === 'celular' ? (
          <PhoneStep />
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
      <OrderQuestion />
    </main>
  );
}

function Steps({
  steps,
  shown,
  done,
}: {
  steps: readonly Step[];
  shown: Step;
  done: Readonly<Record<Step, boolean | null>>;
}) {
  const words = welcomeWords();
  return (
    <nav aria-label={words.progress}>
      <ol class="welcome-steps">
        {steps.map((step, index) => {
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
      {isSuccess || known === null ? (
        <p class="muted">{count > 0 ? words.havePonds(count) : words.pondsText}</p>
      ) : null}
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

const shownZone = (zone: string) => zone.replace('America/', '').replaceAll('_', ' ');

/** On a box without any farm the first question is whether there was one: its backups lie on the stick, or with the person. */
function RestoreFirst() {
  const words = welcomeWords();
  const { data } = useGet(isHosted.value ? null : '/system/backup');
  if (data === undefined) return null;
  const newest = data.backups[0];
  return (
    <div class="note">
      <div class="stack grow">
        <strong>{words.restoreFirst}</strong>
        <p class="muted">
          {newest === undefined ? words.restoreBring : words.restoreFound(dayAndTime(newest.made_at))}
        </p>
        <div>
          <Link class="button big" href="/sistema/backup" onClick={() => leaveStep('fazenda')}>
            {words.restoreGo}
          </Link>
        </div>
      </div>
    </div>
  );
}

function FarmStep({ onDone, onJoined }: { onDone: () => void; onJoined: () => void }) {
  const words = welcomeWords();
  const [isInvited] = useState(() => invitationHere() !== '');
  const { fault, run } = useWork();
  const send = useSend();
  const [name, setName] = useState('');
  const { places, likeliest } = useMemo(farmPlaces, []);
  const [placed, setPlaced] = useState(likeliest);
  const zone = places.find(({ code }) => code === placed)?.zone ?? 'America/Fortaleza';
  const known = farm.value;
  if (known !== null) {
    return (
      <>
        <h2>{words.farm}</h2>
        {isInvited ? <MyInvitations onJoined={onJoined} /> : null}
        <p>{words.haveFarm(known.name)}</p>
        <p class="muted">{words.zone(shownZone(known.timezone))}</p>
      </>
    );
  }
  const create = async () => {
    const isDone = await run(async () => {
      await send('/farms/', { name: name.trim(), timezone: zone });
      refresh('farms', 'users', 'subscriptions');
    });
    if (isDone) onDone();
  };
  return (
    <>
      <h2>{words.farm}</h2>
      {isInvited ? <MyInvitations onJoined={onJoined} /> : null}
      <RestoreFirst />
      <p class="muted">{words.farmText}</p>
      <TextField
        needed
        label={words.farmName}
        value={name}
        maxLength={255}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <SelectField
        label={words.state}
        hint={words.zone(shownZone(zone))}
        value={placed}
        options={places.map((place) => ({ value: place.code, label: place.name }))}
        onChange={(event) => setPlaced(event.currentTarget.value)}
      />
      <FaultNote fault={fault} />
      <div>
        <WorkButton big look="main" unready={name.trim() === ''} work={create}>
          {words.createFarm}
        </WorkButton>
      </div>
      {isInvited ? null : (
        <details>
          <summary>{words.invited}</summary>
          <MyInvitations onJoined={onJoined} />
        </details>
      )}
    </>
  );
}
