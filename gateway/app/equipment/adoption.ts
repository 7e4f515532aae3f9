import { controlPointQueries } from '#adapters/sql/queries/control/control-points.ts';
import { markQueries } from '#adapters/sql/queries/control/device-marks.ts';
import { proofOfKey, sealCredentials } from '#adapters/tokens/seal-text.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { deviceMark } from '#contract/resources/local-tables.ts';
import { type Committed, onTables, rowsOf } from '#core/changes.ts';
import {
  changeControlPoint,
  createControlPoint,
} from '#features/control/control-points/create-control-point.ts';
import { issueKey, needsKey, OVERLAP_MS } from '#features/control/devices/device-keys.ts';
import { NO_GATEWAYS } from '#features/control/remote-order.ts';
import { createBootDesk, ProvisioningWindow } from '#features/equipment/adoption/boot-desk.ts';
import type { AdoptDeps } from '#features/equipment/adoption/ports.ts';
import { adoptionRoutes } from '#features/equipment/adoption/routes.ts';
import type { Control } from '../control/controllers.ts';
import type { Platform } from '../kernel.ts';

export type AdoptionWiring = Platform & {
  control: Control;
  gatewayId: string;
  whereabouts: AdoptDeps['whereabouts'];
};

/** How devices come onto the farms of this gateway: window, boards without a key, queue, places. */
export function wireAdoption(deps: AdoptionWiring) {
  const { kernel, control, database } = deps;
  const { seen, keyDeps, mqttIdOf } = control.adopting;
  const { registry, talk } = control;
  const changed = () => deps.tellChanged('adoption', 'operators');
  const window = new ProvisioningWindow({ now: kernel.now, monotonic: deps.monotonic, changed });
  const desk = createBootDesk({
    now: kernel.now,
    isWindowOpen: () => window.isOpen(),
    talk,
    later,
    changed,
  });
  const pointDeps = {
    ...kernel,
    queries: controlPointQueries(database.read, 'gateway'),
    epoch: control.epoch,
    gateways: NO_GATEWAYS,
  };
  // its credentials count from here on: only now may it come back with them
  database.onRows(
    onTables([deviceMark, controlPoint], (committed) => {
      if (isAboutPlaces(committed)) changed();
      for (const { id, after } of rowsOf(committed, deviceMark))
        if (after.mark === 'adopted') talk()?.endGuests(id.replace('mac:', ''));
    }),
  );
  const endGuests = () => talk()?.endGuests();
  const routes = adoptionRoutes({
    ...kernel,
    window,
    desk,
    queries: markQueries(database.read),
    gatewayId: deps.gatewayId,
    accessTo: deps.accessTo,
    freshView: registry.refresh,
    isConnected: (mqttId) => registry.byMqttId(mqttId)?.presence.isConnected === true,
    mqttIdOf,
    nameDevice: (caller, of, device_id) => changeControlPoint(pointDeps, caller, of, { device_id }),
    createPoint: (caller, { farm_id, cod, device_id }) =>
      createControlPoint(pointDeps, caller, { farm_id, cod, device_id, target_status: 'OFF' }),
    newKey: keyDeps.newKey,
    issueKey: (of, by, { isGiven, key }) =>
      issueKey({ ...keyDeps, newKey: () => key }, of, by, {
        retiresAt: isGiven ? kernel.now() + OVERLAP_MS : null,
      }),
    needsKey,
    whereabouts: deps.whereabouts,
    seal: sealCredentials,
    proofOf: proofOfKey,
    seen: seen.list,
    viewById: registry.byId,
    viewByName: (name) => registry.byDeviceId(name)[0] ?? registry.byMqttId(name),
    endGuests,
    forgetSeen: seen.forget,
  });
  return {
    routes,
    guestDoor: desk.door,
    window,
    /** Every few seconds: ends the stay of boards whose window is over. */
    look(): void {
      if (!window.isJustOver()) return;
      kernel.log.info({}, 'the provisioning window closed by itself');
      endGuests();
    },
  };
}

/** Marks, and control points that took or gave up a name: what waits at the door is told with both. */
function isAboutPlaces(committed: Committed): boolean {
  return (
    rowsOf(committed, deviceMark).length > 0 ||
    rowsOf(committed, controlPoint).some(
      ({ before, after, hidden }) =>
        before === null || hidden || before.device_id !== after.device_id || before.cod !== after.cod,
    )
  );
}

function later(ms: number, run: () => void): () => void {
  const running = setTimeout(run, ms);
  return () => clearTimeout(running);
}
