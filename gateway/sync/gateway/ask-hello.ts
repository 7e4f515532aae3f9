import { type HelloRequest, helloAnswer, SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { ask } from './ask.ts';
import { takeFacts } from './ask-pull.ts';
import { noteHeard, readResync } from './ask-snapshot.ts';
import type { FlightDeps, Outcome } from './state.ts';
import { ackedOf, cursorOf, headOf, isAnotherLife } from './step.ts';

/** Both sides tell how far they are; each sees from it whether they still tell the same history. */
export async function askHello(deps: FlightDeps): Promise<Outcome> {
  await deps.store.retryReadable();
  const points = await deps.store.points();
  const request: HelloRequest = {
    epoch: points.epoch,
    timeline: points.timeline,
    schema: SYNC_SCHEMA,
    software: deps.software,
    head: headOf(points),
    acked: ackedOf(points),
    cursor: cursorOf(points),
    clock: { trust: deps.clockTrust(), now_ms: Math.round(deps.now()) },
  };
  const asked = await ask(deps, 'hello', helloAnswer, request);
  if (!asked.ok) return asked.outcome;
  const { answer } = asked;
  const greeted = {
    is: 'greeted',
    directive: answer.directive,
    reason: answer.reason,
    waitMs: answer.wait_ms,
    resyncDue: readResync(points.resync)?.why ?? null,
    cursor: points.in_core_seq,
  } as const;
  if (answer.directive === 'upgrade') return greeted;
  if (answer.directive === 'resync' || greeted.resyncDue !== null) {
    await deps.inTurn(() => noteHeard(deps, points, answer));
    return greeted;
  }
  if (answer.epoch !== points.epoch) return { is: 'amiss', why: 'the hosted instance counts another epoch' };
  if (answer.head < points.in_core_seq)
    return { is: 'amiss', why: 'the hosted instance lost changes it had told' };
  const facts = { answer, sent: ackedOf(points), in: answer.in, isGreeting: true } as const;
  const amiss = await takeFacts(deps, facts);
  if (amiss !== null) return amiss;
  if (isAnotherLife(points.timeline, answer.timeline)) {
    deps.log.info({}, 'the hosted database was brought back, and has lost nothing of this gateway');
    deps.onAnotherLife?.();
  }
  await deps.store.forgetKeptAside(answer.kept_aside, answer.in);
  return greeted;
}
