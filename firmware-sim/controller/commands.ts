import type { DeviceCommand } from '#contract/mqtt/messages.ts';
import { unreachable } from '#contract/words.ts';
import { connectAnew } from './link-rules.ts';
import { publishHeartbeat, publishMeter } from './reports.ts';
import type { Turn } from './turn.ts';

const COMMANDS_REMEMBERED = 8;

type CommandEvent = { correlation: string; command: DeviceCommand; isRetained: boolean };

/** Does once what a command asks, and answers it. */
export function obey(turn: Turn, event: CommandEvent): void {
  const { state, effects } = turn;
  // A retained order is a ghost of an old one, and a repeated one has been obeyed.
  if (event.isRetained || state.recentCommands.includes(event.correlation)) return;
  state.recentCommands = [...state.recentCommands, event.correlation].slice(-COMMANDS_REMEMBERED);
  const refusal = refusalOf(turn, event.command);
  effects.push({
    kind: 'result',
    correlation: event.correlation,
    body: refusal === null ? { ok: true } : { ok: false, detail: refusal },
  });
  if (refusal === null) perform(turn, event.command);
}

function refusalOf({ state }: Turn, { op, key }: DeviceCommand): string | null {
  if (op !== 'rotate_key') return null;
  if (state.profile.transport !== 'mqtt') return 'a new key is taken over the cable only';
  return key === undefined || key === '' ? 'no key came with it' : null;
}

function perform(turn: Turn, { op, key }: DeviceCommand): void {
  const { state, effects } = turn;
  switch (op) {
    case 'identify':
      return;
    case 'rotate_key':
      effects.push({ kind: 'rekey', key: key ?? '' });
      return connectAnew(turn);
    case 'read_meter':
      return publishMeter(turn);
    case 'resync':
      state.control.isAckDue = true;
      return publishHeartbeat(turn);
    case 'factory_reset':
      state.nvs.level = null;
      state.nvs.ending = null;
      state.nvs.hasEnded = false;
      state.nvs.applied = null;
      state.nvs.schedule = null;
      state.nvs.config = state.profile.factoryConfig;
      effects.push({ kind: 'restart' });
      return;
    case 'reboot':
      effects.push({ kind: 'restart' });
      return;
    default:
      return unreachable(op);
  }
}
