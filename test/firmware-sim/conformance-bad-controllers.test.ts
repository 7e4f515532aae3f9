import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkController } from '#sim/conformance/check-controller.ts';
import { startGatewaySide } from '#sim/conformance/gateway-side.ts';
import type { CheckResult } from '#sim/conformance/report.ts';
import { startFleet } from '#sim/fleet/fleet.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { BAD_CONTROLLERS, type BadController } from './bad-controllers.ts';
import { standBetweenMqtt } from './between.ts';
import { createPacedClock } from './paced-clock.ts';

// The simulated controller with one rule broken, or with somebody on its line who changes its words: the run must find
// that, nothing else, and end.

const IDENTITY = { device_id: 'dut-1', mqtt_id: 'dut-1', key: 'the-key-of-the-device-under-test' };
/** The run's own limit is three quarters of an hour of the controller's time. */
const ENDS_WITHIN_S = 2_700;
const TIMEOUT_MS = 300_000;

type Found = { failed: readonly CheckResult[]; tookS: number };

describe('a controller that does one thing wrong fails the checks of that, and no other', () => {
  /** All at the same time: they wait most of it. */
  const found = new Map<string, Promise<Found>>();
  const stops: (() => Promise<void>)[] = [];
  beforeAll(() => {
    for (const bad of BAD_CONTROLLERS) found.set(bad.name, check(bad));
  });
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
  });

  async function check(bad: BadController): Promise<Found> {
    const clock = createPacedClock(100);
    // its doors are shut and opened again: nobody must take their ports meanwhile
    const ports = { mqttPort: await lastingPort(), httpPort: await lastingPort() };
    const side = await startGatewaySide({ clock, identity: IDENTITY, ...ports });
    const line = await standBetweenMqtt({ port: Number(new URL(side.mqttUrl).port) }, bad.mqtt?.());
    const transport = bad.transport ?? 'mqtt';
    const fleet = startFleet({
      controllers: [{ ...IDENTITY, key: bad.key ?? IDENTITY.key, transport }],
      httpBase: side.httpBase,
      mqttUrl: `mqtt://127.0.0.1:${line.port}`,
      seed: 3,
      clock,
      ...(bad.step === undefined ? {} : { step: bad.step() }),
    });
    let isStopped = false;
    const stop = async () => {
      if (isStopped) return;
      isStopped = true;
      await fleet.stop();
      line.close();
      await side.stop();
      clock.stop();
    };
    stops.push(stop);
    const startedMs = clock.nowMs();
    const { checks } = await checkController({ tell: () => undefined }, side, transport);
    const tookS = (clock.nowMs() - startedMs) / 1000;
    await stop();
    return { failed: checks.filter(({ result }) => result === 'fail'), tookS };
  }

  it.for(BAD_CONTROLLERS)('$name', { timeout: TIMEOUT_MS }, async ({ name, fails }) => {
    const ended = await found.get(name);
    expect(ended?.failed.map(({ id }) => id)).toEqual(fails);
    // each says what was seen
    for (const { reason } of ended?.failed ?? []) expect(reason).toMatch(/\S/);
    expect(ended?.tookS).toBeLessThanOrEqual(ENDS_WITHIN_S);
  });
});
