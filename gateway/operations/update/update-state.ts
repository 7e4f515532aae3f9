// How far an update is, as one small file tells it. Every step is a pure function from one state to the next, so that a
// power cut between any two of them has an answer here: what was not proven goes back, what was proven stays.

/** Which program: the one of the package, the one the package had before, or an applied version. */
export type Slot = 'packaged' | 'previous' | { version: string };

export type Step =
  | { at: 'rest' }
  /** A package is on its way here; which version it is shows when it has come. */
  | { at: 'fetching' }
  /** A checked package is being unpacked beside the running program. */
  | { at: 'staging'; version: string }
  /** It lies on disk whole and was rehearsed; the gateway switches when no oxygen alarm is active. */
  | { at: 'staged'; version: string; allowMs: number }
  /** It was started and has not proven itself yet. */
  | { at: 'trial'; target: Slot; version: string; starts: number; allowMs: number };

export const RESULTS = ['updated', 'rolled_back', 'refused', 'interrupted', 'damaged'] as const;

export type Outcome = {
  result: (typeof RESULTS)[number];
  /** Empty: it is not known, for example of a package that could not be fetched. */
  version: string;
  /** Of what was refused; null otherwise. */
  code: string | null;
  detail: string;
  at: string;
  /** The database that was put aside for it, with what was written since the snapshot; absent: none was. */
  aside?: string;
};

/** What a version that is tried has to reach again. */
export type Before = {
  /** Control points whose controllers were online. */
  online: readonly string[];
  /** Names of the secured ports that were open. */
  secured: readonly string[];
};

export type UpdateState = {
  format: 1;
  /** What is proven. */
  slot: Slot;
  /** What was proven before that, and runs when it is damaged; null: the version of the package does. */
  before: Slot | null;
  /** Version of the package when a start last looked; null before the first. */
  packaged: string | null;
  step: Step;
  last: Outcome | null;
  /** As the farm stood before the switch; null: not known. */
  farm: Before | null;
  /** Another version had the database before the one that runs next, which may not be able to use it. */
  isReturning: boolean;
};

export const NO_UPDATE: UpdateState = {
  format: 1,
  slot: 'packaged',
  before: null,
  packaged: null,
  step: { at: 'rest' },
  last: null,
  farm: null,
  isReturning: false,
};

/** A power cut during the trial is forgiven once; whoever falls twice goes back. */
const STARTS_ALLOWED = 2;
/** A trial gets this long to prove itself: the farm is back within a minute, with what going back takes. */
export const GATE_MS = 40_000;
/** However long the migration took on the copy: control waits for the trial. */
const MIGRATION_MS = 80_000;

/** How long a version may take whose migration took so long on a copy of the database. */
export const trialMs = (migratedMs: number): number => GATE_MS + Math.min(2 * migratedMs, MIGRATION_MS);

export const fetching = (state: UpdateState): UpdateState => ({ ...state, step: { at: 'fetching' } });

/** The folder of that version is about to be written: what lay there can no longer be relied on. */
export function began(state: UpdateState, version: string): UpdateState {
  const isIt = (slot: Slot | null) => typeof slot === 'object' && slot?.version === version;
  const slot = isIt(state.slot) ? (state.before ?? 'packaged') : state.slot;
  const before = isIt(state.before) || slot === state.before ? null : state.before;
  return { ...state, slot, before, step: { at: 'staging', version } };
}

export const staged = (state: UpdateState, version: string, allowMs: number): UpdateState => ({
  ...state,
  step: { at: 'staged', version, allowMs },
});

export const gaveUp = (state: UpdateState, outcome: Outcome): UpdateState => ({
  ...state,
  step: { at: 'rest' },
  last: outcome,
});

/** Nobody is at it any more. Null: it was not being brought here. */
export function abandoned(state: UpdateState, now: string): UpdateState | null {
  const { step } = state;
  if (step.at !== 'fetching' && step.at !== 'staging') return null;
  const [version, what] = step.at === 'staging' ? [step.version, 'unpacked'] : ['', 'fetched'];
  const detail = `the update was interrupted while it was ${what}; start it again`;
  return gaveUp(state, { result: 'interrupted', version, code: null, detail, at: now });
}

/** The running gateway lets go: the next start tries the new version. Null: there is nothing to switch to. */
export function switched(state: UpdateState, farm: Before | null = null): UpdateState | null {
  const { step } = state;
  if (step.at !== 'staged') return null;
  const { version, allowMs } = step;
  return { ...state, farm, step: { at: 'trial', target: { version }, version, starts: 0, allowMs } };
}

export type StartFacts = {
  packagedVersion: string;
  /** Version the package had before its last upgrade; null: none is kept. */
  previousVersion: string | null;
  /** What is wrong with an applied version; null: nothing. */
  troubleOf: (version: string) => string | null;
  now: string;
};

export type StartDecision = {
  /** To be on disk before the program starts. */
  state: UpdateState;
  run: Slot;
  isTrial: boolean;
};

/** What a start runs, whatever happened before it. */
export function atStart(found: UpdateState, facts: StartFacts): StartDecision {
  const state = withPackage(found, facts);
  const { step } = state;
  switch (step.at) {
    case 'rest':
    // whether it is a good moment only a running gateway knows
    case 'staged':
      return proven(state, facts);
    case 'fetching':
    case 'staging':
      return proven(abandoned(state, facts.now) ?? state, facts);
    case 'trial': {
      const trouble = troubleOf(step.target, facts);
      if (trouble !== null) return proven(failed(state, trouble, facts.now), facts);
      if (step.starts >= STARTS_ALLOWED)
        return proven(failed(state, 'it did not prove itself in two starts', facts.now), facts);
      return {
        state: { ...state, step: { ...step, starts: step.starts + 1 } },
        run: step.target,
        isTrial: true,
      };
    }
  }
}

/** A package that was installed by hand over this one is tried like an update, when there is a way back. */
function withPackage(state: UpdateState, { packagedVersion, previousVersion }: StartFacts): UpdateState {
  if (state.packaged === packagedVersion) return state;
  const known = { ...state, packaged: packagedVersion };
  if (state.packaged === null) return known;
  const { slot } = state;
  if (typeof slot === 'object' && compareVersions(slot.version, packagedVersion) >= 0) return known;
  const back: Slot | null = typeof slot === 'object' ? slot : previousVersion === null ? null : 'previous';
  if (back === null) return { ...known, slot: 'packaged', before: null, step: { at: 'rest' } };
  return {
    ...known,
    slot: back,
    step: { at: 'trial', target: 'packaged', version: packagedVersion, starts: 0, allowMs: GATE_MS },
  };
}

/**
 * What is proven runs, or, when it cannot be read, what was proven before it: for this start alone. The card may answer
 * next time, and whoever lies there whole again is better than an old one.
 */
function proven(state: UpdateState, facts: StartFacts): StartDecision {
  const trouble = troubleOf(state.slot, facts);
  if (trouble === null) return { state, run: state.slot, isTrial: false };
  const { before } = state;
  const run = before !== null && troubleOf(before, facts) === null ? before : 'packaged';
  const version = typeof state.slot === 'object' ? state.slot.version : facts.packagedVersion;
  const instead =
    typeof run === 'object'
      ? `version ${run.version}`
      : `the version ${run === 'packaged' ? 'of' : 'before'} the package`;
  const detail = `${trouble}; ${instead} runs instead`;
  const isTold = state.last?.result === 'damaged' && state.last.version === version;
  const last: Outcome | null = isTold
    ? state.last
    : { result: 'damaged', version, code: null, detail, at: facts.now };
  return { state: { ...state, last, isReturning: true }, run, isTrial: false };
}

function troubleOf(slot: Slot, facts: StartFacts): string | null {
  if (slot === 'packaged') return null;
  if (slot === 'previous') return facts.previousVersion === null ? 'the version before is gone' : null;
  return facts.troubleOf(slot.version);
}

/** The trial went well: what was tried is what runs from now on. */
export function passed(state: UpdateState, now: string): UpdateState {
  const { step } = state;
  if (step.at !== 'trial') return state;
  const { version } = step;
  const last: Outcome = { result: 'updated', version, code: null, detail: 'it proved itself', at: now };
  return { ...state, slot: step.target, before: state.slot, step: { at: 'rest' }, last, farm: null };
}

/** Back to what is proven, which runs on the data as they are now. */
export function failed(state: UpdateState, detail: string, now: string): UpdateState {
  const { step } = state;
  if (step.at !== 'trial') return state;
  const last: Outcome = { result: 'rolled_back', version: step.version, code: null, detail, at: now };
  return { ...gaveUp(state, last), farm: null, isReturning: true };
}

/** The way back is free; `aside` is the database that had to be put aside for it. */
export function returned(state: UpdateState, aside: string | null): UpdateState {
  const { last } = state;
  const more = `the database of the newer version is kept as ${aside}, and control goes on from the snapshot made before`;
  const told = last === null || aside === null ? last : { ...last, aside, detail: `${last.detail}; ${more}` };
  return { ...state, last: told, isReturning: false };
}

/** A stop that somebody asked for while the version was at work says nothing about it. */
export function stoppedInTrial(state: UpdateState): UpdateState {
  const { step } = state;
  if (step.at !== 'trial' || step.starts === 0) return state;
  return { ...state, step: { ...step, starts: step.starts - 1 } };
}

/** Applied versions that nothing needs any more: what is proven stays, the one before it, and the one that is coming. */
export function unneeded({ slot, before, step }: UpdateState, versions: readonly string[]): string[] {
  const needed = new Set<string>();
  for (const kept of [slot, before]) {
    if (kept !== null && typeof kept === 'object') needed.add(kept.version);
  }
  if ('version' in step) needed.add(step.version);
  return versions.filter((version) => !needed.has(version));
}

const VERSION = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.]{1,40}))?$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

/** Below 0: `a` is older than `b`. 1.2.0-rc.1 comes before 1.2.0. Both must be versions. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (const place of [0, 1, 2] as const) {
    const difference = left.numbers[place] - right.numbers[place];
    if (difference !== 0) return difference;
  }
  if (left.trial === right.trial) return 0;
  if (left.trial === null) return 1;
  if (right.trial === null) return -1;
  return left.trial.localeCompare(right.trial, 'en', { numeric: true });
}

function partsOf(version: string): { numbers: [number, number, number]; trial: string | null } {
  const found = VERSION.exec(version);
  if (found === null) throw new Error(`${version} is no version`);
  return {
    numbers: [Number(found[1]), Number(found[2]), Number(found[3])],
    trial: found[4] ?? null,
  };
}
