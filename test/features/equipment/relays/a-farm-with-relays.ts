import { createServer } from 'node:http';
import { onTestFinished, vi } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import type { RelayAnswer } from '#contract/resources/relays.ts';
import { adoptAtGateway, pasteInto, type RelayOnline, startRelay } from '#sim/relays/run-relays.ts';
import { createManualClock } from '#sim/sim-clock.ts';
import { type App, aControlPoint, aFarmWith, startApp } from '#test/app.ts';

export type RelayFarm = Awaited<ReturnType<typeof aFarmWithRelays>>;

/** A gateway with its broker on a free port, a farm, and relays on its network; nothing ticks by itself. */
export async function aFarmWithRelays() {
  const app: App = await startApp();
  const server = createServer();
  const broker = await openBroker(app.config, app, server);
  const { port } = await broker.listenTcp(0, '127.0.0.1');
  const relays = app.technicians?.relays;
  if (relays === undefined) throw new Error('a gateway has relays');
  relays.attach(broker.sendToRelay, port);
  app.control.attach(relays.following(broker.link));
  const owner = await aFarmWith(app);
  const clock = createManualClock({ unixMs: app.clock.now() });
  const online: RelayOnline[] = [];
  onTestFinished(async () => {
    for (const relay of online) relay.stop();
    clock.stop();
    await broker.stop();
    await app.close();
  });

  async function get<T>(path: string): Promise<T> {
    const reply = await app.call('GET', path, { token: owner.token });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as T;
  }

  return {
    app,
    broker,
    relays,
    port,
    owner,
    /** Time passes for the farm, its relays and the gateway. */
    pass(ms: number) {
      app.clock.advance(ms);
      clock.advance(ms);
      relays.tick();
    },
    point: (fields: { target_status?: 'ON' | 'OFF'; cod?: string } = {}) =>
      aControlPoint(app, { ...owner, ...fields }),
    adopt: (id: string, body: Record<string, unknown>) =>
      app.call('PUT', `/control-points/${id}/relay`, { token: owner.token, body }),
    order: (id: string, target: 'on' | 'off') =>
      app.call('POST', `/control-points/${id}/turn-${target}`, { token: owner.token, body: {} }),
    /** Its relay; throws where there is none. */
    async relay(id: string): Promise<RelayAnswer> {
      const { relay } = await get<{ relay: RelayAnswer | null }>(`/control-points/${id}/relay`);
      if (relay === null) throw new Error('no relay switches this control point');
      return relay;
    },
    orders: (id: string) => get<{ state: string }[]>(`/control-points/${id}/orders`),
    status: (deviceId: string) => get<Record<string, unknown>>(`/devices/status/${deviceId}`),
    /** A relay that a technician bought, adopted and pasted the shown lines into, on the network. */
    async connected(
      kind: 'tasmota' | 'shelly',
      more: {
        target_status?: 'ON' | 'OFF';
        channels?: number;
        ageMs?: number;
        /** How a Tasmota was set before. */
        before?: Record<string, string>;
      } = {},
    ) {
      const made = await aControlPoint(app, { ...owner, target_status: more.target_status ?? 'OFF' });
      const point = { id: made.id, farm_id: owner.farmId, device_id: made.device_id };
      const lines = await adoptAtGateway(app.base, owner, { point, kind });
      const persona = pasteInto(kind, lines, {
        mac: '24A160A1B2C3',
        channels: more.channels ?? 1,
        load: { powerW: 1_490, voltageV: 220 },
        nowMs: clock.unixMs,
        ...(more.before === undefined ? {} : { before: more.before }),
      });
      // one that has been running for a while has had its turn after the last power cut
      clock.advance(more.ageMs ?? 0);
      app.clock.advance(more.ageMs ?? 0);
      const relay = startRelay(persona, clock, { host: '127.0.0.1', port });
      online.push(relay);
      return { ...made, relay, persona };
    },
  };
}

/** Waits until the network has carried what was said. */
export const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { interval: 5, timeout: 60_000 });
