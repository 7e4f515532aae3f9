import type { Resource } from '#contract/resource.ts';
import { standInEmail } from '#contract/resources/users.ts';
import type { Committed } from '#core/changes.ts';
import { stampOf } from '#store/merge/claims.ts';
import type { Register } from '#store/register.ts';
import {
  fieldsOfWord,
  groupOfWord,
  groupValue,
  type KnownRow,
  keyOf,
  type ReplicaState,
  wordsOf,
} from './replica-state.ts';
import type { Side } from './things.ts';

// What was acknowledged, and what must therefore still be somewhere: as the value, as a value that somebody saw and
// replaced, among the conflicts, or aside.

export type Write = {
  n: number;
  side: Side;
  key: string;
  resource: Resource;
  id: string;
  kind: 'made' | 'edited' | 'life';
  /** For edits: the word (wordsOf), a group as a rule. */
  group: string | null;
  value: string;
  /** What stood there before, on that instance. */
  saw: string;
  /** For edits: all of the group, of which the word may be a part; before, and after. */
  whole: { saw: string; value: string };
  /** Causal length after a delete or a restore. */
  cl: number;
  /** Of an edit's group, on the side that made it. */
  stamp: string;
  /** Its only copy was on a disk that is gone. */
  isExcused: boolean;
  /**
   * The hosted instance lost it and only a copy of the value is left, without the change: what is written there from this
   * write on cannot be known not to have seen it. null: it is not so.
   */
  fragileFrom: number | null;
  /** The gateway's own word, which its card lost while the hosted instance had heard it. */
  isSaidAnew: boolean;
};

export type Ledger = {
  /** Notes what a unit of one of our own writes did. */
  note(side: Side, committed: Committed, registerOf: (table: string, id: string) => Register): void;
  /** Writes that none of the states accounts for. */
  missing(states: readonly ReplicaState[]): Write[];
  /**
   * The disk of `side` went back in time: what only it had is nobody's fault any more. What is that side's alone to say
   * goes back with it, even where the other one had heard it.
   */
  excuse(
    side: Side,
    remaining: Readonly<Record<Side, ReplicaState>>,
    known: {
      /** Rows of which the gateway's log still tells. */
      isLogged: (key: string) => boolean;
      /** The database lives on as another one: what a gateway heard of accounts is asked about. */
      isAnotherLife: boolean;
    },
  ): number;
  /** The disk of `side` is about to go back: what lost is kept there alone, and goes with it. */
  excuseKeptAside(side: Side, states: Readonly<Record<Side, ReplicaState>>): void;
  /** Writes over a value of a row by somebody who had seen it, none of them lost with a disk. */
  replacing(key: string, group: string, row: Readonly<Record<string, unknown>>): Write[];
  /**
   * Had whoever wrote one value of a group seen the other, both since a disk last went back? `told` is a conflict as it stands
   * in the list: the values that were kept and dropped.
   */
  hadSeen(key: string, group: string, told: { kept: string; dropped: string }): boolean;
  /** Was the row made here, and is it on no disk any more? */
  isGone(key: string, states: readonly ReplicaState[]): boolean;
  /** Of whose account no disk had more than the name at some time: all that is known of it is who it was. */
  wasNameAlone(key: string): boolean;
  /** Values of a group that somebody ever wrote. */
  wasWritten(key: string, group: string, value: string): boolean;
  /** What of a row is written as one. */
  wordsOf(resource: Resource): string[];
  count(): number;
};

/** Where the later word is all anybody wants: what loses there is not kept. */
const UNDISPUTED = new Set(['notifications read', 'alerts value', 'transfers contested']);

/** Of what is no edit. */
const NOTHING = { saw: '', value: '' };

/** Of an account: what a gateway heard is asked about when a failover lost it. */
const DETAILS = new Set(['email', 'role']);

export function createLedger(resources: ReadonlyMap<string, Resource>, isMixed = false): Ledger {
  const writes: Write[] = [];
  const values = new Set<string>();
  const firstValues = new Set<string>();
  const namesAlone = new Set<string>();
  let wentBackAt = 0;

  function add(write: Omit<Write, 'n' | 'isExcused' | 'fragileFrom' | 'isSaidAnew'>): void {
    writes.push({ ...write, n: writes.length, isExcused: false, fragileFrom: null, isSaidAnew: false });
    if (write.group !== null) values.add(`${write.key} ${write.group} ${write.value}`);
  }

  function noteRow(side: Side, row: Committed['rows'][number], register: Register): void {
    const resource = resources.get(row.table);
    if (resource === undefined) return;
    const of = {
      side,
      key: keyOf(row.table, row.id),
      resource,
      id: row.id,
      group: null,
      value: '',
      saw: '',
      whole: NOTHING,
      cl: register.cl,
      stamp: '',
    };
    if (row.before === null) {
      add({ ...of, kind: 'made' });
      for (const group of wordsOf(resource, isMixed)) {
        const value = `${of.key} ${group} ${groupValue(resource, group, row.after)}`;
        values.add(value);
        firstValues.add(value);
      }
      return;
    }
    for (const group of wordsOf(resource, isMixed)) {
      const value = groupValue(resource, group, row.after);
      const saw = groupValue(resource, group, row.before);
      // the verifier of a box ends when its person leaves, or changes the password in the cloud
      if (value === saw || (side === 'gateway' && row.table === 'users' && group === 'password')) continue;
      if (UNDISPUTED.has(`${row.table} ${group}`)) values.add(`${of.key} ${group} ${value}`);
      else {
        const name = groupOfWord(group);
        const whole = {
          saw: groupValue(resource, name, row.before),
          value: groupValue(resource, name, row.after),
        };
        add({ ...of, kind: 'edited', group, value, saw, whole, stamp: stampOf(register, name) });
      }
    }
  }

  function missing(states: readonly ReplicaState[]): Write[] {
    const bySaw = Map.groupBy(
      // one that was thought gone may have been on a card that came back
      writes.filter(({ kind }) => kind === 'edited'),
      // whoever saw `CP-1~abcd` saw what `CP-1` had become
      ({ key, group, saw }) => `${key} ${group} ${asGiven(saw)}`,
    );
    const known = new Map<Write, boolean>();
    const isThere = (write: Write): boolean => {
      const answer = known.get(write);
      if (answer !== undefined) return answer;
      // values that come again could make a circle
      known.set(write, false);
      const is =
        states.some((state) => holds(state, write)) ||
        isWrittenAnew(write) ||
        (bySaw.get(`${write.key} ${write.group} ${asGiven(write.value)}`) ?? []).some(
          (later) =>
            (later.n > write.n || hasTwin(write, later)) &&
            (later.saw === write.value || isRenamed(later.saw, write.value)) &&
            isThere(later),
        );
      known.set(write, is);
      return is;
    };
    // what was said of a row that is gone with a disk goes with it
    const goneRows = new Set(
      writes.flatMap(({ kind, key, isExcused }) => (kind === 'made' && isExcused ? key : [])),
    );
    const isOfGone = ({ key }: Write) => goneRows.has(key) && !states.some(({ rows }) => rows.has(key));
    return writes.filter((write) => !write.isExcused && !isThere(write) && !isOfGone(write));
  }

  const isWrittenAnew = ({ fragileFrom, key, group }: Write): boolean =>
    fragileFrom !== null &&
    writes.some(
      (later) =>
        later.n >= fragileFrom && later.side === 'hosted' && later.key === key && later.group === group,
    );

  /** The other side had said just the same before somebody replaced it: of two that say the same none is lost. */
  const hasTwin = ({ side, key, group, value }: Write, later: Write): boolean =>
    writes.some(
      (twin) =>
        twin.kind === 'edited' &&
        twin.side !== side &&
        twin.key === key &&
        twin.group === group &&
        twin.value === value &&
        twin.n < later.n,
    );

  /** Somebody who had seen it wrote something else. */
  const isOverwritten = ({ n, key, group, value }: Write): boolean =>
    writes.some((later) => later.n > n && later.key === key && later.group === group && later.saw === value);

  const isNowhere = (write: Write, { gateway, hosted }: Readonly<Record<Side, ReplicaState>>): boolean =>
    !write.isExcused &&
    !isOverwritten(write) &&
    isAnotherWord(gateway, write) &&
    isAnotherWord(hosted, write);

  return {
    note(side, committed, registerOf) {
      for (const row of committed.rows) noteRow(side, row, registerOf(row.table, row.id));
      const [first] = committed.rows;
      const resource = resources.get(first?.table ?? '');
      if (first === undefined || resource === undefined) return;
      const key = keyOf(first.table, first.id);
      const { cl } = registerOf(first.table, first.id);
      // children carry no tombstone of their own: the first row is the one that was deleted or restored
      const isLife = first.hidden || (first.before === null && cl > 1);
      if (isLife)
        add({
          side,
          key,
          resource,
          id: first.id,
          kind: 'life',
          group: null,
          value: '',
          saw: '',
          whole: NOTHING,
          cl,
          stamp: '',
        });
    },
    missing,
    excuse(side, remaining, { isLogged, isAnotherLife }) {
      wentBackAt = writes.length;
      for (const { kind, key } of writes)
        if (kind === 'made' && isNameAlone(key, remaining)) namesAlone.add(key);
      if (side === 'hosted') {
        for (const write of missing([remaining.hosted])) {
          if (write.side === 'hosted' || !isLogged(write.key)) write.fragileFrom ??= writes.length;
        }
      }
      // of what is the gateway's own no snapshot is believed: its older word is said anew, and a conflict has the newer one
      if (side === 'gateway')
        for (const write of missing([remaining.gateway]))
          write.isSaidAnew ||= write.resource.groups[groupOfWord(write.group ?? '')]?.owner === 'gateway';
      const isItsAlone = ({ resource, group }: Write) =>
        side === 'hosted' &&
        resource.groups[groupOfWord(group ?? '')]?.owner === 'hosted' &&
        !(isAnotherLife && resource.name === 'users' && DETAILS.has(group ?? ''));
      const gone = [
        ...missing([remaining.gateway, remaining.hosted]),
        ...missing([remaining[side]]).filter(isItsAlone),
        // what only reads the same, because a value came again, is another word
        ...writes.filter((write) => side === 'hosted' && isNowhere(write, remaining)),
      ];
      for (const write of gone) write.isExcused = true;
      return gone.length;
    },
    excuseKeptAside(side, states) {
      const without = { ...states, [side]: { ...states[side], dropped: new Map() } };
      for (const write of missing([without.gateway, without.hosted])) write.isExcused = true;
    },
    replacing(key, group, row) {
      const ofGroup = writes.filter((write) => write.key === key && write.group === group);
      const [{ resource } = {}] = ofGroup;
      if (resource === undefined) return [];
      const [value, whole] = [group, groupOfWord(group)].map((name) => groupValue(resource, name, row));
      if (value === undefined) return [];
      // a value that came again says nothing: neither what was replaced, nor whether a disk lost what replaced it
      const isOnce = (one: string) => ofGroup.filter((write) => write.value === one).length === 1;
      if (!isOnce(value) || firstValues.has(`${key} ${group} ${value}`)) return [];
      // a group is written as one: the other side said all that stands there, of which this word was no change
      const wrote = writes.filter(
        (write) =>
          write.key === key &&
          groupOfWord(write.group ?? '') === groupOfWord(group) &&
          write.whole.value === whole,
      );
      return ofGroup.filter(
        (by) =>
          by.saw === value &&
          isOnce(by.value) &&
          !by.isExcused &&
          by.fragileFrom === null &&
          !by.isSaidAnew &&
          !wrote.some(({ side }) => side !== by.side && by.whole.saw !== whole),
      );
    },
    hadSeen(key, group, { kept, dropped }) {
      const ofGroup = writes.filter((write) => write.key === key && write.group === group);
      // a value that came again says nothing of who had seen it
      const only = (value: string) => {
        const found = ofGroup.filter((write) => write.value === value);
        return found.length === 1 && !firstValues.has(`${key} ${group} ${value}`) ? (found[0] ?? null) : null;
      };
      const lost = only(dropped);
      if (lost === null || lost.n < wentBackAt) return false;
      const passed = new Set<Write>();
      for (let by = only(kept); by !== null && !passed.has(by); by = only(by.saw)) {
        if (by.saw === dropped) return true;
        passed.add(by);
      }
      return false;
    },
    isGone: (key, states) =>
      writes.some((write) => write.kind === 'made' && write.key === key && write.isExcused) &&
      !states.some(({ rows }) => rows.has(key)),
    wasNameAlone: (key) => namesAlone.has(key),
    wasWritten: (key, group, value) => values.has(`${key} ${group} ${value}`),
    wordsOf: (resource) => wordsOf(resource, isMixed),
    count: () => writes.length,
  };
}

/** The hosted instance lost the account, and the gateway had heard that its person left. */
export function isNameAlone(key: string, { gateway, hosted }: Readonly<Record<Side, ReplicaState>>): boolean {
  const here = gateway.rows.get(key);
  return !hosted.rows.has(key) && here?.resource.name === 'users' && isStandIn(here);
}

export const isStandIn = ({ row }: KnownRow): boolean => row['email'] === standInEmail(row.id);

/** Does the state hold another word of the group than an edit of the hosted instance, though it may read the same? */
function isAnotherWord({ rows, parked, dropped }: ReplicaState, write: Write): boolean {
  const { side, key, kind, resource, group, value, stamp } = write;
  const register = rows.get(key)?.register ?? null;
  if (side !== 'hosted' || kind !== 'edited' || group === null || register === null) return false;
  const isKept = (dropped.get(key) ?? []).some((found) => groupValue(resource, group, found) === value);
  return stampOf(register, groupOfWord(group)) !== stamp && !parked.has(key) && !isKept;
}

function holds(state: ReplicaState, write: Write): boolean {
  const known = state.rows.get(write.key);
  const parked = state.parked.get(write.key) ?? [];
  switch (write.kind) {
    case 'made':
      // a part of a row is not the row
      return (
        known !== undefined || parked.some((text) => /"op":[134],/.test(text) && /"base":null/.test(text))
      );
    case 'life':
      return (known?.register?.cl ?? 0) >= write.cl || parked.some((text) => /"op":[23]/.test(text));
    case 'edited':
      return holdsEdit(state, write);
  }
}

function holdsEdit(state: ReplicaState, { key, resource, group, value }: Write): boolean {
  if (group === null) return true;
  const known = state.rows.get(key);
  if (known !== undefined) {
    const now = groupValue(resource, group, known.row);
    if (now === value || isRenamed(now, value)) return true;
  }
  const fields = fieldsOfWord(resource, group);
  const isValue = (found: Record<string, unknown>) =>
    fields.some((field) => field in found) && groupValue(resource, group, found) === value;
  if ((state.dropped.get(key) ?? []).some(isValue)) return true;
  return (state.parked.get(key) ?? []).some((text) => {
    // a change as it came: a row with its columns, or groups with their fields; a column may be called as a group is
    const { body } = JSON.parse(text) as { body: Record<string, unknown> | null };
    const part = body?.[groupOfWord(group)];
    return body !== null && (isValue(body) || (isFields(part) && isValue(part)));
  });
}

const isFields = (part: unknown): part is Record<string, unknown> =>
  typeof part === 'object' && part !== null;

/** `CP-1` became `CP-1~abcd` because another one has it: nothing was lost. */
export const isRenamed = (now: string, value: string): boolean => asGiven(now) === value;

/** A code as somebody gave it. */
const asGiven = (value: string): string => value.replace(/(~[0-9a-z]+)+"/g, '"');
