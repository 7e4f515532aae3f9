import { describe, expect, it } from 'vitest';
import { NewestMap } from '#core/newest-map.ts';
import { zoneClocks } from '#core/zone-clock.ts';
import { createGatewayLinks } from '#features/control/commands/gateway-links.ts';
import { createRelaySessions, type SessionDeps } from '#features/equipment/relays/relay-session.ts';
import { aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';

const letters = (word: string, n: number): string =>
  Array.from(word)
    .map((letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter))
    .join('');
/** The same zone, as somebody may spell it: every letter small or large. */
const spelling = (n: number): string =>
  `America/${letters('fortaleza', n & 511)}`.replace('America', letters('america', n >> 9));

describe('a map of the newest', () => {
  it('holds no more than it was made for, and who comes again stays', () => {
    const map = new NewestMap<string, number>(100);
    for (let n = 0; n < 10_000; n += 1) {
      map.set('honest', n);
      map.set(`flood-${n}`, n);
    }
    expect(map.size).toBe(100);
    expect(map.get('honest')).toBe(9_999);
    expect(map.has('flood-9999')).toBe(true);
    expect(map.has('flood-9900')).toBe(false);
  });
});

describe('a flood of names', () => {
  it('of zones is forgotten again, and a zone says the same afterwards', () => {
    const clockOf = zoneClocks();
    const first = clockOf(spelling(0));
    const at = Date.UTC(2026, 2, 2, 12);
    const offset = first.offsetAt(at);
    for (let n = 1; n <= 1_000; n += 1) clockOf(spelling(n));
    expect(clockOf(spelling(1_000))).toBe(clockOf(spelling(1_000)));
    expect(clockOf(spelling(0))).not.toBe(first);
    expect(clockOf(spelling(0)).offsetAt(at)).toBe(offset);
  });

  it('of gateways that came and went leaves those that are there', () => {
    const links = createGatewayLinks({
      now: () => 1_000,
      monotonic: () => 1_000,
      views: { byId: () => null, ofFarm: () => [], unflushed: new Set() },
      streamOf: () => null,
      farmsOf: () => [],
      tell: () => undefined,
      presenceChanged: () => undefined,
      keepSeen: async () => undefined,
    });
    const heard = (streamId: number) => links.connected(streamId, true);
    for (let n = 1; n <= 110_000; n += 1) {
      heard(n);
      if (n % 50_000 === 0) heard(7);
    }
    expect(links.silentSince(7)).toBeNull();
    expect(links.silentSince(8)).toBeUndefined();
    expect(links.silentSince(110_000)).toBeNull();
  });

  it('of names for one relay leaves one session', () => {
    let name = '';
    const row = { id: 'r', carrier_id: 'r', kind: 'tasmota' };
    const view = { row: { id: 'r' } };
    // what a session reads of a row, and of its control point
    const sessions = createRelaySessions({
      book: { byId: () => row, channelsOf: () => new Map() },
      views: { byId: () => view, byMqttId: (mqttId: string) => (mqttId === name ? view : null) },
      protocols: {},
    } as unknown as SessionDeps);
    for (let n = 0; n < 100; n += 1) {
      name = `relay-${n}`;
      expect(sessions.sessionOf(name)?.mqttId).toBe(name);
    }
    expect([...sessions.all()].map(({ mqttId }) => mqttId)).toEqual(['relay-99']);
  });
});

describe('over the interface', () => {
  it('a farm whose zone is spelt anew a thousand times and its neighbour go on as before', async () => {
    const app = await startApp('sqlite');
    const owner = await aFarmWith(app);
    const neighbour = await aFarmWith(app);
    const statuses = new Set<number>();
    for (let n = 0; n < 1_050; n += 1) {
      const reply = await app.call('PUT', `/farms/${owner.farmId}`, {
        token: owner.token,
        body: { timezone: spelling(n) },
      });
      statuses.add(reply.status);
    }
    expect([...statuses]).toEqual([200]);
    const point = await aControlPoint(app, neighbour);
    const schedules = await app.call('GET', `/control-points/${point.id}/schedules`, {
      token: neighbour.token,
    });
    expect(schedules.status).toBe(200);
    const farm = await app.call('GET', `/farms/${owner.farmId}`, { token: owner.token });
    expect(body(farm)['timezone']).toBe(spelling(1_049));
    await app.close();
  });
});
