import { editsIn, type Mutant } from './mutants.ts';

// Rules that keep an order from afar within its time, each broken in the text of the module that holds it.

const at = editsIn('gateway');

export const ORDER_MUTANTS: readonly Mutant[] = [
  {
    name: 'the gateway does not ask whether an order still counts',
    edits: [at('sync/gateway/live-talk.ts', 'frame.answers_still === true ?', 'false ?')],
  },
  {
    name: 'the answer that an order is void is ignored',
    edits: [
      at(
        'sync/gateway/live-talk.ts',
        'left_ms === null ? Number.NEGATIVE_INFINITY :',
        'left_ms === null ? atMs + 10_000 :',
      ),
    ],
  },
  {
    name: 'one question serves all orders of a line',
    edits: [at('sync/gateway/live-talk.ts', 'own.asked += 1;', 'own.asked = 1;')],
  },
  {
    name: 'how long an order still counts is not counted',
    edits: [at('sync/gateway/live-talk.ts', 'Math.min(left_ms, MOST_ROUND_TRIP_MS)', 'MOST_ROUND_TRIP_MS')],
  },
  {
    name: 'its time is counted from the answer, not from the question',
    edits: [at('sync/gateway/live-talk.ts', 'atMs + Math.min(', 'deps.monotonic() + Math.min(')],
  },
  {
    name: 'the sleep of the machine is not counted',
    edits: [at('adapters/system/process-pauses.ts', 'asleepMs += sleptMs;', 'asleepMs += 0;')],
  },
  {
    name: 'lateness is looked at once, before the order is read',
    edits: [
      at('features/control/commands/take-command.ts', 'lateness(deps, lateAtMs) ??\n    ((await', '((await'),
      at('features/control/commands/take-command.ts', 'refusal ?? lateness(deps, lateAtMs) ??', 'refusal ??'),
    ],
  },
  {
    name: 'an order that counts is told as void at its time',
    edits: [
      at(
        'features/control/commands/hosted-commands.ts',
        "if (open.state === 'confirming' &&",
        "if (false && open.state === 'confirming' &&",
      ),
    ],
  },
  {
    name: 'an order that was void counts again',
    edits: [
      at(
        'features/control/commands/hosted-commands.ts',
        "const counts = known.state === 'confirming' ||",
        "const counts = true || known.state === 'confirming' ||",
      ),
    ],
  },
  {
    name: 'a newer order voids one that counts',
    edits: [
      at(
        'features/control/commands/gateway-commands.ts',
        "state === 'pending' || state === 'sent'",
        "state !== 'accepted'",
      ),
    ],
  },
];
