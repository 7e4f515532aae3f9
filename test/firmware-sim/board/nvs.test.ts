import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NVS_BYTES, readNvs, writeNvs } from '#sim/board/nvs.ts';
import { identityImage } from '../../../gateway/bench/nvs-image.ts';

describe('the settings of a board', () => {
  test('are read from the image that a gateway makes', () => {
    const identity = {
      device_id: 'aer-07',
      mqtt_id: 'm_7Qx',
      key: 'c2VjcmV0LWtleS1vZi10aGUtYmVuY2g',
      gw_host: '192.168.4.1',
      gw_http: 8080,
      gw_mqtt: 0,
      gw_mqtts: 8883,
      gw_pin: Buffer.alloc(32, 7).toString('base64'),
      cp: 'A1',
      fail_safe: 'HOLD' as const,
      claim: 'K7QX9M2P4RTW',
    };
    const image = identityImage(identity, { ssid: 'Açude', wifi_key: 'camarão 🦐' });
    expect(image).toHaveLength(NVS_BYTES);
    expect(readNvs(image, 'sf')).toEqual({ ...identity, ssid: 'Açude', wifi_key: 'camarão 🦐' });
    expect(readNvs(image, 'other')).toEqual({});
  });

  test('come back as they were saved, over more than one page', () => {
    const key = fc.nat(9_999).map((number) => `key_${number}`);
    // a text ends at its first zero on the board
    const text = fc
      .uint8Array({ maxLength: 200 })
      .map((bytes) => Buffer.from(bytes).toString('latin1').replaceAll('\0', ''));
    const value = fc.oneof(text, fc.nat(0xffff));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 20, noNullPrototype: true }), (values) => {
        expect(readNvs(writeNvs('sf', values), 'sf')).toEqual(values);
      }),
      { numRuns: 60 },
    );
  });

  test('whose bytes are damaged are left out, and nothing else breaks', () => {
    const image = writeNvs('sf', { device_id: 'aer-07', key: 'k'.repeat(60), gw_http: 8080 });
    fc.assert(
      fc.property(fc.nat(1_023), fc.nat(7), (at, bit) => {
        const damaged = image.slice();
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        for (const [name, value] of Object.entries(readNvs(damaged, 'sf')))
          expect({ device_id: 'aer-07', key: 'k'.repeat(60), gw_http: 8080 }).toMatchObject({
            [name]: value,
          });
      }),
      { numRuns: 400 },
    );
  });

  test('random flash holds none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 8_192 }), (bytes) => {
        expect(readNvs(bytes, 'sf')).toEqual({});
      }),
      { numRuns: 50 },
    );
  });
});
