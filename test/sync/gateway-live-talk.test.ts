import { describe, expect, test } from 'vitest';
import type { CommandFrame, GatewayFrame, LiveState } from '#contract/sync/wire.ts';
import { liveTalk } from '../../gateway/sync/gateway/live-talk.ts';
import type { GatewayLiveParts } from '../../gateway/sync/ports.ts';

const silent = () => undefined;
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const point = (n: number): LiveState => ({
  id: idOf(n),
  is_online: true,
  heard_at_ms: 1,
  consumption: 1,
  current_status: 'ON',
  target_status: 'ON',
});
const ORDER: CommandFrame = {
  is: 'command',
  id: idOf(9),
  control_point_id: idOf(1),
  target_status: 'OFF',
  issued_by: null,
  reason: null,
  hold_s: null,
  basis: { version: 1, epoch: 'e' },
  is_forced: false,
  age_ms: 0,
  ttl_ms: 60_000,
};

/** A farm of so many control points, on a line that notes what was said. */
function aFarm(points: number, takeCommand?: GatewayLiveParts['takeCommand']) {
  const clock = { atMs: 5 };
  const said: GatewayFrame[] = [];
  const due: (() => void)[] = [];
  const listeners: { state?: (frame: never) => void; live?: (id: string) => void } = {};
  const talk = liveTalk({
    line: { open: silent, close: silent, send: (frame) => said.push(frame) > 0 },
    live: {
      takeCommand:
        takeCommand ?? (async ({ id }) => ({ is: 'command_state', id, state: 'accepted', result: null })),
      livePoints: () => Array.from({ length: points }, (_, n) => point(n)),
      onCommandState: (listener) => {
        listeners.state = listener;
        return silent;
      },
      onLive: (listener) => {
        listeners.live = listener;
        return silent;
      },
    },
    later: (_ms, run) => {
      due.push(run);
      return silent;
    },
    monotonic: () => clock.atMs,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  return { said, due, clock, listeners, heard: talk.handlers(silent), talk };
}

describe('on the live socket a gateway', () => {
  test('tells how every control point stands when it opens, in frames that fit', () => {
    const { said, heard } = aFarm(4_500);
    heard.opened();
    expect(said.map((frame) => frame.is === 'live' && [frame.is_all, frame.points.length])).toEqual([
      [true, 2_000],
      [false, 2_000],
      [false, 500],
    ]);
  });

  test('tells so of a farm without control points, too: what was known before is void', () => {
    const { said, heard } = aFarm(0);
    heard.opened();
    expect(said).toEqual([{ is: 'live', is_all: true, points: [] }]);
  });

  test('gathers what changes for a second, each control point once', () => {
    const { said, heard, listeners, due } = aFarm(3);
    heard.opened();
    for (const n of [1, 2, 1, 1]) listeners.live?.(idOf(n));
    expect(due).toHaveLength(1);
    due[0]?.();
    expect(said.at(-1)).toEqual({ is: 'live', is_all: false, points: [point(1), point(2)] });
  });

  test('says how far an order got', async () => {
    const { said, heard } = aFarm(0);
    heard.opened();
    heard.command(ORDER);
    await Promise.resolve();
    await Promise.resolve();
    expect(said.at(-1)).toEqual({ is: 'command_state', id: ORDER.id, state: 'accepted', result: null });
  });

  describe('asks whether an order still counts, and what counts is the answer', () => {
    const asking = { ...ORDER, answers_still: true };
    /** An order that came; `taken`: from when on each time it was taken was late. */
    function anOrder() {
      const taken: number[] = [];
      const farm = aFarm(0, async ({ id }, lateAtMs) => {
        taken.push(lateAtMs);
        return { is: 'command_state', id, state: 'accepted', result: null };
      });
      farm.heard.opened();
      farm.heard.command(asking);
      const asked = farm.said.at(-1);
      if (asked?.is !== 'ask_still') throw new Error('nothing was asked');
      const answer = (left_ms: number | null, ask = asked.ask) =>
        farm.heard.still({ is: 'still', id: ORDER.id, ask, left_ms });
      return { ...farm, taken, answer };
    }
    const settled = () => new Promise((resolve) => setImmediate(resolve));

    test('from the question on, so that the way there and back is within its time', async () => {
      const { clock, taken, answer } = anOrder();
      clock.atMs = 3_005;
      answer(4_000);
      await settled();
      expect(taken).toEqual([4_005]);
    });

    test('for ten seconds at most, however long the order may wait', async () => {
      const { taken, answer } = anOrder();
      answer(900_000);
      await settled();
      expect(taken).toEqual([10_005]);
    });

    test('void, when the hosted instance says so, or nothing in ten seconds', async () => {
      const first = anOrder();
      first.answer(null);
      const second = anOrder();
      second.due.at(-1)?.();
      await settled();
      expect([first.taken, second.taken]).toEqual([[-Infinity], [-Infinity]]);
    });

    test('not at all once the line broke: it is sent again over the next one', async () => {
      const { heard, taken, answer, said } = anOrder();
      heard.closed();
      answer(5_000);
      await settled();
      expect(taken).toEqual([]);
      heard.opened();
      heard.command(asking);
      answer(5_000);
      await settled();
      expect(taken).toEqual([]);
      const again = said.at(-1);
      answer(5_000, again?.is === 'ask_still' ? again.ask : '');
      await settled();
      expect(taken).toEqual([5_005]);
    });
  });

  test('lives through an order that it cannot take', async () => {
    const { said, heard } = aFarm(0, () => Promise.reject(new Error('disk full')));
    heard.opened();
    heard.command(ORDER);
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toHaveLength(1);
  });

  test('says nothing while it is closed', () => {
    const { said, heard, talk, listeners, due } = aFarm(2);
    heard.opened();
    heard.closed();
    listeners.live?.(idOf(1));
    expect(due).toEqual([]);
    expect(talk.outage({ until_ms: 1, reason: 'work on the box' })).toBe(false);
    expect(said).toHaveLength(1);
  });
});
