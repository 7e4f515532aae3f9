import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { WorkButton } from '../components/button.tsx';
import { componentWords } from '../components/words.ts';
import { loadPageAnew } from '../data/code.ts';
import type { Screen } from './system-routes.ts';

/** Shows a screen once its code is here, and says so when it does not come; what is held is fetched, but not shown yet. */
export function LazyScreen({
  load,
  params,
  isHeld = false,
}: {
  load: () => Promise<Screen>;
  params: Record<string, string>;
  isHeld?: boolean;
}) {
  const words = componentWords();
  const [loaded, setLoaded] = useState<{ screen: ComponentType<{ params: Record<string, string> }> } | null>(
    null,
  );
  const [isFailed, setFailed] = useState(false);
  const fetchIt = () => {
    setFailed(false);
    load().then(
      (screen) => setLoaded({ screen }),
      () => setFailed(true),
    );
  };
  useEffect(fetchIt, [load]);
  if (loaded !== null && !isHeld) return <loaded.screen params={params} />;
  if (!isFailed) return <div class="page" aria-busy="true" />;
  return (
    <div class="page">
      <div class="note p2" role="alert">
        <span class="grow">{words.unreachable}</span>
        <WorkButton work={loadPageAnew}>{words.tryAgain}</WorkButton>
      </div>
    </div>
  );
}
