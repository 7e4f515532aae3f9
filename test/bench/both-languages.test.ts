import { describe, expect, test } from 'vitest';
import { type EspFault, EspTrouble } from '#adapters/serial/esp-trouble.ts';
import { type PortFault, PortTrouble } from '#adapters/serial/open-port.ts';
import { whyUnsigned } from '../../gateway/bench/check-firmware.ts';
import { readJob } from '../../gateway/bench/job.ts';
import { asBenchTrouble } from '../../gateway/bench/port-faults.ts';
import { BenchTrouble } from '../../gateway/bench/trouble.ts';

const PORT_FAULTS = ['not_found', 'busy', 'denied', 'unplugged', 'failed'] as const satisfies PortFault[];
const BOARD_FAULTS = [
  'no_answer',
  'fell_silent',
  'not_in_loader',
  'unknown_chip',
  'locked',
  'disturbed',
  'flash',
  'refused',
] as const satisfies EspFault[];

function saidOf(error: Error) {
  const trouble = asBenchTrouble(error);
  if (!(trouble instanceof BenchTrouble)) throw error;
  return trouble.said;
}

function saidIn(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof BenchTrouble) return error.said.message;
    throw error;
  }
  throw new Error('nothing was wrong');
}

describe('a technician who reads Portuguese', () => {
  test.each([
    ...PORT_FAULTS.map(
      (fault) => [fault, new PortTrouble(fault, '/dev/ttyUSB0', { message: 'EIO' })] as const,
    ),
    ...BOARD_FAULTS.map((fault) => [fault, new EspTrouble(fault, 'write: refused')] as const),
  ])('is told what %s means and what to do, as one who reads English', (_fault, error) => {
    const { message, next } = saidOf(error);
    for (const words of [message, next]) {
      expect(words.en).toMatch(/\w{2,}.*\w{2,}/);
      expect(words['pt-BR']).toMatch(/\w{2,}.*\w{2,}/);
      expect(words['pt-BR']).not.toBe(words.en);
    }
  });

  test.each(['unknown', 'none'] as const)(
    'is told why a firmware with the signature %s is not taken',
    (one) => {
      for (const keys of [0, 1]) {
        const words = whyUnsigned(one, keys);
        expect(words['pt-BR']).toMatch(/assinado|conferido/);
        expect(words.en).toMatch(/signed|checked/);
      }
    },
  );

  test.each([
    [{ kind: 'detect' }, 'port'],
    [{ kind: 'detect', port: '' }, 'port'],
    [{ kind: 'detect', port: 'P', baud: 7 }, 'baud'],
    [{ kind: 'detect', port: 'P', colour: 'red' }, 'o trabalho'],
    [{ kind: 'dance' }, 'kind'],
    [{ kind: 'flash', port: 'P', firmware: {} }, 'firmware'],
  ])('is told what is wrong with the job %j', (job, field) => {
    const said = saidIn(() => readJob(job));
    expect(said['pt-BR']).toMatch(new RegExp(`^${field}: [a-zãéêç ,]+$`));
    expect(said.en).not.toBe(said['pt-BR']);
  });

  test('sees the bytes of a fault as they came, to show them to whoever made the board', () => {
    const { message } = saidOf(new EspTrouble('flash', 'write 4096 bytes: refused (status 0x08 0x00)'));
    expect(message['pt-BR']).toContain('(write 4096 bytes: refused (status 0x08 0x00))');
  });
});
