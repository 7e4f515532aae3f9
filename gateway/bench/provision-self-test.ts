import { type JobContext, type JobOf, type JobResult, sentence } from './job.ts';
import { atConsole } from './provision-at-console.ts';
import { shown } from './provision-board.ts';
import type { BoardConsole } from './provision-console.ts';
import { askBoardInfo, type RelayState, switchRelay } from './sfprov-client.ts';
import { BenchTrouble } from './trouble.ts';

/**
 * Lets the relay click: on, what the motor draws, off again. A board lets go by itself after `for_s`, so that a pulled
 * cable leaves no motor running. Throws SELF_TEST_FAILED.
 */
export async function selfTestBoard(job: JobOf<'self_test'>, context: JobContext): Promise<JobResult> {
  return atConsole(job, context, async (console) => {
    const info = await askBoardInfo(console);
    if (info.device_id !== null && job.off_limits.includes(info.device_id)) {
      throw failed(
        `${info.device_id} is locked out: somebody may be working at its motor`,
        'ask who locked it out, and test it when the lock-out is lifted',
      );
    }
    context.tell(sentence('relay', 'switching the relay on'));
    const on = await switchedOn(console, job);
    context.tell(sentence('relay', `on${currentOf(on)}; switching it off`));
    const off = await switchRelay(console, 'OFF', job.for_s);
    if (off.current_status !== 'OFF') {
      throw failed(
        'the relay stays on',
        'take the supply off the motor: the contacts may be welded. Then replace the relay',
      );
    }
    const needed = job.min_current_ma;
    if (needed !== null && (on.motor_current_ma ?? 0) < needed) {
      throw failed(
        `the relay clicked, the motor drew ${on.motor_current_ma ?? 'no measured'} mA of ${needed} mA`,
        'check the breaker, the cable to the motor and the clamp of the current sensor',
      );
    }
    context.tell(sentence('relay', 'off; the relay obeys'));
    return { ...shown(info), motor_current_ma: on.motor_current_ma };
  });
}

async function switchedOn(console: BoardConsole, { for_s }: JobOf<'self_test'>): Promise<RelayState> {
  try {
    const on = await switchRelay(console, 'ON', for_s);
    if (on.current_status === 'ON') return on;
  } catch (error) {
    // whatever the answer was, the relay may have heard
    await switchRelay(console, 'OFF', for_s).catch(() => undefined);
    throw error;
  }
  throw failed(
    'the relay does not go on',
    'see that the hand switch stands on automatic and the relay board has its supply',
  );
}

const currentOf = ({ motor_current_ma }: RelayState) =>
  motor_current_ma === null ? '' : `, ${motor_current_ma} mA`;

function failed(message: string, next: string): BenchTrouble {
  return new BenchTrouble('SELF_TEST_FAILED', { message, next });
}
