import { describe, expect, it } from 'vitest';
import { createClock } from '#adapters/system/disciplined-clock.ts';
import {
  type ClockEvidence,
  type ClockState,
  confirmClock,
  lookAtClock,
  startClock,
  timeOf,
} from '#core/clock-trust.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 2, 2, 12);
const policy = { mode: 'auto', notBefore: Date.UTC(2026, 0, 1) } as const;
const nothingKnown: ClockEvidence = { isSynchronised: null, hasBatteryClock: null };
const synchronised: ClockEvidence = { isSynchronised: true, hasBatteryClock: false };
const alone: ClockEvidence = { isSynchronised: false, hasBatteryClock: false };

function started(wall: number, floor: number | null, evidence: ClockEvidence): ClockState {
  return startClock(policy, { wall, monotonic: 0 }, floor, evidence);
}

describe('the clock of a box', () => {
  it.each([
    ['synchronised over the network', NOW, NOW - HOUR, synchronised, 'trusted', 'synchronised'],
    [
      'with a battery clock',
      NOW,
      NOW - HOUR,
      { isSynchronised: false, hasBatteryClock: true },
      'trusted',
      'battery_clock',
    ],
    ['of which nothing is known', NOW, null, nothingKnown, 'trusted', 'plausible'],
    ['without battery and network', NOW, NOW - HOUR, alone, 'untrusted', 'not_synchronised'],
    ['that starts in 1970', 0, NOW, nothingKnown, 'untrusted', 'before_last_known_time'],
    [
      'that starts an hour before its last known time',
      NOW - HOUR,
      NOW,
      synchronised,
      'untrusted',
      'before_last_known_time',
    ],
  ] as const)('%s is judged at the start', (_what, wall, floor, evidence, trust, reason) => {
    expect(started(wall, floor, evidence)).toMatchObject({ trust, reason });
  });

  it('that starts in 1970 goes on from the last known time and becomes right when the network tells', () => {
    const before = started(0, NOW, alone);
    expect(timeOf(before, 5_000)).toBe(NOW + 5_000);
    const after = lookAtClock(policy, before, { wall: NOW + HOUR, monotonic: 10_000 }, synchronised);
    expect(after.state).toMatchObject({ trust: 'trusted', correction: 0 });
    expect(after.steppedBy).toBe(HOUR - 10_000);
    expect(timeOf(after.state, 11_000)).toBe(NOW + HOUR + 1_000);
  });

  it('follows a step of an hour when nothing speaks against it', () => {
    const before = started(NOW, null, nothingKnown);
    const after = lookAtClock(policy, before, { wall: NOW + HOUR + 1_000, monotonic: 1_000 }, nothingKnown);
    expect({ trust: after.state.trust, steppedBy: after.steppedBy }).toEqual({
      trust: 'trusted',
      steppedBy: HOUR,
    });
  });

  it('does not believe a step of 56 years that nobody confirms, and does when somebody does', () => {
    const before = started(NOW, null, nothingKnown);
    const far = NOW + 56 * 365 * 24 * HOUR;
    const doubted = lookAtClock(policy, before, { wall: far, monotonic: 1_000 }, nothingKnown).state;
    expect(doubted).toMatchObject({ trust: 'untrusted', reason: 'stepped' });
    expect(timeOf(doubted, 2_000)).toBe(NOW + 2_000);
    const stillDoubted = lookAtClock(
      policy,
      doubted,
      { wall: far + 1_000, monotonic: 2_000 },
      nothingKnown,
    ).state;
    expect(timeOf(stillDoubted, 3_000)).toBe(NOW + 3_000);
    const back = lookAtClock(
      policy,
      stillDoubted,
      { wall: NOW + 4_000, monotonic: 4_000 },
      synchronised,
    ).state;
    expect(back).toMatchObject({ trust: 'trusted', correction: 0 });
  });

  it('that comes back from a step nobody believed is trusted again', () => {
    const before = started(NOW, null, nothingKnown);
    const doubted = lookAtClock(
      policy,
      before,
      { wall: NOW + 56 * 365 * 24 * HOUR, monotonic: 1_000 },
      nothingKnown,
    );
    const back = lookAtClock(policy, doubted.state, { wall: NOW + 2_500, monotonic: 2_000 }, nothingKnown);
    expect(back.state).toMatchObject({ trust: 'trusted', reason: 'plausible', correction: 0 });
    expect(back.steppedBy).toBe(500);
  });

  it('that a person sets is trusted, also when the wall clock comes to nearly that time', () => {
    const before = started(0, NOW, nothingKnown);
    const set = confirmClock(before, { wall: 60_000, monotonic: 60_000 }, NOW + 5 * HOUR);
    expect(set.state).toMatchObject({ trust: 'trusted', reason: 'set_by_operator' });
    expect(set.steppedBy).toBe(5 * HOUR - 60_000);
    expect(timeOf(set.state, 61_000)).toBe(NOW + 5 * HOUR + 1_000);
    const quiet = lookAtClock(policy, set.state, { wall: 62_000, monotonic: 62_000 }, nothingKnown);
    expect(quiet.state).toMatchObject({ trust: 'trusted', reason: 'set_by_operator' });
    // three minutes beside the watch it was read off
    const right = lookAtClock(
      policy,
      quiet.state,
      { wall: NOW + 5 * HOUR + 184_000, monotonic: 64_000 },
      nothingKnown,
    );
    expect(right.state).toMatchObject({ trust: 'trusted', correction: 0 });
    const wrong = lookAtClock(policy, quiet.state, { wall: NOW + 9 * HOUR, monotonic: 64_000 }, nothingKnown);
    expect(wrong.state).toMatchObject({ trust: 'untrusted', reason: 'stepped' });
    expect(timeOf(wrong.state, 64_000)).toBe(NOW + 5 * HOUR + 4_000);
  });

  it('does not follow a step back to 1970', () => {
    const before = started(NOW, null, nothingKnown);
    const after = lookAtClock(policy, before, { wall: 1_000, monotonic: 1_000 }, nothingKnown).state;
    expect(after.trust).toBe('untrusted');
    expect(timeOf(after, 2_000)).toBe(NOW + 2_000);
  });

  it('that only drifts is followed without a word', () => {
    const before = started(NOW, null, nothingKnown);
    const after = lookAtClock(policy, before, { wall: NOW + 1_400, monotonic: 1_000 }, nothingKnown);
    expect(after).toMatchObject({ steppedBy: 0, state: { trust: 'trusted', correction: 0 } });
    expect(timeOf(after.state, 1_000)).toBe(NOW + 1_400);
  });
});

describe('what the machine says of its clock', () => {
  /** A machine whose network keeps its clock, until somebody sets it by hand. */
  function aMachine() {
    const machine = {
      wall: NOW,
      monotonic: 0,
      said: { ...synchronised, askedAt: 0 } as ClockEvidence,
      asked: 0,
    };
    const clock = createClock(
      {
        wall: () => machine.wall,
        monotonic: () => machine.monotonic,
        evidence: () => machine.said,
        async askAgain() {
          machine.asked += 1;
        },
        changed: () => undefined,
      },
      policy,
      null,
    );
    const pass = (ms: number) => {
      machine.wall += ms;
      machine.monotonic += ms;
      clock.look();
    };
    return { machine, clock, pass };
  }

  it('before its clock was set tells nothing of it afterwards: it is asked anew, and until then time goes on', () => {
    const { machine, clock, pass } = aMachine();
    pass(1_000);
    machine.wall += 91 * 24 * HOUR;
    pass(1_000);
    expect({ asked: machine.asked, now: clock.now() }).toEqual({ asked: 1, now: NOW + 2_000 });
    machine.said = { ...alone, askedAt: machine.monotonic };
    pass(1_000);
    expect({ quality: clock.quality(), now: clock.now() }).toEqual({
      quality: 'estimated',
      now: NOW + 3_000,
    });
  });

  it('after its clock was set by the network moves the time at once', () => {
    const { machine, clock, pass } = aMachine();
    machine.wall += 91 * 24 * HOUR;
    pass(1_000);
    machine.said = { ...synchronised, askedAt: machine.monotonic };
    pass(1_000);
    expect({ quality: clock.quality(), now: clock.now() }).toEqual({
      quality: 'trusted',
      now: NOW + 91 * 24 * HOUR + 2_000,
    });
  });

  it('when it says nothing at all, a far step is not believed after five seconds', () => {
    const { machine, clock, pass } = aMachine();
    machine.wall += 91 * 24 * HOUR;
    for (let second = 0; second < 7; second += 1) pass(1_000);
    expect({ quality: clock.quality(), now: clock.now() }).toEqual({
      quality: 'estimated',
      now: NOW + 7_000,
    });
  });
});
