import type { TestContext } from 'vitest';
import { describe, expect, test } from 'vitest';
import { checkController } from '#sim/conformance/check-controller.ts';
import { startGatewaySide } from '#sim/conformance/gateway-side.ts';
import { step } from '#sim/controller/controller.ts';
import type { TransportKind } from '#sim/controller/state.ts';
import { startFleet } from '#sim/fleet/fleet.ts';
import { createPacedClock } from './paced-clock.ts';

const IDENTITY = { device_id: 'dut-1', mqtt_id: 'dut-1', key: 'the-key-of-the-device-under-test' };

type Test = Pick<TestContext, 'onTestFinished'>;

async function check({ onTestFinished }: Test, transport: TransportKind, machine: typeof step = step) {
  const clock = createPacedClock();
  const side = await startGatewaySide({ clock, identity: IDENTITY });
  const fleet = startFleet({
    controllers: [{ ...IDENTITY, transport }],
    httpBase: side.httpBase,
    mqttUrl: side.mqttUrl,
    seed: 3,
    clock,
    step: machine,
  });
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

  test('a controller that follows any version fails the version clause alone', {
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
    expect((await check(context, 'mqtt', forgetful)).map((each) => each.id)).toEqual(['level.lower']);
  });

  test('a controller that ignores its rest and switches off when alone fails those clauses', {
    timeout: 180_000,
  }, async (context) => {
    const careless: typeof step = (state, event) => {
      const config = { ...state.nvs.config, min_off_s: 0 };
      const hurried = { ...state, nvs: { ...state.nvs, config } };
      // The network is gone: it takes its fail-safe state at once.
      if (event.kind === 'disconnected')
        return step({ ...hurried, control: { ...state.control, mode: 'boot' } }, event);
      return step(hurried, event);
    };
    const failed = (await check(context, 'mqtt', careless)).map((each) => each.id);
    expect(failed).toContain('mqtt.min-off');
    expect(failed).toContain('alone.hold');
    expect(failed).not.toContain('level.lower');
  });
});
