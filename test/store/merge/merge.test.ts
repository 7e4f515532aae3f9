import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Resource } from '#contract/resource.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { pond } from '#contract/resources/ponds.ts';
import { OPS, type WireChange } from '#contract/sync/wire.ts';
import { formatHlc } from '#store/hlc.ts';
import { restamped } from '#store/merge/accept-stamps.ts';
import { stampOf } from '#store/merge/claims.ts';
import { conflictId } from '#store/merge/conflicts.ts';
import { digestOf } from '#store/merge/digest.ts';
import type { Edit, Held } from '#store/merge/edit.ts';
import { merge } from '#store/merge/merge.ts';
import { readChange } from '#store/merge/read-change.ts';
import { derivedStamp } from '#store/merge/unique-keys.ts';
import { LIFE } from '#store/register.ts';
import { controlPointRow } from '#test/farm-rows.ts';
import { aPond } from './rows.ts';

// a pond is a row like any other
const PONDS = pond as unknown as Resource;
const made: Held = { row: aPond(1), register: { cl: 1, hlc: stamp(0), over: {} } };

function stamp(n: number): string {
  return formatHlc(1_000 + n, 0, 'aaaa0001');
}

const stamps = fc.integer({ min: 1, max: 6 }).map(stamp);
const lives = fc.integer({ min: 1, max: 4 });
const groups = fc.record(
  {
    cod: fc.record({ cod: fc.constantFrom('A', 'B', 'ç') }),
    dimensions: fc.record({ size_m2: fc.constantFrom(1, 2.5, null), depth_m: fc.constantFrom(1, null) }),
    aerator_count: fc.record({ aerator_count: fc.integer({ min: 0, max: 2 }) }),
  },
  { requiredKeys: [] },
);
const wholeRow = fc.record({
  cod: fc.constantFrom('A', 'D'),
  size_m2: fc.constantFrom(1, 3),
  lat: fc.constantFrom('1', null),
});

const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc
    .record({ hlc: stamps, groups, cl: lives, late: fc.constantFrom('', ' late') })
    .filter((edit) => Object.keys(edit.groups).length > 0)
    .map(({ late, ...edit }): Edit => ({ is: 'groups', base: {}, updatedAt: edit.hlc + late, ...edit })),
  fc
    .record({
      hlc: stamps,
      cl: lives,
      over: fc.dictionary(fc.constantFrom('cod', 'position', LIFE), stamps),
      row: wholeRow,
      // one side may have another moment for the same edit
      late: fc.constantFrom('', ' late'),
    })
    .map(
      ({ row, late, ...edit }): Edit => ({
        is: 'whole',
        ...edit,
        row: { ...aPond(1), ...row, updated_at: newest(edit) + late },
      }),
    ),
  fc
    .record({ hlc: stamps, cl: fc.constantFrom(2, 4) })
    .map((edit): Edit => ({ is: 'delete', seen: null, ...edit })),
);

const newest = ({ hlc, over }: { hlc: string; over: Record<string, string> }): string =>
  Object.entries(over).reduce((last, [group, at]) => (group !== LIFE && at > last ? at : last), hlc);

const apply = (held: Held, edit: Edit): Held => merge(PONDS, held, edit, () => true)?.held ?? held;
const fold = (all: readonly Edit[]): unknown => seen(all.reduce(apply, made));
/** A register as its meaning: the stamp of every group. */
const seen = ({ row, register }: Held) => ({
  row,
  cl: register.cl,
  hlc: register.hlc,
  life: register.over[LIFE] ?? '',
  stamps: Object.keys(PONDS.groups).map((group) => stampOf(register, group)),
});

describe('merging', () => {
  it('comes to the same row whatever the order', () => {
    fc.assert(
      fc.property(fc.array(edits, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (all, chances) => {
        const shuffled = all
          .map((edit) => ({ edit, at: chances.next().value }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ edit }) => edit);
        expect(fold(shuffled)).toEqual(fold(all));
      }),
      { numRuns: 2_000 },
    );
  });

  it('changes nothing when a change comes again', () => {
    fc.assert(
      fc.property(fc.array(edits, { maxLength: 8 }), (all) => {
        expect(fold([...all, ...all])).toEqual(fold(all));
      }),
      { numRuns: 1_000 },
    );
  });

  it('comes to the same when a merged row is told as it stands in place of its changes', () => {
    fc.assert(
      fc.property(fc.array(edits, { maxLength: 6 }), fc.array(edits, { maxLength: 6 }), (here, there) => {
        const { row, register } = there.reduce(apply, made);
        const told: Edit = { is: 'whole', cl: register.cl, hlc: register.hlc, over: register.over, row };
        expect(fold([...here, told])).toEqual(fold([...here, ...there]));
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves what an older program does not know as it is: a virtual controller stays one', () => {
    const ids = ['1', '2', '3'].map((n) => `0190a000-0000-7000-8000-00000000000${n}`);
    const [id = '', farmId = '', ownerId = ''] = ids;
    const row = { ...controlPointRow(id, farmId, ownerId), is_simulated: true, is_siren: true };
    const { is_simulated: _new, is_siren: _newer, ...known } = row;
    const held: Held = { row, register: { cl: 1, hlc: stamp(1), over: {} } };
    const change = {
      seq: 1,
      tx: 1,
      entity: controlPoint.entity,
      op: OPS.put,
      cl: 1,
      sv: 1,
      over: {},
      base: null,
      actor: null,
      chain: '',
    };
    const outcomes = [stamp(0), stamp(1), stamp(2)].flatMap((hlc) =>
      [{}, { isSnapshot: true as const }, { isMended: true as const }].map((how) => {
        const body = { ...known, cod: 'CP-9' };
        const read = readChange({ ...change, id: row.id, hlc, body });
        if ('parked' in read || read.edit.is !== 'whole') throw new Error(JSON.stringify(read));
        return merge(read.resource, held, { ...read.edit, ...how }, () => true)?.held.row;
      }),
    );
    expect(outcomes.map((merged) => [merged?.['is_simulated'], merged?.['is_siren']])).toEqual(
      Array(9).fill([true, true]),
    );
    expect(outcomes.some((merged) => merged?.['cod'] === 'CP-9')).toBe(true);
  });

  describe('of whether calls without a key are taken, with a program that does not know of it', () => {
    const [id = '', farmId = '', ownerId = ''] = ['1', '2', '3'].map(
      (n) => `0190a000-0000-7000-8000-00000000000${n}`,
    );
    const row = { ...controlPointRow(id, farmId, ownerId), allow_unkeyed: false };
    const { allow_unkeyed: _unknown, ...known } = row;
    /** As a technician set it, after the control point was made. */
    const held: Held = { row, register: { cl: 1, hlc: stamp(1), over: { unkeyed: stamp(2) } } };
    const change = { seq: 1, tx: 1, entity: controlPoint.entity, id, op: OPS.put, cl: 1, sv: 1, actor: null };
    const told = (fields: { hlc: string } & Partial<WireChange>, how: object = {}) => {
      const read = readChange({ ...change, over: {}, base: null, body: null, chain: '', ...fields });
      if ('parked' in read) throw new Error(read.parked);
      return merge(read.resource, held, { ...read.edit, ...how }, () => true)?.held;
    };

    it('keeps what was set when that program changes the settings', () => {
      const settings = Object.fromEntries(
        (controlPoint.groups['settings']?.fields ?? []).map((name) => [name, row[name as keyof typeof row]]),
      );
      const body = { settings: { ...settings, min_on_s: 90 } };
      const merged = told({ hlc: stamp(5), base: { settings: stamp(1) }, body });
      expect(merged?.row).toMatchObject({ min_on_s: 90, allow_unkeyed: false });
    });

    it.each([
      ['as it stands', {}],
      ['as a snapshot has it', { isSnapshot: true }],
      ['as a comparison has it', { isMended: true }],
    ])('keeps what was set when that program tells the whole row %s', (_how, how) => {
      const over = { settings: stamp(5) };
      const merged = told({ hlc: stamp(1), over, body: { ...known, min_on_s: 90 } }, how);
      expect(merged?.row).toMatchObject({ min_on_s: 90, allow_unkeyed: false });
      expect(merged?.register.over['unkeyed']).toBe(stamp(2));
    });

    it.each([[{}], [{ isSnapshot: true }], [{ isMended: true }]])(
      'keeps what was set once that program was upgraded, and its empty field is as old as the row (%o)',
      (how) => {
        const over = { settings: stamp(5) };
        const body = { ...known, min_on_s: 90, allow_unkeyed: null };
        expect(told({ hlc: stamp(1), over, body }, how)?.row).toMatchObject({
          min_on_s: 90,
          allow_unkeyed: false,
        });
      },
    );

    it('brings it to the upgraded program by the comparison, and both sides compare alike until it is set', () => {
      const there: Held = {
        row: { ...row, allow_unkeyed: null },
        register: { cl: 1, hlc: stamp(1), over: {} },
      };
      const read = readChange({
        ...change,
        hlc: stamp(1),
        over: held.register.over,
        base: null,
        body: row,
        chain: '',
      });
      if ('parked' in read) throw new Error(read.parked);
      const merged = merge(read.resource, there, read.edit, () => true);
      expect(merged?.held.row['allow_unkeyed']).toBe(false);
      const sumOf = (body: object) =>
        digestOf('control_points', { id, cl: 1, hlc: stamp(1), over: {}, body: { ...body } });
      expect(sumOf(there.row)).toBe(sumOf(known));
      expect(sumOf(row)).not.toBe(sumOf(known));
    });
  });

  it('goes on under a delete, so that a row comes back with the edits it missed', () => {
    const edit: Edit = {
      is: 'groups',
      cl: 1,
      hlc: stamp(3),
      base: { cod: stamp(0) },
      groups: { cod: { cod: 'Neu' } },
      updatedAt: null,
    };
    const deleted: Edit = { is: 'delete', cl: 2, hlc: stamp(9), seen: null };
    const outcome = merge(PONDS, apply(made, deleted), edit, () => true);
    expect(outcome?.held.row['cod']).toBe('Neu');
    expect(outcome?.held.register).toEqual({
      cl: 2,
      hlc: stamp(0),
      over: { cod: stamp(3), [LIFE]: stamp(9) },
    });
    expect(outcome?.lost).toMatchObject([{ rule: 'delete_wins', keptHlc: stamp(9), droppedHlc: stamp(3) }]);
  });

  it('passes over what the receiver owns, but for the making of a row', () => {
    const edit: Edit = {
      is: 'groups',
      cl: 1,
      hlc: stamp(3),
      base: {},
      groups: { cod: { cod: 'Neu' } },
      updatedAt: null,
    };
    expect(merge(PONDS, made, edit, () => false)).toMatchObject({
      held: made,
      passedOver: ['cod'],
      lost: [],
    });
    const whole: Edit = { is: 'whole', cl: 1, hlc: stamp(3), over: {}, row: aPond(1) };
    expect(merge(PONDS, null, whole, () => false)?.held.row).toEqual(aPond(1));
    expect(merge(PONDS, null, edit, () => true)).toBeNull();
  });
});

describe('stamps', () => {
  it('derived from another are greater than it and less than every later one', () => {
    expect([stamp(2), derivedStamp(stamp(1)), stamp(1)].toSorted()).toEqual([
      stamp(1),
      derivedStamp(stamp(1)),
      stamp(2),
    ]);
    expect(derivedStamp(derivedStamp(stamp(1))) > derivedStamp(stamp(1))).toBe(true);
  });

  it('set anew keep what was below the limit', () => {
    const change = { hlc: stamp(1), over: { a: stamp(5), b: stamp(2), [LIFE]: stamp(9) } };
    // only its stamps count here
    const full = {
      seq: 1,
      tx: 1,
      entity: 5,
      id: 'x',
      op: 1,
      cl: 1,
      base: null,
      body: null,
      actor: null,
      sv: 1,
      chain: '',
      ...change,
    } as const;
    expect(restamped(full, stamp(5), stamp(3)).over).toEqual({ a: stamp(3), b: stamp(2), [LIFE]: stamp(3) });
  });

  it('name a conflict the same from both sides', () => {
    const of = { entity: 5, id: 'x', group: 'cod' };
    expect(conflictId(of, [stamp(1), stamp(2)])).toBe(conflictId(of, [stamp(2), stamp(1)]));
  });
});
