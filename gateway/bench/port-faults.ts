import { type EspFault, EspTrouble } from '#adapters/serial/esp-trouble.ts';
import { type PortFault, PortTrouble } from '#adapters/serial/port-trouble.ts';
import { BenchTrouble, cancelled, type TroubleCode } from './trouble.ts';

type Words = [code: TroubleCode, wrong: string, next: string];

const PORT_WORDS: Readonly<Record<PortFault, Words>> = {
  not_found: [
    'PORT_NOT_FOUND',
    'is not there',
    'plug the board in and look at npm run bench-tool -- ports; a cable that only charges shows no port',
  ],
  busy: [
    'PORT_BUSY',
    'is in use by another program',
    'close the other program (a serial monitor, another bench job) and start again',
  ],
  denied: [
    'PORT_DENIED',
    'may not be opened by this user',
    'add the user to the group dialout (sudo adduser USER dialout), log out and in again, and start again',
  ],
  unplugged: [
    'UNPLUGGED',
    'is gone: the cable was pulled or the board lost its power',
    'put the cable back and start the job again: what is already right is skipped, and nothing else is needed to recover the board',
  ],
  failed: [
    'NO_ANSWER',
    'cannot be used',
    'pull the cable, wait five seconds, put it back into another socket and start again',
  ],
};

const ESP_WORDS: Readonly<Record<EspFault, [code: TroubleCode, next: string]>> = {
  no_answer: [
    'NO_ANSWER',
    'hold BOOT (IO0 to ground), press and let go EN or RST, let go BOOT, and start again; if it stays silent, try another cable and socket',
  ],
  fell_silent: [
    'NO_ANSWER',
    'take a shorter or better cable, away from motors and contactors, or say --baud 115200, and start again: what is already right is skipped',
  ],
  not_in_loader: [
    'NO_ANSWER',
    'this board does not reset itself: hold BOOT while you press and let go EN or RST, then let go BOOT and start again',
  ],
  unknown_chip: ['WRONG_CHIP', 'take a board of the ESP32 family that the firmware is made for'],
  locked: [
    'WRONG_CHIP',
    'take another board: this one was locked by whoever made it and cannot be flashed over the cable',
  ],
  disturbed: [
    'CHECKSUM_REFUSED',
    'take a shorter or better cable, away from motors and contactors, or say --baud 115200, and start again: what is already right is skipped',
  ],
  flash: [
    'FLASH_FAULT',
    'start again once; if it fails at the same place, the flash of this board is broken: take another board',
  ],
  refused: ['NO_ANSWER', 'press EN or RST on the board and start again'],
};

/**
 * What a technician is told for whatever a job threw; what nobody foresaw stays what it is. An abort by the caller is
 * CANCELLED.
 */
export function asBenchTrouble(error: unknown): unknown {
  if (error instanceof PortTrouble) {
    const [code, wrong, next] = PORT_WORDS[error.fault];
    return new BenchTrouble(code, { message: `${error.port} ${wrong}`, next }, error);
  }
  if (error instanceof EspTrouble) {
    const [code, next] = ESP_WORDS[error.fault];
    return new BenchTrouble(code, { message: error.message, next }, error);
  }
  return error instanceof Error && error.name === 'AbortError' ? cancelled() : error;
}
