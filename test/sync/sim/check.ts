import canonicalize from 'canonicalize';
import { standInEmail } from '#contract/resources/users.ts';
import { UNIQUE_KEYS } from '#contract/sync/scopes.ts';
import { formatHlc } from '#store/hlc.ts';
import { newestOf } from '#store/register.ts';
import { isRenamed, type Ledger } from './ledger.ts';
import {
  groupValue,
  type KnownRow,
  keyOf,
  type ReadRows,
  type ReplicaState,
  SYNCED,
} from './replica-state.ts';

// What must hold when the faults are over and both sides have talked.

export type Violation = { rule: string; what: string };

/** Fields that tell of an instance or of its clock, not of the farm. */
const OWN_FIELDS = new Set(['updated_at']);
/** As far as the gateway's clock may be ahead, and a little for the hosted one. */
export const MOST_AHEAD_MS = 5 * 60_000;
export const CLOCK_SLACK_MS = 2 * 60_000;
/** More of one rule say nothing new. */
const SHOWN = 5;

/** By table and id: words about which an administrator is asked, because the hosted instance lost them. */
export type Asked = ReadonlyMap<string, readonly Record<string, unknown>[]>;

export function compare(gateway: ReplicaState, hosted: ReplicaState, asked: Asked = new Map()): Violation[] {
  const found: Violation[] = [];
  for (const key of new Set([...gateway.rows.keys(), ...hosted.rows.keys()])) {
    const here = gateway.rows.get(key);
    const there = hosted.rows.get(key);
    if (here === undefined || there === undefined) {
      const onlyOn = here === undefined ? 'the hosted instance' : 'the gateway';
      found.push({ rule: 'both have the same rows', what: `${key} is on ${onlyOn} only` });
      continue;
    }
    const differences = differing(asAnswered(here, there, asked.get(key) ?? []), there);
    if (differences.length > 0) {
      found.push({ rule: 'both say the same of a row', what: `${key}: ${differences.join('; ')}` });
    }
  }
  return found.slice(0, SHOWN);
}

/** Until it is answered, the gateway's word of a person stands beside the older one: just the word that is asked about. */
function asAnswered(here: KnownRow, there: KnownRow, asked: readonly Record<string, unknown>[]): KnownRow {
  const [mine, theirs] = [here.register, there.register];
  if (mine === null || theirs === null) return here;
  // of a whole account the language is not told beside the rest
  const ofAccount = isOfLostAccount(there, asked) ? ['is_active', 'language'] : [];
  const kinds = ['email', 'role', ...ofAccount].filter((kind) => {
    const fields = here.resource.groups[kind]?.fields ?? [];
    const isAsked =
      kind === 'language' ||
      // the gateway has the stand-in by now, under the stamps of the account
      isOfLostAccount(here, asked) ||
      asked.some((word) => fields.every((field) => word[field] === here.row[field]));
    return isAsked && (mine.over[kind] ?? mine.hlc) > (theirs.over[kind] ?? theirs.hlc);
  });
  return kinds.reduce<KnownRow>((row, kind) => {
    const fields = here.resource.groups[kind]?.fields ?? [];
    const told = Object.fromEntries(fields.map((field) => [field, there.row[field]]));
    const over = { ...row.register?.over, [kind]: theirs.over[kind] ?? theirs.hlc };
    return { ...row, row: { ...row.row, ...told }, register: { ...mine, over } };
  }, here);
}

/** A stand-in, until an administrator says whether the account that a gateway knows is made again. */
const isOfLostAccount = ({ row, register }: KnownRow, asked: readonly Record<string, unknown>[]): boolean =>
  // somebody may have given it an address since; that it cannot sign in is still nobody's word
  (row['email'] === standInEmail(row.id) || register?.over['is_active'] === '') &&
  asked.some((word) => word['is_active'] === true);

function differing(here: KnownRow, there: KnownRow): string[] {
  const differences = Object.keys(here.row)
    .filter((field) => !OWN_FIELDS.has(field))
    .filter((field) => canonicalize(here.row[field]) !== canonicalize(there.row[field]))
    .map((field) => `${field} ${JSON.stringify(here.row[field])} | ${JSON.stringify(there.row[field])}`);
  if (here.isHidden !== there.isHidden) differences.push(`hidden ${here.isHidden} | ${there.isHidden}`);
  const [mine, theirs] = [stampsOf(here), stampsOf(there)];
  if (mine !== theirs) differences.push(`register ${mine} | ${theirs}`);
  return differences;
}

/** The stamps of every group: where one is not noted it is that of the row's making. */
function stampsOf({ resource, register }: KnownRow): string {
  if (register === null) return '-';
  const groups = Object.keys(resource.groups).map((group) => [group, register.over[group] ?? register.hlc]);
  const others = Object.entries(register.over).filter(([group]) => !(group in resource.groups));
  return canonicalize({ cl: register.cl, groups: Object.fromEntries([...groups, ...others]) }) ?? '';
}

/** Every acknowledged write is somewhere. */
export function lostWrites(ledger: Ledger, states: readonly ReplicaState[]): Violation[] {
  return ledger
    .missing(states)
    .slice(0, SHOWN)
    .map(({ key, kind, group, value, side, n }) => ({
      rule: 'nothing acknowledged is lost',
      what: `${key} ${kind} ${group ?? ''} ${value} on the ${side} (write ${n})`,
    }));
}

/** Whoever wrote over a value had seen it: it does not come back, whatever clock it was written by. */
export function resurrected(ledger: Ledger, state: ReplicaState): Violation[] {
  const found: Violation[] = [];
  for (const [key, { resource, row }] of state.rows) {
    for (const group of ledger.wordsOf(resource)) {
      const [by] = ledger.replacing(key, group, row);
      if (by !== undefined) {
        const value = groupValue(resource, group, row);
        const what = `${key} ${group} is ${value}, which write ${by.n} had replaced by ${by.value}`;
        found.push({ rule: 'what was replaced does not come back', what });
      }
    }
  }
  return found.slice(0, SHOWN);
}

export const AHEAD = 'no stamp is ahead of its time';

/** No stamp is of a time to come: it would win against everybody until then. */
export function ahead(state: ReplicaState, nowMs: number): Violation[] {
  const limit = formatHlc(nowMs + MOST_AHEAD_MS + CLOCK_SLACK_MS, 0, '');
  return [...state.rows]
    .filter(([, { register }]) => register !== null && newestOf(register) > limit)
    .map(([key, { register }]) => ({
      rule: AHEAD,
      what: `${key} ${JSON.stringify(register)}`,
    }))
    .slice(0, SHOWN);
}

/** Every value was written by somebody, and every group as a whole. */
export function invented(
  ledger: Ledger,
  state: ReplicaState,
  asked: Asked = new Map(),
  isUnheard: (known: KnownRow, word: string) => boolean = () => false,
): Violation[] {
  const found: Violation[] = [];
  for (const [key, known] of state.rows) {
    const { resource, row } = known;
    if (isOfLostAccount(known, asked.get(key) ?? [])) continue;
    for (const group of ledger.wordsOf(resource)) {
      const value = groupValue(resource, group, row);
      if (ledger.wasWritten(key, group, value)) continue;
      const plain = value.replace(/(~[0-9a-z]+)+"/g, '"');
      if (isRenamed(value, plain) && ledger.wasWritten(key, group, plain)) continue;
      if (isUnheard(known, group)) continue;
      found.push({ rule: 'nothing is invented', what: `${key} ${group} is ${value}` });
    }
  }
  return found.slice(0, SHOWN);
}

/** One conflict is one real loss: nobody hears of a value that whoever wrote over it had seen. */
export async function superfluous(ledger: Ledger, read: ReadRows): Promise<Violation[]> {
  const told = await read(
    "select entity, row_id, field_group, kept_json, dropped_json, kept_hlc, dropped_hlc from sync_conflicts where rule = 'last_writer' order by id",
  );
  return told
    .flatMap(({ entity, row_id, field_group, kept_json, dropped_json, ...stamps }): Violation[] => {
      const resource = SYNCED.find((one) => one.entity === Number(entity));
      if (resource === undefined) return [];
      const key = keyOf(resource.name, String(row_id));
      const group = String(field_group);
      // written by the merge: fields and values
      const [kept = '', dropped = ''] = [kept_json, dropped_json].map((text) =>
        groupValue(resource, group, JSON.parse(String(text)) as Record<string, unknown>),
      );
      if (!ledger.hadSeen(key, group, { kept, dropped })) return [];
      const what = `${key} ${group}: ${dropped}, which whoever wrote ${kept} had seen ${JSON.stringify(stamps)}`;
      return [{ rule: 'one conflict is one loss', what }];
    })
    .slice(0, SHOWN);
}

type UniqueKey = (typeof UNIQUE_KEYS)[number];

/** No two visible rows under one key that is unique. */
export function doubled(state: ReplicaState, isAsked: (key: UniqueKey) => boolean = () => true): Violation[] {
  return UNIQUE_KEYS.filter(isAsked).flatMap(({ table, columns }) => {
    const keys = [...state.rows.values()]
      .filter(({ resource, isHidden }) => resource.name === table && !isHidden)
      .map(({ row }) => columns.map((column) => row[column]))
      .filter((values) => values.every((value) => value !== null))
      .map((values) => JSON.stringify(values));
    return keys.length === new Set(keys).size
      ? []
      : [
          {
            rule: 'a code stands once',
            what: `${table} ${columns.join(', ')}: ${keys.toSorted().join(' ')}`,
          },
        ];
  });
}
