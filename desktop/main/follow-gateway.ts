import type { FoundGateway, LostWhy } from '../ipc.ts';
import type { AskGateway } from './ask-gateway.ts';

const SEARCH_EVERY_MS = 15_000;

export type FollowDeps = {
  gateway: () => FoundGateway | null;
  keep: (gateway: FoundGateway) => void;
  ask: AskGateway;
  find: () => Promise<readonly FoundGateway[]>;
  /** The paired gateway has another address. */
  moved: () => void;
  now: () => number;
};

/**
 * The paired gateway, wherever it is: it is the one with the id and the key that were chosen, and routers give it other
 * addresses. A gateway with another key is never followed.
 */
export function followGateway({ gateway, keep, ask, find, moved, now }: FollowDeps) {
  let why: LostWhy = 'silent';
  let searchedAt = Number.NEGATIVE_INFINITY;

  const isThere = async (): Promise<boolean> => {
    const paired = gateway();
    if (paired === null) return false;
    const asked = await ask(paired.url, paired.pin);
    if (asked.at === 'there' && asked.gateway.id === paired.id) {
      await note(paired, asked.gateway);
      return true;
    }
    why = asked.at === 'there' ? 'other-box' : asked.at;
    return false;
  };
  /** What a gateway says behind its proved key is believed: its version, and the key that follows the pinned one. */
  const note = async (paired: FoundGateway, told: FoundGateway): Promise<void> => {
    let { pin } = paired;
    if (pin !== null && told.pin !== null && told.pin !== pin) {
      const isServed = (await ask(paired.url, told.pin)).at === 'there';
      if (isServed) pin = told.pin;
    }
    const software = told.software === '' ? paired.software : told.software;
    const isSame = gateway() === paired;
    if (isSame && (pin !== paired.pin || software !== paired.software)) keep({ ...paired, pin, software });
  };
  const search = async (): Promise<boolean> => {
    const paired = gateway();
    if (paired === null || now() - searchedAt < SEARCH_EVERY_MS) return false;
    searchedAt = now();
    const found = await find().catch(() => []);
    // several may claim to be it: the one that proves it counts
    for (const one of found) {
      if (one.id !== paired.id || one.pin !== paired.pin || one.url === paired.url) continue;
      const asked = await ask(one.url, one.pin);
      if (asked.at !== 'there' || asked.gateway.id !== paired.id || gateway() !== paired) continue;
      keep({ ...paired, url: one.url, software: one.software });
      moved();
      return true;
    }
    return false;
  };
  return {
    isThere: async (how: 'ask' | 'search'): Promise<boolean> =>
      (await isThere()) || (how === 'search' && (await search())),
    why: () => why,
  };
}
