import { describe, expect, test } from 'vitest';
import { measuredWords, titleOf } from '#features/alarms/alerts/alert-words.ts';
import {
  noCurrentWords,
  offlineWords,
  powerFailureWords,
  unconfirmedWords,
} from '#features/alarms/alerts/device-alert-words.ts';

const device = { cod: 'CP-1', ponds: [{ cod: 'V-01' }, { cod: 'V-02' }] };
const neverConfirmed = {
  why: 'unconfirmed',
  target: 'ON',
  seconds: 15,
  reason: null,
  trouble: null,
} as const;
const pond = { id: 'p1', cod: 'V-01' };
const names = { farmName: 'Fazenda Sul', controlPoint: null, pond };

describe('an alert speaks its reader’s language', () => {
  test.each([
    [
      offlineWords(device, 10),
      /CP-1 \(V-01, V-02\) está sem comunicação há mais de 10/,
      /silent for more than 10/,
    ],
    [unconfirmedWords(device, neverConfirmed), /ordem de ficar ligado e não confirmou em 15 s/, /ordered on/],
    [noCurrentWords(device, 12), /consome só 12 mA/, /draws only 12 mA/],
    [powerFailureWords([device], 2), /1 de 2 controladores/, /1 of 2 controllers/],
    [powerFailureWords([device], null), /Sem energia da rede/, /No mains power/],
    [
      powerFailureWords([device, { ...device, cod: 'CP-B' }], null, [device]),
      /informado por: CP-1 [^;]*; sem comunicação desde então: CP-B [^;]*$/,
      /reported by: CP-1 [^;]*; silent since then: CP-B [^;]*$/,
    ],
  ])('%#', (words, portuguese, english) => {
    expect([words('pt-BR'), words('en')]).toEqual([
      expect.stringMatching(portuguese),
      expect.stringMatching(english),
    ]);
  });

  test('with its measured value, and a comma in Portuguese', () => {
    const words = measuredWords(
      { type: 'LOW_OXYGEN', parameter: 'dissolved_oxygen', value: 3.4, threshold: 4 },
      names,
    );
    expect([words?.('pt-BR'), words?.('en')]).toEqual([
      'Oxigênio baixo no viveiro V-01: 3,4 mg/L (limite 4 mg/L)',
      'Low oxygen in pond V-01: 3.4 mg/L (limit 4 mg/L)',
    ]);
  });

  test('and names what it is about', () => {
    expect([
      titleOf('LOW_OXYGEN', names, 'en'),
      titleOf('DISK_FULL', { ...names, pond: null }, 'pt-BR'),
    ]).toEqual(['Low oxygen: V-01', 'Disco do gateway cheio: Fazenda Sul']);
  });
});

test('a power failure of a hundred controllers names twenty and counts the rest', () => {
  const many = Array.from({ length: 100 }, (_, n) => ({ cod: `CP-${n}`, ponds: [] }));
  expect(powerFailureWords(many, 100)('en')).toMatch(/CP-19 and 80 more$/);
});
