import type { AlertType } from '#contract/words.ts';
import type { Alarm, AlarmFacts } from './alarm-state.ts';

// Which of several alarms of one cause began it: air that fails at a control point is told by its power, its controller,
// its motor and the oxygen of its ponds, one after the other. Pure.

const OF_AIR: ReadonlySet<AlertType> = new Set([
  'POWER_FAILURE',
  'DEVICE_OFFLINE',
  'COMMAND_NOT_CONFIRMED',
  'UNSTABLE',
  'OFF_SCHEDULE',
  'NO_CURRENT',
  'LOW_OXYGEN',
]);
/** What begins longer than this after the one before it has a cause of its own. */
const LINKED_MS = 60 * 60_000;

/**
 * The first alarm of each group of two or more, by key, with how many the group has. `pointOf`: the control point that an
 * alarm is about, also by its pond. Those of a farm belong together as long as its power is out.
 */
export function firstOuts<Facts extends AlarmFacts>(
  alarms: readonly Alarm<Facts>[],
  pointOf: (facts: Facts) => string | null,
): ReadonlyMap<string, number> {
  const firsts = new Map<string, number>();
  for (const ofFarm of groupsOf(alarms, ({ newest }) => newest.farm_id)) {
    const ofAir = ofFarm.filter(({ newest }) => OF_AIR.has(newest.type));
    const isPowerOut = ofAir.some(({ newest }) => newest.type === 'POWER_FAILURE');
    const groups = isPowerOut
      ? [ofAir]
      : // an alarm of no known control point is alone
        groupsOf(ofAir, (alarm) => pointOf(alarm.newest) ?? alarm.key);
    for (const group of groups) {
      for (const chain of chainsOf(group)) {
        const [first] = chain;
        if (first !== undefined && chain.length > 1) firsts.set(first.key, chain.length);
      }
    }
  }
  return firsts;
}

function groupsOf<One>(all: readonly One[], keyOf: (one: One) => string): readonly One[][] {
  const groups = new Map<string, One[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one)) ?? [];
    groups.set(keyOf(one), group);
    group.push(one);
  }
  return [...groups.values()];
}

function chainsOf<One extends Pick<Alarm, 'since' | 'newest'>>(group: readonly One[]): One[][] {
  const chains: One[][] = [];
  for (const alarm of group.toSorted((a, b) => a.since - b.since || rank(a) - rank(b))) {
    const chain = chains.at(-1);
    const before = chain?.at(-1);
    if (chain === undefined || before === undefined || alarm.since - before.since > LINKED_MS)
      chains.push([alarm]);
    else chain.push(alarm);
  }
  return chains;
}

/** Told in the same moment: the power comes before what hangs on it. */
const rank = ({ newest }: Pick<Alarm, 'newest'>): number => (newest.type === 'POWER_FAILURE' ? 0 : 1);
