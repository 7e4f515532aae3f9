import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { waitAfter } from '../../gateway/sync/gateway/outcomes.ts';
import {
  afterSuccess,
  type Effect,
  firstBatch,
  halved,
  initialState,
  type Outcome,
  SLOTS,
  type SyncEvent,
  type SyncState,
  TIMERS,
} from '../../gateway/sync/gateway/state.ts';
import { step } from '../../gateway/sync/gateway/step.ts';
import { BATCH, TUNING } from '../../gateway/sync/gateway/tuning.ts';

const GO: Outcome = {
  is: 'greeted',
  directive: 'go',
  reason: null,
  waitMs: null,
  resyncDue: null,
  cursor: 10,
};
const PUSHED: Outcome = { is: 'pushed', rows: 5, tookMs: 100, wasFull: false, more: false };
const REFUSED = { is: 'refused', status: 409, code: '', detail: 'why', retryAfterMs: null } as const;

/** Plays events one after another, a second apart; answers what was wanted since the last one. */
function play(...events: readonly (SyncEvent | ((state: SyncState) => SyncEvent))[]) {
  let state = initialState();
  let effects: readonly Effect[] = [];
  let nowMs = 0;
  for (const event of events) {
    nowMs += 1_000;
    ({ state, effects } = step(state, typeof event === 'function' ? event(state) : event, nowMs));
  }
  return { state, effects, asked: effects.flatMap((effect) => (effect.do === 'ask' ? [effect.ask] : [])) };
}

const done =
  (slot: (typeof SLOTS)[number], outcome: Outcome) =>
  (state: SyncState): SyncEvent => ({ is: 'done', id: state.flights[slot]?.id ?? -1, outcome });
const STARTED: SyncEvent = { is: 'started', isPaired: true };
const kinds = (effects: readonly Effect[]) => effects.map((effect) => effect.do);
const wakes = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.do === 'wake' ? [[effect.timer, effect.after] as const] : []));

/** Steady, with everything that hello made it look at answered. */
const IDLE = [
  STARTED,
  done('link', GO),
  done('core', { is: 'nothing' }),
  done('pull', { is: 'pulled', rows: 0, more: false, cursor: 10 }),
  done('history', { is: 'nothing' }),
] as const;

describe('a gateway that begins', () => {
  test('does nothing while it is not paired', () => {
    expect(play({ is: 'started', isPaired: false }).effects).toEqual([]);
  });

  test('greets the hosted instance and opens the socket for orders at the same time', () => {
    const { state, effects, asked } = play(STARTED);
    expect(state.phase).toBe('connecting');
    expect(kinds(effects)).toContain('open socket');
    expect(asked).toEqual([{ kind: 'hello' }]);
  });

  test.each([
    ['its own key is missing', 'SYNC_KEY_MISSING', null],
    ['it was unpaired meanwhile', 'SYNC_NOT_PAIRED', null],
    ['the hosted instance refuses it', 'SYNC_REVOKED', 2_000],
  ])('when %s it shows the hosted instance as heard only if that spoke', (_what, code, heardAtMs) => {
    const { state } = play(STARTED, done('link', { ...REFUSED, status: 401, code }));
    expect(state.contactAtMs).toBe(heardAtMs);
  });

  test('after the greeting looks at registers and news first, readings wait for the registers', () => {
    const { state, asked } = play(STARTED, done('link', GO));
    expect(state.phase).toBe('steady');
    expect(asked.map((ask) => (ask.kind === 'push' ? ask.lane : ask.kind))).toEqual(['core', 'pull']);
  });

  test('sends readings as soon as no register waits', () => {
    const { asked } = play(STARTED, done('link', GO), done('core', { is: 'nothing' }));
    expect(asked).toEqual([{ kind: 'push', lane: 'history', size: firstBatch('history') }]);
  });

  test('keeps readings back while registers of a month are still on their way', () => {
    const { asked } = play(STARTED, done('link', GO), done('core', { ...PUSHED, more: true }));
    expect(asked.map((ask) => (ask.kind === 'push' ? ask.lane : ask.kind))).toEqual(['core']);
  });
});

describe('a farm that works', () => {
  test('an edit is on its way within 200 ms', () => {
    const { effects } = play(...IDLE, { is: 'logged', core: 1, history: 0 });
    const [wake] = wakes(effects);
    expect(wake?.[0]).toBe('core');
    expect(wake?.[1][1]).toBeLessThanOrEqual(200);
    const later = play(...IDLE, { is: 'logged', core: 1, history: 0 }, { is: 'due', timer: 'core' });
    expect(later.asked).toMatchObject([{ kind: 'push', lane: 'core' }]);
  });

  test('edits of one breath share a request', () => {
    const { effects } = play(
      ...IDLE,
      { is: 'logged', core: 1, history: 0 },
      { is: 'logged', core: 3, history: 0 },
    );
    expect(effects).toEqual([]);
  });

  test('readings wait half a minute to a minute, or until 500 are there', () => {
    const [wake] = wakes(play(...IDLE, { is: 'logged', core: 0, history: 12 }).effects);
    expect(wake).toEqual(['history', [30_000, 60_000]]);
    const many = play(...IDLE, { is: 'logged', core: 0, history: 500 });
    expect(many.asked).toMatchObject([{ kind: 'push', lane: 'history' }]);
  });

  test('an alarm waits for no readings: its news leave within a second, together', () => {
    const reading: SyncEvent = { is: 'logged', core: 0, history: 12 };
    const alarm: SyncEvent = { is: 'logged', core: 1, history: 3, news: 2 };
    expect(wakes(play(...IDLE, reading, alarm).effects)).toContainEqual(['history', [1_000, 1_000]]);
    expect(wakes(play(...IDLE, reading, alarm, alarm).effects)).toEqual([]);
    const sent = play(...IDLE, alarm, { is: 'due', timer: 'history' });
    expect(sent.asked).toMatchObject([{ kind: 'push', lane: 'history' }]);
    expect(wakes(play(...IDLE, alarm, { is: 'due', timer: 'history' }, alarm).effects)).toContainEqual([
      'history',
      [1_000, 1_000],
    ]);
  });

  test('an idle link with a socket is not polled; without one it is asked every minute', () => {
    const [withSocket] = wakes(play(...IDLE, { is: 'socket opened' }).effects);
    expect(withSocket?.[1][0]).toBeGreaterThan(500_000);
    const [without] = wakes(play(...IDLE, { is: 'socket opened' }, { is: 'socket closed' }).effects);
    expect(without).toEqual(['pull', TUNING.pullEveryMs]);
  });

  test('a poke fetches what is new, and is passed over when it is known already', () => {
    expect(play(...IDLE, { is: 'poked', head: 11 }).asked).toEqual([{ kind: 'pull', limit: 500 }]);
    expect(play(...IDLE, { is: 'poked', head: 10 }).asked).toEqual([]);
  });

  test('one request is under way per lane, whatever happens meanwhile', () => {
    const { asked } = play(
      ...IDLE,
      { is: 'poked', head: 11 },
      { is: 'poked', head: 12 },
      { is: 'due', timer: 'pull' },
    );
    expect(asked).toEqual([]);
  });

  test('an answer that nobody waits for changes nothing', () => {
    const before = play(...IDLE);
    const stale = play(...IDLE, { is: 'done', id: 1, outcome: { is: 'amiss', why: 'old news' } });
    expect(stale.state).toEqual(before.state);
    expect(stale.effects).toEqual([]);
  });
});

describe('trouble', () => {
  test('the same request is made again after a wait, never without one', () => {
    const { state, effects } = play(STARTED, done('link', { is: 'failed', why: 'broken', detail: 'cut' }));
    expect(state.waiting).toBe('trouble');
    expect(wakes(effects)).toEqual([['retry', [0, 1_000]]]);
    const again = play(STARTED, done('link', { is: 'failed', why: 'broken', detail: 'cut' }), {
      is: 'due',
      timer: 'retry',
    });
    expect(again.asked).toEqual([{ kind: 'hello' }]);
  });

  test('the wait doubles up to five minutes, full jitter; four seconds where nobody answered at all', () => {
    const most = (failures: number, isUnreachable: boolean) =>
      waitAfter({ failures, isUnreachable, retryAfterMs: null })[1];
    expect([1, 2, 3, 9, 40].map((n) => most(n, false))).toEqual([1_000, 2_000, 4_000, 256_000, 300_000]);
    expect(most(40, true)).toBe(4_000);
  });

  test('however long nobody answered, the first bad answer is asked again within a second', () => {
    const night = Array.from({ length: 20 }, () => [
      done('link', { is: 'failed', why: 'unreachable', detail: 'no route' }),
      { is: 'due', timer: 'retry' } as const,
    ]).flat();
    const { effects } = play(
      STARTED,
      ...night,
      done('link', { ...REFUSED, status: 502, code: 'BAD_GATEWAY' }),
    );
    expect(wakes(effects)).toEqual([['retry', [0, 1_000]]]);
  });

  test('Retry-After is the least, and bounded', () => {
    expect(waitAfter({ failures: 1, isUnreachable: false, retryAfterMs: 20_000 })).toEqual([20_000, 26_000]);
    expect(waitAfter({ failures: 1, isUnreachable: false, retryAfterMs: 9_999_999 })[0]).toBe(300_000);
  });

  test('a timeout and an answer of too large halve the batch', () => {
    const timedOut = play(
      STARTED,
      done('link', GO),
      done('core', { is: 'failed', why: 'timeout', detail: '' }),
    );
    expect(timedOut.state.batch.core).toEqual(halved('core', firstBatch('core')));
    const tooLarge = play(STARTED, done('link', GO), done('core', { ...REFUSED, status: 413, code: 'X' }));
    expect(tooLarge.asked).toMatchObject([{ kind: 'push', lane: 'core', size: { rows: 100 } }]);
    expect(tooLarge.state.waiting).toBeNull();
  });

  test.each(['unreachable', 'broken', 'timeout'] as const)(
    'the network that comes back ends the wait at once (%s)',
    (why) => {
      const { asked } = play(STARTED, done('link', { is: 'failed', why, detail: 'no route' }), {
        is: 'socket opened',
      });
      expect(asked).toEqual([{ kind: 'hello' }]);
    },
  );

  test('a person who asks for it now ends the wait after trouble', () => {
    const refused = [
      ...IDLE,
      { is: 'due', timer: 'core' } as const,
      done('core', { ...REFUSED, status: 503 }),
    ];
    expect(play(...refused).state.waiting).toBe('trouble');
    expect(play(...refused, { is: 'asked for' }).asked.map(({ kind }) => kind)).toEqual([
      'push',
      'pull',
      'push',
    ]);
    // a second press while these are under way asks for nothing more
    expect(play(...refused, { is: 'asked for' }, { is: 'asked for' }).asked).toEqual([]);
    const waits = play(...IDLE, { is: 'paused', ms: 60_000 }, { is: 'asked for' });
    expect(waits.state.waiting).toBe('asked');
    expect(waits.asked).toEqual([]);
  });

  test('it does not end a wait that the hosted instance asked for', () => {
    const { asked } = play(
      STARTED,
      done('link', { ...REFUSED, status: 503, code: 'BUSY', retryAfterMs: 30_000 }),
      { is: 'socket opened' },
    );
    expect(asked).toEqual([]);
  });

  test('a link that is up and brings nothing for three minutes is torn down and begun anew', () => {
    const { state } = play(STARTED, done('link', GO));
    const quiet = step(state, { is: 'due', timer: 'watch' }, 2_000 + TUNING.noProgressMs - 1);
    expect(kinds(quiet.effects)).not.toContain('drop connections');
    const stuck = step(quiet.state, { is: 'due', timer: 'watch' }, 4_000 + TUNING.noProgressMs);
    expect(kinds(stuck.effects)).toEqual(
      expect.arrayContaining(['drop connections', 'close socket', 'open socket', 'ask']),
    );
    expect(stuck.state.counts.restarts).toBe(1);
  });

  test('an idle link is never torn down', () => {
    const { state } = play(...IDLE);
    const later = step(state, { is: 'due', timer: 'watch' }, 86_400_000);
    expect(kinds(later.effects)).not.toContain('drop connections');
  });

  test.each([
    ['both sides tell different histories', { is: 'amiss', why: 'fork' } as const],
    ['a fork', { ...REFUSED, code: 'SYNC_FORK' }],
    ['a feed that was forgotten', { ...REFUSED, status: 410, code: 'SYNC_BELOW_FLOOR' }],
    ['a gap that no chain explains', { ...REFUSED, code: 'SYNC_GAP' }],
  ])('%s: everything is compared anew', (_what, outcome) => {
    const { state, asked } = play(STARTED, done('link', GO), done('core', outcome));
    expect(state.phase).toBe('resync');
    expect(asked).toMatchObject([{ kind: 'snapshot' }]);
  });

  test('another life of the hosted database is no comparison yet: hello finds out what it lost, a moment later', () => {
    const heard = play(STARTED, done('link', GO), done('core', { is: 'another life' }));
    expect(heard.state.phase).toBe('connecting');
    expect(heard.asked).toEqual([]);
    expect(wakes(heard.effects)).toEqual([['retry', [0, 1_000]]]);
    const again = play(
      STARTED,
      done('link', GO),
      done('core', { is: 'another life' }),
      { is: 'due', timer: 'retry' },
      done('link', GO),
    );
    expect(again.state).toMatchObject({ phase: 'steady', waiting: null });
  });

  test('a comparison that did not help is repeated after a wait that doubles', () => {
    const amiss = done('core', { is: 'amiss', why: 'fork' });
    const compared = done('link', { is: 'page', rows: 1, isLast: true });
    const { state, effects } = play(STARTED, done('link', GO), amiss, compared, done('link', GO), amiss);
    expect(state.phase).toBe('resync');
    expect(state.waiting).toBe('trouble');
    expect(wakes(effects)).toEqual([['retry', [0, 1_000]]]);
  });

  test.each([
    ['revoked', { ...REFUSED, status: 403, code: 'SYNC_REVOKED' }],
    ['upgrade', { ...REFUSED, status: 426, code: 'SYNC_SCHEMA' }],
    ['fenced', { ...REFUSED, code: 'SYNC_STALE_EPOCH' }],
  ] as const)('%s: it stops, and asks again in a quarter of an hour', (phase, outcome) => {
    const { state, asked, effects } = play(STARTED, done('link', outcome));
    expect(state.phase).toBe(phase);
    expect(asked).toEqual([]);
    expect(wakes(effects)).toEqual([['retry', TUNING.askAgainMs]]);
  });

  test('an epoch that is over in the middle of work is cleared up by a greeting', () => {
    const { state } = play(STARTED, done('link', GO), done('core', { ...REFUSED, code: 'SYNC_STALE_EPOCH' }));
    expect(state.phase).toBe('connecting');
    expect(state.waiting).toBe('trouble');
  });

  test('a 403 without the word of the protocol is a proxy, not the owner', () => {
    const { state } = play(STARTED, done('link', { ...REFUSED, status: 403, code: 'HTTP_403' }));
    expect(state.phase).toBe('connecting');
  });

  test('readings whose registers have not arrived wait, registers go first', () => {
    const { asked } = play(
      ...IDLE,
      { is: 'logged', core: 0, history: 500 },
      done('history', { is: 'resting' }),
    );
    expect(asked).toMatchObject([{ kind: 'push', lane: 'core' }]);
  });

  test('a frame that says revoked is asked about, not believed', () => {
    const { state, asked } = play(...IDLE, { is: 'told revoked' });
    expect(state.phase).toBe('connecting');
    expect(asked).toEqual([{ kind: 'hello' }]);
  });

  test('what is amiss on this side is compared even when the other side says go', () => {
    const { state } = play(STARTED, done('link', { ...GO, resyncDue: 'the change log was full' }));
    expect(state.phase).toBe('resync');
    expect(state.why).toBe('the change log was full');
  });
});

describe('batches', () => {
  test('grow while they are full and quick, shrink when they drag, stay within their bounds', () => {
    const first = firstBatch('history');
    expect(afterSuccess('history', first, { tookMs: 300, wasFull: true }).rows).toBeGreaterThan(first.rows);
    expect(afterSuccess('history', first, { tookMs: 300, wasFull: false })).toEqual(first);
    expect(afterSuccess('history', first, { tookMs: 9_000, wasFull: true }).rows).toBeLessThan(first.rows);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20_000), fc.boolean(), fc.boolean())), (results) => {
        let size = first;
        for (const [tookMs, wasFull, isTimeout] of results) {
          size = isTimeout ? halved('history', size) : afterSuccess('history', size, { tookMs, wasFull });
          const { rows, bytes } = BATCH.history;
          expect(size.rows).toBeGreaterThanOrEqual(rows.least);
          expect(size.rows).toBeLessThanOrEqual(rows.most);
          expect(size.bytes).toBeGreaterThanOrEqual(bytes.least);
          expect(size.bytes).toBeLessThanOrEqual(bytes.most);
        }
      }),
    );
  });
});

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({
    is: fc.constant('greeted' as const),
    directive: fc.constantFrom('go' as const, 'resync' as const, 'upgrade' as const, 'slow' as const),
    reason: fc.constantFrom(null, 'epoch'),
    waitMs: fc.constantFrom(null, 5_000),
    resyncDue: fc.constantFrom(null, 'paired'),
    cursor: fc.nat(20),
  }),
  fc.record({
    is: fc.constant('pushed' as const),
    rows: fc.nat(100),
    tookMs: fc.nat(9_000),
    wasFull: fc.boolean(),
    more: fc.boolean(),
  }),
  fc.constantFrom<Outcome>(
    { is: 'nothing' },
    { is: 'resting' },
    { is: 'pulled', rows: 1, more: true, cursor: 11 },
    { is: 'pulled', rows: 0, more: false, cursor: 11 },
    { is: 'page', rows: 10, isLast: false },
    { is: 'page', rows: 10, isLast: true },
    { is: 'failed', why: 'unreachable', detail: '' },
    { is: 'failed', why: 'timeout', detail: '' },
    { is: 'failed', why: 'storage', detail: '' },
    { is: 'amiss', why: 'fork' },
    { is: 'another life' },
    { ...REFUSED, code: 'SYNC_GAP' },
    { ...REFUSED, code: 'SYNC_STALE_EPOCH' },
    { ...REFUSED, status: 403, code: 'SYNC_REVOKED' },
    { ...REFUSED, status: 413, code: 'BODY_TOO_LARGE' },
    { ...REFUSED, status: 425, code: 'SYNC_NEEDS_CORE' },
    { ...REFUSED, status: 503, code: 'BUSY', retryAfterMs: 10_000 },
  ),
);

const event: fc.Arbitrary<SyncEvent> = fc.oneof(
  fc.constantFrom<SyncEvent>(
    { is: 'paired' },
    { is: 'unpaired' },
    { is: 'socket opened' },
    { is: 'socket closed' },
    { is: 'told revoked' },
    { is: 'paused', ms: 5_000 },
    { is: 'poked', head: 12 },
    { is: 'logged', core: 2, history: 0 },
    { is: 'logged', core: 0, history: 600 },
    { is: 'logged', core: 1, history: 2, news: 2 },
  ),
  fc.constantFrom(...TIMERS).map((timer): SyncEvent => ({ is: 'due', timer })),
);

describe('whatever happens', () => {
  test('ids are never reused, lanes hold one request, and something always goes on', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, fc.tuple(fc.nat(3), outcome)), { maxLength: 60 }), (events) => {
        let state = initialState();
        let nowMs = 0;
        const asked = new Set<number>();
        const timers = new Set<string>();
        const perform = (happened: SyncEvent) => {
          nowMs += 700;
          if (happened.is === 'due') timers.delete(happened.timer);
          const next = step(state, happened, nowMs);
          state = next.state;
          for (const effect of next.effects) {
            if (effect.do === 'wake') {
              timers.add(effect.timer);
              expect(effect.after[0]).toBeLessThanOrEqual(effect.after[1]);
            }
            if (effect.do !== 'ask') continue;
            expect(asked.has(effect.id)).toBe(false);
            asked.add(effect.id);
            expect(SLOTS.filter((slot) => state.flights[slot]?.id === effect.id)).toHaveLength(1);
          }
        };
        perform(STARTED);
        for (const happened of events) {
          if (!Array.isArray(happened)) perform(happened);
          else {
            const flight = state.flights[SLOTS[happened[0]] ?? 'link'];
            if (flight !== null) perform({ is: 'done', id: flight.id, outcome: happened[1] });
          }
          if (state.phase === 'unpaired') continue;
          // never stuck: a request is under way, or a timer will look again
          const isUnderWay = SLOTS.some((slot) => state.flights[slot] !== null);
          expect(isUnderWay || timers.has('retry') || timers.has('pull')).toBe(true);
          expect(timers.has('watch')).toBe(true);
          if (state.waiting !== null) expect(timers.has('retry')).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
