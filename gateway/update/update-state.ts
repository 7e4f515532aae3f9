import { compareVersions } from './version-order.ts';

// How far an update is, as one small file tells it. Every step is a pure function from one state to the next, so that a
// power cut between any two of them has an answer here: what was not proven goes back, what was proven stays.

/** Which program: the one of the package, the one the package had before, or an applied version. */
export type Slot = 'packaged' | 'previous' | { version: string };

export type Step =
  | { at: 'rest' }
  /** A checked package is being unpacked beside the running program. */
  | { at: 'staging'; version: string }
  /** It lies on disk whole and was rehearsed; the gateway switches when no oxygen alarm is active. */
  | { at: 'staged'; version: string; allowMs: number }
  /** It was started and has not proven itself yet. */
  | { at: 'trial'; target: Slot; version: string; starts: number; allowMs: number };

export type Outcome = {
  result: 'updated' | 'rolled_back' | 'refused' | 'interrupted' | 'damaged';
  version: string;
  detail: string;
  at: string;
};

export type UpdateState = {
  format: 1;
  /** What is proven. */
  slot: Slot;
  /** Version of the package when a start last looked; null before the first. */
  packaged: string | null;
  step: Step;
  last: Outcome | null;
};

export const NO_UPDATE: UpdateState = {
  format: 1,
  slot: 'packaged',
  packaged: null,
  step: { at: 'rest' },
  last: null,
};

/** A power cut during the trial is forgiven once; whoever falls twice goes back. */
const STARTS_ALLOWED = 2;
/** A trial gets this long to prove itself. */
export const GATE_MS = 35_000;

export const began = (state: UpdateState, version: string): UpdateState => ({
  ...state,
  step: { at: 'staging', version },
});

export const staged = (state: UpdateState, version: string, allowMs: number): UpdateState => ({
  ...state,
  step: { at: 'staged', version, allowMs },
});

export const gaveUp = (state: UpdateState, outcome: Outcome): UpdateState => ({
  ...state,
  step: { at: 'rest' },
  last: outcome,
});

/** The running gateway lets go: the next start tries the new version. Null: there is nothing to switch to. */
export function switched(state: UpdateState): UpdateState | null {
  const { step } = state;
  if (step.at !== 'staged') return null;
  const { version, allowMs } = step;
  return { ...state, step: { at: 'trial', target: { version }, version, starts: 0, allowMs } };
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
    case 'staging': {
      const detail = 'the update was interrupted while it was unpacked; start it again';
      return proven(
        gaveUp(state, { result: 'interrupted', version: step.version, detail, at: facts.now }),
        facts,
      );
    }
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
  if (back === null) return { ...known, slot: 'packaged', step: { at: 'rest' } };
  return {
    ...known,
    slot: back,
    step: { at: 'trial', target: 'packaged', version: packagedVersion, starts: 0, allowMs: GATE_MS },
  };
}

function proven(state: UpdateState, facts: StartFacts): StartDecision {
  const trouble = troubleOf(state.slot, facts);
  if (trouble === null) return { state, run: state.slot, isTrial: false };
  const version = typeof state.slot === 'object' ? state.slot.version : facts.packagedVersion;
  const detail = `${trouble}; the version of the package runs instead`;
  const last: Outcome = { result: 'damaged', version, detail, at: facts.now };
  return { state: { ...state, slot: 'packaged', last }, run: 'packaged', isTrial: false };
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
  const last: Outcome = { result: 'updated', version: step.version, detail: 'it proved itself', at: now };
  return { ...state, slot: step.target, step: { at: 'rest' }, last };
}

/** Back to what is proven, which runs on the data as they are now. */
export function failed(state: UpdateState, detail: string, now: string): UpdateState {
  const { step } = state;
  if (step.at !== 'trial') return state;
  return gaveUp(state, { result: 'rolled_back', version: step.version, detail, at: now });
}

/** A stop that somebody asked for during a trial says nothing about the version. */
export function stoppedInTrial(state: UpdateState): UpdateState {
  const { step } = state;
  if (step.at !== 'trial' || step.starts === 0) return state;
  return { ...state, step: { ...step, starts: step.starts - 1 } };
}

/** Applied versions that nothing needs any more. One back is kept. */
export function unneeded(state: UpdateState, versions: readonly string[]): string[] {
  const { slot, step } = state;
  const needed = new Set<string>();
  if (typeof slot === 'object') needed.add(slot.version);
  if (step.at !== 'rest') needed.add(step.version);
  return versions.filter((version) => !needed.has(version));
}
