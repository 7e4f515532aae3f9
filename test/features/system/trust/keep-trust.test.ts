import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleOf } from '#features/system/trust/trust-rules.ts';
import { newsOfTrust } from '#features/system/trust/trust-words.ts';
import { pinsInPem, whyUntrusted } from '#sim/transport/gateway-trust.ts';
import { aTrust, there } from '#test/a-trust.ts';

const DAY = 24 * 3_600_000;
type Trust = ReturnType<typeof aTrust>;

const pinOf = ({ keeper, facts }: Trust) => facts(there(keeper.state()).present.certificate).pin;
const chainShown = ({ keeper }: Trust) => {
  const { certificate, chain } = there(keeper.server());
  return [certificate, ...chain].map((pem) => new X509Certificate(pem));
};
const isServed = (trust: Trust, pin: string) => whyUntrusted(chainShown(trust), { pins: [pin] }) === null;
const fileOf = ({ data }: Trust, name: string) => join(data, 'tls', name);
const damage = (trust: Trust, name: string) => writeFileSync(fileOf(trust, name), '{"present":{"key":"----');

describe('the first start of a box', () => {
  it('makes an authority and a certificate with all its names, readable by the owner alone', async () => {
    const trust = aTrust();
    trust.world.network = { hostname: 'Gateway-1', addresses: ['192.168.0.10', 'fd00::12', 'fe80::1'] };
    await trust.keeper.look();
    expect(there(trust.keeper.server()).names).toEqual([
      'gateway-1',
      'gateway-1.local',
      'localhost',
      'painel.fazenda.example',
      '127.0.0.1',
      '::1',
      '192.168.0.10',
      'fd00::12',
    ]);
    const modes = ['authority.json', 'authority.spare.json', 'server.json'].map(
      (name) => statSync(fileOf(trust, name)).mode & 0o777,
    );
    expect([...modes, statSync(join(trust.data, 'tls')).mode & 0o777]).toEqual([0o600, 0o600, 0o600, 0o700]);
    expect(trust.world.pin).toBe(pinOf(trust));
    expect(isServed(trust, pinOf(trust))).toBe(true);
  });

  it('says nothing secret', async () => {
    const trust = aTrust();
    await trust.keeper.look();
    damage(trust, 'server.json');
    damage(trust, 'authority.json');
    await trust.keeper.look();
    await aTrust({ data: trust.data }).keeper.look();
    const { present } = there(trust.keeper.state());
    const said = JSON.stringify([trust.sentences, trust.told]);
    expect(said).not.toContain('PRIVATE');
    for (const line of present.key.split('\n').slice(1, 4)) expect(said).not.toContain(line);
    expect(said).not.toContain(there(trust.keeper.server()).ticket_key);
  });

  it('with a clock from before this program was written makes certificates that hold today', async () => {
    const trust = aTrust({ now: Date.UTC(1970, 0, 1) });
    trust.world.quality = 'estimated';
    await trust.keeper.look();
    const { notBefore, notAfter } = there(trust.keeper.server());
    expect([notBefore, notAfter].map((ms) => new Date(ms).getUTCFullYear())).toEqual([2025, 2027]);
  });
});

describe('the certificate of a box', () => {
  it('leaves out names its authority may not sign for, which would make the whole certificate void', async () => {
    const { keeper, world, shown } = aTrust();
    await keeper.look();
    world.network = { hostname: 'Other', addresses: ['192.168.0.11', '2001:4860::5'] };
    world.now += 120_000;
    await keeper.look();
    expect(shown.at(-1)?.names).toEqual([
      'other.local',
      'localhost',
      'painel.fazenda.example',
      '127.0.0.1',
      '::1',
      '192.168.0.11',
    ]);
  });

  it('is renewed well before its end, year after year, by the same authority', async () => {
    const trust = aTrust();
    await trust.keeper.look();
    const pin = pinOf(trust);
    const start = trust.world.now;
    for (let day = 0; day <= 3 * 365; day += 1) {
      trust.world.now = start + day * DAY;
      await trust.keeper.look();
      const left = (there(trust.keeper.server()).notAfter - trust.world.now) / DAY;
      expect(left).toBeGreaterThan(120);
    }
    expect(trust.shown).toHaveLength(5);
    expect([pinOf(trust), isServed(trust, pin)]).toEqual([pin, true]);
  });

  it('never spans more days than phones take', async () => {
    const trust = aTrust();
    await trust.keeper.look();
    const { notBefore, notAfter } = there(trust.keeper.server());
    expect((notAfter - notBefore) / DAY).toBeLessThan(825);
  });

  it('is made anew for a new address, once, and not for one that went away', async () => {
    const trust = aTrust();
    await trust.keeper.look();
    const look = async (...addresses: string[]) => {
      trust.world.network = { hostname: 'Gateway-1', addresses };
      trust.world.now += 5_000;
      await trust.keeper.look();
      return trust.shown.length;
    };
    expect(await look('192.168.0.10', '10.8.0.2')).toBe(2);
    expect(there(trust.keeper.server()).names).toContain('10.8.0.2');
    expect(await look('192.168.0.10')).toBe(2);
    expect(await look('192.168.0.10', '10.8.0.2')).toBe(2);
    // an address that changes all the time costs one certificate a minute at most
    expect(await look('10.8.0.3')).toBe(2);
    trust.world.now += 60_000;
    expect(await look('10.8.0.3')).toBe(3);
  });

  it('made while the clock ran ahead is made anew when it is right', async () => {
    const trust = aTrust({ now: Date.UTC(2082, 0, 1) });
    await trust.keeper.look();
    trust.world.now = Date.UTC(2026, 5, 1);
    await trust.keeper.look();
    expect(new Date(there(trust.keeper.server()).notAfter).getUTCFullYear()).toBe(2027);
  });

  it('survives a restart', async () => {
    const before = aTrust();
    await before.keeper.look();
    const after = aTrust({ data: before.data, pin: before.world.pin });
    await after.keeper.look();
    expect(after.keeper.server()).toEqual(before.keeper.server());
    expect(after.sentences).toEqual([]);
  });

  it.each(['damaged', 'missing'])('that is %s is made anew by the same authority', async (how) => {
    const before = aTrust();
    await before.keeper.look();
    if (how === 'missing') rmSync(fileOf(before, 'server.json'));
    else damage(before, 'server.json');
    const after = aTrust({ data: before.data, pin: before.world.pin });
    await after.keeper.look();
    expect(isServed(after, pinOf(before))).toBe(true);
    expect(after.keeper.trouble()).toEqual({ authority: null, server: null });
  });
});

describe('the rotation of the authority', () => {
  async function announced() {
    const trust = aTrust();
    await trust.keeper.look();
    const old = pinOf(trust);
    await trust.keeper.rotate(null);
    const next = trust.facts(there(there(trust.keeper.state()).next).certificate).pin;
    return { trust, old, next };
  }
  const bundle = ({ keeper }: Trust) => bundleOf(there(keeper.state())).flatMap(pinsInPem);

  it('announces the next one beside the present, which signs on', async () => {
    const { trust, old, next } = await announced();
    expect(bundle(trust)).toEqual([old, next]);
    expect([isServed(trust, old), isServed(trust, next)]).toEqual([true, false]);
    expect(trust.told.map(({ event }) => event)).toEqual(['authority_announced']);
  });

  it('crosses over on its date: who knows the old or the new one is served, until the old one retires', async () => {
    const { trust, old, next } = await announced();
    trust.world.now += 30 * DAY;
    await trust.keeper.look();
    expect([isServed(trust, old), isServed(trust, next), pinOf(trust)]).toEqual([true, true, next]);
    expect(bundle(trust)).toEqual([next, old]);
    // the key of the former is not kept
    expect(readFileSync(fileOf(trust, 'authority.json'), 'utf8').match(/BEGIN PRIVATE KEY/g)).toHaveLength(1);
    trust.world.now += 365 * DAY;
    await trust.keeper.look();
    expect([isServed(trust, old), isServed(trust, next)]).toEqual([false, true]);
    expect(bundle(trust)).toEqual([next]);
    expect(trust.told.map(({ event }) => event)).toEqual([
      'authority_announced',
      'authority_crossed_over',
      'authority_retired',
    ]);
  });

  it('waits while the clock is not to be trusted', async () => {
    const { trust, old } = await announced();
    trust.world.quality = 'estimated';
    trust.world.now += 10 * 365 * DAY;
    await trust.keeper.look();
    expect([pinOf(trust), isServed(trust, old)]).toEqual([old, true]);
  });

  it('asked for twice is one, with the dates said last', async () => {
    const { trust, next } = await announced();
    const at = trust.world.now;
    await trust.keeper.rotate(null);
    await trust.keeper.rotate({ crossOverAt: at + DAY, retireAt: at + 2 * DAY });
    const state = there(trust.keeper.state());
    expect(trust.facts(there(state.next).certificate).pin).toBe(next);
    expect([state.revision, state.next?.cross_over_at]).toEqual([3, new Date(at + DAY).toISOString()]);
  });

  it('can be taken back until the cross-over, not later', async () => {
    const { trust, old } = await announced();
    await trust.keeper.cancel();
    expect(bundle(trust)).toEqual([old]);
    expect(await trust.keeper.cancel()).toBeNull();
  });

  it('comes by itself when an authority is near its end', async () => {
    const trust = aTrust();
    await trust.keeper.look();
    trust.world.now += 28 * 365 * DAY;
    await trust.keeper.look();
    expect(trust.told.map(({ event }) => event)).toEqual(['authority_announced']);
  });

  it('made by another process is followed', async () => {
    const { trust, next } = await announced();
    const beside = aTrust({ data: trust.data, pin: trust.world.pin, now: trust.world.now });
    await beside.keeper.look();
    await beside.keeper.rotate({ crossOverAt: trust.world.now, retireAt: trust.world.now + DAY });
    await trust.keeper.look();
    expect([pinOf(trust), trust.world.pin, isServed(trust, next)]).toEqual([next, next, true]);
  });
});

describe('a damaged authority', () => {
  it('is told with the command that an installed box has, and with where the backup lies', () => {
    const { message } = newsOfTrust({ event: 'authority_damaged', detail: '' }, '2026-03-02');
    expect([message('pt-BR'), message('en')]).toEqual([
      expect.stringMatching(/: sudo shrimp-farm-gateway restore --from PASTA --authority-only\.$/),
      expect.stringMatching(/: sudo shrimp-farm-gateway restore --from FOLDER --authority-only\.$/),
    ]);
  });

  it('in one copy is mended from the other', async () => {
    const before = aTrust();
    await before.keeper.look();
    damage(before, 'authority.json');
    const after = aTrust({ data: before.data, pin: before.world.pin });
    await after.keeper.look();
    expect([pinOf(after), after.keeper.trouble().authority]).toEqual([pinOf(before), null]);
    expect(readFileSync(fileOf(after, 'authority.json'))).toEqual(
      readFileSync(fileOf(after, 'authority.spare.json')),
    );
  });

  it('under a running gateway is written anew from what it knows', async () => {
    const trust = aTrust();
    await trust.keeper.look();
    rmSync(join(trust.data, 'tls'), { recursive: true });
    await trust.keeper.look();
    const after = aTrust({ data: trust.data, pin: trust.world.pin });
    await after.keeper.look();
    expect(pinOf(after)).toBe(pinOf(trust));
  });

  it.each(['damaged', 'missing'])(
    'that is %s is told, never replaced, and the box shows its certificate on',
    async (how) => {
      const before = aTrust();
      await before.keeper.look();
      for (const name of ['authority.json', 'authority.spare.json']) {
        if (how === 'missing') rmSync(fileOf(before, name));
        else damage(before, name);
      }
      const after = aTrust({ data: before.data, pin: before.world.pin });
      await after.keeper.look();
      await after.keeper.look();
      expect(after.keeper.state()).toBeNull();
      expect(after.keeper.trouble().authority).toMatch(/damaged|missing/);
      expect(after.told.map(({ event }) => event)).toContain('authority_damaged');
      expect(after.sentences.filter(({ level }) => level === 'error')).toHaveLength(1);
      expect(isServed(after, pinOf(before))).toBe(true);
      expect(after.shown).toHaveLength(1);
    },
  );

  it('of which only the database still knows is not replaced either', async () => {
    const trust = aTrust({ pin: 'the pin of a restored database' });
    await trust.keeper.look();
    expect([trust.keeper.state(), trust.shown]).toEqual([null, []]);
  });

  it('comes back into force as soon as its file is back', async () => {
    const before = aTrust();
    await before.keeper.look();
    const saved = readFileSync(fileOf(before, 'authority.json'));
    damage(before, 'authority.json');
    damage(before, 'authority.spare.json');
    const after = aTrust({ data: before.data, pin: before.world.pin });
    await after.keeper.look();
    writeFileSync(fileOf(after, 'authority.json'), saved, { mode: 0o644 });
    await after.keeper.look();
    expect([pinOf(after), after.keeper.trouble().authority]).toEqual([pinOf(before), null]);
    expect(statSync(fileOf(after, 'authority.json')).mode & 0o777).toBe(0o600);
  });

  it('that cannot be stored is not made: without a disk there is none rather than another each start', async () => {
    const trust = aTrust();
    writeFileSync(join(trust.data, 'tls'), 'a file where the folder should be');
    await trust.keeper.look();
    expect([trust.keeper.state(), trust.shown]).toEqual([null, []]);
    expect(trust.keeper.trouble().authority).not.toBeNull();
  });
});
