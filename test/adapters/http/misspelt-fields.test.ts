import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { misspeltIn, refuseMisspelt, warnOfMisspelt } from '#adapters/http/misspelt-fields.ts';
import { route } from '#core/route.ts';

const body = z.object({ server_time: z.string().optional(), reason: z.string().optional() });
const operation = (otherwise: 'refused' | 'warned') =>
  route({
    method: 'POST',
    path: '/clock',
    tag: 'System',
    summary: 'Confirm what is shown',
    access: { who: 'account' },
    body,
    decidedBy: { fields: ['server_time'], otherwise },
    answers: {},
    handle: async () => ({ answer: { status: 200 } }),
  });
const answer = { status: 200, body: { id: '1', warnings: [{ code: 'OTHER', message: 'x' }] } };

describe('a body without what decides the operation', () => {
  const refused = operation('refused');

  it('is taken for an empty one while all its fields are known', () => {
    for (const sent of [{}, { reason: 'read off my watch' }, { server_time: '2026-01-01' }])
      expect(misspeltIn(refused, sent)).toBeNull();
  });

  it('is refused with a field that nobody knows, and the known ones are named', () => {
    const found = misspeltIn(refused, { time: '2026-01-01', reason: 'x' });
    expect(found).toEqual({
      unknown: ['time'],
      sentence: 'time: no such field here; known are server_time, reason',
    });
    expect(() => refuseMisspelt(refused, found)).toThrow('time: no such field here');
    expect(warnOfMisspelt(refused, found, answer)).toBe(answer);
  });

  it('is warned of, beside other warnings, where the interface has it ignored', () => {
    const warned = operation('warned');
    const found = misspeltIn(warned, { time: '2026-01-01' });
    expect(() => refuseMisspelt(warned, found)).not.toThrow();
    expect(warnOfMisspelt(warned, found, answer).body).toEqual({
      id: '1',
      warnings: [
        { code: 'OTHER', message: 'x' },
        { code: 'UNKNOWN_FIELD', message: expect.stringContaining('done as without any field') },
      ],
    });
    const failed = { status: 409, body: { detail: 'no' } };
    expect(warnOfMisspelt(warned, found, failed)).toBe(failed);
  });

  it('with what decides it, or on an operation that nothing decides, ignores every other field', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (others) => {
        expect(misspeltIn(refused, { ...others, server_time: 'now' })).toBeNull();
        expect(misspeltIn({ body }, others)).toBeNull();
      }),
    );
  });

  it('is told of in few words, whatever came', () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_each, index) => [`${index}`.repeat(90), 1]),
    );
    expect(misspeltIn(refused, many)?.sentence.length).toBeLessThan(300);
  });
});
