import type { Resource } from '#contract/resource.ts';
import { OPS, type Restamp, type WireChange } from '#contract/sync/wire.ts';
import type { ChangeLog, StreamHead } from '../change-log.ts';
import { OWN_STREAM } from '../own-stream.ts';
import { LIFE, type Register, readRegister, writeRegister } from '../register.ts';
import type { Rows, Steps } from '../statements.ts';
import { restamped } from './accept-stamps.ts';
import { stampOf } from './claims.ts';
import { resourceOfEntity } from './shared-tables.ts';
import { type StoredChange, wireChangeOf } from './stored-change.ts';
import { textOf } from './text-of.ts';

/**
 * Gateway: stamps that the hosted instance set anew, in the registers of the rows. The log keeps what was sent: its chain
 * covers the original stamps, and a later push of it is known over there by that chain. Then the clock of the log comes
 * back from the future, as far as nothing that is still to be sent was stamped there. Answers changes that were dropped
 * here, for the other side's stamp was greater than their first one, and that count by their new one.
 */
export function* takeRestamps(restamps: readonly Restamp[], log: ChangeLog): Steps<WireChange[]> {
  const stream = log.state.streams.get(OWN_STREAM);
  const due = restamps.filter(({ epoch }) => epoch === stream?.epoch);
  if (stream === undefined || due.length === 0) return [];
  const again: WireChange[] = [];
  for (const restamp of due) again.push(...(yield* takeRestamp(restamp)));
  yield* comeBack(stream, due, log);
  return again;
}

function* takeRestamp({ lane, seq, chain, from, to }: Restamp): Steps<WireChange[]> {
  const [sent] = yield {
    sql: 'select * from sync_change where stream_id = ? and lane = ? and seq = ? and chain = ?',
    params: [OWN_STREAM, lane, seq, chain],
  };
  const resource = sent === undefined ? null : resourceOfEntity(Number(sent['entity']));
  if (sent === undefined || resource === null) return [];
  const id = String(sent['id']);
  const register = yield* readRegister(resource, id);
  if (register === null) return [];
  const known = withRestamp(register, sent, { from, to });
  yield* writeRegister(resource, id, known);
  // a delete goes by its causal length
  if (sent['op'] === OPS.delete || resource.sync === 'fact') return [];
  // all columns of the row
  const change = restamped(wireChangeOf(sent as unknown as StoredChange), from, to);
  return groupsOf(resource, change).some((group) => stampOf(known, group) < toldStamp(change, group))
    ? [change]
    : [];
}

const groupsOf = ({ groups }: Resource, { base, body }: WireChange): string[] =>
  Object.keys(groups).filter((group) => base === null || Object.hasOwn(body ?? {}, group));

const toldStamp = ({ hlc, over }: WireChange, group: string): string => over?.[group] ?? hlc;

function withRestamp(
  register: Register,
  sent: Rows[number],
  { from, to }: Pick<Restamp, 'from' | 'to'>,
): Register {
  const over = { ...register.over };
  const replace = (group: string, stamp: string): void => {
    if (stamp >= from && over[group] === stamp) over[group] = to;
  };
  const hlc = String(sent['hlc']);
  if (sent['op'] === OPS.delete) {
    replace(LIFE, hlc);
    return { ...register, over };
  }
  if (sent['base_json'] !== null) {
    // written by the change log: an object by group
    const groups = Object.keys(JSON.parse(String(sent['body_json'])) as object);
    for (const group of groups) replace(group, hlc);
    return { ...register, over };
  }
  // as above: an object of stamps
  const told = JSON.parse(textOf(sent['over_json']) || '{}') as Record<string, string>;
  for (const [group, stamp] of Object.entries(told)) replace(group, stamp);
  return { ...register, hlc: hlc >= from && register.hlc === hlc ? to : register.hlc, over };
}

function* comeBack(stream: StreamHead, due: readonly Restamp[], log: ChangeLog): Steps<void> {
  let newest = due.reduce((last, { to }) => (to > last ? to : last), '');
  for (const lane of ['core', 'history'] as const) {
    const accepted = Math.max(0, ...due.filter((restamp) => restamp.lane === lane).map(({ seq }) => seq));
    const [unsent] = yield {
      sql: `select max(hlc) as hlc from sync_change where stream_id = ? and lane = ? and seq > ?
        and seq > (select acked_${lane}_seq from sync_stream where stream_id = ?)`,
      params: [stream.id, lane, accepted, stream.id],
    };
    const hlc = unsent?.['hlc'];
    if (typeof hlc === 'string' && hlc > newest) newest = hlc;
  }
  log.comeBack(newest);
}
