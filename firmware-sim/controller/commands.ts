import type { DeviceCommand } from '#contract/mqtt/messages.ts';
import { unreachable } from '#contract/words.ts';
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
  const refusal = event.command.op === 'rotate_key' ? 'a new key is taken over the cable only' : null;
  effects.push({
    kind: 'result',
    correlation: event.correlation,
    body: refusal === null ? { ok: true } : { ok: false, detail: refusal },
  });
  if (refusal === null) perform(turn, event.command.op);
}

function perform(turn: Turn, op: DeviceCommand['op']): void {
  const { state, effects } = turn;
  switch (op) {
    case 'identify':
    case 'rotate_key':
      return;
    case 'read_meter':
      return publishMeter(turn);
    case 'resync':
      state.control.isAckDue = true;
      return publishHeartbeat(turn);
    case 'factory_reset':
      state.nvs.level = null;
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
