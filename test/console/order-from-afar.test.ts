import { describe, expect, it } from 'vitest';
import { lastWordAt, wordAgeOf } from '../../desktop/console/state/farm-word.ts';
import { controlFactsOf, controlStateOf, mayOrder } from '../../desktop/console/state/freshness.ts';
import {
  failureOf,
  isJourneyShown,
  newerOrder,
  type RemoteOrder,
  stepOf,
} from '../../desktop/console/state/remote-order.ts';

const T0 = Date.UTC(2026, 2, 3, 5);
const S = 1_000;
const MIN = 60 * S;

const given: RemoteOrder = {
  id: 'o-1',
  target: 'ON',
  state: 'pending',
  stateAt: T0,
  issuedAt: T0,
  expiresAt: T0 + MIN,
  isOnDevice: false,
  version: 7,
  epoch: 'aa',
};

const point = {
  id: 'cp',
  farm_id: 'f',
  cod: 'CP-01',
  device_id: 'd',
  target_status: 'OFF',
  current_status: 'OFF',
  current_since: null,
  version: 7,
  epoch: 'aa',
  target_origin: 'SCHEDULE',
  last_command_at: new Date(T0 - 60 * MIN).toISOString(),
  fail_safe: 'HOLD',
  locked_out: false,
  is_siren: false,
  is_simulated: false,
  lock_out_reason: null,
  lock_out_by: null,
  lock_out_at: null,
  updated_at: null,
  rev: 1,
  deleted: false,
} as const;

function shownAt(now: number, remote: RemoteOrder | undefined, more: Partial<typeof point> | object = {}) {
  const presence = {
    control_point_id: 'cp',
    is_online: true,
    last_heartbeat: new Date(now - 5 * S).toISOString(),
    current_status: 'OFF' as const,
    consumption: 0,
  };
  const facts = controlFactsOf({ ...point, ...more }, presence, { now, isBlind: false, remote });
  return { facts, state: controlStateOf(facts) };
}

describe('an order from afar', () => {
  it('is shown on its way with the time it holds, and never as if the motor ran', () => {
    const { facts, state } = shownAt(T0 + 10 * S, given);
    expect(state).toEqual({ is: 'on-its-way', wanted: 'ON', leftMs: 50 * S });
    expect(facts.target).toBe('ON');
    expect(mayOrder(facts, state)).toBe(true);
    expect(stepOf(given, T0 + 10 * S)).toBe('cloud');
    // handed to the socket is not taken by the gateway
    expect(stepOf({ ...given, state: 'sent' }, T0)).toBe('cloud');
    expect(stepOf({ ...given, state: 'confirming' }, given.expiresAt + 1_000)).toBe('cloud');
    expect(failureOf({ ...given, state: 'confirming' }, given.expiresAt + 1_000)).toBe(null);
  });

  it('goes from the gateway to the device and is confirmed by the motor’s own word', () => {
    const taken = { ...given, state: 'accepted' as const, stateAt: T0 + 2 * S };
    expect(stepOf(taken, T0 + 3 * S)).toBe('gateway');
    expect(shownAt(T0 + 3 * S, taken).state).toMatchObject({ is: 'turning-on', isSlow: false });
    expect(stepOf({ ...taken, isOnDevice: true }, T0 + 3 * S)).toBe('device');
    const done = { ...taken, state: 'done' as const, stateAt: T0 + 20 * S };
    expect(stepOf(done, T0 + 21 * S)).toBe('confirmed');
    expect(isJourneyShown(done, T0 + 21 * S)).toBe(true);
    expect(isJourneyShown(done, T0 + 60 * S)).toBe(false);
  });

  it.each(['expired', 'rejected', 'superseded'] as const)(
    'falls back to what the farm says when it is %s, and says so for a while',
    (state) => {
      const lost = { ...given, state, stateAt: T0 + 30 * S };
      expect(shownAt(T0 + 31 * S, lost).state).toEqual({ is: 'off' });
      expect(failureOf(lost, T0 + 31 * S)).toBe(state);
      expect(failureOf(lost, T0 + 10 * MIN)).toBeNull();
    },
  );

  it('is void at its time even while nobody says so', () => {
    expect(shownAt(T0 + MIN, given).state).toEqual({ is: 'off' });
    expect(stepOf(given, T0 + MIN)).toBeNull();
    expect(failureOf(given, T0 + MIN)).toBe('expired');
  });

  it('that its gateway was told to count and never spoke of is known to nobody, until the gateway’s word comes', () => {
    const untold = { ...given, state: 'confirming' as const, stateAt: T0 + 50 * S };
    for (const after of [6 * S, 10 * MIN, 20 * 60 * MIN]) {
      const at = given.expiresAt + after;
      expect([isJourneyShown(untold, at), failureOf(untold, at)]).toEqual([false, 'unknown']);
      // the motor stands as the farm said last, not as it was ordered
      expect(shownAt(at, untold)).toMatchObject({
        facts: { target: 'OFF', reported: 'OFF' },
        state: { is: 'off' },
      });
    }
    const at = given.expiresAt + 10 * MIN;
    const told = newerOrder(untold, { ...untold, state: 'rejected', stateAt: at });
    expect(failureOf(told, at + S)).toBe('rejected');
    expect(failureOf(newerOrder(untold, { ...untold, state: 'accepted', stateAt: at }), at + S)).toBe(null);
    // the cloud gives up waiting: that is no word of the gateway
    const givenUp = newerOrder(untold, { ...untold, state: 'expired', end: 'untold', stateAt: at });
    expect(failureOf(givenUp, at + S)).toBe('unknown');
  });

  it('that is void because its gateway or its giver left is told as that', () => {
    const left = { ...given, state: 'expired' as const, end: 'withdrawn' as const, stateAt: T0 + S };
    expect(failureOf(left, T0 + 2 * S)).toBe('withdrawn');
  });

  it('yields to the gateway’s own row as soon as that answers, whatever it says', () => {
    const taken = { ...given, state: 'accepted' as const, stateAt: T0 + 2 * S };
    expect(shownAt(T0 + 5 * S, taken, { version: 8, target_status: 'OFF' }).facts.target).toBe('OFF');
    expect(shownAt(T0 + 5 * S, taken, { epoch: 'bb' }).facts.target).toBe('OFF');
    // and a row that never comes does not keep it for ever
    expect(shownAt(T0 + 2 * MIN, taken).facts.target).toBe('OFF');
  });

  it('never unlocks a motor that somebody locked', () => {
    expect(shownAt(T0, given, { locked_out: true }).state).toMatchObject({ is: 'locked' });
  });

  it('is told by the newest word: an order in its place counts, an old word does not', () => {
    const sent = { ...given, state: 'sent' as const };
    expect(newerOrder(sent, given)).toBe(sent);
    const later = { ...given, id: 'o-2', issuedAt: T0 + S };
    expect(newerOrder(sent, later)).toBe(later);
    expect(newerOrder(later, { ...sent, state: 'superseded' })).toBe(later);
    // void here, taken there all the same: the gateway knows what it did
    const late = newerOrder({ ...given, state: 'expired' }, { ...given, state: 'accepted', version: 9 });
    expect(late).toMatchObject({ state: 'accepted', version: 7 });
  });
});

describe('the last word of a farm', () => {
  it('is as old as the silence of its gateway: late after two minutes, old after ten', () => {
    const since = (ms: number) => ({ silentSince: T0 - ms, knownAt: T0 });
    expect(wordAgeOf(since(119 * S), T0)).toBe('fresh');
    expect(wordAgeOf(since(121 * S), T0)).toBe('late');
    expect(wordAgeOf(since(11 * MIN), T0)).toBe('old');
  });

  it('ages, too, when this screen itself hears nothing any more', () => {
    const word = { silentSince: null, knownAt: T0 };
    expect(lastWordAt(word)).toBe(T0);
    expect(wordAgeOf(word, T0 + 3 * MIN)).toBe('late');
  });
});
