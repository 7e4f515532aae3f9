import type { Database } from '#adapters/sql/database.ts';
import { personOfEmail } from '#adapters/sql/queries/home-assistant.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { FarmFound, Owned } from '#core/route.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import type { Whereabouts } from '#features/bench/ports.ts';
import { wireAdoption } from './compose-adoption.ts';
import { wireBench } from './compose-bench.ts';
import type { Control } from './compose-control.ts';
import { wireFirmware } from './compose-firmware.ts';
import { wireHomeAssistant } from './compose-home-assistant.ts';
import { type ProbesDeps, wireProbes } from './compose-probes.ts';
import { wireRelays } from './compose-relays.ts';
import { wireSimulator } from './compose-simulator.ts';
import type { Config } from './config.ts';
import type { World } from './world.ts';

export type TechniciansDeps = Pick<ProbesDeps, 'alerting' | 'scienceOf'> & {
  config: Config;
  world: World;
  kernel: Kernel;
  database: Database;
  control: Control;
  notify: Notify;
  accessTo: (of: Owned, id: string, userId: string) => Promise<FarmFound | null>;
  trust: { gatewayId: string; whereabouts: () => Whereabouts };
  tellChanged: TellChanged;
};

/** What hangs on the box and who sets it up: boards, relays, firmware, probes, the bench. A hosted instance has none. */
export async function wireTechnicians(deps: TechniciansDeps) {
  const { world, control, database, trust } = deps;
  const shared = {
    ...deps,
    monotonic: world.monotonic,
  };
  const { gatewayId, whereabouts } = trust;
  const adoption = wireAdoption({ ...shared, gatewayId, whereabouts });
  const relays = await wireRelays(shared);
  const firmware = await wireFirmware({
    ...shared,
    // a canary that is simulated proves nothing
    takesFirmware: (id) => !relays.isRelay(id) && control.registry.byId(id)?.row.is_simulated !== true,
  });
  const probes = wireProbes({ ...shared, heardUnsaved: control.oxygen.hear });
  const bench = await wireBench({ ...shared, whereabouts });
  const simulator = wireSimulator(shared);
  const homeAssistant = wireHomeAssistant({ ...shared, gatewayId, personOf: personOfEmail(database.read) });
  return {
    adoption,
    relays,
    firmware,
    probes,
    bench,
    simulator,
    homeAssistant,
    routes: [firmware, adoption, bench, simulator, relays, homeAssistant, probes].flatMap(
      ({ routes }) => routes,
    ),
  };
}
