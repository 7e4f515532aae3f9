import type { Database } from '#adapters/sql/database.ts';
import { personOfEmail } from '#adapters/sql/queries/equipment/home-assistant.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { FarmFound, Owned } from '#core/route.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import type { Whereabouts } from '#features/equipment/bench/ports.ts';
import type { Config } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import type { Control } from '../control/control.ts';
import { wireAdoption } from './adoption.ts';
import { wireBench } from './bench.ts';
import { wireFirmware } from './firmware.ts';
import { wireHomeAssistant } from './home-assistant.ts';
import { type ProbesDeps, wireProbes } from './probes.ts';
import { wireRelays } from './relays.ts';
import { wireSimulator } from './simulator.ts';

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
