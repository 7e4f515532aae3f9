import * as z from 'zod';
import { callHttp } from '#sim/fetch-firmware.ts';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import type { DemoController, DemoFarm } from './demo-farm.ts';
import { asPerson, type Person } from './interface.ts';
import { SILENT, STUCK } from './make-farm.ts';

const deviceStatus = z.object({ target_status: z.enum(['ON', 'OFF']) });

/** The controllers of the farm on real sockets, all but the silent one; one contactor sticks where it may not. */
export async function startLiveFleet(
  farm: DemoFarm,
  at: { httpBase: string; mqttUrl: string },
): Promise<Fleet> {
  const fleet = startFleet({
    controllers: farm.controllers
      .filter(({ cod }) => cod !== SILENT)
      .map(({ device_id, mqtt_id, key, transport, power_kw, feeder }) => ({
        device_id,
        mqtt_id,
        key,
        transport,
        power_kw,
        feeder,
      })),
    ...at,
    seed: Date.now(),
  });
  const stuck = controllerOf(farm, STUCK);
  const answer = await callHttp(at.httpBase, `/api/v1/devices/status/${stuck.device_id}`, {
    bearer: stuck.key,
  });
  const { target_status } = deviceStatus.parse(answer.body);
  fleet.inject({
    kind: 'relay_stuck',
    on: [stuck.device_id],
    at: target_status === 'ON' ? 'OFF' : 'ON',
  });
  return fleet;
}

export function controllerOf(farm: DemoFarm, cod: string): DemoController {
  const found = farm.controllers.find((controller) => controller.cod === cod);
  if (found === undefined) throw new Error(`this demo was made without ${cod}; make a new one with --reset`);
  return found;
}

/** One line about how the fleet stands. */
export function fleetLine(fleet: Fleet): string {
  const views = fleet.states();
  const connected = views.filter(({ is_connected }) => is_connected).length;
  const running = views.filter(({ is_motor_running }) => is_motor_running).length;
  const kw = views.reduce((sum, { consumption_kw }) => sum + consumption_kw, 0);
  const { heartbeats } = fleet.counters();
  return `${connected} of ${views.length} controllers connected, ${running} running with ${kw.toFixed(1)} kW, ${heartbeats} heartbeats`;
}

// Somebody walks the round of the demo all day and all night, so that no pond stands without oxygen, whatever the hour.

const ROUND_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
/** At six in the morning by the farm's zone (UTC-3) oxygen is lowest. */
const LOWEST_MS = 9 * 3_600_000;

const cards = z.object({
  ponds: z.array(z.object({ pond_id: z.string(), status: z.string() })),
});

/** Enters oxygen, temperature and pH of every pond in use, at once and then every ten minutes; answers how to end it. */
export function startLiveWater(farm: Pick<DemoFarm, 'farm_id' | 'round_token'>, base: string): () => void {
  if (farm.round_token === undefined) return () => undefined;
  const person = asPerson(base, farm.round_token);
  // a gateway that ends meanwhile, or a token that somebody revoked, is no trouble of the demo
  const walk = () => void walkRound(person, farm.farm_id).catch(() => undefined);
  walk();
  const timer = setInterval(walk, ROUND_MS);
  return () => clearInterval(timer);
}

async function walkRound(person: Person, farmId: string): Promise<void> {
  const { ponds } = await person.get(`/ponds/summary-cards?farm_id=${farmId}`, cards);
  const now = Date.now();
  const light = (1 - Math.cos((2 * Math.PI * ((now - LOWEST_MS) % DAY_MS)) / DAY_MS)) / 2;
  for (const [place, { pond_id }] of ponds.filter(({ status }) => status === 'ACTIVE').entries()) {
    // neighbours differ; none of them is in danger of its own
    const differs = ((place * 7) % 10) / 10;
    await person.send('POST', '/water-quality/', {
      pond_id,
      dissolved_oxygen: Number((4.6 + 2.6 * light + differs).toFixed(1)),
      temperature: Number((27.4 + 2.2 * light + differs / 2).toFixed(1)),
      ph: Number((7.8 + 0.4 * light).toFixed(2)),
    });
  }
}
