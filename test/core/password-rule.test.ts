import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMON_PASSWORDS } from '#contract/common-passwords.ts';
import { weaknessOf } from '#contract/password-rule.ts';
import { commonPasswords } from '../../scripts/make-common-passwords.mjs';

const known = { email: 'ze@farm.test', names: ['Zé da Silva', 'Fazenda São José'] };

test.each([
  ['password', 'COMMON'],
  ['PassWord', 'COMMON'],
  ['senha123', 'COMMON'],
  ['flamengo', 'COMMON'],
  ['aaaaaaaaaaaa', 'COMMON'],
  ['1212121212', 'COMMON'],
  ['ze@farm.test', 'NAMES_IT'],
  ['zezezeze', 'NAMES_IT'],
  ['Zé da Silva', 'NAMES_IT'],
  ['fazenda-sao-jose', 'NAMES_IT'],
  ['FazendaSaoJose', 'NAMES_IT'],
  ['shrimpfarm', 'NAMES_IT'],
  ['camarão camarão', 'NAMES_IT'],
  ['camarao-123', null],
  ['password is what I type', null],
  ['sete-tanques-no-mangue', null],
  ['💧💦🌊🦐💧💦🌊🦐', null],
])('%s is guessed first: %s', async (password, weakness) => {
  expect(await weaknessOf(password, known)).toBe(weakness);
});

test('who has no address and no names has none that is guessed', async () => {
  expect(await weaknessOf('sete-tanques', {})).toBeNull();
  expect(await weaknessOf('sete-tanques', { email: '', names: ['', '—'] })).toBeNull();
});

test('the list is what the library of today says, and every password on it could be one here', () => {
  expect(COMMON_PASSWORDS.trim().split(' ')).toEqual(commonPasswords());
  expect(commonPasswords().every((text) => text.length >= 8)).toBe(true);
  expect(commonPasswords().length).toBeGreaterThan(15_000);
});

test('the console loads the list when a password is judged, not before', () => {
  const source = readFileSync(new URL('../../gateway/contract/password-rule.ts', import.meta.url), 'utf8');
  expect(source).not.toMatch(/^import [^;]*common-passwords/m);
});
