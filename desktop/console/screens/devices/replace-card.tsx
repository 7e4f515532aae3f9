import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { ControlPoint } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { AdoptDialog } from './adopt-dialog.tsx';
import { adoptionWords } from './adoption-words.ts';

/** Another controller in the place of a broken one. */
export function ReplaceCard({ point }: { point: ControlPoint }) {
  const words = adoptionWords();
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card stack" aria-labelledby="replace-title">
      <h2 id="replace-title">{words.broken}</h2>
      <p class="muted">{words.brokenText}</p>
      <div>
        <Button disabled={isBlind.value} onClick={() => setAsking(true)}>
          {words.replace}
        </Button>
      </div>
      {isAsking ? <AdoptDialog point={point} onClose={() => setAsking(false)} /> : null}
    </section>
  );
}
