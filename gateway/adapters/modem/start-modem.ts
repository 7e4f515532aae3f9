import type { ModemState } from '#contract/resources/modem.ts';
import type { AtLine } from './at-line.ts';

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
