import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Standing } from '../../desktop/ipc.ts';
import { markOf, trayPixels } from '../../desktop/main/tray.ts';
import { watchFarm } from '../../desktop/main/watch.ts';

const calm: Standing = { state: 'calm', unanswered: 0, worst: 0, text: '' };
const critical: Standing = { state: 'alarm', unanswered: 1, worst: 1, text: 'V-07 OD baixo 2,1' };
const blind: Standing = { ...critical, state: 'blind' };
const SECOND = 1_000;

describe('what a station knows of its farm', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function aWatch({ isPaired = true } = {}) {
    const states: string[] = [];
    const said: string[] = [];
    const count = { brought: 0, revived: 0 };
    const watch = watchFarm({
      tell: ({ state }) => void states.push(state),
      bring: () => {
        count.brought += 1;
      },
      say: ({ title }) => void said.push(title),
      revive: () => {
        count.revived += 1;
      },
      isPaired: () => isPaired,
      words: { blindTitle: 'blind', blindText: 'go and see' },
    });
    return { ...watch, states, said, count };
  }
  /** A page that runs says so every five seconds. */
  const pass = (ms: number, alive: () => void) => {
    for (let at = 0; at < ms; at += 5 * SECOND) {
      alive();
      vi.advanceTimersByTime(5 * SECOND);
    }
  };

  it('is nothing before a console spoke, and nothing again once it is gone', () => {
    const watch = aWatch();
    watch.arrived();
    watch.heard(calm);
    watch.left();
    expect(watch.states).toEqual(['blind', 'blind', 'calm', 'blind']);
    expect(watch.seen()).toEqual(calm);
    watch.stop();
  });

  it('is what the console says of itself, and of an older console what its alarms say', () => {
    const watch = aWatch();
    watch.arrived();
    watch.heard(critical);
    watch.heard(blind);
    expect(watch.isBlind()).toBe(true);
    expect(watch.seen()).toEqual(critical);
    watch.heard({ unanswered: 0, worst: 0, text: '' });
    watch.heard({ unanswered: 1, worst: 2, text: 'x' });
    expect(watch.states.slice(-3)).toEqual(['blind', 'calm', 'alarm']);
    watch.stop();
  });

  it('brings the window for a critical alarm once, and again when it still stands after a blindness', () => {
    const watch = aWatch();
    watch.arrived();
    watch.heard(blind);
    expect(watch.count.brought).toBe(0);
    watch.heard(critical);
    watch.heard({ ...critical, unanswered: 2 });
    expect(watch.count.brought).toBe(1);
    watch.heard(blind);
    watch.heard(critical);
    expect(watch.count.brought).toBe(2);
    watch.stop();
  });

  it('says after a minute that it is blind, once, and not while no gateway was chosen', () => {
    const [watch, unpaired] = [aWatch(), aWatch({ isPaired: false })];
    pass(55 * SECOND, () => undefined);
    expect(watch.said).toEqual([]);
    pass(300 * SECOND, () => undefined);
    expect(watch.said).toEqual(['blind']);
    expect(unpaired.said).toEqual([]);
    watch.arrived();
    watch.heard(calm);
    pass(5 * SECOND, watch.alive);
    watch.left();
    pass(65 * SECOND, () => undefined);
    expect(watch.said).toEqual(['blind', 'blind']);
    watch.stop();
    unpaired.stop();
  });

  it('starts a page anew that hangs, or that never said a word of the farm, and takes it for blind', () => {
    const watch = aWatch();
    watch.arrived();
    watch.heard(calm);
    pass(600 * SECOND, watch.alive);
    expect([watch.count.revived, watch.isBlind()]).toEqual([0, false]);
    pass(20 * SECOND, () => undefined);
    expect([watch.count.revived, watch.isBlind()]).toEqual([1, true]);
    watch.arrived();
    // its scripts were lost on the way: it runs, and shows nothing
    pass(20 * SECOND, watch.alive);
    expect(watch.count.revived).toBe(2);
    watch.left();
    pass(600 * SECOND, () => undefined);
    expect(watch.count.revived).toBe(2);
    watch.stop();
  });
});

describe('the picture beside the clock', () => {
  it('differs by its shape alone for blind, calm and each priority', () => {
    const marks = ['blind', 0, 1, 2, 3] as const;
    const shapes = marks.map((mark) => {
      const { pixels } = trayPixels(mark);
      return Buffer.from(pixels.filter((_byte, at) => at % 4 === 3)).toString('hex');
    });
    expect(new Set(shapes).size).toBe(marks.length);
    // something is there, and something of the clock's bar is left
    for (const shape of shapes) expect(shape).toMatch(/ff.*00|00.*ff/);
  });

  it('never takes an alarm that is remembered for one that is seen', () => {
    expect(markOf({ ...critical, state: 'blind' })).toBe('blind');
    expect(markOf({ ...critical, state: 'alarm' })).toBe(1);
    expect(markOf({ ...critical, state: 'calm' })).toBe(0);
  });
});
