import { describe, expect, test } from 'vitest';
import { type HeldMotor, heldWords } from '#features/alarms/alerts/watch-held-off.ts';

const aMotor = (cod: string, fields: Partial<HeldMotor> = {}): HeldMotor => ({
  cod,
  target: 'ON',
  failSafe: 'HOLD',
  ...fields,
});

describe('the alert of a clock that nobody trusts names the motors and how they are held', () => {
  test('by their fail-safes, in either language', () => {
    const motors = [
      aMotor('CP-1'),
      aMotor('CP-2', { target: 'OFF', failSafe: 'OFF' }),
      aMotor('CP-3', { target: 'OFF' }),
      aMotor('CP-4', { failSafe: 'SCHEDULE' }),
      aMotor('CP-5', { failSafe: 'ON' }),
    ];
    expect(heldWords(motors, 'en')).toBe(
      ' Until then: held as the rules last wanted: CP-1 ON, CP-3 OFF; fail-safe ON: CP-5 ON; fail-safe OFF: CP-2 OFF; by the schedule and an estimated time: CP-4 ON.',
    );
    expect(heldWords(motors, 'pt-BR')).toBe(
      ' Até lá: mantidos como as regras queriam por último: CP-1 ligado, CP-3 desligado; modo seguro: ligar: CP-5 ligado; modo seguro: desligar: CP-2 desligado; pela programação e uma hora estimada: CP-4 ligado.',
    );
  });

  test('twenty of them by name, and nothing where there are none', () => {
    const many = Array.from({ length: 23 }, (_, n) => aMotor(`CP-${n + 1}`));
    expect(heldWords(many, 'en')).toMatch(/CP-20 ON \(and 3 more\)\.$/);
    expect(heldWords([], 'en')).toBe('');
  });
});
