import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayPattern, readDay, writtenDay } from '../../desktop/console/state/typed-value.ts';

const LANGUAGES = ['pt-BR', 'en', 'es'] as const;

it.each(LANGUAGES)(
  'a day that is shown in %s is read back as the same day, also without its bars',
  (language) => {
    const days = fc
      .date({
        min: new Date('2000-01-01T00:00:00Z'),
        max: new Date('2099-12-31T00:00:00Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(days, (day) => {
        const written = writtenDay(day, language);
        expect(readDay(written, language)).toBe(day);
        expect(readDay(written.replaceAll('/', ''), language)).toBe(day);
        expect(readDay(written.replaceAll('/', '-'), language)).toBe(day);
        expect(readDay(day, language)).toBe(day);
      }),
    );
  },
);

it('the third of November is written with its day first in Portuguese and Spanish, and with its month first in English', () => {
  const letters = { day: 'd', month: 'm', year: 'a' };
  expect(LANGUAGES.map((language) => writtenDay('2026-11-03', language))).toEqual([
    '03/11/2026',
    '11/03/2026',
    '03/11/2026',
  ]);
  expect(LANGUAGES.map((language) => dayPattern(letters, language))).toEqual(['d/m/a', 'm/d/a', 'd/m/a']);
  expect(readDay('3/11/26', 'pt-BR')).toBe('2026-11-03');
  expect(readDay('3.11.2026', 'es')).toBe('2026-11-03');
});

it.each([
  '31/02/2026',
  '00/11/2026',
  '13/13/2026',
  '3/11',
  '3/11/126',
  '2026-02-30',
  'ontem',
  '',
  '31112',
  '1/2/3/4',
])('%s is no day', (text) => expect(readDay(text, 'pt-BR')).toBeNull());

it('no text whatever becomes a day that the calendar does not have', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9/.-]{0,11}$/), fc.constantFrom(...LANGUAGES), (text, language) => {
      const day = readDay(text, language);
      if (day !== null) expect(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10)).toBe(day);
    }),
  );
});
