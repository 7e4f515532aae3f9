import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import type { Change } from '#core/changes.ts';
import { defaultsOf } from '#store/merge/schemas.ts';
import { createChance } from './chance.ts';
import type { Violation } from './check.ts';
import { isRenamed, type Ledger } from './ledger.ts';
import * as today from './program.ts';
import { groupOfWord, groupValue, type ReplicaState, wordsOf } from './replica-state.ts';
import { type Row, SIDES, type Side } from './things.ts';
import type { World } from './world.ts';

// A farm one of whose sides is of an earlier version, and is upgraded while it works.

export type Program = typeof today;
/** The program as far as that schema goes; where programs of several schemas can be loaded. */
export type ProgramOf = (schema: number) => Promise<Program>;

export type VersionPlan = {
  programs: Record<Side, Program>;
  /** After which step a side becomes today's. */
  upgrades: Readonly<Partial<Record<Side, number>>>;
};

/** Who is older in this seed, by how much, and until when. */
export async function planVersions(seed: number, steps: number, programOf: ProgramOf): Promise<VersionPlan> {
  const chance = createChance(seed, 'versions');
  const older = await programOf(chance.between(1, SYNC_SCHEMA - 1));
  const which = chance.weighted({ gateway: 4, hosted: 4, both: 2 });
  const sides = SIDES.filter((side) => which === side || which === 'both');
  const programs = { gateway: today, hosted: today };
  for (const side of sides) programs[side] = older;
  return {
    programs,
    upgrades: Object.fromEntries(sides.map((side) => [side, chance.between(5, Math.max(6, steps - 5))])),
  };
}

/** Upgrades what is due after a step; every side that is left, after the last. */
export async function upgradeDue(
  world: World,
  { upgrades }: VersionPlan,
  step: number | 'last',
): Promise<void> {
  for (const side of SIDES) {
    const at = upgrades[side];
    if (at === undefined || (step !== 'last' && step < at) || world.programOf(side) === today) continue;
    const from = world.programOf(side).SYNC_SCHEMA;
    world.trace(`${world.time.now()} UPGRADE ${side} from schema ${from}`);
    world.counts[`${side} is upgraded`] = (world.counts[`${side} is upgraded`] ?? 0) + 1;
    await world.upgrade(side, today);
  }
}

type Known = {
  name: string;
  row: { shape: Readonly<Record<string, unknown>> };
  groups: Readonly<Record<string, { fields: readonly string[] }>>;
};

/** What somebody does, as far as the program of that side knows it; null: it knows nothing of it. */
export function asKnown(program: Program, change: Change): Change | null {
  if (program === today || !(change.resource.name in today.sharedResources)) return change;
  const resource = (program.sharedResources as unknown as Readonly<Record<string, Known>>)[
    change.resource.name
  ];
  if (resource === undefined) return null;
  const only = (fields: Record<string, unknown>, isOne: (field: string) => boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => isOne(field)));
  const known = { ...change, resource } as unknown as Change;
  if ('row' in known)
    return { ...known, row: only(known.row, (field) => field in resource.row.shape) as Row };
  if (!('set' in known)) return known;
  const groups = Object.values(resource.groups);
  const set = only(
    known.set,
    (field) => field === 'updated_at' || groups.some(({ fields }) => fields.includes(field)),
  );
  return Object.keys(set).some((field) => field !== 'updated_at') ? { ...known, set } : null;
}

/** A row as today's program reads what an older one wrote. */
export const asRead = (
  resource: Parameters<typeof defaultsOf>[0],
  row: Readonly<Record<string, unknown>>,
) => ({
  ...defaultsOf(resource),
  ...row,
});

/** Nobody is told that an edit lost which nobody made. */
export function falseConflicts(ledger: Ledger, state: ReplicaState): Violation[] {
  return [...state.dropped].flatMap(([key, dropped]) => {
    const resource = state.rows.get(key)?.resource;
    if (resource === undefined) return [];
    return dropped.flatMap((told): Violation[] =>
      wordsOf(resource, true).flatMap((word) => {
        const fields = resource.groups[groupOfWord(word)]?.fields ?? [];
        if (!fields.every((field) => field in told)) return [];
        const value = groupValue(resource, word, told);
        const plain = value.replace(/(~[0-9a-z]+)+"/g, '"');
        if (ledger.wasWritten(key, word, value)) return [];
        if (isRenamed(value, plain) && ledger.wasWritten(key, word, plain)) return [];
        return [{ rule: 'no edit is told as lost that nobody made', what: `${key} ${word} was ${value}` }];
      }),
    );
  });
}

/** What an upgrade does not explain, the comparison of both sides calls a fault of the makers. */
export const unexplained = ({ counts }: World): Violation[] =>
  Object.keys(counts)
    .filter((said) => said.includes('tell the makers'))
    .map((what) => ({ rule: 'a comparison finds nothing but what an upgrade explains', what }));
