import type { SmsOutcome } from '#features/alarms/modem/ports.ts';

// What the numbers of +CMS ERROR say of a message (3GPP TS 27.005, 3.2.5; the first 127 are the network's, TS 24.011).

/** The number or the message will never be taken. */
const REFUSED = new Set([1, 8, 10, 21, 28, 29, 30, 50, 69, 304, 305]);
/** Nothing gets out now, for whomever it is. */
const NO_WAY_OUT = new Set([38, 310, 311, 312, 313, 316, 317, 318, 331, 332]);

const WORDS: Readonly<Record<number, string>> = {
  1: 'no such number',
  8: 'barred by the operator',
  10: 'barred for this SIM',
  21: 'the network rejects it',
  28: 'the network does not know this number',
  29: 'the network offers no SMS to this number',
  30: 'the SIM is not known to the network',
  38: 'the network is out of order',
  41: 'the network has a passing fault',
  42: 'the network is busy',
  47: 'the network has no room',
  50: 'SMS is not part of the plan of this SIM',
  69: 'the network cannot do it',
  310: 'there is no SIM',
  311: 'the SIM wants its PIN',
  316: 'the SIM is locked',
  331: 'there is no network',
  332: 'the network did not answer in time',
};

/** What became of a message by the final result of +CMGS. */
export function smsTrouble(error: string): Exclude<SmsOutcome, { is: 'sent' }> {
  const number = Number(/^\+CMS ERROR: (\d{1,4})/.exec(error)?.[1] ?? Number.NaN);
  const word = WORDS[number];
  const why = word === undefined ? `the modem says ${error}` : `${word} (${error})`;
  if (REFUSED.has(number)) return { is: 'refused', why };
  return { is: NO_WAY_OUT.has(number) ? 'unreachable' : 'retry', why };
}

/** State of a delivery report (TS 23.040, 9.2.3.15); null: not final, or no report. */
export function reportIn(line: string): { hasArrived: boolean } | null {
  if (!line.startsWith('+CDS: ')) return null;
  const fields = line.slice(6).match(/"[^"]*"|[^,]+|(?<=,)(?=,)/g) ?? [];
  const state = Number(fields.at(-1));
  if (fields.length < 5 || !Number.isInteger(state)) return null;
  // 32 to 63: the network is still trying
  if (state >= 32 && state < 64) return null;
  return { hasArrived: state < 32 };
}
