import type { Behaviour, Card } from './objects.ts';

/** Numbers that do something; any other is refused, so that nobody types a real card here. */
export const TEST_CARDS: readonly { number: string; behaviour: Behaviour }[] = [
  { number: '4242 4242 4242 4242', behaviour: 'pays' },
  { number: '4000 0000 0000 0002', behaviour: 'declined' },
  { number: '4000 0000 0000 0341', behaviour: 'fails_later' },
  { number: '4000 0000 0000 3220', behaviour: 'pays_later' },
];

export type CardFault = 'not_a_test_card' | 'expiry_unreadable' | 'expired';

/** Reads what a person typed; the number itself goes no further. */
export function readCard(
  typed: { number: string; expiry: string },
  nowMs: number,
  id: string,
): Card | { fault: CardFault } {
  const digits = typed.number.replaceAll(/\D/g, '');
  const known = TEST_CARDS.find(({ number }) => number.replaceAll(' ', '') === digits);
  if (known === undefined) return { fault: 'not_a_test_card' };
  const [, monthText = '', yearText = ''] = /^\s*(\d{1,2})\s*\/\s*(\d{2}|\d{4})\s*$/.exec(typed.expiry) ?? [];
  const month = Number(monthText);
  const year = yearText.length === 2 ? 2000 + Number(yearText) : Number(yearText);
  if (month < 1 || month > 12 || yearText === '') return { fault: 'expiry_unreadable' };
  const card = { id, last4: digits.slice(-4), exp_year: year, exp_month: month, behaviour: known.behaviour };
  return isExpired(card, nowMs) ? { fault: 'expired' } : card;
}

/** A card is good until the end of its month. */
export function isExpired({ exp_year, exp_month }: Card, nowMs: number): boolean {
  return nowMs >= Date.UTC(exp_year, exp_month, 1);
}

/** When people are told that it will not be good much longer: as its last month begins. */
export function lastMonthOf({ exp_year, exp_month }: Card): number {
  return Date.UTC(exp_year, exp_month - 1, 1);
}
