import { describe, expect, it } from 'vitest';
import { inEach, verbatim } from '#core/each-language.ts';
import { notFound } from '#core/errors.ts';
import { createJobDesk } from '#features/equipment/bench/job-desk.ts';
import { type JobContext, JobFault, step } from '#features/equipment/bench/ports.ts';

const silent = () => undefined;

function aDesk() {
  let made = 0;
  return createJobDesk({
    now: () => Date.UTC(2026, 2, 2, 12),
    newId: () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    changed: silent,
  });
}

const asked = (port: string) => ({
  kind: 'detect' as const,
  port,
  controlPointId: null,
  firmware: null,
  startedBy: '00000000-0000-4000-8000-000000000000',
});

/** Runs until it is stopped. */
const untilStopped = ({ signal }: JobContext) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));

describe('the desk of the bench', () => {
  it('keeps the last 2,000 lines of a board that talks without end, and cuts the long ones', async () => {
    const desk = aDesk();
    const { id } = desk.begin(asked('/dev/ttyUSB0'), async ({ tell }) => {
      for (let n = 1; n <= 5_000; n += 1) tell(step('board', verbatim(`${n} ${'x'.repeat(900)}`)));
      return {};
    });
    await desk.stop();
    const { lines, last_line } = desk.detail(id, 0);
    expect([lines.length, lines[0]?.n, last_line, lines[0]?.text.en.length]).toEqual([
      2_000, 3_001, 5_000, 500,
    ]);
    expect(desk.detail(id, 4_999).lines.map(({ n }) => n)).toEqual([5_000]);
  });

  it('does not make a line of every percent', async () => {
    const desk = aDesk();
    const counted = { ...step('write', verbatim('app.bin')), total: 100 };
    const { id } = desk.begin(asked('/dev/ttyUSB0'), async ({ tell }) => {
      for (let done = 0; done <= 100; done += 1) tell({ ...counted, done });
      return {};
    });
    await desk.stop();
    const { lines, progress } = desk.detail(id, 0);
    expect(lines.map(({ text }) => text.en)).toEqual(['app.bin']);
    expect(progress).toMatchObject({ step: 'write', done: 100, total: 100 });
  });

  it('runs three jobs at a time, one at a port, and remembers the last fifty', async () => {
    const desk = aDesk();
    const open = ['a', 'b', 'c'].map((port) => desk.begin(asked(port), untilStopped));
    expect(() => desk.begin(asked('a'), untilStopped)).toThrow('A job runs at a');
    expect(() => desk.begin(asked('d'), untilStopped)).toThrow('3 jobs run on this box');
    desk.cancel(open[2]?.id ?? '');
    await Promise.resolve();
    await Promise.resolve();
    for (let n = 0; n < 80; n += 1) {
      desk.begin(asked('c'), async () => ({}));
      await Promise.resolve();
      await Promise.resolve();
    }
    const states = desk.list().map(({ state }) => state);
    expect([states.length, states.filter((state) => state === 'running').length]).toEqual([50, 2]);
    await desk.stop();
    expect(desk.list().filter(({ state }) => state === 'cancelled')).toHaveLength(2);
  });

  it('tells a cause that can be mended, and hides a fault of the program', async () => {
    const desk = aDesk();
    const fault = {
      code: 'NO_ANSWER',
      message: inEach('a placa está calada', 'the board is silent', 'la placa está callada'),
      next: inEach('aperte reset', 'press reset', 'presione reset'),
    } as const;
    const known = desk.begin(asked('a'), async () => {
      throw new JobFault(fault);
    });
    const unknown = desk.begin(asked('b'), async () => {
      throw new Error('secret path /home/x');
    });
    const gone = desk.begin(asked('c'), async () => {
      throw notFound('Control point');
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(desk.detail(gone.id, 0).trouble?.message).toEqual({
      'pt-BR': 'o ponto de controle não existe mais',
      en: 'Control point not found',
      es: 'el punto de control ya no existe',
    });
    expect(desk.detail(known.id, 0)).toMatchObject({ state: 'failed', trouble: fault });
    const { state, trouble } = desk.detail(unknown.id, 0);
    expect([state, trouble?.code]).toEqual(['failed', 'INTERNAL']);
    expect(JSON.stringify(trouble)).not.toContain('secret');
  });
});
