import { parseArgs } from 'node:util';
import { openPty } from '../board/open-pty.ts';
import type { Terminal } from '../cli/gateway-api.ts';
import { UsageError } from '../cli/options.ts';
import { dropLink, linkTo } from '../port-link.ts';

// A GSM modem as far as a program can see it through its serial port: V.250 and 3GPP TS 27.005/27.007, text mode. It
// answers as a common USB stick does, its echo and its lines of its own accord included.

const MODEM_FAULTS = [
  'no-sim',
  'no-network',
  'silent',
  'busy-network',
  'refuse',
  'no-prompt',
  'lost-reports',
] as const;
export type ModemFault = (typeof MODEM_FAULTS)[number];

export type SentSms = { number: string; text: string; coding: 'gsm' | 'ucs2'; reference: number };

type SimulatedModem = {
  /** Bytes of the program. */
  feed: (bytes: Uint8Array) => void;
  setFault: (fault: ModemFault | null) => void;
  /** Tries that the SIM still grants. */
  pinTries: () => number;
};

type Answers = { lines: string[]; final: string };

const CTRL_Z = 0x1a;
const ESCAPE = 0x1b;
const CR = 0x0d;
const MOST_TYPED = 2_048;
const ok = (...lines: string[]): Answers => ({ lines, final: 'OK' });
const error = (final: string): Answers => ({ lines: [], final });

/** `write` goes to the program; `sent` hears each message that the network took. */
export function createSimulatedModem(deps: {
  write: (bytes: Uint8Array) => void;
  sent: (sms: SentSms) => void;
  /** null: the SIM wants none. */
  pin: string | null;
  fault: ModemFault | null;
}): SimulatedModem {
  const state = {
    isEchoing: true,
    isLocked: deps.pin !== null,
    tries: 3,
    charset: 'IRA',
    parameters: [17, 167, 0, 0],
    reportMode: 0,
    prompt: null as string | null,
    reference: 0,
    fault: deps.fault,
  };
  let typed: number[] = [];

  const say = (text: string) => deps.write(Buffer.from(text, 'latin1'));

  function feed(bytes: Uint8Array): void {
    if (state.fault === 'silent') return;
    for (const byte of bytes) {
      if (state.prompt !== null) typeText(byte);
      else if (byte === CR) {
        const command = Buffer.from(typed).toString('latin1').trim();
        typed = [];
        if (command !== '') obey(command);
      } else if (byte >= 0x20 && typed.length < MOST_TYPED) typed.push(byte);
    }
  }

  function typeText(byte: number): void {
    if (byte === ESCAPE) {
      state.prompt = null;
      typed = [];
      say('\r\nOK\r\n');
    } else if (byte === CTRL_Z) sendTyped();
    else if (typed.length < MOST_TYPED) typed.push(byte);
  }

  function obey(command: string): void {
    if (state.isEchoing) say(`${command}\r`);
    const answers = answerTo(command);
    if (answers === null) return;
    for (const line of answers.lines) say(`\r\n${line}\r\n`);
    say(`\r\n${answers.final}\r\n`);
  }

  /** null: it goes on at the prompt. */
  function answerTo(command: string): Answers | null {
    const upper = command.toUpperCase();
    if (upper === 'AT' || upper.startsWith('AT+CMEE=') || upper.startsWith('AT+CMGF=')) return ok();
    if (upper === 'ATE0' || upper === 'ATE1') {
      state.isEchoing = upper === 'ATE1';
      return ok();
    }
    if (upper === 'AT+CGMI') return ok('Simulated');
    if (upper === 'AT+CGMM') return ok('GSM-1');
    if (upper === 'AT+CPIN?') return pinState();
    if (upper.startsWith('AT+CPIN=')) return enterPin(command);
    if (upper === 'AT+CPINR="SIM PIN"') return ok(`+CPINR: SIM PIN,${state.tries},3`);
    if (state.isLocked) return error('+CME ERROR: 11');
    if (upper === 'AT+CREG?') return ok(`+CREG: 0,${state.fault === 'no-network' ? 2 : 1}`);
    if (upper === 'AT+CEREG?') return ok('+CEREG: 0,0');
    if (upper === 'AT+CSQ') return ok(`+CSQ: ${state.fault === 'no-network' ? 99 : 19},99`);
    if (upper === 'AT+COPS?')
      return ok(state.fault === 'no-network' ? '+COPS: 0' : '+COPS: 0,0,"Rede Simulada",7');
    if (upper.startsWith('AT+CSCS=')) return setCharset(command);
    if (upper.startsWith('AT+CSMP=')) return setParameters(command);
    if (upper.startsWith('AT+CNMI=')) {
      state.reportMode = Number(command.split(',')[3] ?? 0);
      return ok();
    }
    if (upper.startsWith('AT+CMGS=')) return beginMessage(command);
    return error('ERROR');
  }

  function pinState(): Answers {
    if (state.fault === 'no-sim') return error('+CME ERROR: 10');
    if (state.tries === 0) return ok('+CPIN: SIM PUK');
    return ok(state.isLocked ? '+CPIN: SIM PIN' : '+CPIN: READY');
  }

  function enterPin(command: string): Answers {
    if (state.tries === 0) return error('+CME ERROR: 12');
    if (quoted(command) !== deps.pin) {
      state.tries -= 1;
      return error('+CME ERROR: 16');
    }
    Object.assign(state, { isLocked: false, tries: 3 });
    return ok();
  }

  function setCharset(command: string): Answers {
    const wanted = quoted(command) ?? '';
    if (!['GSM', 'IRA', 'UCS2'].includes(wanted)) return error('+CME ERROR: 50');
    state.charset = wanted;
    return ok();
  }

  function setParameters(command: string): Answers {
    const given = command.slice(8).split(',').map(Number);
    if (given.length !== 4 || !given.every(Number.isInteger)) return error('+CMS ERROR: 302');
    state.parameters = given;
    return ok();
  }

  function beginMessage(command: string): Answers | null {
    if (state.fault === 'no-prompt') return null;
    const number = decoded(quoted(command) ?? '');
    if (number === null || !/^\+?\d{3,15}$/.test(number)) return error('+CMS ERROR: 304');
    state.prompt = number;
    say('\r\n> ');
    return null;
  }

  function sendTyped(): void {
    const number = state.prompt ?? '';
    const text = decoded(Buffer.from(typed).toString('latin1'));
    state.prompt = null;
    typed = [];
    const isUcs2 = state.charset === 'UCS2';
    // what the network would cut, the modem refuses
    const hasRoom = text !== null && text.length <= (state.parameters[3] === 8 ? 70 : 160);
    if (!hasRoom || isUcs2 !== (state.parameters[3] === 8)) return say('\r\n+CMS ERROR: 305\r\n');
    if (state.fault === 'no-network') return say('\r\n+CMS ERROR: 331\r\n');
    if (state.fault === 'busy-network') return say('\r\n+CMS ERROR: 42\r\n');
    if (state.fault === 'refuse') return say('\r\n+CMS ERROR: 28\r\n');
    state.reference = (state.reference + 1) % 256;
    const { reference } = state;
    deps.sent({ number, text, coding: isUcs2 ? 'ucs2' : 'gsm', reference });
    say(`\r\n+CMGS: ${reference}\r\n\r\nOK\r\n`);
    const wantsReport = ((state.parameters[0] ?? 0) & 32) !== 0 && state.reportMode === 1;
    if (!wantsReport) return;
    const outcome = state.fault === 'lost-reports' ? 70 : 0;
    const at = '"26/03/02,09:00:00-12"';
    say(`\r\n+CDS: 6,${reference},"${number}",145,${at},${at},${outcome}\r\n`);
  }

  /** null: not what the character set holds. */
  function decoded(text: string): string | null {
    if (state.charset !== 'UCS2') return text;
    if (!/^([0-9A-F]{4})+$/i.test(text)) return null;
    return Buffer.from(text, 'hex').swap16().toString('utf16le');
  }

  return {
    feed,
    setFault: (fault) => {
      state.fault = fault;
    },
    pinTries: () => state.tries,
  };
}

const quoted = (command: string): string | undefined => /="([^"]*)"/.exec(command)?.[1];

const HELP = `Simulated GSM modem on a pseudo-terminal; each SMS it sends is printed as a line of JSON.

usage: npm run sim -- --modem --pty [--link PATH] [--sim-pin PIN] [--fault NAME]

  --link PATH     a name for the port that stays the same, for example /tmp/modem
  --sim-pin PIN   the SIM wants this PIN
  --fault NAME    ${MODEM_FAULTS.join(', ')}
`;

/** Runs until it is interrupted. Throws UsageError. */
export async function runModem(terminal: Terminal, args: readonly string[]): Promise<number> {
  const values = read(args);
  if (values.help === true) {
    terminal.print(HELP);
    return 0;
  }
  if (values.pty !== true) throw new UsageError('--modem needs --pty: it stands on a pseudo-terminal.');
  const fault = MODEM_FAULTS.find((name) => name === values.fault) ?? null;
  if (values.fault !== undefined && fault === null)
    throw new UsageError(`--fault must be one of ${MODEM_FAULTS.join(', ')}.`);
  const pty = await openPty();
  const print = (line: object) => terminal.print(JSON.stringify(line));
  const modem = createSimulatedModem({
    write: pty.write,
    sent: (sms) => print({ sms }),
    pin: values['sim-pin'] ?? null,
    fault,
  });
  pty.onData(modem.feed);
  if (values.link !== undefined) {
    try {
      await linkTo(values.link, pty.path);
    } catch (cause) {
      await pty.close();
      throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
  print({ modem: values.link ?? pty.path });
  await new Promise<void>((resolve) => {
    if (terminal.interrupted.aborted) resolve();
    terminal.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await pty.close();
  if (values.link !== undefined) await dropLink(values.link, pty.path);
  return 0;
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        modem: { type: 'boolean' },
        pty: { type: 'boolean' },
        link: { type: 'string' },
        'sim-pin': { type: 'string' },
        fault: { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause);
    throw new UsageError(`${reason}; --modem --help shows what there is.`, { cause });
  }
}
