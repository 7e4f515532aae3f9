import { Awaited } from '../../components/answer.tsx';
import { farm, isKnown } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { PondPatternForm } from '../farms/pond-pattern-form.tsx';
import { welcomeWords } from './words.ts';

export function PondsStep({ count, onDone }: { count: number; onDone: () => void }) {
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
