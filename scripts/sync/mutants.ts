// Rules of the protocol, each broken in the text of the module that holds it. A rule whose breaking nobody notices is
// not tested, or not needed.

export type Mutant = {
  name: string;
  /** Why nobody need notice: another rule does the same work. */
  spare?: string;
  edits: readonly Edit[];
  /** Looked for where one side begins as an earlier version. */
  isMixed?: true;
};

export type Edit = { file: string; from: string; to: string };

/** Edits of the modules in a folder. */
export const editsIn =
  (folder: string) =>
  (name: string, from: string, to: string): Edit => ({ file: `${folder}/${name}`, from, to });

const hosted = editsIn('gateway/sync/hosted');
const gateway = editsIn('gateway/sync/gateway');
const store = editsIn('gateway/store');

const NO_TIMELINE: readonly Edit[] = [
  hosted('answer-hello.ts', "request.timeline !== '' && request.timeline !== timeline", 'false'),
  gateway('step.ts', "known !== '' && known !== told", 'false'),
];
/** Numbers alone, wherever a chain would tell that two histories differ. */
const NO_CHAINS: readonly Edit[] = [
  hosted('decide-push.ts', 'meeting.chain !== point.chain', 'false'),
  hosted('answer-hello.ts', 'head.seq === own.seq && head.chain !== own.chain', 'false'),
  hosted('answer-hello.ts', 'acked.seq === own.seq && acked.chain !== own.chain', 'false'),
  hosted('answer-hello.ts', 'mark !== null && mark !== acked.chain', 'false'),
  hosted('answer-hello.ts', 'return feedChain === cursor.chain ? null', 'return true ? null'),
  gateway('step.ts', 'if (ownChain !== claimed.chain)', 'if (false)'),
];

export const MUTANTS: readonly Mutant[] = [
  { name: 'chains are not compared', edits: NO_CHAINS },
  {
    name: 'an acknowledgement is a number without its chain',
    spare:
      'the hosted instance compares chains with every request; this side’s word is looked at in test/sync/gateway-points',
    edits: NO_CHAINS.slice(-1),
  },
  {
    name: 'a lower number than before is nothing amiss',
    edits: [
      hosted('answer-hello.ts', 'if (head !== null && head.seq < own.seq)', 'if (false)'),
      hosted('answer-hello.ts', 'if (acked.seq > own.seq)', 'if (false)'),
      gateway('step.ts', 'if (claimed.seq < sent.seq)', 'if (false)'),
      gateway(
        'step.ts',
        'if (claimed.seq > head.seq)',
        "if (claimed.seq > head.seq) return { is: 'known' }; if (false)",
      ),
    ],
  },
  {
    name: 'the life of the hosted database is not compared',
    spare: 'points and chains tell it, too, of all that was ever told',
    edits: NO_TIMELINE,
  },
  {
    name: 'nobody compares at hello, pulls tell nothing of the log',
    edits: [
      hosted('answer-hello.ts', 'return reason === null ?', 'return true ?'),
      gateway('ask-hello.ts', 'in: answer.in, isGreeting', 'in: {}, isGreeting'),
      gateway('ask-pull.ts', 'in: answer.in }', 'in: {} }'),
    ],
  },
  {
    name: 'a damaged row is taken as it comes',
    edits: [
      hosted('decide-push.ts', 'if (row.chain !== chain)', 'if (false)'),
      gateway('ask-pull.ts', 'if (chain !== row.chain)', 'if (false)'),
    ],
  },
  {
    name: 'the cursor moves before the rows are in',
    edits: [
      gateway(
        'ask-pull.ts',
        '    if (isNews) await deps.store.take({ restamps: first.restamps, changes: slice, told, expect, set });',
        `    if (isNews) {
      await deps.store.take({ restamps: first.restamps, changes: [], expect, set });
      await deps.store.take({ restamps: [], changes: slice, expect: {}, set: {} });
    }`,
      ),
    ],
  },
  {
    name: 'a push is confirmed before it is applied',
    edits: [
      hosted(
        'answer-push.ts',
        'stream: {\n      id: stream.stream_id,',
        "...(changes.length > 3 ? { incoming: { from: 'gateway', streamId: stream.stream_id, lane, changes: changes.slice(0, 3) } as const } : {}),\n    stream: {\n      id: stream.stream_id,",
      ),
    ],
  },
  {
    name: 'a push that comes again is applied again',
    spare: 'merging the same again changes nothing',
    edits: [hosted('decide-push.ts', 'rows.filter(({ seq }) => seq > own.seq)', 'rows.filter(() => true)')],
  },
  {
    name: 'stamps set anew are told with pushes alone',
    edits: [
      hosted(
        'answer-pull.ts',
        'restamps: await restampsBehind(',
        'restamps: await (async (..._: unknown[]) => [])(',
      ),
      hosted(
        'answer-hello.ts',
        'restamps: await restampsBehind(',
        'restamps: await (async (..._: unknown[]) => [])(',
      ),
    ],
  },
  {
    name: 'a card of an earlier epoch is not told what was set anew since',
    edits: [
      hosted(
        'answer-snapshot.ts',
        '...(await deps.store.laterRestamps(caller.streamId, request.epoch)),',
        '',
      ),
    ],
  },
  {
    name: 'stamps set anew are forgotten when they were heard',
    edits: [hosted('answer-snapshot.ts', 'request.resync === null', 'false')],
  },
  {
    name: 'a stamp far in the future is taken as it is',
    edits: [store('merge/accept-stamps.ts', 'MOST_AHEAD_MS = 5 * 60_000', 'MOST_AHEAD_MS = 1e12')],
  },
  {
    name: 'the gateway does not take over stamps set anew',
    edits: [
      store(
        'merge/accept-stamps.ts',
        'if (stream === undefined || due.length === 0) return [];',
        'return [];',
      ),
    ],
  },
  {
    name: 'equal stamps are left as they stand',
    edits: [store('merge/claims.ts', 'return left === right ? 0 : left > right ? 1 : -1;', 'return 0;')],
  },
  {
    name: 'the later clock decides on a delete',
    edits: [
      store(
        'merge/accept-stamps.ts',
        'return { cl: Math.max(register.cl, other.cl)',
        'return { cl: other.stamp > newestOf(register) ? other.cl : register.cl',
      ),
    ],
  },
  {
    name: 'fields merge one by one, not as groups',
    edits: [
      store(
        'merge/merge.ts',
        'Object.assign(merged, order > 0 ? other.value : own.value);',
        'Object.assign(merged, order > 0 ? Object.fromEntries(Object.entries(other.value).filter(([field], place) => place === 0 || merged[field] == null)) : own.value);',
      ),
    ],
  },
  {
    name: 'whoever comes last wins',
    edits: [
      store(
        'merge/claims.ts',
        'if (a.hlc !== b.hlc) return a.hlc > b.hlc ? 1 : -1;',
        'if (a.hlc !== b.hlc) return 1;',
      ),
    ],
  },
  {
    name: 'registers rest while a row is deleted',
    edits: [
      store('merge/merge.ts', 'if (order <= 0) continue;', 'if (order <= 0 || !isAlive(register)) continue;'),
    ],
  },
  {
    name: 'what loses is not kept',
    edits: [
      store('merge/merge.ts', 'if (order !== 0) lost.push(...lostOf', 'if (false) lost.push(...lostOf'),
    ],
  },
  {
    name: 'a new epoch keeps the old numbers',
    edits: [hosted('answer-snapshot.ts', "in_core_seq: 0,\n            in_core_chain: '',", '')],
  },
  {
    name: 'a comparison begins no new epoch',
    edits: [hosted('answer-snapshot.ts', 'Math.max(stream.epoch, epochOfGateway) + 1', 'stream.epoch')],
  },
  {
    name: 'old epochs are still heard',
    edits: [
      hosted('decide-push.ts', 'stream.resync !== null || request.epoch !== stream.epoch', 'false'),
      hosted('answer-pull.ts', 'stream.resync !== null || request.epoch !== stream.epoch', 'false'),
    ],
  },
  {
    name: 'what a comparison found is not told',
    edits: [store('merge/log-difference.ts', 'if (knowsMore(', 'if (false && knowsMore(')],
  },
  {
    name: 'a register that is there stays as it is',
    edits: [
      store(
        'merge/write-rows.ts',
        'on conflict (entity, id) do update set cl = excluded.cl, hlc = excluded.hlc, over_json = excluded.over_json',
        'on conflict (entity, id) do nothing',
      ),
    ],
  },
  {
    name: 'of two rows with one code the newcomer is renamed',
    spare: 'both come to one end all the same; who keeps the code is looked at in test/store/merge',
    edits: [
      store(
        'merge/unique-keys.ts',
        '`${isFirst ? 0 : 1} ${isFromAfar ? 1 : 0} ${claim} ${id}`',
        '`${work.before === null ? 1 : 0} ${claim} ${id}`',
      ),
    ],
  },
  {
    name: 'a row below a deleted one is seen',
    edits: [store('merge/working-set.ts', 'standingOf(set, table, id)?.hidden === true', 'false')],
  },
  {
    name: 'stamps from the future are not brought back',
    edits: [
      {
        file: 'gateway/adapters/sync/timeline.ts',
        from: 'if (looked !== undefined && drawn === undefined) return;',
        to: 'return;',
      },
    ],
  },
  {
    name: 'stamps from the future are brought back to before the return, whatever they were made over',
    edits: [
      store(
        'merge/time-return.ts',
        'stamp > limit ? behind(future, known, stamp) : stamp',
        'stamp > limit ? behind(future, { returned_ms: known.returned_ms - 3_600_000 }, stamp) : stamp',
      ),
    ],
  },
  {
    name: 'stamps of rows that no gateway hears of stay in the future',
    edits: [
      store('change-log.ts', 'if (log.state.streams.size === 0 && log.state.hlc !== null)', 'if (false)'),
    ],
  },
  {
    name: 'parts of a row that waits aside are dropped by a comparison',
    edits: [store('merge/parked.ts', "reason not like 'absent:%')`;", "reason not like '%')`;")],
  },
  {
    name: 'what a row that is told as it stands won or lost against is noted nowhere',
    edits: [store('merge/merge.ts', '(edit.isToldAlone === true && !isOfMaking', '(false && !isOfMaking')],
  },
  {
    name: 'a comparison without a farm counts as having heard of it',
    edits: [hosted('answer-snapshot.ts', 'return isAway ?', 'return false ?')],
  },
  {
    name: 'a return of stamps is followed by the time it is now',
    edits: [store('merge/time-return.ts', 'taken === null ? ahead : lastStampOf(one.limit_ms)', 'ahead')],
  },
  {
    name: 'words of accounts of a farm that is away wait aside',
    edits: [store('merge/hosted-account.ts', ' || tenancy?.away.has(id) === true', '')],
  },
  {
    name: 'what a box tells of an account with stamps from the future wins over the cloud',
    edits: [
      store('merge/hosted-account.ts', 'for (const group of wordsSetAnew(item))', 'for (const group of [])'),
    ],
  },
  {
    name: 'what was refused while the farm was away is not tried again',
    edits: [hosted('answer-snapshot.ts', "retry: 'parked',", '')],
  },
  {
    name: 'numbers kept aside outlive their epoch',
    spare:
      'two farms, and the same numbers, meet too seldom; they do in test/sync/sim/moves-and-leavers, where it is noticed',
    edits: [
      store(
        'merge/keep-marks.ts',
        'update sync_parked set seq = 0 where',
        'update sync_parked set seq = seq where',
      ),
    ],
  },
  {
    name: 'a gateway is not told which of its farms are run elsewhere',
    edits: [gateway('ask-pull.ts', 'if (answer.moved !== undefined)', 'if (false)')],
  },
  {
    name: 'who left the farms is not told to their gateway',
    edits: [store('commit.ts', 'yield* tellLeavers(rows, log, context);', '')],
  },
  {
    name: 'a verifier of the box outlives the password it was made of',
    edits: [
      store(
        'merge/account-word.ts',
        "if (group === 'password') return passwordWord({ own, other }, telling);",
        "if (group === 'password') return null;",
      ),
    ],
  },
  {
    name: 'a change is told as if every program knew all of it',
    isMixed: true,
    spare:
      'the comparison after the upgrade fills it in; which schema is told is looked at in test/sync/schemas',
    edits: [
      store(
        'merge/schemas.ts',
        'return Math.max(since, ...changed,',
        'return Math.min(1, since, ...changed,',
      ),
    ],
  },
  {
    name: 'what waited for an upgrade is not tried after it',
    isMixed: true,
    edits: [store('merge/parked.ts', 'and tried_schema < ${SYNC_SCHEMA}', 'and tried_schema < 0')],
  },
  {
    name: 'a field that was not told is at its default',
    isMixed: true,
    spare:
      'what the older side kept aside until its upgrade is noted as a conflict, a trace to the judge of pairs; looked at in test/store/merge/two-versions',
    edits: [
      store(
        'merge/merge.ts',
        'const told: Row = { ...edit.row, ...fieldsOf(row, edit.unsaid ?? []) };',
        'const told: Row = edit.row;',
      ),
    ],
  },
  {
    name: 'what one side had not known is not filled in at equal stamps',
    isMixed: true,
    spare:
      'programs of today keep aside what they do not know, so equal stamps say the same; of older ones it is looked at in test/store/merge/two-versions',
    edits: [
      store('merge/schemas.ts', 'if (own.hlc !== other.hlc || Object.keys(', 'if (true || Object.keys('),
    ],
  },
  // where the judge of the pairs lets something pass, a loss in that very place
  {
    name: 'what a card lost of its own word is noted nowhere',
    edits: [store('merge/own-say.ts', "if (edit.is !== 'whole') return [];", 'return [];')],
  },
  {
    name: 'an e-mail that a failover lost is given up at the gateway',
    edits: [
      store(
        'merge/account-word.ts',
        "telling !== 'settled' && DETAILS.has(group) && own.hlc > other.hlc",
        'false',
      ),
      store('merge/log-difference.ts', "group === 'password' || DETAILS.has(group)", "group === 'password'"),
    ],
  },
  {
    name: 'an administrator is asked about another e-mail than the gateway has',
    edits: [
      store(
        'merge/lost-people.ts',
        '[kind]: told }];',
        "[kind]: `${kind === 'email' ? 'x' : ''}${told}` }];",
      ),
    ],
  },
];
