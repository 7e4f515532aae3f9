import type { ModemState } from '#contract/resources/modem.ts';
import type { SmsOutcome } from '#features/alarms/modem/ports.ts';

export type ModemPin = {
  /** null: none was given. */
  pin: string | null;
  /** True: this very PIN was refused before, by this run or an earlier one. */
  isRefused: () => Promise<boolean>;
  noteRefused: () => Promise<void>;
};

export type Standing = {
  state: Exclude<ModemState, 'off' | 'starting' | 'no_port' | 'port_busy' | 'port_denied'>;
  operator: string | null;
  signalDbm: number | null;
  isRoaming: boolean;
  said: string | null;
};

const NOWHERE = { operator: null, signalDbm: null, isRoaming: false, said: null } as const;
const GREET_WITHIN_MS = 1_000;
const GREETINGS = 3;
/** A SIM that has just been powered is not ready for some seconds. */
const SIM_BUSY = new Set(['+CME ERROR: 14', '+CME ERROR: 515']);
const NO_SIM = /^\+CME ERROR: (10|13|15)$/;

/** Speaks to a modem for the first time; null: it does not answer. Answers its model. */
export async function greetModem(line: AtLine): Promise<{ model: string } | null> {
  for (let greeting = 1; ; greeting += 1) {
    const { result } = await line.ask('AT', { withinMs: GREET_WITHIN_MS });
    if (result === 'ok') break;
    if (greeting === GREETINGS) return null;
  }
  await line.ask('ATE0');
  await line.ask('AT+CMEE=1');
  const maker = (await line.ask('AT+CGMI')).lines[0] ?? '';
  const model = (await line.ask('AT+CGMM')).lines[0] ?? '';
  return { model: `${maker} ${model}`.trim().slice(0, 100) || 'unknown' };
}

/** How SIM, network and signal stand; enters the PIN where the SIM wants it, once and never with its last try. */
export async function standingOf(line: AtLine, pin: ModemPin): Promise<Standing> {
  const sim = await unlockSim(line, pin);
  if (sim.state !== 'ready') return { ...NOWHERE, ...sim };
  const { stat, isSilent } = await registration(line);
  if (isSilent) return { ...NOWHERE, state: 'silent' };
  const signalDbm = dbmOf((await line.ask('AT+CSQ')).lines);
  const operator = operatorIn((await line.ask('AT+COPS?')).lines);
  const isOn = stat === 1 || stat === 5;
  const said = isOn ? null : `+CREG: ${stat}`;
  return { state: isOn ? 'ready' : 'no_network', operator, signalDbm, isRoaming: stat === 5, said };
}

async function unlockSim(line: AtLine, pin: ModemPin): Promise<Pick<Standing, 'state' | 'said'>> {
  const { result, lines, error } = await line.ask('AT+CPIN?');
  if (result === 'silent') return { state: 'silent', said: null };
  if (result === 'error' && error !== null) {
    if (SIM_BUSY.has(error)) return { state: 'no_network', said: error };
    return { state: NO_SIM.test(error) ? 'no_sim' : 'silent', said: error };
  }
  const word =
    lines
      .find((said) => said.startsWith('+CPIN:'))
      ?.slice(6)
      .trim() ?? '';
  if (word === 'READY') return { state: 'ready', said: null };
  if (/PUK/.test(word)) return { state: 'puk', said: word };
  if (word !== 'SIM PIN') return { state: 'no_sim', said: word };
  return enterPin(line, pin);
}

async function enterPin(line: AtLine, pin: ModemPin): Promise<Pick<Standing, 'state' | 'said'>> {
  if (pin.pin === null) return { state: 'needs_pin', said: null };
  if (await pin.isRefused()) return { state: 'pin_wrong', said: null };
  const left = triesLeft((await line.ask('AT+CPINR="SIM PIN"')).lines);
  if (left !== null && left < 2) return { state: 'pin_wrong', said: `${left} tries left` };
  const { result, error } = await line.ask(`AT+CPIN="${pin.pin}"`, { withinMs: 15_000 });
  if (result === 'ok') return { state: 'ready', said: null };
  if (result === 'error') await pin.noteRefused();
  return { state: result === 'error' ? 'pin_wrong' : 'silent', said: error };
}

/** By the circuit-switched network, else by LTE, where newer modems register alone. */
async function registration(line: AtLine): Promise<{ stat: number; isSilent: boolean }> {
  let isSilent = true;
  let stat = 0;
  for (const command of ['AT+CREG?', 'AT+CEREG?']) {
    const answer = await line.ask(command);
    if (answer.result !== 'silent') isSilent = false;
    const told = Number(/^\+CE?REG: \d,\s*(\d)/.exec(answer.lines.at(-1) ?? '')?.[1] ?? 0);
    if (told === 1 || told === 5) return { stat: told, isSilent };
    stat = Math.max(stat, told);
  }
  return { stat, isSilent };
}

function triesLeft(lines: readonly string[]): number | null {
  const told = /^\+CPINR: "?SIM PIN"?,\s*(\d+)/.exec(
    lines.find((line) => line.startsWith('+CPINR')) ?? '',
  )?.[1];
  return told === undefined ? null : Number(told);
}

/** 0 to 31 in steps of 2 dB from -113 dBm; 99 is "not known". */
function dbmOf(lines: readonly string[]): number | null {
  const told = /^\+CSQ: (\d+),/.exec(lines.at(-1) ?? '')?.[1];
  const step = told === undefined ? 99 : Number(told);
  return step > 31 ? null : -113 + 2 * step;
}

function operatorIn(lines: readonly string[]): string | null {
  return /^\+COPS: \d,\d,"([^"]{1,60})"/.exec(lines.at(-1) ?? '')?.[1] ?? null;
}

// The dialogue with a modem (ITU-T V.250, 3GPP TS 27.005 and 27.007): one command at a time, lines and a final result.

/** A serial port as far as a modem needs it. */
export type ModemPort = {
  write: (bytes: Uint8Array) => Promise<void>;
  onData: (listener: (bytes: Buffer) => void) => () => void;
  readonly lost: AbortSignal;
  close: () => Promise<void>;
};

type AtAnswer = { result: 'ok' | 'error' | 'silent'; lines: string[]; error: string | null };

export type AtLine = {
  /** `text`: what is typed at the prompt `>`, ended by Ctrl-Z. Rejects when the port is lost. */
  ask: (command: string, how?: { withinMs?: number; text?: string }) => Promise<AtAnswer>;
  close: () => Promise<void>;
};

const CTRL_Z = '\u001A';
const ESCAPE = '\u001B';
const ANSWER_WITHIN_MS = 5_000;
/** A line of noise grows no further. */
const MOST_LINE = 1_024;
const MOST_LINES = 64;
const FINAL_ERROR = /^(ERROR|\+CM[ES] ERROR: .*|NO CARRIER|NO DIALTONE|BUSY|NO ANSWER)$/;
/** What a modem says without being asked. */
const UNASKED =
  /^(\+CMTI|\+CMT|\+CDS|\+CDSI|\+CBM|\+CREG: \d\s*$|\+CEREG: \d\s*$|RING|\^|\+CIEV|\+CPIN: (?=NOT READY)|RDY|\*)/;

type Waiting = {
  answer: AtAnswer;
  text: string | null;
  isTyped: boolean;
  done: (result: AtAnswer['result'], error: string | null) => void;
};

/** `unasked` hears lines such as delivery reports. Bytes that are no text are dropped. */
export function createAtLine(port: ModemPort, unasked: (line: string) => void): AtLine {
  let buffered = '';
  let waiting: Waiting | null = null;

  const stopListening = port.onData((bytes) => {
    buffered = (buffered + bytes.toString('latin1')).slice(-MOST_LINE * 4);
    for (;;) {
      typeAtPrompt();
      const end = buffered.search(/[\r\n]/);
      if (end < 0) break;
      const line = buffered.slice(0, end).trim().slice(0, MOST_LINE);
      buffered = buffered.slice(end + 1);
      if (line !== '') hear(line);
    }
  });

  /** The prompt ends no line. */
  function typeAtPrompt(): void {
    if (waiting === null || waiting.text === null || waiting.isTyped || !/^[\r\n ]*> ?$/.test(buffered))
      return;
    buffered = '';
    waiting.isTyped = true;
    void port.write(bytesOf(`${waiting.text}${CTRL_Z}`)).catch(() => undefined);
  }

  function hear(line: string): void {
    if (UNASKED.test(line)) return unasked(line);
    if (waiting === null) return;
    if (line === 'OK') waiting.done('ok', null);
    else if (FINAL_ERROR.test(line)) waiting.done('error', line);
    else if (waiting.answer.lines.length < MOST_LINES && line !== '>') waiting.answer.lines.push(line);
  }

  async function ask(command: string, how: { withinMs?: number; text?: string } = {}): Promise<AtAnswer> {
    port.lost.throwIfAborted();
    if (waiting !== null) throw new Error('a modem answers one command at a time');
    const { promise, resolve, reject } = Promise.withResolvers<AtAnswer>();
    const answer: AtAnswer = { result: 'silent', lines: [], error: null };
    const lose = () => reject(port.lost.reason);
    port.lost.addEventListener('abort', lose, { once: true });
    const timer = setTimeout(() => resolve(answer), how.withinMs ?? ANSWER_WITHIN_MS);
    buffered = '';
    waiting = {
      answer,
      text: how.text ?? null,
      isTyped: false,
      done: (result, error) => resolve({ ...answer, result, error }),
    };
    try {
      await port.write(bytesOf(`${command}\r`));
      const told = await promise;
      // whatever it waits for at the prompt is broken off, so that the next command is heard as one
      if (told.result === 'silent' && how.text !== undefined && !port.lost.aborted)
        await port.write(bytesOf(ESCAPE));
      // the echo of a modem that still has it on
      return { ...told, lines: told.lines.filter((line) => line !== command) };
    } finally {
      waiting = null;
      clearTimeout(timer);
      port.lost.removeEventListener('abort', lose);
    }
  }

  return {
    ask,
    async close() {
      stopListening();
      await port.close();
    },
  };
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0) & 0xff);

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
