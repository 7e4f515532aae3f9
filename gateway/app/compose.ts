import { openLocalPairing } from '#operations/pairing/local-pairing.ts';
import { keepCertificates } from '#operations/trust/certificates.ts';
import type { Config } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import { wireAlarms } from './alarms/alarms.ts';
import { wirePushActions } from './alarms/push-actions.ts';
import { wireWatches } from './alarms/watches.ts';
import type { Area } from './area.ts';
import { wireCloud } from './cloud/cloud.ts';
import { wireControl } from './control/control.ts';
import { readControl } from './control/memory.ts';
import { wireEquipment } from './equipment/equipment.ts';
import { wireFarm } from './farm/farm.ts';
import { wireHttp } from './http/http.ts';
import { openBase, openPlatform } from './kernel.ts';
import { wirePeople } from './people/people.ts';
import { wirePhotos } from './production/photos.ts';
import { wireProduction } from './production/production.ts';
import { wireSystem } from './system/system.ts';

/** The map of the program: each part takes what stands above it, and tells those below by rows and signals. */
export async function compose(config: Config, given: World) {
  const base = await openBase(config, given);
  const memory = await readControl(base);
  const platform = openPlatform(base, memory.merged.commit);

  const pairing = config.role === 'gateway' ? await openLocalPairing(platform) : null;
  const alarms = await wireAlarms(platform, { memory });
  const people = await wirePeople(platform, { alarms, pairing });
  const control = await wireControl(platform, { memory, people, alarms });
  const production = wireProduction(platform, { alarms, people, control });
  const photos = wirePhotos(platform);
  const farm = wireFarm(platform, { people, control, production });
  const trust = await keepCertificates({ ...platform, isNear: platform.clients.isNear });
  const equipment = await wireEquipment(platform, { alarms, control, production, trust });
  const watches = wireWatches(platform, { alarms, control, production, equipment });
  const pushActions = wirePushActions(platform, { memory, alarms, people, control });
  const cloud = await wireCloud(platform, {
    memory,
    alarms,
    people,
    control,
    production,
    photos,
    watches,
    pairing,
  });
  const system = wireSystem(platform, { alarms, people, control, cloud, equipment, trust });

  // in this order they tick, start and stop
  const inside: Area[] = [
    control,
    system,
    people,
    alarms,
    pushActions,
    watches,
    cloud,
    farm,
    production,
    photos,
  ];
  if (equipment !== null) inside.push(equipment);
  const routes = inside.flatMap((area) => area.routes ?? []);
  const http = wireHttp(platform, { moved: memory.moved, people, control, cloud, system, routes });
  const areas: readonly Area[] = [...inside, http, platform.area];
  platform.booted.freeze();
  return {
    ...platform,
    ...alarms,
    ...people,
    ...control,
    ...watches,
    ...cloud,
    ...system,
    ...http,
    technicians: equipment?.technicians ?? null,
    routes: http.allRoutes,
    ticks: areas.flatMap((area) => area.ticks ?? []),
    areas,
  };
}

export type Instance = Awaited<ReturnType<typeof compose>>;
