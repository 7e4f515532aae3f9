import os from 'node:os';
import path from 'node:path';
import type { FoundGateway, LocalTold, LostWhy } from '../ipc.ts';
import type { AskGateway } from './ask-gateway.ts';
import { openDoor, pageAddress, socketOf } from './door.ts';
import { findGateways } from './find-gateways.ts';
import { followGateway } from './follow-gateway.ts';
import { type LocalGateway, startLocalGateway } from './local-gateway.ts';
import type { ProgramFolders } from './program-folders.ts';
import type { KeptSettings } from './settings.ts';

export type PlaceDeps = {
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
