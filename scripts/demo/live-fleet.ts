import * as z from 'zod';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { callHttp } from '#sim/http-call.ts';
import type { DemoController, DemoFarm } from './demo-farm.ts';
import { SILENT, STUCK } from './farm-plan.ts';

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
