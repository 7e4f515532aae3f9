import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kind, type RelayFarm, startRelayFarm } from './relays/a-relay-farm.ts';
import { canMoveClocks } from './started-gateway.ts';

// A pause that was given to a relay of the trade ends in the relay, also when the gateway dies within it.

const SPEED = 6;
const PAUSE_S = 60;

describe.skipIf(!canMoveClocks)('a pause of a relay whose gateway dies within it', () => {
  let farm: RelayFarm;
  beforeAll(async () => {
    farm = await startRelayFarm(SPEED);
  });
  afterAll(() => farm?.close());

  it('ends by the timer of the relay, with each that has one', async () => {
    const kinds: [string, Kind, Record<string, unknown>][] = [
      ['a Shelly', 'shelly', {}],
      ['a Tasmota with TimedPower', 'tasmota', { firmware: '14.2.0(tasmota)' }],
      ['a Tasmota of old, by a Backlog', 'tasmota', { firmware: '12.5.0(tasmota)' }],
    ];
    const motors = [];
    for (const [name, kind, more] of kinds) {
      const point = await farm.point();
      const relay = await farm[kind](point, more);
      await farm.online(point);
      await farm.order(point, 'on');
      await farm.reaches(relay, 'ON');
      motors.push({ name, point, relay });
    }
    for (const { point } of motors) await farm.order(point, 'off', { for_s: PAUSE_S });
    for (const { relay } of motors) await farm.reaches(relay, 'OFF');
    await farm.kill();
    await farm.pass(PAUSE_S / 2);
    expect(motors.map(({ relay }) => relay.state())).toEqual(['OFF', 'OFF', 'OFF']);
    for (const { relay } of motors) await farm.reaches(relay, 'ON');
  });
});
