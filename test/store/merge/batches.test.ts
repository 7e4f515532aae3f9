import * as fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { decodeRow } from '#adapters/sql/tables.ts';
import type { Resource } from '#contract/resource.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { type Change, insert, remove, restore, update } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import type { Held } from '#store/merge/edit.ts';
import { merge } from '#store/merge/merge.ts';
import { readChange } from '#store/merge/read-change.ts';
import { onBothEngines, openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { aControlPoint, aFarm, ana, aPond } from './rows.ts';
import { logged, pair, pull, push, registers, STREAM, shown } from './two-sides.ts';

type Deed = {
  on: 'gateway' | 'hosted';
  what: 'make' | 'name' | 'size' | 'delete' | 'restore';
  n: number;
  word: string;
  afterMs: number;
};

const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.record({
    on: fc.constantFrom('gateway', 'hosted'),
    what: fc.constantFrom('make', 'name', 'size', 'delete', 'restore'),
    n: fc.integer({ min: 1, max: 4 }),
    word: fc.constantFrom('A', 'B', 'C'),
    afterMs: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 5, maxLength: 40 },
);

onBothEngines('a batch of changes', (open) => {
  let opened: TestDatabase[] = [];
  let now = Date.UTC(2026, 2, 1, 12);
  afterEach(async () => {
    for (const { close } of opened) await close();
    opened = [];
  });

  async function aPair(): Promise<{ gateway: Database; hosted: Database }> {
    now = Date.UTC(2026, 2, 1, 12);
    const ours = [
      await openTestDatabase('sqlite', { now: () => now, node: '0aaa0001' }),
      await open({ streams: 'by scope', now: () => now, node: 'c0000001' }),
    ] as const;
    opened.push(...ours);
    const [gateway, hosted] = [ours[0].database, ours[1].database];
    await pair(hosted);
    await pull(gateway, hosted);
    await gateway.commit({ changes: [insert(farm, aFarm()), insert(pond, aPond(9))], actor: ana });
    await push(gateway, hosted);
    await pull(gateway, hosted);
    return { gateway, hosted };
  }

  const changesOf = ({ what, n, word, on }: Deed): Change[] => {
    const [ofPond, ofPoint] = [aPond(n).id, aControlPoint(n).id];
    switch (what) {
      case 'make':
        return [
          insert(pond, aPond(n, { cod: word })),
          insert(controlPoint, aControlPoint(n, { device_id: `${on}-${word}-${n}` })),
        ];
      case 'name':
        return [update(pond, ofPond, { cod: word }), update(controlPoint, ofPoint, { cod: word })];
      case 'size':
        return [update(pond, ofPond, { size_m2: word.length / 3, aerator_count: n })];
      case 'delete':
        return [remove(pond, ofPond), remove(controlPoint, ofPoint)];
      case 'restore':
        return [restore(pond, ofPond), restore(controlPoint, ofPoint)];
    }
  };

  async function carryOut(
    sides: { gateway: Database; hosted: Database },
    all: readonly Deed[],
  ): Promise<void> {
    for (const deed of all) {
      now += deed.afterMs;
      // what cannot be done as things stand is not done: making twice, naming what is gone
      await sides[deed.on].commit({ changes: changesOf(deed), actor: ana }).catch(() => undefined);
    }
  }

  async function meet(
    { gateway, hosted }: { gateway: Database; hosted: Database },
    size: number,
  ): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await push(gateway, hosted, size);
      await pull(gateway, hosted);
    }
  }

  it('comes to the same as its changes one by one, on both sides, and as merging them in memory', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, deeds, async (first, second) => {
        const ends: unknown[] = [];
        const apart: string[] = [];
        for (const size of [500, 3]) {
          const sides = await aPair();
          await carryOut(sides, first);
          await meet(sides, size);
          await carryOut(sides, second);
          await meet(sides, size);
          const end = async (side: Database) => [
            await shown(side, 'ponds'),
            await shown(side, 'control_points'),
            await registers(side),
          ];
          const there = await end(sides.hosted);
          expect(await end(sides.gateway)).toEqual(there);
          ends.push(there);
          apart.push(JSON.stringify([await setApart(sides.gateway), await setApart(sides.hosted)]));
          for (const table of ['sync_parked'] as const)
            for (const side of Object.values(sides))
              expect(await side.read.selectFrom(table).select('reason').execute()).toEqual([]);
          if (size === 500) expect(await model(sides)).toEqual(await allPonds(sides.hosted));
          for (const { close } of opened.splice(0)) await close();
        }
        // two that bear one code for a moment are told apart by whoever hears of both within it, and stay so
        if (apart[0] === apart[1]) expect(ends[1]).toEqual(ends[0]);
      }),
      { numRuns: 4 },
    );
  });

  /** Rows that got another code, because two bore the same as the sides met. */
  async function setApart({ read }: Database): Promise<string[]> {
    const rows = await read
      .selectFrom('sync_conflicts')
      .select('row_id')
      .distinct()
      .where('rule', '=', 'renamed')
      .orderBy('row_id')
      .execute();
    return rows.map(({ row_id }) => row_id);
  }

  /** Both logs folded by the pure merge. */
  async function model({ gateway, hosted }: { gateway: Database; hosted: Database }): Promise<unknown> {
    const held = new Map<string, Held>();
    const all = [...(await logged(gateway, 1)), ...(await logged(hosted, STREAM))].filter(
      ({ entity }) => entity === pond.entity,
    );
    const whole = all.filter(({ base }) => base === null);
    for (const change of [...whole, ...all.filter(({ base }) => base !== null)]) {
      const read = readChange(change);
      if ('parked' in read) throw new Error(read.parked);
      const merged = merge(pond as unknown as Resource, held.get(change.id) ?? null, read.edit, () => true);
      if (merged !== null) held.set(change.id, merged.held);
    }
    return [...held.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, { row }]) => row);
  }

  async function allPonds({ read }: Database): Promise<unknown> {
    const rows = await read.selectFrom('ponds').selectAll().orderBy('id').execute();
    return rows.map((row) => {
      const { rev: _rev, ...fields } = decodeRow(pond, row);
      return fields;
    });
  }

  it('leaves nothing behind when it fails half-way', async () => {
    const { gateway, hosted } = await aPair();
    await gateway.commit({
      changes: [insert(pond, aPond(1)), update(pond, aPond(9).id, { cod: 'Neu' })],
      actor: ana,
    });
    const before = [await shown(hosted, 'ponds'), await registers(hosted), await logged(hosted, STREAM)];
    const changes = await logged(gateway, 1, 'core', 2);
    const unit = {
      actor: null,
      incoming: { from: 'gateway', streamId: STREAM, lane: 'core', changes },
    } as const;
    const late = update(farm, { ...aFarm(), rev: 99 }, { name: 'Late' });
    await expect(hosted.commit({ ...unit, changes: [late] })).rejects.toBeInstanceOf(StaleError);
    const moved = { id: STREAM, expect: { in_core_seq: 77 }, set: {} };
    await expect(hosted.commit({ ...unit, changes: [], stream: moved })).rejects.toBeInstanceOf(StaleError);
    expect([await shown(hosted, 'ponds'), await registers(hosted), await logged(hosted, STREAM)]).toEqual(
      before,
    );
    await push(gateway, hosted);
    expect(await shown(hosted, 'ponds')).toEqual(await shown(gateway, 'ponds'));
  });
});
