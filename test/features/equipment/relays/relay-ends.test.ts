import { describe, expect, test } from 'vitest';
import { aRelayDesk } from './a-relay-desk.ts';

// A level that ends by itself goes to the timer of the relay, so that it ends without the gateway too.

const FIRMWARE = { 'with TimedPower': '14.2.0(tasmota)', 'of old': '12.5.0(tasmota)' } as const;

async function aTasmota(firmware: keyof typeof FIRMWARE | null, more: Parameters<typeof aRelayDesk>[1] = {}) {
  const desk = await aRelayDesk('tasmota', more);
  if (firmware !== null) desk.hears('stat/pond-7/STATUS2', { StatusFWR: { Version: FIRMWARE[firmware] } });
  desk.listens();
  desk.tells('ON');
  desk.level({ target: 'ON' });
  desk.pass(30);
  desk.orders();
  return desk;
}

async function aShelly(more: Parameters<typeof aRelayDesk>[1] = {}) {
  const desk = await aRelayDesk('shelly', more);
  desk.listens();
  desk.tells('ON');
  desk.level({ target: 'ON' });
  desk.pass(30);
  desk.orders();
  return desk;
}

describe('a pause of a Shelly', () => {
  test('ends by its own timer, and the next order takes that back', async () => {
    const desk = await aShelly();
    desk.level({ target: 'OFF', until: 600, after: 'ON' });
    expect(desk.orders()).toEqual(['{"id":0,"on":false,"toggle_after":600}']);
    desk.tells('OFF');
    desk.pass(60);
    expect(desk.orders()).toEqual([]);
    desk.level({ target: 'OFF' });
    expect(desk.orders()).toEqual(['{"id":0,"on":false}']);
  });

  test('that is told again ends no later for that', async () => {
    const desk = await aShelly();
    desk.level({ target: 'OFF', until: 600, after: 'ON' });
    desk.orders();
    desk.pass(6);
    expect(desk.orders()).toEqual(['{"id":0,"on":false,"toggle_after":595}']);
  });

  test('after which it stays OFF needs no timer', async () => {
    const desk = await aShelly();
    desk.level({ target: 'OFF', until: 600, after: 'OFF' });
    expect(desk.orders()).toEqual(['{"id":0,"on":false}']);
  });

  test('ends when the gateway stands, too: its own toggle is neither a hand nor a fault, and nothing is told against it', async () => {
    const desk = await aShelly();
    desk.level({ target: 'OFF', until: 60, after: 'ON' });
    desk.tells('OFF');
    desk.orders();
    desk.pass(58);
    desk.tells('ON', 'timer');
    expect(desk.reports.at(-1)).toMatchObject({ current_status: 'ON', source: 'shadow' });
    desk.pass(30);
    expect([desk.orders(), desk.state.trouble]).toEqual([[], null]);
    desk.level({ target: 'ON' });
    desk.pass(30);
    expect(desk.state.trouble).toBeNull();
  });

  test('of a relay that did not toggle is ended from here', async () => {
    const desk = await aShelly();
    desk.level({ target: 'OFF', until: 60, after: 'ON' });
    desk.tells('OFF');
    desk.orders();
    desk.pass(62);
    expect(desk.orders()).toEqual(['{"id":0,"on":true}']);
  });

  test('shorter than the rest of the motor lasts as long as that', async () => {
    const desk = await aShelly({ minOffS: 60 });
    desk.level({ target: 'OFF', until: 10, after: 'ON' });
    expect(desk.orders()).toEqual(['{"id":0,"on":false,"toggle_after":60}']);
  });
});

describe('a pause of a Tasmota', () => {
  test('ends by TimedPower, which is in memory and wears no flash; the next order takes it back', async () => {
    const desk = await aTasmota('with TimedPower');
    desk.level({ target: 'OFF', until: 600, after: 'ON' });
    expect(desk.orders()).toEqual(['POWER1 OFF', 'TimedPower1 600000,0']);
    desk.tells('OFF');
    desk.level({ target: 'ON' });
    expect(desk.orders()).toEqual(['TimedPower1', 'POWER1 ON']);
    desk.tells('ON');
    desk.level({ target: 'OFF' });
    expect(desk.orders()).toEqual(['POWER1 OFF']);
  });

  test('of an older firmware ends by a Backlog with delays, six minutes at most each', async () => {
    const desk = await aTasmota('of old');
    desk.level({ target: 'OFF', until: 900, after: 'ON' });
    expect(desk.orders()).toEqual(['POWER1 OFF', 'Backlog Delay 3600; Delay 3600; Delay 1800; POWER1 ON']);
    desk.tells('OFF');
    desk.level({ target: 'ON' });
    expect(desk.orders()).toEqual(['Backlog', 'POWER1 ON']);
  });

  test('longer than a Backlog has room for, or without a known firmware, is told as one that needs the gateway', async () => {
    const old = await aTasmota('of old');
    const unknown = await aTasmota(null);
    for (const desk of [old, unknown]) {
      expect(desk.canEnd()).toBe(true);
      desk.level({ target: 'OFF', until: 20_000, after: 'ON' });
      expect([desk.orders(), desk.canEnd()]).toEqual([['POWER1 OFF'], false]);
    }
  });

  test('that was told before its firmware was known is told again, with its timer', async () => {
    const desk = await aTasmota(null);
    desk.level({ target: 'OFF', until: 600, after: 'ON' });
    desk.tells('OFF');
    desk.orders();
    desk.pass(1);
    desk.hears('stat/pond-7/STATUS2', { StatusFWR: { Version: '14.2.0(tasmota)' } });
    desk.pass(1);
    expect(desk.orders()).toEqual(['TimedPower1', 'POWER1 OFF', 'TimedPower1 599000,0']);
  });

  test('in a build without TimedPower switches all the same, and is told as one that needs the gateway', async () => {
    const desk = await aTasmota('with TimedPower');
    desk.level({ target: 'OFF', until: 600, after: 'ON' });
    expect(desk.orders()).toContain('POWER1 OFF');
    desk.hears('stat/pond-7/RESULT', { Command: 'Unknown', Input: 'TIMEDPOWER1' });
    desk.tells('OFF');
    expect([desk.canEnd(), desk.state.trouble]).toEqual([false, null]);
  });
});
