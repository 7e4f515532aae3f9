import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proofOfKey, sealCredentials } from '#adapters/tokens/seal-text.ts';
import { type BootIdentity, bootHello, bootResult, bootTopic } from '#contract/mqtt/boot.ts';
import { claimInput } from '#contract/resources/adoption.ts';
import { type BootDeskDeps, createBootDesk } from '#features/equipment/adoption/boot-desk.ts';
import { guessProfile } from '#features/equipment/adoption/device-profile.ts';
import { openCredentials } from '#sim/boot/claim-identity.ts';

const macOf = (n: number) => n.toString(16).padStart(12, '0');
const nonce = 'mJ8b0Q1r8yC3l2a9XwT5hQ';
const sealed = { nonce, iv: 'a'.repeat(16), sealed: 'b'.repeat(64) };

function aDesk(options: Partial<BootDeskDeps> = {}) {
  const timers = new Set<() => void>();
  const desk = createBootDesk({
    now: () => Date.UTC(2026, 2, 2, 12),
    isWindowOpen: () => true,
    talk: () => ({ sendCommand: () => true, sendCredentials: () => true, endGuests: () => undefined }),
    later: (_ms, run) => {
      timers.add(run);
      return () => timers.delete(run);
    },
    changed: () => undefined,
    ...options,
  });
  return { desk, timers };
}

describe('the desk of boards without a key', () => {
  it('lets 32 in at once and remembers 64, however many come', () => {
    const { desk } = aDesk();
    const admitted = Array.from({ length: 5_000 }, (_, n) => desk.door.admit(macOf(n), '192.168.1.7'));
    expect(admitted.filter(Boolean).length).toBe(32);
    expect([desk.here(), desk.boards().length]).toEqual([32, 64]);
    desk.door.left(macOf(0));
    expect(desk.door.admit(macOf(9_999), '192.168.1.7')).toBe(true);
  });

  it('tells a board that stored its credentials from one that only says so', async () => {
    const { desk, timers } = aDesk();
    const results = [
      [{ ok: true, proof: 'the-right-one' }, 'stored'],
      [{ ok: true, proof: 'another-one' }, 'claim'],
      [{ ok: false, error: 'claim' }, 'claim'],
      [{ ok: false, error: 'storage' }, 'refused'],
    ] as const;
    for (const [result, outcome] of results) {
      const offered = desk.offer(macOf(1), sealed, 'the-right-one');
      expect(await desk.offer(macOf(1), sealed, 'the-right-one')).toBe('busy');
      desk.door.result(macOf(1), result);
      expect(await offered).toBe(outcome);
    }
    expect(timers.size).toBe(0);
  });

  it('waits no longer than it may, and not at all for a board that left', async () => {
    const { desk, timers } = aDesk();
    const silent = desk.offer(macOf(1), sealed, 'proof');
    for (const run of timers) run();
    expect(await silent).toBe('silent');
    const leaving = desk.offer(macOf(1), sealed, 'proof');
    desk.door.admit(macOf(1), '192.168.1.7');
    desk.door.left(macOf(1));
    expect(await leaving).toBe('gone');
    const away = aDesk({ talk: () => null });
    expect(await away.desk.offer(macOf(1), sealed, 'proof')).toBe('gone');
  });
});

describe('sealed credentials', () => {
  const identity: BootIdentity = {
    device_id: 'aer-246f28aabb01',
    mqtt_id: 'aer-246f28aabb01',
    key: 'k'.repeat(43),
    gw_host: '192.168.10.2',
    gw_http: 8080,
    gw_mqtt: 1883,
    gw_mqtts: 8883,
    gw_pin: null,
    cp: 'CP-9',
    fail_safe: 'HOLD',
  };
  const mac = '246f28aabb01';
  const topic = bootTopic(mac, 'credentials');
  const code = fc.stringMatching(/^[0-9A-Z]{12,64}$/);

  it('open with the claim code however it is typed, and with no other', () => {
    fc.assert(
      fc.property(code, code, (claim, other) => {
        const typed = claimInput.parse(` ${claim.slice(0, 4).toLowerCase()}-${claim.slice(4)} `);
        const credentials = sealCredentials({ claim: typed, mac, nonce, identity });
        expect(openCredentials(credentials, { claim, topic })).toEqual(identity);
        expect(openCredentials(credentials, { claim: other, topic })).toEqual(
          other === claim ? identity : null,
        );
        expect(openCredentials(credentials, { claim, topic: bootTopic('246f28aabb02', 'credentials') })).toBe(
          null,
        );
      }),
      { numRuns: 100 },
    );
  });

  it('do not open once a bit of them was changed', () => {
    const claim = 'K7QX9M2P4RTW';
    const whole = Buffer.from(sealCredentials({ claim, mac, nonce, identity }).sealed, 'base64url');
    const { iv } = sealCredentials({ claim, mac, nonce, identity });
    fc.assert(
      fc.property(fc.nat(whole.length * 8 - 1), (bit) => {
        const changed = Buffer.from(whole);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const credentials = { nonce, iv, sealed: changed.toString('base64url') };
        expect(openCredentials(credentials, { claim, topic })).toBe(null);
      }),
      { numRuns: 200 },
    );
  });

  it('fit into what a small controller can take, and their proof is not the key', () => {
    const credentials = sealCredentials({ claim: 'K7QX9M2P4RTW', mac, nonce, identity });
    expect(JSON.stringify(credentials).length).toBeLessThan(1_024);
    expect(proofOfKey(identity.key, nonce)).not.toContain(identity.key);
  });
});

it('whatever a board says is read or refused, never a fault', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const said: unknown = JSON.parse(text);
      expect([true, false]).toContain(bootHello.safeParse(said).success);
      expect([true, false]).toContain(bootResult.safeParse(said).success);
    }),
    { numRuns: 300 },
  );
});

it('guesses what a device is by the name it came with', () => {
  const names = [
    'tasmota_1A2B3C',
    'DVES_112233',
    'shellyplus1pm-a8032ab12345',
    'esphome-web-1a',
    'aer-7',
    'x',
  ];
  expect(names.map((name) => guessProfile(name, 'mqtt'))).toEqual([
    'tasmota',
    'tasmota',
    'shelly',
    'esphome',
    'controller',
    'unknown',
  ]);
});
