import '../../styles/bench.css';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { DeviceMessage, ShadowAnswer } from '#contract/resources/shadow.ts';
import { shadowWords } from '#words/devices.ts';
import { systemWords } from '#words/shell.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { codeOf } from '../../components/simulated.tsx';
import {
  type ControlPoint,
  farmControlPoints,
  isKnown,
  mayOperate,
  presence,
} from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { useGet } from '../../data/query.ts';
import { clockSeconds } from '../../i18n/format.ts';
import { SystemPage } from '../box/system-page.tsx';
import { ShadowFacts } from './shadow-facts.tsx';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const PATH = '/sistema/bancada/sombra';

/** For a technician who asks why a controller does not do what it should. */
export function Shadow({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const words = shadowWords();
  const [, go] = useLocation();
  const points = farmControlPoints.value;
  const shown = points.find(({ id }) => id === params['id']) ?? points[0];
  if (isHosted.value || !mayOperate.value || shown === undefined) {
    return (
      <SystemPage title={words.title}>
        {isKnown.value ? (
          <Empty
            text={isHosted.value ? words.onlyHere : mayOperate.value ? words.none : systemWords().noRight}
          />
        ) : (
          <div class="skeleton" aria-busy="true" />
        )}
      </SystemPage>
    );
  }
  return (
    <SystemPage
      title={words.title}
      action={
        <Link class="button" href={`/sistema/dispositivos/${shown.id}`}>
          {words.toDevice}
        </Link>
      }
    >
      <p class="muted">{words.intro}</p>
      <div class="row">
        <SelectField
          label={words.which}
          value={shown.id}
          options={points.map((point) => ({ value: point.id, label: codeOf(point) }))}
          onChange={(event) => go(`${PATH}/${event.currentTarget.value}`, { replace: true })}
        />
      </div>
      <OfPoint key={shown.id} point={shown} />
    </SystemPage>
  );
}

function OfPoint({ point }: { point: ControlPoint }) {
  const words = shadowWords();
  const shadow = useGet<ShadowAnswer>(`/control-points/${point.id}/shadow`);
  const heard = presence.value.get(point.id)?.last_heartbeat;
  const { refetch } = shadow;
  // a heartbeat is told as presence, and of nothing else
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when it spoke, whatever it said
  useEffect(() => {
    void refetch();
  }, [heard, refetch]);
  const [held, hold] = useState<ShadowAnswer | null>(null);
  return (
    <Answer of={shadow}>
      {(newest) => {
        const answer = held ?? newest;
        return (
          <div class="stack" data-shadow={point.cod}>
            <div class="row apart">
              <p class="muted" role="status">
                {held === null ? '' : words.held}
              </p>
              <Button aria-pressed={held !== null} onClick={() => hold(held === null ? newest : null)}>
                {held === null ? words.hold : words.follow}
              </Button>
            </div>
            <ShadowFacts answer={answer} />
            <ShadowMessages messages={answer.messages} />
          </div>
        );
      }}
    </Answer>
  );
}

/** What both said to each other, the newest first. */
function ShadowMessages({ messages }: { messages: readonly DeviceMessage[] }) {
  const words = shadowWords();
  return (
    <section class="card stack" aria-labelledby="shadow-messages">
      <h2 id="shadow-messages">{words.messages}</h2>
      {messages.length === 0 ? (
        <p>{words.noMessages}</p>
      ) : (
        <ol class="lines shadow-messages">
          {messages.map(({ at, direction, kind, body }, index) => (
            <li key={`${at} ${messages.length - index}`} data-message={`${direction} ${kind}`}>
              <p>
                <span aria-hidden="true">{direction === 'in' ? '←' : '→'}</span>{' '}
                <strong>{words.kinds[kind] ?? kind}</strong>{' '}
                <span class="muted small">
                  {words.direction[direction]} · {clockSeconds(at)}
                </span>
              </p>
              {Object.keys(body).length === 0 ? null : (
                <p class="mono breaks small">
                  {Object.entries(body)
                    .map(([name, value]) => `${name}: ${textOf(value)}`)
                    .join(' · ')}
                </p>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
