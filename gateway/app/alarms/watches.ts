import { createWatches } from '#operations/watch/watches.ts';
import type { ControlArea } from '../control/control.ts';
import type { EquipmentArea } from '../equipment/equipment.ts';
import type { Platform } from '../kernel.ts';
import type { Production } from '../production/production.ts';
import type { Alarms } from './alarms.ts';

export type Watches = ReturnType<typeof wireWatches>;

/** What looks for trouble every few seconds, and tells more people when nobody answers. */
export function wireWatches(
  platform: Platform,
  areas: {
    alarms: Alarms;
    control: ControlArea;
    equipment: EquipmentArea | null;
    production: Production;
  },
) {
  const { config, kernel, storage, run } = platform;
  const { control, gateways } = areas.control;
  const watches = createWatches({
    ...platform,
    alerts: areas.alarms.alerts,
    views: control.ownViews,
    previousUntil: run.goodTime,
    conditions: () => ({
      clock: kernel.clockQuality() === 'trusted' ? 'trusted' : 'untrusted',
      disk: storage.told() === 'ok' ? 'ok' : 'full',
    }),
    isSimulating: (id) => areas.equipment?.technicians.simulator.plays(id) ?? false,
    isRunHere: (farmId) => !gateways.isRunByGateway(farmId),
    limitsOf: control.motorLimits,
    batches: areas.production.batches,
    scienceOf: areas.production.scienceOf,
  });
  return {
    watches,
    ticks: [
      ...(config.role === 'gateway' ? [{ name: 'alerts', everyS: 2, run: watches.tick }] : []),
      ...platform.onceForAll([{ name: 'escalation', everyS: 5, run: watches.escalation.tick }]),
    ],
  };
}
