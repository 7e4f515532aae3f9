import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc16, rtuAnswer, rtuRequest, tcpAnswer, tcpRequest } from '#adapters/modbus/frames.ts';
import { createSlaves } from '#sim/probe/modbus-slave.ts';
import { pondAt } from '#sim/probe/models.ts';

const read = { unitId: 1, functionCode: 4, address: 2, count: 2 } as const;
const someBytes = fc.uint8Array({ maxLength: 300 });

function slaveWith(dissolved_oxygen: number) {
  const pond = () => ({ ...pondAt(12, () => 0.5), dissolved_oxygen });
  return createSlaves({ pond }, [{ unitId: 1, model: 'in-situ-odo', fixed: {}, faults: new Set() }]);
}

/** 4.25 mg/L as a big-endian float. */
const WORDS = [0x4088, 0x0000];
const ANSWER = Uint8Array.of(1, 4, 4, 0x40, 0x88, 0, 0);
const FRAME = (() => {
  const crc = crc16(ANSWER);
  return Uint8Array.of(...ANSWER, crc & 0xff, crc >> 8);
})();

describe('frames of a probe', () => {
  test('a request is byte for byte that of the Modbus specification', () => {
    const asked = rtuRequest({ unitId: 0x11, functionCode: 3, address: 0x6b, count: 3 });
    expect(Buffer.from(asked).toString('hex')).toBe('1103006b00037687');
    expect(Buffer.from(tcpRequest(read, 0x0102)).toString('hex')).toBe('010200000006010400020002');
  });

  test('an answer is found behind an echo, a stray byte or noise', () => {
    for (const before of [[], [0x00], [...rtuRequest(read)], [1, 4, 4, 9, 9, 9, 9, 0, 0]]) {
      expect(rtuAnswer(Uint8Array.of(...before, ...FRAME), read)).toEqual({ is: 'words', words: WORDS });
    }
  });

  test('no single flipped bit of an answer passes for a value', () => {
    for (let bit = 0; bit < FRAME.length * 8; bit += 1) {
      const bent = FRAME.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(rtuAnswer(bent, read)).toEqual({ is: 'part' });
    }
  });

  test('an answer cut anywhere waits for the rest', () => {
    for (let length = 0; length < FRAME.length; length += 1)
      expect(rtuAnswer(FRAME.subarray(0, length), read)).toEqual({ is: 'part' });
  });

  test('whatever bytes come, nothing breaks and only right frames count', () => {
    fc.assert(
      fc.property(someBytes, (bytes) => {
        expect(rtuAnswer(bytes, read).is).toBe('part');
        const found = tcpAnswer(bytes, read, 0x7b7b);
        expect(['part', 'words', 'exception']).toContain(found.is);
        const behind = rtuAnswer(Uint8Array.of(...bytes, ...FRAME), read);
        expect(behind).toEqual({ is: 'words', words: WORDS });
      }),
      { numRuns: 300 },
    );
  });

  test('over the network an answer that comes too late is not taken for the next one', () => {
    const slave = slaveWith(4.25);
    const late = slave.tcp(tcpRequest(read, 7))?.bytes ?? new Uint8Array();
    const now = slaveWith(2).tcp(tcpRequest(read, 8))?.bytes ?? new Uint8Array();
    expect(tcpAnswer(late, read, 8)).toEqual({ is: 'part' });
    expect(tcpAnswer(Uint8Array.of(...late, ...now), read, 8)).toEqual({ is: 'words', words: [0x4000, 0] });
  });

  test('the simulated probe answers as the real one would', () => {
    expect(slaveWith(4.25).rtu(rtuRequest(read))?.bytes).toEqual(FRAME);
  });
});
