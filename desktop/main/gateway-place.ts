import os from 'node:os';
import path from 'node:path';
import { codeOfPin } from '../../gateway/contract/discovery.ts';
import type { FarmTold, FoundGateway, LocalTold, LostWhy, OfferedGateway, Person } from '../ipc.ts';
import { openDoor, pageAddress, socketOf } from './door.ts';
import { findGateways } from './find-gateways.ts';
import { type LocalGateway, type ProgramFolders, startLocalGateway } from './local-gateway.ts';
import type { KeptSettings } from './settings.ts';
import { type AskGateway, followGateway } from './watch.ts';

type PlaceDeps = {
  kept: KeptSettings;
  folders: Pick<ProgramFolders, 'program' | 'node'>;
  userData: string;
  ask: AskGateway;
  /** The gateway of this machine is on its way, runs, or fell. */
  localChanged: (told: LocalTold) => void;
  pause: (ms: number) => Promise<void>;
  now: () => number;
};

/** Where the gateway of this station is: the paired box on the network, or this very machine. */
export async function gatewayPlace({ kept, folders, userData, ask, localChanged, pause, now }: PlaceDeps) {
  const gateway = () => (kept.get().isLocal ? null : kept.get().gateway);
  const door = await openDoor(() => {
    const paired = gateway();
    return paired === null ? null : socketOf(paired.url);
  }, kept.get().doorPort);
  const follow = followGateway({
    gateway,
    keep: (moved) => kept.set({ gateway: moved }),
    ask,
    find: () => findGateways(),
    moved: door.moved,
    now,
  });
  let local: LocalGateway | null = null;
  let localVersion: string | null = null;
  const localUrl = () => `http://127.0.0.1:${kept.get().localPort}/`;
  const answersHere = async () => {
    const asked = await ask(localUrl(), null);
    if (asked.at === 'there') localVersion = asked.gateway.software;
    return asked.at === 'there';
  };
  const address = () => {
    if (kept.get().isLocal) return localUrl();
    const paired = gateway();
    return paired === null ? null : pageAddress(paired, door.port);
  };
  return {
    /** Where its console is loaded from; null: none was chosen. */
    address,
    isThere: (how: 'ask' | 'search'): Promise<boolean> =>
      kept.get().isLocal ? answersHere() : follow.isThere(how),
    why: (): LostWhy => (kept.get().isLocal ? 'silent' : follow.why()),
    /** The host of its page with the key that it must prove. */
    pinned() {
      const paired = gateway();
      const at = address();
      if (paired === null || paired.pin === null || at === null) return null;
      return { hostname: new URL(at).hostname, pin: paired.pin };
    },
    version: (): string | null => (kept.get().isLocal ? localVersion : gateway()?.software) || null,
    local: (): LocalTold | null => local?.told() ?? null,
    /** Whether a gateway would stop with this program. */
    ownsLocal: (): boolean => local?.isOwn() ?? false,
    /** This machine is the box: its gateway runs from now on, with every start. */
    runLocal() {
      local ??= startLocalGateway({
        ...folders,
        data: path.join(userData, 'gateway'),
        httpPort: kept.get().localPort,
        answers: answersHere,
        changed: localChanged,
        pause,
        now,
        bootedAt: () => Date.now() - os.uptime() * 1_000,
      });
    },
    async stopLocal(): Promise<void> {
      const stopping = local;
      local = null;
      await stopping?.stop();
    },
    /** From now on it is that one. What was known of another farm is forgotten. */
    pair(chosen: FoundGateway): void {
      kept.set({ gateway: chosen, isLocal: false, farm: null });
      door.moved();
    },
  };
}

const MOST_PEOPLE = 6;

/**
 * What is kept of a farm for the page that is shown while its gateway is away: everybody who ever signed in here with a
 * phone, who was here last in front. The same as before when nothing is new.
 */
export function withFarm(known: FarmTold | null, told: FarmTold): FarmTold {
  const before = known !== null && known.name === told.name ? known.people : [];
  const isNew = ({ phone }: Person) => told.people.every((person) => person.phone !== phone);
  const farm = { name: told.name, people: [...told.people, ...before.filter(isNew)].slice(0, MOST_PEOPLE) };
  return known !== null && JSON.stringify(farm) === JSON.stringify(known) ? known : farm;
}

/** A gateway as it is shown to whoever chooses, with the digits to compare. */
export const offered = (gateway: FoundGateway): OfferedGateway => ({
  ...gateway,
  code: gateway.pin === null ? null : codeOfPin(gateway.pin),
});

const USUAL_PORT = '8080';

/**
 * As people type it: `192.168.0.10` is a box at its usual port, `farm.example` a site of the web; with a scheme it is what
 * it says. null: no address.
 */
export function urlOfTyped(typed: string): string | null {
  const hasScheme = /^https?:\/\//i.test(typed);
  const plain = `http://${typed}`;
  if (!URL.canParse(hasScheme ? typed : plain)) return null;
  const url = new URL(hasScheme ? typed : plain);
  if (url.username !== '' || url.hostname === '') return null;
  if (hasScheme || url.port !== '') return `${url.origin}/`;
  const isBox = /^[\d.]+$|^\[|\.local$|^[^.]+$/.test(url.hostname);
  return isBox ? `http://${url.hostname}:${USUAL_PORT}/` : `https://${url.hostname}/`;
}
