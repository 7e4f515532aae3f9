import type { Register } from '../register.ts';

// What the merge is about: a row as one side holds it, a change of it, and what becomes of both.

export type Fields = Readonly<Record<string, unknown>>;
export type Row = { id: string } & Record<string, unknown>;

/**
 * Of an account: that it changed; how it stands; how it stands where nobody asks what else was said of it; that its person
 * is on none of this gateway's farms.
 */
export type Telling = 'groups' | 'whole' | 'settled' | 'left';

/** What one side holds of a row. */
export type Held = { row: Row; register: Register };

/** One change of one row, its body checked. */
export type Edit =
  /** The row as it was made, as it stands (`over`), or as it came back. */
  | {
      is: 'whole';
      cl: number;
      hlc: string;
      over: Readonly<Record<string, string>>;
      row: Row;
      /** Fields that the other side does not know yet; the row has their defaults. */
      unsaid?: readonly string[];
      /** As the hosted instance has it, told without what came before. */
      isSnapshot?: true;
      /** As a gateway has it, told without what came before: nothing in it says what its edits were made over. */
      isToldAlone?: true;
      /** As the hosted instance has it, where both were found to differ: it counts under an equal stamp, too. */
      isMended?: true;
      telling?: Telling;
    }
  /** Some groups, with the stamps they had where they were changed. */
  | {
      is: 'groups';
      cl: number;
      hlc: string;
      base: Fields;
      groups: Readonly<Record<string, Fields>>;
      updatedAt: unknown;
      /** Of an account, as the hosted instance says it. */
      telling?: Telling;
    }
  /** `seen`: stamps that were known of the row when it was deleted; null: nobody noted them. */
  | { is: 'delete'; cl: number; hlc: string; seen: Readonly<Record<string, string>> | null };

/** A group's value that lost against a concurrent one. */
export type Lost = {
  group: string;
  rule: 'last_writer' | 'delete_wins';
  kept: Fields;
  dropped: Fields;
  keptHlc: string;
  droppedHlc: string;
};

/** `passedOver`: groups the receiver owns, in which the other side said something else, later. */
export type Merged = { held: Held; lost: Lost[]; passedOver: string[] };
