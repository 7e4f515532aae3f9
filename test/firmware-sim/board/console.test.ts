import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createConsoleReader } from '#sim/board/sfprov.ts';
import { aBoard, consoleFrame, improvAnswers, sfprov, sfprovAnswers } from './a-board.ts';

// What the board's program answers on its console: Wi-Fi by Improv, identity by SFPROV.

const identity = {
  op: 'identity',
  device_id: 'aer-07',
  mqtt_id: 'm_7Qx',
  key: 'c2VjcmV0LWtleQ',
  gw_host: '127.0.0.1',
  gw_http: 1,
  gw_mqtt: 0,
  gw_mqtts: 0,
  gw_pin: null,
  cp: null,
  fail_safe: 'HOLD',
};

function aConsole(options: Parameters<typeof aBoard>[0] = {}) {
  const table = aBoard(options);
  table.heard();
  return {
    ...table,
    tell: (command: object) => {
      table.board.feed(sfprov(command));
      return sfprovAnswers(table.heard());
    },
    improv: (data: number[], waitMs = 0) => {
      table.board.feed(consoleFrame('IMPROV', 3, data));
      table.clock.advance(waitMs);
      return improvAnswers(table.heard());
    },
  };
}

/** Command 1 of Improv. */
function join(ssid: string, password: string): number[] {
  const body = [
    Buffer.byteLength(ssid),
    ...Buffer.from(ssid),
    Buffer.byteLength(password),
    ...Buffer.from(password),
  ];
  return [1, body.length, ...body];
}

const texts = (data: number[]) => {
  const found: string[] = [];
  for (let at = 2; at < data.length; at += 1 + (data[at] ?? 0))
    found.push(Buffer.from(data.slice(at + 1, at + 1 + (data[at] ?? 0))).toString());
  return found;
};

describe('identity over the cable', () => {
  test('goes in, is told without the key, survives a restart and is forgotten on demand', () => {
    const { tell, clock, heard } = aConsole();
    const nobody = {
      ok: true,
      device_id: null,
      mqtt_id: null,
      has_key: false,
      has_claim: false,
      firmware_version: 'sim-1.0.0',
      mac: '24:6f:28:aa:bb:cc',
      chip: 'ESP32',
      gw_host: null,
      wifi: 'ready',
    };
    expect(tell({ op: 'info' })).toEqual([nobody]);
    expect(tell(identity)).toEqual([{ ok: true }]);
    const known = { ...nobody, device_id: 'aer-07', mqtt_id: 'm_7Qx', has_key: true, gw_host: '127.0.0.1' };
    expect(tell({ op: 'info' })).toEqual([known]);
    expect(tell({ op: 'reboot' })).toEqual([{ ok: true }]);
    clock.advance(1_000);
    const log = Buffer.from(heard()).toString();
    expect(log).toContain('SW_CPU_RESET');
    expect(log).not.toContain(identity.key);
    expect(tell({ op: 'info' })).toEqual([known]);
    expect(tell({ op: 'forget' })).toEqual([{ ok: true }]);
    expect(tell({ op: 'info' })).toEqual([nobody]);
  });

  test('the claim code of its label stays when it forgets who it is, or gets another identity without one', () => {
    const { tell } = aConsole();
    const claim = 'K7QX9M2P4RTW';
    expect(tell({ ...identity, claim: 'k7qx' })).toEqual([
      { ok: false, error: expect.stringContaining('claim') },
    ]);
    tell({ ...identity, claim });
    expect(tell({ op: 'info' })).toMatchObject([{ has_key: true, has_claim: true }]);
    expect(JSON.stringify(tell({ op: 'info' }))).not.toContain(claim);
    tell({ op: 'forget' });
    expect(tell({ op: 'info' })).toMatchObject([{ has_key: false, has_claim: true, wifi: 'ready' }]);
    tell(identity);
    expect(tell({ op: 'info' })).toMatchObject([{ has_key: true, has_claim: true }]);
  });

  test('the relay clicks and the motor draws current; each fault shows', () => {
    const click = (faults: object) => aConsole({ faults }).tell({ op: 'relay', level: 'ON', for_s: 2 });
    expect(click({})).toEqual([{ ok: true, current_status: 'ON', motor_current_ma: expect.any(Number) }]);
    expect(click({})).not.toMatchObject([{ motor_current_ma: 0 }]);
    expect(click({ 'no-motor': 1 })).toEqual([{ ok: true, current_status: 'ON', motor_current_ma: 0 }]);
    expect(click({ 'stuck-relay': 1 })).toEqual([{ ok: true, current_status: 'OFF', motor_current_ma: 0 }]);
  });

  test.each([
    [{ op: 'relay', level: 'ON', for_s: 11 }, 'for_s'],
    [{ ...identity, key: '' }, 'key'],
    [{ ...identity, gw_mqtt: 70_000 }, 'gw_mqtt'],
    [{ op: 'paint' }, 'op'],
  ])('%j is refused by name', (command, word) => {
    expect(aConsole().tell(command)).toEqual([{ ok: false, error: expect.stringContaining(word) }]);
  });

  test('a silent board says nothing', () => {
    expect(aConsole({ faults: { silent: 1 } }).tell({ op: 'info' })).toEqual([]);
  });
});

describe('Wi-Fi over the cable', () => {
  test('the board says who it is and which networks it hears', () => {
    const { improv } = aConsole();
    expect(improv([2, 0])).toEqual([
      { type: 2, data: [0] },
      { type: 1, data: [2] },
    ]);
    const info = improv([3, 0]).at(-1);
    expect(texts(info?.data ?? [])).toEqual(['aerator-controller', 'sim-1.0.0', 'ESP32', 'Aerator bbcc']);
    const scan = improv([4, 0])
      .slice(1)
      .map(({ data }) => texts(data));
    expect(scan).toEqual([
      ['Fazenda', '-52', 'YES'],
      ['Vizinho', '-71', 'YES'],
      ['Visitantes', '-78', 'NO'],
      [],
    ]);
  });

  test('the right password is taken and kept, a wrong one refused and not kept', () => {
    const { improv, tell } = aConsole();
    expect(improv(join('Fazenda', 'wrong'), 2_000)).toEqual([
      { type: 2, data: [0] },
      { type: 1, data: [3] },
      { type: 2, data: [3] },
      { type: 1, data: [2] },
    ]);
    expect(tell({ op: 'info' })).toMatchObject([{ wifi: 'ready' }]);
    expect(improv(join('Fazenda', 'camarao2026'), 2_000)).toEqual([
      { type: 2, data: [0] },
      { type: 1, data: [3] },
      { type: 1, data: [4] },
      { type: 4, data: [1, 0] },
    ]);
    expect(tell({ op: 'info' })).toMatchObject([{ wifi: 'provisioned' }]);
  });

  test('an access point that never answers leaves it trying', () => {
    const { improv } = aConsole({ faults: { 'wifi-silent': 1 } });
    expect(improv(join('Fazenda', 'camarao2026'), 60_000).at(-1)).toEqual({ type: 1, data: [3] });
  });

  test('names are told and changed; wrong ones and unknown commands are refused', () => {
    const { improv } = aConsole();
    expect(improv([5, 0]).at(-1)).toEqual({ type: 4, data: [5, 8, 7, ...Buffer.from('aerator')] });
    expect(improv([5, 2, ...Buffer.from('-x')])).toEqual([{ type: 2, data: [5] }]);
    expect(texts(improv([6, 3, ...Buffer.from('A-1')]).at(-1)?.data ?? [])).toEqual(['A-1']);
    expect(improv([9, 0])).toEqual([{ type: 2, data: [2] }]);
    expect(improv([1, 9, 3])).toEqual([{ type: 2, data: [1] }]);
  });

  test('a frame as recorded from the SDK of another maker is understood', () => {
    const { board, heard } = aConsole();
    board.feed(Buffer.from('494d50524f56010302020' + '0e50a', 'hex'));
    expect(improvAnswers(heard())).toEqual([
      { type: 2, data: [0] },
      { type: 1, data: [2] },
    ]);
  });
});

describe('noise on the console', () => {
  test('whatever is typed before, and however it is cut, the next frame is heard once', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 80 }),
        fc.uint8Array({ maxLength: 120 }),
        fc.integer({ min: 1, max: 40 }),
        (noise, data, cut) => {
          const got: unknown[] = [];
          const reader = createConsoleReader((frame) => {
            if (frame.type !== 'damaged') got.push([frame.protocol, frame.type, [...frame.data]]);
          });
          const wire = Buffer.concat([
            // the beginning of a frame whose rest is lost swallows no more than itself once the next ones are there
            noise.map((byte) => (byte === 0x49 || byte === 0x53 ? 0 : byte)),
            consoleFrame('SFPROV', 1, data),
            consoleFrame('IMPROV', 3, [2, 0]),
          ]);
          for (let at = 0; at < wire.length; at += cut) reader.feed(wire.subarray(at, at + cut));
          expect(got).toEqual([
            ['sfprov', 1, [...data]],
            ['improv', 3, [2, 0]],
          ]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a frame with a flipped bit or a lost byte is never taken for another', () => {
    const frame = sfprov({ op: 'info' });
    fc.assert(
      fc.property(fc.nat(frame.length - 2), fc.nat(7), fc.boolean(), (at, bit, isLost) => {
        const got: string[] = [];
        const reader = createConsoleReader((each) => {
          if (each.type !== 'damaged') got.push(Buffer.from(each.data).toString());
        });
        const wire = [...frame];
        if (isLost) wire.splice(at, 1);
        else wire[at] = (wire[at] ?? 0) ^ (1 << bit);
        reader.feed(Uint8Array.from(wire));
        // enough for the longest frame a flipped length may promise
        reader.feed(new Uint8Array(1_100));
        reader.feed(frame);
        expect(got).toEqual(['{"op":"info"}']);
      }),
      { numRuns: 300 },
    );
  });

  test('random commands never bring the program down', () => {
    const { board, tell } = aConsole();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.json(), fc.nat(9), (data, json, type) => {
        board.feed(consoleFrame('IMPROV', type, data));
        board.feed(consoleFrame('SFPROV', 1, Buffer.from(json)));
        board.feed(consoleFrame('SFPROV', 1, data));
        expect(tell({ op: 'info' }).at(-1)).toMatchObject({ ok: true });
      }),
      { numRuns: 200 },
    );
  });
});
