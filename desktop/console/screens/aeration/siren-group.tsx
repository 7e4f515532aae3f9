import { Link } from 'wouter-preact';
import { aerationWords } from '#words/aeration.ts';
import { sirenWords } from '#words/siren.ts';
import { faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { ControlMark, controlNow } from '../../components/control-button.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { type ControlPoint, farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { age } from '../../i18n/format.ts';
import { TEST_S } from '../siren/siren-list.tsx';
import { saidIn } from '../system/said-in.ts';

/** The sirens, apart from what airs: alarms switch them, and a person tests them. */
export function SirenGroup({ points }: { points: readonly ControlPoint[] }) {
  const words = aerationWords();
  return (
    <section class="stack" aria-labelledby="board-sirens">
      <div class="row apart">
        <h2 id="board-sirens">{words.sirens}</h2>
        {farm.value === null ? null : <SirenHand farmId={farm.value.id} />}
      </div>
      <p class="muted small">{words.sirensText}</p>
      <ul class="stack">
        {points.map((point) => (
          <SirenRow key={point.id} point={point} />
        ))}
      </ul>
    </section>
  );
}

function SirenRow({ point }: { point: ControlPoint }) {
  const words = aerationWords();
  const { facts, state } = controlNow(point);
  return (
    <li class="card board-row" data-siren-point={point.cod} data-state={state.is}>
      <div class="grow">
        <h3>
          <Link href={`/aeracao/${point.id}`}>{point.cod}</Link> <ControlMark state={state} />
        </h3>
        {point.locked_out ? <p class="small">{words.lockedBy(point.lock_out_reason ?? '')}</p> : null}
      </div>
      <dl class="board-facts">
        <div>
          <dt>{words.heard}</dt>
          <dd>{facts.silentForMs === null ? words.never : age(facts.silentForMs)}</dd>
        </div>
      </dl>
    </li>
  );
}

/** What a person may do with the sirens of a farm: test them, and go to where they are quieted. */
export function SirenHand({ farmId }: { farmId: string }) {
  const words = sirenWords();
  const test = () =>
    post(`/farms/${farmId}/siren/test`, { seconds: TEST_S }).then(
      () => toast(words.tested, null, 4_000),
      (error: unknown) => toast(faultText(saidIn(error, words.fault))),
    );
  // sirens are driven by the box of the farm
  if (isHosted.value) return null;
  return (
    <span class="row">
      <Link class="way" href="/sistema/sirene">
        {aerationWords().toSirens}
      </Link>
      {mayOperate.value ? (
        <WorkButton disabled={isBlind.value} work={test}>
          {words.test}
        </WorkButton>
      ) : null}
    </span>
  );
}
