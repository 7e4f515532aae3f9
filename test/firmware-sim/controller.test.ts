import { describe, expect, test } from 'vitest';
import type { DeviceSchedule } from '#contract/mqtt/messages.ts';
import { mqttHeartbeat, shadowReported } from '#contract/mqtt/messages.ts';
import { FACTORY_CONFIG } from '#sim/controller/state.ts';
import { aBench, aConnectedBench, aLevel } from './drive.ts';

const NOON_UNIX_S = 1_767_268_800; // 2026-01-01 12:00 UTC, a Thursday

function aSchedule(change: Partial<DeviceSchedule> = {}): DeviceSchedule {
  return {
    rev: 3,
    hash: 'h3',
    from: NOON_UNIX_S - 86_400,
    to: NOON_UNIX_S + 86_400,
    tr: [],
    weekly: [],
    ...change,
  };
}

describe('levels', () => {
  test('a level is applied, answered with its version and told in the next heartbeat', () => {
    const bench = aConnectedBench();
    bench.send(aLevel('ON', 41));
    expect(bench.state().relay.coil).toBe('ON');
    expect(bench.published('shadow/reported')).toEqual([
      { epoch: 'e1', version: 41, current_status: 'ON', source: 'shadow', ack: 'applied' },
    ]);
    expect(mqttHeartbeat.parse(bench.published('hb').at(-1))).toMatchObject({
      current_status: 'ON',
      version: 41,
      epoch: 'e1',
      source: 'shadow',
    });
  });

  test('a lower version of the same epoch changes nothing and is answered stale', () => {
    const bench = aConnectedBench();
    bench.send(aLevel('ON', 41));
    bench.wait(90);
    bench.send(aLevel('OFF', 40));
    bench.wait(90);
    expect(bench.state().relay.coil).toBe('ON');
    expect(shadowReported.parse(bench.published('shadow/reported').at(-1))).toMatchObject({
      version: 40,
      ack: 'stale',
    });
  });

  test('an equal version is applied again, and a new epoch wins whatever its number', () => {
    const bench = aConnectedBench({ config: { min_on_s: 0, min_off_s: 0 } });
    bench.send(aLevel('ON', 41));
    bench.send(aLevel('ON', 41));
    expect(bench.relayChanges).toHaveLength(1);
    expect(bench.published('shadow/reported')).toHaveLength(2);
    bench.send(aLevel('OFF', 1, { epoch: 'e2' }));
    expect(bench.state().relay.coil).toBe('OFF');
    expect(bench.state().nvs.applied).toEqual({ epoch: 'e2', version: 1 });
  });

  test('after a power cut the same level brings the motor back to the wanted state', () => {
    const bench = aConnectedBench({ config: { min_off_s: 20, start_delay_s: 3, fail_safe: 'OFF' } });
    bench.send(aLevel('ON', 41));
    bench.send({ kind: 'power_cut' });
    expect(bench.plant.coil).toBe('OFF');
    bench.wait(1);
    bench.send({ kind: 'power_on' });
    const bootMs = bench.nowMs();
    bench.wait(6);
    bench.send({ kind: 'connected' });
    bench.send(aLevel('ON', 41));
    bench.wait(60);
    // The controller cannot know how long it was dark: rest from the boot, then its slot.
    expect(bench.relayChanges.at(-1)).toEqual({ atMs: bootMs + 23_000, to: 'ON' });
  });
});

describe('minimum times', () => {
  test('a start within the rest is deferred with the seconds left, then applied and answered', () => {
    const bench = aConnectedBench({ config: { min_on_s: 0, min_off_s: 60 } });
    bench.send(aLevel('ON', 1));
    bench.wait(100);
    bench.send(aLevel('OFF', 2));
    const offMs = bench.nowMs();
    bench.wait(10);
    bench.send(aLevel('ON', 3));
    expect(bench.published('shadow/reported').at(-1)).toMatchObject({
      version: 3,
      ack: 'deferred',
      until_s: 50,
    });
    expect(bench.state().nvs.applied?.version).toBe(2);
    bench.wait(60);
    expect(bench.relayChanges.at(-1)).toEqual({ atMs: offMs + 60_000, to: 'ON' });
    expect(bench.published('shadow/reported').at(-1)).toMatchObject({ version: 3, ack: 'applied' });
  });

  test('a power cut during the rest does not shorten it, however short the cut', () => {
    const bench = aConnectedBench({ config: { min_on_s: 0, min_off_s: 60, start_delay_s: 5 } });
    bench.send(aLevel('ON', 1));
    bench.wait(100);
    bench.send(aLevel('OFF', 2));
    bench.wait(1);
    bench.send({ kind: 'power_cut' });
    bench.send({ kind: 'power_on' });
    const bootMs = bench.nowMs();
    bench.send(aLevel('ON', 3));
    bench.wait(120);
    expect(bench.relayChanges.at(-1)).toEqual({ atMs: bootMs + 65_000, to: 'ON' });
  });

  test('a stop within the minimum running time waits for it', () => {
    const bench = aConnectedBench({ config: { min_on_s: 60 } });
    bench.send(aLevel('ON', 1));
    const onMs = bench.nowMs();
    bench.send(aLevel('OFF', 2));
    bench.wait(120);
    expect(bench.relayChanges.at(-1)).toEqual({ atMs: onMs + 60_000, to: 'OFF' });
  });
});

describe('alone', () => {
  test('losing the network never moves the relay', () => {
    const bench = aConnectedBench({ config: { fail_safe: 'HOLD' } });
    bench.send(aLevel('ON', 1));
    bench.send({ kind: 'disconnected' });
    bench.wait(7 * 86_400);
    expect(bench.relayChanges).toHaveLength(1);
    expect(bench.state().control.source).toBe('fail_safe');
  });

  test('after lost_s the list rules, then the weekly table, each at its instant', () => {
    const bench = aConnectedBench({ config: { lost_s: 90, min_on_s: 0, min_off_s: 0, fail_safe: 'OFF' } });
    bench.send({ kind: 'time', unixMs: NOON_UNIX_S * 1000 });
    const noonMs = bench.nowMs();
    bench.send({
      kind: 'schedule',
      schedule: aSchedule({
        tr: [
          [NOON_UNIX_S - 3600, 1, 's1'],
          [NOON_UNIX_S + 600, 0, 's1'],
        ],
        to: NOON_UNIX_S + 1800,
        weekly: [
          [4, '12:40', 1],
          [4, '12:50', 0],
        ],
      }),
    });
    bench.send(aLevel('OFF', 1));
    bench.send({ kind: 'disconnected' });
    bench.wait(89);
    expect(bench.relayChanges).toEqual([]);
    bench.wait(3600);
    const changes = bench.relayChanges.map(({ atMs, to }) => ({
      atS: Math.round((atMs - noonMs) / 1000),
      to,
    }));
    expect(changes).toEqual([
      { atS: 90, to: 'ON' },
      { atS: 600, to: 'OFF' },
      { atS: 2400, to: 'ON' },
      { atS: 3000, to: 'OFF' },
    ]);
    expect(bench.state().control.source).toBe('local_schedule');
  });

  test('alone, what a person ordered holds until the next event of the schedule', () => {
    const bench = aConnectedBench({ config: { lost_s: 90, min_on_s: 0, min_off_s: 0, start_delay_s: 0 } });
    bench.send({ kind: 'time', unixMs: NOON_UNIX_S * 1000 });
    const noonMs = bench.nowMs();
    bench.send({
      kind: 'schedule',
      schedule: aSchedule({
        tr: [
          [NOON_UNIX_S - 3600, 0, 's1'],
          [NOON_UNIX_S + 600, 0, 's1'],
        ],
        to: NOON_UNIX_S + 1800,
      }),
    });
    bench.send(aLevel('ON', 2, { issuedAtS: NOON_UNIX_S }));
    bench.send({ kind: 'disconnected' });
    bench.wait(1_000);
    const changes = bench.relayChanges.map(({ atMs, to }) => [Math.round((atMs - noonMs) / 1000), to]);
    expect(changes).toEqual([
      [0, 'ON'],
      [600, 'OFF'],
    ]);
  });

  test('alone and without a schedule a running motor runs on', () => {
    const bench = aConnectedBench({ config: { lost_s: 90, min_on_s: 0, min_off_s: 0, start_delay_s: 0 } });
    bench.send({ kind: 'time', unixMs: NOON_UNIX_S * 1000 });
    bench.send({ kind: 'schedule', schedule: aSchedule({ tr: [], weekly: [] }) });
    bench.send(aLevel('ON', 2, { issuedAtS: NOON_UNIX_S }));
    bench.send({ kind: 'disconnected' });
    bench.wait(7_200);
    expect(bench.relayChanges.map(({ to }) => to)).toEqual(['ON']);
    expect(bench.state().control.source).toBe('fail_safe');
  });

  test('without a valid clock the schedule is not run: the fail-safe state is', () => {
    const bench = aConnectedBench({ config: { fail_safe: 'ON' } });
    bench.send({ kind: 'schedule', schedule: aSchedule({ tr: [[1, 0, 's1']], from: 0 }) });
    bench.send(aLevel('OFF', 1));
    bench.send({ kind: 'disconnected' });
    bench.wait(200);
    expect(bench.state().relay.coil).toBe('ON');
    expect(bench.state().control.source).toBe('fail_safe');
  });

  test('from the boot the fail-safe state holds, with one movement of the relay and not before the slot', () => {
    const bench = aBench({ config: { fail_safe: 'ON', start_delay_s: 12 } });
    bench.send({ kind: 'power_on' });
    const bootMs = bench.nowMs();
    bench.wait(300);
    expect(bench.relayChanges).toEqual([{ atMs: bootMs + 12_000, to: 'ON' }]);
  });

  test('the gateway rules again as soon as its level arrives', () => {
    const bench = aConnectedBench({ config: { fail_safe: 'ON', min_on_s: 0 } });
    bench.send(aLevel('OFF', 1));
    bench.send({ kind: 'disconnected' });
    bench.wait(200);
    expect(bench.state().relay.coil).toBe('ON');
    bench.send({ kind: 'connected' });
    bench.send(aLevel('OFF', 1));
    expect(bench.state().relay.coil).toBe('OFF');
    expect(bench.state().control.source).toBe('shadow');
  });
});

describe('people at the panel', () => {
  test('the hand switch wins over the level and is reported as manual', () => {
    const bench = aConnectedBench();
    bench.send(aLevel('ON', 1));
    bench.send({ kind: 'hand_switch', position: 'OFF' });
    expect(bench.state().relay.coil).toBe('OFF');
    expect(bench.published('hb').at(-1)).toMatchObject({ current_status: 'OFF', source: 'manual' });
    bench.send(aLevel('ON', 2));
    expect(bench.published('shadow/reported').at(-1)).toMatchObject({
      ack: 'refused',
      reason: 'hand switch',
    });
  });

  test('locked out, nothing starts the motor: not a level, not the hand switch, not the fail-safe', () => {
    const bench = aConnectedBench({ config: { fail_safe: 'ON' } });
    bench.send(aLevel('ON', 1));
    const config = { ...FACTORY_CONFIG, rev: 2, hash: 'h2', fail_safe: 'ON' as const, locked_out: true };
    bench.send({ kind: 'config', config });
    expect(bench.state().relay.coil).toBe('OFF');
    bench.send(aLevel('ON', 2));
    expect(bench.published('shadow/reported').at(-1)).toMatchObject({ ack: 'refused', reason: 'locked out' });
    bench.send({ kind: 'hand_switch', position: 'ON' });
    bench.send({ kind: 'power_cut' });
    bench.send({ kind: 'power_on' });
    bench.wait(3600);
    expect(bench.state().relay.coil).toBe('OFF');
  });
});

describe('the line', () => {
  test('failed attempts wait 5, 10, 30, 60, 60 seconds, each within a quarter', () => {
    const bench = aBench();
    bench.send({ kind: 'power_on' });
    const waits: number[] = [];
    bench.wait(6);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      bench.send({ kind: 'disconnected' });
      const failedMs = bench.nowMs();
      waits.push(((bench.state().link.tryAtMs ?? 0) - failedMs) / 1000);
      bench.wait(waits.at(-1) ?? 0);
    }
    for (const [index, nominal] of [5, 10, 30, 60, 60].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(nominal * 0.75);
      expect(waits[index]).toBeLessThanOrEqual(nominal * 1.25);
    }
  });

  test('the back-off starts anew only after a minute of a stable session', () => {
    const bench = aConnectedBench();
    bench.send({ kind: 'disconnected' });
    bench.wait(7);
    bench.send({ kind: 'connected' });
    bench.wait(59);
    expect(bench.state().link.attempt).toBe(1);
    bench.wait(2);
    expect(bench.state().link.attempt).toBe(0);
  });

  test('heartbeats come every 30 s within a tenth', () => {
    const bench = aConnectedBench();
    const times: number[] = [];
    for (let second = 0; second < 3600; second += 1) {
      if (bench.wait(1).some((effect) => effect.kind === 'publish' && effect.path === 'hb'))
        times.push(second);
    }
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(26);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(34);
  });

  test('a command is obeyed once, and a retained one never', () => {
    const bench = aConnectedBench();
    const command = { op: 'reboot', expires_in_s: 60 } as const;
    const once = bench.send({ kind: 'command', correlation: 'c1', command, isRetained: false });
    const again = bench.send({ kind: 'command', correlation: 'c1', command, isRetained: false });
    const ghost = bench.send({ kind: 'command', correlation: 'c2', command, isRetained: true });
    expect(once.map((effect) => effect.kind)).toContain('restart');
    expect([...again, ...ghost]).toEqual([]);
  });
});

describe('the motor', () => {
  test('a motor that draws nothing is told as no_current, once', () => {
    const bench = aConnectedBench();
    bench.send(aLevel('ON', 1));
    bench.plant.isBreakerTripped = true;
    bench.wait(120);
    const words = bench.published('event').map((event) => (event as { k: string }).k);
    expect(words.filter((word) => word === 'no_current')).toHaveLength(1);
    expect(bench.published('hb').at(-1)).toMatchObject({ current_status: 'ON', motor_current_ma: 0 });
  });

  test('a stuck contactor is told as it stands, not as the coil wants it', () => {
    const bench = aConnectedBench();
    bench.plant.stuckAt = 'OFF';
    bench.send(aLevel('ON', 1));
    expect(bench.published('shadow/reported').at(-1)).toMatchObject({ current_status: 'OFF' });
  });

  test('when the mains return the motor waits for its rest and then its slot', () => {
    const bench = aConnectedBench({ config: { min_off_s: 30, start_delay_s: 8 } });
    bench.send(aLevel('ON', 1));
    bench.wait(100);
    bench.send({ kind: 'mains', isOk: false });
    const cutMs = bench.nowMs();
    expect(bench.published('hb').at(-1)).toMatchObject({ power_ok: false, current_status: 'OFF' });
    bench.wait(2);
    bench.send({ kind: 'mains', isOk: true });
    bench.wait(120);
    expect(bench.relayChanges.at(-1)).toEqual({ atMs: cutMs + 38_000, to: 'ON' });
  });
});
