import type { TestContext } from 'vitest';
import { describe, expect, test } from 'vitest';
import { checkController, controllerRun } from '#sim/conformance/check-controller.ts';
import { boardChecks } from '#sim/conformance/controller-key-checks.ts';
import { startGatewaySide } from '#sim/conformance/gateway-side.ts';
import { runChecks } from '#sim/conformance/report.ts';
import { step } from '#sim/controller/controller.ts';
import type { TransportKind } from '#sim/controller/state.ts';
import type { FaultInput } from '#sim/fleet/faults.ts';
import { startFleet } from '#sim/fleet/fleet.ts';
import { createRealClock } from '#sim/sim-clock.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { type ClaimOptions, claimIdentity } from '../../firmware-sim/boot/claim-identity.ts';
import { createPacedClock } from './paced-clock.ts';

const IDENTITY = { device_id: 'dut-1', mqtt_id: 'dut-1', key: 'the-key-of-the-device-under-test' };

type Test = Pick<TestContext, 'onTestFinished'>;

async function check(
  { onTestFinished }: Test,
  transport: TransportKind,
  machine: typeof step = step,
  faults: readonly FaultInput[] = [],
) {
  const clock = createPacedClock(100);
  // its doors are shut and opened again: nobody must take their ports meanwhile
  const ports = { mqttPort: await lastingPort(), httpPort: await lastingPort() };
  const side = await startGatewaySide({ clock, identity: IDENTITY, ...ports });
  const fleet = startFleet({
    controllers: [{ ...IDENTITY, transport }],
    httpBase: side.httpBase,
    mqttUrl: side.mqttUrl,
    seed: 3,
    clock,
    step: machine,
  });
  for (const fault of faults) fleet.inject(fault);
  onTestFinished(async () => {
    await fleet.stop();
    await side.stop();
    clock.stop();
  });
  const report = await checkController({ tell: () => undefined }, side, transport);
  return report.checks.filter((each) => each.result === 'fail').map(({ id, reason }) => ({ id, reason }));
}

describe.concurrent('the simulator’s gateway side judges controllers', () => {
  test('our controller over MQTT keeps every clause', { timeout: 180_000 }, async (context) => {
    expect(await check(context, 'mqtt')).toEqual([]);
  });

  test('our controller over HTTP keeps every clause', { timeout: 180_000 }, async (context) => {
    expect(await check(context, 'http')).toEqual([]);
  });

  test.for(['mqtt', 'http'] as const)(
    'our controller over %s keeps every clause on a radio on which every message comes late',
    { timeout: 180_000 },
    async (transport, context) => {
      const faults: FaultInput[] = [{ kind: 'delay', min_ms: 300, max_ms: 300 }];
      expect(await check(context, transport, step, faults)).toEqual([]);
    },
  );

  test('a controller that follows any version fails the clauses of versions alone', {
    timeout: 180_000,
  }, async (context) => {
    let epochs = 0;
    const forgetful: typeof step = (state, event) => {
      if (event.kind !== 'desired') return step(state, event);
      // It believes every level to be from a new epoch, but reports the right one.
      epochs += 1;
      const level = state.nvs.level;
      const amnesia =
        level === null ? state : { ...state, nvs: { ...state.nvs, level: { ...level, epoch: `${epochs}` } } };
      return step(amnesia, event);
    };
    expect((await check(context, 'mqtt', forgetful)).map((each) => each.id)).toEqual([
      'level.lower',
      // what ended is new to it again
      'level.ended',
    ]);
  });

  test('a controller that waits for the gateway to end a pause fails the clauses of the end alone', {
    timeout: 180_000,
  }, async (context) => {
    const waiting: typeof step = (state, event) => {
      if (event.kind !== 'desired') return step(state, event);
      const { ends: _ends, ...level } = event.level;
      return step(state, { ...event, level });
    };
    // what hangs on it is not judged
    expect((await check(context, 'mqtt', waiting)).map((each) => each.id)).toEqual(['level.ends']);
  });

  test('a controller that ignores its rest, new keys, and switches off when alone fails those clauses', {
    timeout: 180_000,
  }, async (context) => {
    const careless: typeof step = (state, event) => {
      const config = { ...state.nvs.config, min_off_s: 0 };
      const hurried = { ...state, nvs: { ...state.nvs, config } };
      // The network is gone: it takes its fail-safe state at once.
      if (event.kind === 'disconnected')
        return step({ ...hurried, control: { ...state.control, mode: 'boot' } }, event);
      // It says yes to a new key and keeps the old one.
      const { state: next, effects } = step(hurried, event);
      return { state: next, effects: effects.filter(({ kind }) => kind !== 'rekey') };
    };
    const failed = (await check(context, 'mqtt', careless)).map((each) => each.id);
    expect(failed).toContain('mqtt.min-off');
    expect(failed).toContain('alone.hold');
    expect(failed).toContain('key.rotated');
    expect(failed).not.toContain('level.lower');
  });
});

const CLAIM = 'K7QX9M2P4RTW';

/** A board without a key, until it is a controller; what it fails of the checks for boards. */
async function checkBoard({ onTestFinished }: Test, options: Partial<ClaimOptions> = {}) {
  const clock = createRealClock();
  const side = await startGatewaySide({ clock, identity: IDENTITY });
  const stop = new AbortController();
  const board = { mqttUrl: side.mqttUrl, mac: '246f28aabb01', claim: CLAIM, signal: stop.signal };
  const working = claimIdentity({ ...board, ...options }).then(({ device_id, mqtt_id, key }) =>
    startFleet({
      controllers: [{ device_id, mqtt_id, key, transport: 'mqtt' }],
      httpBase: side.httpBase,
      mqttUrl: side.mqttUrl,
      seed: 3,
      clock,
    }),
  );
  // it is called off with the test
  const fleet = working.catch(() => null);
  onTestFinished(async () => {
    stop.abort();
    await (await fleet)?.stop();
    await side.stop();
    clock.stop();
  });
  const deps = { ...controllerRun(side), tell: () => undefined };
  const results = await runChecks(deps, boardChecks(CLAIM), side);
  return results.filter(({ result }) => result === 'fail').map(({ id, reason }) => ({ id, reason }));
}

describe.concurrent('the simulator’s gateway side judges boards without a key', () => {
  test('our board keeps every clause on the way to its key', { timeout: 180_000 }, async (context) => {
    expect(await checkBoard(context)).toEqual([]);
  });

  test('a board that does not wait its turn, or cannot store its key, fails those clauses', {
    timeout: 180_000,
  }, async (context) => {
    const failed = await checkBoard(context, { retryMs: 300, cannotStore: true });
    expect(failed.map(({ id }) => id)).toEqual(['boot.closed', 'boot.claim.own', 'boot.counts']);
  });
});
