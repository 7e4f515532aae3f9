import type { ModemState } from '#contract/resources/modem.ts';
import type { Log } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Modem, ModemFacts, SmsOutcome } from '#features/alarms/modem/ports.ts';
import {
  type AtLine,
  createAtLine,
  greetModem,
  type ModemPin,
  type ModemPort,
  reportIn,
  smsTrouble,
  standingOf,
} from './start-modem.ts';

// How a text becomes SMS (3GPP TS 23.038): 160 plain letters, or 70 of any kind.

type SmsParts = { coding: 'gsm' | 'ucs2'; parts: string[] };

const LENGTH = { gsm: 160, ucs2: 70 } as const;
/** An alarm is short; what is longer ends in three dots. */
const MOST_PARTS = 3;
/** `1/3 ` before each part: every phone shows it, joined or not. */
const HEAD = 4;

/** Letters whose code is the same in the GSM alphabet and in ASCII: they pass every modem as they are. */
const PLAIN = /^[ !"#%&'()*+,\-./0-9:;<=>?A-Za-z]*$/;
const NEAREST: Readonly<Record<string, string>> = {
  '–': '-',
  '—': '-',
  _: '-',
  '~': '-',
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
  '`': "'",
  '…': '...',
  '°': 'o',
  º: 'o',
  ª: 'a',
  '×': 'x',
  '≤': '<=',
  '≥': '>=',
  '²': '2',
  '³': '3',
  '·': '.',
  µ: 'u',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '|': '/',
  '\\': '/',
  '@': '(at)',
  $: 'S',
  '^': '',
  '¿': '',
  '¡': '',
};

/**
 * The fewest messages for a text: with its accents where that costs no more, else without them. Control characters, among
 * them those that end or break off a message at the modem, become spaces.
 */
export function smsParts(text: string): SmsParts {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const plain = withoutAccents(clean);
  const accented = split(clean, LENGTH.ucs2);
  if (!PLAIN.test(plain)) return { coding: 'ucs2', parts: accented };
  const unaccented = split(plain, LENGTH.gsm);
  if (plain !== clean && accented.length <= unaccented.length && !isCut(clean, accented))
    return { coding: 'ucs2', parts: accented };
  return { coding: 'gsm', parts: unaccented };
}

function withoutAccents(text: string): string {
  return text
    .replace(/\baño/giu, 'anio') // as people write it without ñ: another word is left of it else
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/./gsu, (letter) => NEAREST[letter] ?? letter);
}

const isCut = (text: string, parts: readonly string[]): boolean =>
  parts.at(-1)?.endsWith('...') === true && !text.endsWith('...');

function split(text: string, length: number): string[] {
  if (text.length <= length) return [text];
  const room = length - HEAD;
  const parts: string[] = [];
  let rest = text;
  while (rest !== '' && parts.length < MOST_PARTS) {
    const isLast = parts.length === MOST_PARTS - 1;
    if (rest.length <= room) {
      parts.push(rest);
      rest = '';
    } else if (isLast) {
      parts.push(`${rest.slice(0, wholeUpTo(rest, room - 3))}...`);
    } else {
      const at = rest.lastIndexOf(' ', room);
      const end = at > room / 2 ? at : wholeUpTo(rest, room);
      parts.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
  }
  return parts.map((part, i) => `${i + 1}/${parts.length} ${part}`);
}

/** Where a text may end without tearing a pair of code units. */
function wholeUpTo(text: string, length: number): number {
  const code = text.charCodeAt(length - 1);
  return code >= 0xd800 && code <= 0xdbff ? length - 1 : length;
}

/** As a modem with the character set UCS2 wants text: four hex digits for each code unit. */
export function ucs2Hex(text: string): string {
  return [...Array(text.length).keys()]
    .map((at) => text.charCodeAt(at).toString(16).padStart(4, '0').toUpperCase())
    .join('');
}

export type ModemDeps = {
  log: Log;
  now: () => number;
  port: string;
  /** Rejects with an error whose `fault` says why, where it knows. */
  open: () => Promise<ModemPort>;
  pin: ModemPin;
  /** What `facts` answers is another than before. */
  changed: () => void;
};

/** The network answers within a minute, or not (TS 27.005 gives no bound). */
const SEND_WITHIN_MS = 60_000;
/** Messages whose first parts went out. */
const MOST_REMEMBERED = 100;

type Coding = 'gsm' | 'ucs2';
type Open = { line: AtLine; model: string; coding: Coding | null };

/**
 * A GSM modem on a serial port, text mode. It is opened when it is first needed and again whenever it was lost; one thing
 * is done at a time.
 */
export function createModem(deps: ModemDeps): Modem {
  const partsDone = new NewestMap<string, number>(MOST_REMEMBERED);
  const facts: ModemFacts = {
    state: 'starting',
    port: deps.port,
    model: null,
    operator: null,
    signalDbm: null,
    isRoaming: false,
    sent: 0,
    failed: 0,
    arrived: 0,
    undelivered: 0,
    lastError: null,
    checkedAt: null,
  };
  const at = { open: null as Open | null, isClosed: false, turn: Promise.resolve() as Promise<unknown> };

  /** After what was begun before. */
  function inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const next = at.turn.then(work, work);
    at.turn = next.catch(() => undefined);
    return next;
  }

  function become(state: ModemState, said: string | null = null): void {
    if (state !== facts.state) {
      const tell = state === 'ready' ? deps.log.info : deps.log.warn;
      tell(
        { port: deps.port, state, said },
        state === 'ready' ? 'the modem is ready' : 'the modem sends nothing',
      );
    }
    facts.state = state;
    facts.checkedAt = deps.now();
    if (said !== null) facts.lastError = said.slice(0, 200);
    if (state !== 'ready' && state !== 'no_network')
      Object.assign(facts, { operator: null, signalDbm: null });
    deps.changed();
  }

  function hearUnasked(line: string): void {
    const report = reportIn(line);
    // nobody else sends through this modem
    if (report === null) return;
    deps.changed();
    if (report.hasArrived) facts.arrived += 1;
    else {
      facts.undelivered += 1;
      deps.log.warn({ port: deps.port }, 'the network gave up an SMS: the phone could not be reached');
    }
  }

  async function opened(): Promise<Open | null> {
    if (at.isClosed) return null;
    if (at.open !== null) return at.open;
    const line = createAtLine(await deps.open(), hearUnasked);
    const greeted = await greetModem(line).catch(async (error: unknown) => {
      await line.close();
      throw error;
    });
    if (greeted === null) {
      await line.close();
      become('silent');
      return null;
    }
    facts.model = greeted.model;
    at.open = { line, model: greeted.model, coding: null };
    return at.open;
  }

  async function lose(error: unknown): Promise<void> {
    const { open } = at;
    at.open = null;
    await open?.line.close().catch(() => undefined);
    if (at.isClosed) return;
    const fault = (error as { fault?: unknown } | null)?.fault;
    const state = fault === 'busy' ? 'port_busy' : fault === 'denied' ? 'port_denied' : 'no_port';
    become(state, error instanceof Error ? error.message : String(error));
  }

  async function see(): Promise<Open | null> {
    try {
      const open = await opened();
      if (open === null) return null;
      const { state, said, ...rest } = await standingOf(open.line, deps.pin);
      Object.assign(facts, rest);
      become(state, said);
      if (state === 'silent') {
        // it may come back on the same port with nothing set
        at.open = null;
        await open.line.close();
      }
      return state === 'ready' ? open : null;
    } catch (error) {
      await lose(error);
      return null;
    }
  }

  async function send(sms: { id: string; number: string; text: string }): Promise<SmsOutcome> {
    const open = (facts.state === 'ready' ? at.open : null) ?? (await see());
    if (open === null) return { is: 'unreachable', why: `the modem sends nothing now: ${facts.state}` };
    const { coding, parts } = smsParts(sms.text);
    try {
      const before = partsDone.get(sms.id) ?? 0;
      for (const [place, part] of parts.entries()) {
        if (place < before) continue;
        const trouble = await sendPart(open, { coding, number: sms.number, part });
        if (trouble !== null) return failed(trouble);
        facts.sent += 1;
        deps.changed();
        partsDone.set(sms.id, place + 1);
      }
      partsDone.delete(sms.id);
      return { is: 'sent', parts: parts.length };
    } catch (error) {
      await lose(error);
      return failed({ is: 'unreachable', why: 'the modem was unplugged' });
    }
  }

  function failed(trouble: Exclude<SmsOutcome, { is: 'sent' }>): SmsOutcome {
    facts.failed += 1;
    deps.changed();
    facts.lastError = trouble.why.slice(0, 200);
    return trouble;
  }

  async function sendPart(
    open: Open,
    sms: { coding: Coding; number: string; part: string },
  ): Promise<Exclude<SmsOutcome, { is: 'sent' }> | null> {
    const { line } = open;
    if (open.coding !== sms.coding) await setCoding(open, sms.coding);
    const isHex = sms.coding === 'ucs2';
    const { result, error } = await line.ask(`AT+CMGS="${isHex ? ucs2Hex(sms.number) : sms.number}"`, {
      withinMs: SEND_WITHIN_MS,
      text: isHex ? ucs2Hex(sms.part) : sms.part,
    });
    if (result === 'error') {
      open.coding = null;
      return smsTrouble(error ?? 'ERROR');
    }
    if (result === 'silent') {
      become('silent');
      return { is: 'retry', why: 'the modem did not say what became of the message' };
    }
    return null;
  }

  return {
    facts: () => ({ ...facts }),
    look: () => inTurn(async () => void (await see())),
    sendSms: (sms) => inTurn(() => send(sms)),
    async close() {
      at.isClosed = true;
      const { open } = at;
      at.open = null;
      await open?.line.close().catch(() => undefined);
    },
  };
}

/** Text mode, delivery reports asked for (49) and told at once, and the alphabet of the text. */
async function setCoding(open: Open, coding: Coding): Promise<void> {
  const { line } = open;
  await line.ask('AT+CMGF=1');
  await line.ask('AT+CNMI=2,1,0,1,0');
  await line.ask(`AT+CSMP=49,167,0,${coding === 'ucs2' ? 8 : 0}`);
  const { result } = await line.ask(`AT+CSCS="${coding === 'ucs2' ? 'UCS2' : 'GSM'}"`);
  open.coding = result === 'ok' ? coding : null;
}
