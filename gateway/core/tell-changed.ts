import type { ChangedKind } from '#contract/events/stream.ts';

/**
 * Who may ask what changed: those who see a farm, those who operate it, those who operate any farm here, one person,
 * everybody who is signed in.
 */
export type ChangedFor =
  | { farmId: string; who: 'viewers' | 'operators' }
  | 'operators'
  | { userId: string }
  | 'everybody';

/**
 * Tells those who watch that answers of one kind differ from now on. Called when they do, as often as they do: the
 * stream gathers. Costs next to nothing while nobody watches.
 */
export type TellChanged = (kind: ChangedKind, to: ChangedFor) => void;
