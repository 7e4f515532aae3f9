import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../../test/sync/sim/chance.ts';
import type { Side } from '../../../test/sync/sim/things.ts';
import type { Farm, Reply } from './farm.ts';
import type { Ledger, Write } from './ledger.ts';
import { DEEDS, type KnownThing, type Scene, THINGS } from './things.ts';

// People who work on both sides at once, each act a request of the interface and a line in the ledger.

export type People = ReturnType<typeof createPeople>;

export function createPeople({ farm, ledger }: { farm: Farm; ledger: Ledger }) {
  const known: KnownThing[] = [{ thing: 'farm', id: farm.farmId, below: '', isGone: false }];
  const counts: Record<string, number> = {};
  const words = { n: 1_000 };

  const sceneOf = (chance: Chance): Scene => ({
    n: (words.n += 1),
    farmId: farm.farmId,
    chance,
    // the newest are in use
    one: (thing) => chance.pickOrNull(known.filter((one) => one.thing === thing && !one.isGone).slice(-8)),
  });

  /** What is answered 2xx is done; 4xx is not; of all else nobody knows. */
  async function noted(
    ask: () => Promise<Reply>,
    write: Omit<Write, 'from' | 'to' | 'isSure' | 'isExcused'>,
  ) {
    const from = performance.now();
    const reply = await ask().catch(() => null);
    const [to, status] = [performance.now(), reply?.status ?? 0];
    counts[status === 0 ? 'unanswered' : `${Math.floor(status / 100)}xx`] =
      (counts[status === 0 ? 'unanswered' : `${Math.floor(status / 100)}xx`] ?? 0) + 1;
    if (status >= 400 && status < 500) return false;
    ledger.note({ ...write, from, to, isSure: status >= 200 && status < 300 });
    return true;
  }

  /** Whether anything was asked: of a young farm there may be nothing yet to do it to. */
  async function act(side: Side, chance: Chance, process?: number): Promise<boolean> {
    const scene = sceneOf(chance);
    const at = process === undefined ? {} : { process };
    const deed = chance.weighted({ make: 8, edit: 10, delete: 1, other: 5 });
    if (deed === 'other') {
      const name = chance.pick(Object.keys(DEEDS) as [string, ...string[]]);
      const sent = DEEDS[name]?.(scene) ?? null;
      if (sent === null) return false;
      await farm.send(side, sent.method, sent.path, { body: sent.body, ...at }).catch(() => undefined);
      return true;
    }
    const weights = Object.fromEntries(Object.entries(THINGS).map(([name, { weight }]) => [name, weight]));
    const name = chance.weighted(weights);
    const thing = THINGS[name];
    if (thing === undefined) return false;
    const { table } = thing;
    if (deed === 'make') {
      const id = randomUUID();
      const made = thing.make(scene, id);
      if (made === null) return false;
      const write = { n: scene.n, side, table, id, kind: 'made' as const, field: '', value: null };
      const isDone = await noted(() => farm.send(side, 'POST', made.path, { body: made.body, ...at }), write);
      if (isDone) known.push({ thing: name, id, below: made.below, isGone: false });
      return true;
    }
    const one = scene.one(name);
    if (one === null) return false;
    const path = thing.at(one);
    if (deed === 'delete') {
      if (thing.isDeleted !== true) return false;
      // the farm goes on: some of each stay
      if (known.filter((other) => other.thing === name && !other.isGone).length < 5) return false;
      const write = { n: scene.n, side, table, id: one.id, kind: 'deleted' as const, field: '', value: null };
      if (await noted(() => farm.send(side, 'DELETE', path, at), write)) one.isGone = true;
      return true;
    }
    const edit = chance.pickOrNull(thing.edits);
    if (edit === null) return false;
    const before = await farm.send(side, 'GET', path, at).catch(() => null);
    if (before === null || before.status !== 200 || before.body === null) return false;
    const value = edit.value(scene.n);
    const { etag } = before;
    const saw = etag === null || !(edit.field in before.body) ? {} : { saw: before.body[edit.field] };
    await noted(
      () => farm.send(side, thing.method ?? 'PUT', path, { body: { [edit.field]: value }, etag, ...at }),
      { n: scene.n, side, table, id: one.id, kind: 'edited', field: edit.field, value, ...saw },
    );
    return true;
  }

  return {
    counts,
    async work(
      side: Side,
      chance: Chance,
      { acts, process }: { acts: number; process?: number },
    ): Promise<void> {
      for (let n = 0; n < acts; n += 1) {
        for (let tries = 0; tries < 6; tries += 1) if (await act(side, chance, process)) break;
        await pause(chance.between(0, 20));
      }
    },
  };
}
