import type { AlertCause, Alerting } from '#core/alerting.ts';
import { asParent, type RowListener } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { clockWords, diskWords, SEVERITY_BY_TYPE } from './alert-words.ts';
import { createOpenAlerts } from './alerting.ts';
import type { AlertQueries } from './ports.ts';
import { oneAtATime } from './watch-devices.ts';
import { type HeldMotor, heldWords } from './watch-held-off.ts';

export type InstanceConditions = { clock: 'trusted' | 'untrusted'; disk: 'ok' | 'full' };

export type InstanceWatchDeps = Pick<Kernel, 'now' | 'commit' | 'pause' | 'random' | 'guard' | 'log'> & {
  monotonic: () => number;
  conditions: () => InstanceConditions;
  farmIds: () => Iterable<string>;
  /** The motors of a farm as they stand while no schedule can be read off the clock. */
  heldOn: (farmId: string) => readonly HeldMotor[];
  alerting: Alerting;
  queries: Pick<AlertQueries, 'openOfTypes'>;
};

export type InstanceWatch = { tick: () => Promise<void>; follow: RowListener };

const TYPES = ['CLOCK_UNTRUSTED', 'DISK_FULL'] as const;
type InstanceType = (typeof TYPES)[number];
type Trouble = { since: number; sinceAt: number; toldFarms: Set<string> };

/** A box without a battery for its clock starts untrusted, and has its time a minute after the network is up. */
const RAISE_AFTER_MS = { CLOCK_UNTRUSTED: 120_000, DISK_FULL: 0 } as const;
const MOST_FARMS_A_TICK = 20;

/** Raises and resolves what is wrong with the instance itself, once per farm, because people are told per farm. */
export function createInstanceWatch(deps: InstanceWatchDeps): InstanceWatch {
  const open = createOpenAlerts({ queries: deps.queries, types: TYPES, thingOf: (row) => row.farm_id });
  const troubles = new Map<InstanceType, Trouble>();
  const state = { hasFailed: false };

  async function look(): Promise<void> {
    await open.load();
    const { clock, disk } = deps.conditions();
    note('CLOCK_UNTRUSTED', clock === 'untrusted');
    note('DISK_FULL', disk === 'full');
    let units = 0;
    for (const type of TYPES) {
      for (const farmId of deps.farmIds()) {
        if (units >= MOST_FARMS_A_TICK) return;
        if (await turn(type, farmId)) units += 1;
      }
    }
  }

  function note(type: InstanceType, isTrouble: boolean): void {
    if (!isTrouble) troubles.delete(type);
    else if (!troubles.has(type))
      troubles.set(type, { since: deps.monotonic(), sinceAt: deps.now(), toldFarms: new Set() });
  }

  async function turn(type: InstanceType, farmId: string): Promise<boolean> {
    const trouble = troubles.get(type);
    const isOpen = open.of(type, farmId) !== null;
    if (trouble === undefined) {
      if (isOpen) await store(() => deps.alerting.resolve({ type, farm_id: farmId }), farmId);
      return isOpen;
    }
    const cause = causeOf(type, farmId, trouble, deps.heldOn);
    const isDue = deps.monotonic() - trouble.since >= RAISE_AFTER_MS[type];
    if (isOpen || !isDue || trouble.toldFarms.has(farmId)) return false;
    await store(() => deps.alerting.raise(cause), farmId);
    trouble.toldFarms.add(farmId);
    return true;
  }

  async function store(decide: () => ReturnType<Alerting['raise']>, farmId: string): Promise<void> {
    const { committed } = await perform(deps, null, async () => {
      const guard = asParent(await deps.guard('farm', farmId));
      return { answer: null, changes: await decide(), guards: [guard] };
    });
    open.follow(committed);
  }

  async function lookAgain(): Promise<void> {
    try {
      await look();
      state.hasFailed = false;
    } catch (error) {
      // a full disk refuses its own alert: it is stored when there is room, and said once until then
      if (!state.hasFailed) deps.log.warn({ err: error }, 'alerts of the gateway itself could not be stored');
      state.hasFailed = true;
    }
  }

  return { tick: oneAtATime(lookAgain), follow: open.follow };
}

function causeOf(
  type: InstanceType,
  farmId: string,
  { sinceAt }: Trouble,
  heldOn: InstanceWatchDeps['heldOn'],
): AlertCause {
  const held = type === 'CLOCK_UNTRUSTED' ? heldOn(farmId) : [];
  const words =
    type === 'DISK_FULL'
      ? diskWords
      : (language: Language) => `${clockWords(language)}${heldWords(held, language)}`;
  return {
    farm_id: farmId,
    control_point_id: null,
    pond_id: null,
    type,
    severity: SEVERITY_BY_TYPE[type],
    message: words('pt-BR'),
    words,
    cause: `${type.toLowerCase()}:${farmId}:${isoOf(sinceAt)}`,
  };
}
