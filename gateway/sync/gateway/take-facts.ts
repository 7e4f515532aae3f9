import { LANES, type LanePoints, type Restamp } from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import type { SyncStore } from './ports.ts';
import type { FlightDeps, Outcome } from './state.ts';
import { ackedOf, ackedPoints, headOf, judgeClaim, judgeTimeline } from './step.ts';

export type Facts = {
  answer: { timeline: string; restamps: readonly Restamp[] };
  /** What was known to be confirmed when the request left. */
  sent: LanePoints;
  in: Partial<LanePoints>;
};

type Amiss = Extract<Outcome, { is: 'amiss' }>;

/** What every answer tells besides: how far our log was applied, and which stamps were set anew. */
export function takeFacts(deps: FlightDeps, facts: Facts): Promise<Amiss | null> {
  return deps.inTurn(async () => {
    if (!deps.isCurrent()) return null;
    const points = await deps.store.points();
    const judged = await judgeFacts(deps.store, points, facts);
    if ('is' in judged) return judged;
    const { restamps } = facts.answer;
    if (restamps.length > 0 || Object.keys(judged.set).length > 0) {
      await deps.store.take({ restamps, changes: [], expect: { epoch: points.epoch }, set: judged.set });
    }
    return null;
  });
}

/** The points that move by an answer, or what is amiss with it. */
export async function judgeFacts(
  store: Pick<SyncStore, 'chainAt'>,
  points: StreamPoints,
  { answer, sent, in: claims }: Facts,
): Promise<Amiss | { set: Partial<StreamPoints> }> {
  const timeline = judgeTimeline(points.timeline, answer.timeline);
  if (timeline.is === 'amiss') return timeline;
  const set: Partial<StreamPoints> = timeline.is === 'news' ? { timeline: answer.timeline } : {};
  for (const lane of LANES) {
    const claimed = claims[lane];
    if (claimed === undefined) continue;
    const verdict = judgeClaim({
      claimed,
      sent: sent[lane],
      acked: ackedOf(points)[lane],
      head: headOf(points)[lane],
      ownChain: await store.chainAt(lane, claimed.seq),
    });
    if (verdict.is === 'amiss') return { is: 'amiss', why: `${lane}: ${verdict.why}` };
    if (verdict.is === 'news') Object.assign(set, ackedPoints(lane, claimed));
  }
  return { set };
}
