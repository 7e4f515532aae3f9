import { useEffect, useRef, useState } from 'preact/hooks';
import type { SyncNowAnswer, SyncStatusAnswer } from '#contract/resources/sync-status.ts';
import { WorkButton } from '../../components/button.tsx';
import { get, post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { syncWords } from './sync-words.ts';

const LOOK_EVERY_MS = 1_000;
/** A line that is up answers within seconds; what takes longer goes on without anybody watching. */
const LOOKS = 15;

/** Exchanges with the cloud now, and says in words what came of it. */
export function SyncNow() {
  const words = syncWords();
  const { fault, run } = useWork({ FORBIDDEN: words.nowNotYours });
  const [result, setResult] = useState<string | null>(null);
  const isHere = useRef(true);
  useEffect(
    () => () => {
      isHere.current = false;
    },
    [],
  );

  async function syncNow(): Promise<void> {
    setResult(null);
    const askedAt = performance.now();
    const { state } = await post<SyncNowAnswer>('/sync/now');
    const told = state === 'later' ? words.nowLater : await cameOf(askedAt);
    if (told === null) return;
    setResult(told);
    refresh('sync');
  }

  async function cameOf(askedAt: number): Promise<string | null> {
    let waiting: number | null = null;
    for (let look = 0; look < LOOKS; look += 1) {
      await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
      if (!isHere.current) return null;
      const { last_pull, lanes } = await get<SyncStatusAnswer>('/sync/status');
      const sinceS = (performance.now() - askedAt) / 1_000;
      const isAnswered = last_pull.age_s !== null && last_pull.age_s <= sinceS;
      waiting = isAnswered ? lanes.core.waiting_rows + lanes.history.waiting_rows : null;
      if (waiting === 0) return words.nowAlike;
    }
    return waiting === null ? words.nowSilent : words.nowOnTheWay(figure(waiting), waiting === 1);
  }

  return (
    <>
      <div>
        <WorkButton look="main" disabled={isBlind.value} work={() => run(syncNow)}>
          {words.now}
        </WorkButton>
      </div>
      <p role="status" data-sync-now class={result === null ? undefined : 'note'}>
        {result}
      </p>
      <FaultNote fault={fault} />
    </>
  );
}
