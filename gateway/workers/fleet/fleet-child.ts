import { standBack } from '#adapters/system/process-pauses.ts';
import { fault as faultSchema } from '#sim/fleet/faults.ts';
import { createFleet, type Fleet } from '#sim/fleet/fleet.ts';
import type { FleetOrder, FleetWord } from './fleet-process.ts';

// Lives as the virtual controllers of fleet-process.ts until it is told to stop.

const TELL_EVERY_MS = 1_000;

standBack();
let fleet: Fleet | null = null;
let told = '';

process.on('message', (order: FleetOrder) => {
  if (order === 'stop') {
    void end();
    return;
  }
  if ('start' in order) {
    const { controllers, ...at } = order.start;
    fleet = createFleet({
      controllers: controllers.map((controller) => ({ ...controller, transport: 'mqtt' as const })),
      ...at,
    });
    fleet.start();
    tell(fleet);
    return;
  }
  const { deviceId, fault } = order.strike;
  // a real cut closes no socket
  const how = fault.kind === 'power_cut' ? { silent: true } : {};
  fleet?.inject(faultSchema.parse({ ...fault, ...how, on: [deviceId] }));
});
setInterval(() => fleet !== null && tell(fleet), TELL_EVERY_MS);
// the gateway is gone: there is nobody to play for
process.once('disconnect', () => process.exit(1));

async function end(): Promise<void> {
  await fleet?.stop();
  process.exit(0);
}

function tell({ states }: Fleet): void {
  const word: FleetWord = {
    states: states().map((view) => ({
      device_id: view.device_id,
      is_powered: view.is_powered,
      is_connected: view.is_connected,
      current_status: view.current_status,
      source: view.source,
      is_motor_running: view.is_motor_running,
      consumption_kw: Math.round(view.consumption_kw * 100) / 100,
    })),
  };
  const text = JSON.stringify(word);
  if (text === told) return;
  told = text;
  process.send?.(word, () => undefined);
}
