import { describe, expect, test } from 'vitest';
import { measuredDelays, watchEventLoop } from '#adapters/system/process-pauses.ts';

describe('the event loop is watched', () => {
  test('a minute in which it was held up is said once, and /readyz tells it until a better one', () => {
    const lines: unknown[] = [];
    const minute = { p99: 12 };
    const silent = () => undefined;
    const loop = watchEventLoop({
      log: {
        debug: silent,
        info: silent,
        error: silent,
        warn: (fields, sentence) => lines.push([fields, sentence]),
      },
      delays: { p99: () => minute.p99, reset: silent, stop: silent },
    });
    loop.look();
    expect(loop.health()).toEqual({ ok: true });
    minute.p99 = 251.4;
    loop.look();
    expect(loop.p99Ms()).toBe(251);
    expect(loop.health()).toEqual({ ok: false, detail: 'held up for 251 ms (p99 of a minute)' });
    minute.p99 = 3;
    loop.look();
    expect(loop.health()).toEqual({ ok: true });
    expect(lines).toEqual([[{ p99Ms: 251 }, 'the event loop was held up; heartbeats and orders came late']]);
  });

  test('a loop that is really held up is measured so', async () => {
    const delays = measuredDelays();
    try {
      await new Promise((resolve) => setTimeout(resolve, 30));
      const until = performance.now() + 300;
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(delays.p99()).toBeGreaterThan(200);
      delays.reset();
      expect(delays.p99()).toBe(0);
    } finally {
      delays.stop();
    }
  });
});
