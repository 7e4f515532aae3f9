import { type InEach, inEach } from '#core/each-language.ts';
import {
  IMPROV_COMMAND,
  IMPROV_ERROR,
  IMPROV_STATE,
  IMPROV_TYPE,
  type ImprovResult,
  improvCommand,
  readImprovResult,
} from './improv-frames.ts';
import type { BoardConsole, Heard } from './provision-console.ts';
import { BenchTrouble } from './trouble.ts';

export type Wifi = { ssid: string; password: string };
export type ImprovInfo = { firmware: string; version: string; chip: string; name: string };
export type WifiNetwork = { ssid: string; rssi: number; secured: boolean };

const TRIES = 5;
const ANSWER_MS = 1_000;
const SCAN_MS = 15_000;
/** Finding the network, joining it and getting an address; phones give up after as long. */
const JOIN_MS = 40_000;
const MOST_NETWORKS = 64;
const MOST_SSID_BYTES = 32;
const MOST_PASSWORD_BYTES = 64;

type Said = { error: number } | { state: number } | { result: ImprovResult };

/** Who the board says it is; null: it does not speak Improv, or not now. */
export async function askImprovInfo(console: BoardConsole): Promise<ImprovInfo | null> {
  const result = await resultOf(console, IMPROV_COMMAND.info);
  if (result === null) return null;
  const [firmware = '', version = '', chip = '', name = ''] = result.texts;
  return { firmware, version, chip, name };
}

/** Networks the board hears, strongest first. Throws NO_ANSWER. */
export async function scanWifi(console: BoardConsole): Promise<WifiNetwork[]> {
  const strongest = new Map<string, WifiNetwork>();
  let send: Uint8Array | null = improvCommand(IMPROV_COMMAND.scan);
  for (let rows = 0; rows < MOST_NETWORKS; rows += 1) {
    const said: Said | null = await console.ask({
      send,
      pick: resultOrRefusal(IMPROV_COMMAND.scan),
      ms: SCAN_MS,
    });
    send = null;
    if (said === null) {
      if (strongest.size > 0) break;
      throw noImprov(
        inEach(
          'a placa não listou as redes à volta dela',
          'the board did not list the networks around it',
          'la placa no listó las redes a su alrededor',
        ),
      );
    }
    if (!('result' in said)) throw refused(said);
    const [ssid, rssi, secured] = said.result.texts;
    if (ssid === undefined) break;
    const found = { ssid, rssi: Number(rssi ?? 0) || 0, secured: secured !== 'NO' };
    const known = strongest.get(ssid);
    if (known === undefined || known.rssi < found.rssi) strongest.set(ssid, found);
  }
  return [...strongest.values()].toSorted((a, b) => b.rssi - a.rssi);
}

/**
 * Gives the board its Wi-Fi and waits until it is in. Answers the address it shows for itself, or null. Throws
 * WIFI_REFUSED (wrong name or password), WIFI_TIMEOUT, NO_ANSWER, BAD_INPUT. The password is in no message.
 */
export async function joinWifi(console: BoardConsole, wifi: Wifi): Promise<string | null> {
  requireFit(wifi);
  if ((await stateOf(console)) === null)
    throw noImprov(
      inEach(
        'a placa não responde ao Improv',
        'the board does not answer Improv',
        'la placa no responde a Improv',
      ),
    );
  const send = improvCommand(IMPROV_COMMAND.wifi, [wifi.ssid, wifi.password]);
  const said = await console.ask({ send, pick: joining(), ms: JOIN_MS });
  if (said === null) throw joinTimeout(wifi);
  if ('error' in said) throw refused(said, wifi);
  if ('result' in said) return said.result.texts[0] ?? null;
  // the address follows, or does not: some boards tell none
  const after = await console.ask({ send: null, pick: resultOrRefusal(IMPROV_COMMAND.wifi), ms: ANSWER_MS });
  return after !== null && 'result' in after ? (after.result.texts[0] ?? null) : null;
}

/** In the words of the protocol: 2 ready, 3 provisioning, 4 provisioned; null without an answer. */
async function stateOf(console: BoardConsole): Promise<number | null> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const state = await console.ask({
      send: improvCommand(IMPROV_COMMAND.state),
      pick: (heard) => {
        const said = saidBy(heard);
        return said !== undefined && 'state' in said ? said.state : undefined;
      },
      ms: ANSWER_MS,
    });
    if (state !== null) return state;
  }
  return null;
}

async function resultOf(console: BoardConsole, command: number): Promise<ImprovResult | null> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const said = await console.ask({
      send: improvCommand(command),
      pick: resultOrRefusal(command),
      ms: ANSWER_MS,
    });
    if (said !== null) return 'result' in said ? said.result : null;
  }
  return null;
}

function saidBy(heard: Heard): Said | undefined {
  if (heard.kind !== 'improv') return undefined;
  const [value] = heard.data;
  if (heard.type === IMPROV_TYPE.state && value !== undefined) return { state: value };
  if (heard.type === IMPROV_TYPE.error && value !== undefined) return { error: value };
  const result = readImprovResult(heard);
  return result === null ? undefined : { result };
}

/** After each accepted command comes an "error" that says there was none. */
const isRefusal = (said: Said): said is { error: number } =>
  'error' in said && said.error !== IMPROV_ERROR.none;

const resultOrRefusal =
  (command: number) =>
  (heard: Heard): Said | undefined => {
    const said = saidBy(heard);
    if (said === undefined) return undefined;
    if ('result' in said) return said.result.command === command ? said : undefined;
    return isRefusal(said) ? said : undefined;
  };

/**
 * A board that has a Wi-Fi already says "provisioned" to every question, and answers come late: only one that has begun to
 * join since it was told has joined now. The answer to the command itself names it and needs no more.
 */
function joining(): (heard: Heard) => Said | undefined {
  let hasBegun = false;
  return (heard) => {
    const said = saidBy(heard);
    if (said === undefined || !('state' in said)) return resultOrRefusal(IMPROV_COMMAND.wifi)(heard);
    if (said.state === IMPROV_STATE.provisioning) hasBegun = true;
    return hasBegun && said.state === IMPROV_STATE.provisioned ? said : undefined;
  };
}

function requireFit({ ssid, password }: Wifi): void {
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const wrong =
    bytes(ssid) < 1 || bytes(ssid) > MOST_SSID_BYTES
      ? inEach(
          `o nome de uma rede Wi-Fi tem de 1 a ${MOST_SSID_BYTES} bytes`,
          `the name of a Wi-Fi network has 1 to ${MOST_SSID_BYTES} bytes`,
          `el nombre de una red Wi-Fi tiene de 1 a ${MOST_SSID_BYTES} bytes`,
        )
      : bytes(password) > MOST_PASSWORD_BYTES || (password !== '' && bytes(password) < 8)
        ? inEach(
            `uma senha de Wi-Fi tem de 8 a ${MOST_PASSWORD_BYTES} bytes, ou nenhum`,
            `a Wi-Fi password has 8 to ${MOST_PASSWORD_BYTES} bytes, or none`,
            `una contraseña de Wi-Fi tiene de 8 a ${MOST_PASSWORD_BYTES} bytes, o ninguno`,
          )
        : null;
  if (wrong === null) return;
  throw new BenchTrouble('BAD_INPUT', {
    message: wrong,
    next: inEach('corrija e comece de novo', 'correct it and start again', 'corrija y comience de nuevo'),
  });
}

function refused(said: Said, wifi?: Wifi): BenchTrouble {
  const error = 'error' in said ? said.error : IMPROV_ERROR.unknown;
  if (error === IMPROV_ERROR.unableToConnect && wifi !== undefined)
    return new BenchTrouble('WIFI_REFUSED', {
      message: inEach(
        `a placa não conseguiu entrar na rede Wi-Fi "${wifi.ssid}"`,
        `the board could not join the Wi-Fi network "${wifi.ssid}"`,
        `la placa no pudo entrar en la red Wi-Fi "${wifi.ssid}"`,
      ),
      next: inEach(
        'confira a senha letra por letra, leve a placa para mais perto do roteador e veja se a rede é de 2,4 GHz',
        'check the password letter by letter, bring the board nearer to the access point, and see that the network is a 2.4 GHz one',
        'revise la contraseña letra por letra, lleve la placa más cerca del router y vea si la red es de 2,4 GHz',
      ),
    });
  return new BenchTrouble('WIFI_REFUSED', {
    message: inEach(
      `a placa recusou o comando de Wi-Fi (erro ${error} do Improv)`,
      `the board refused the Wi-Fi command (Improv error ${error})`,
      `la placa rechazó la orden de Wi-Fi (error ${error} de Improv)`,
    ),
    next: inEach(
      'grave o firmware atual e provisione a placa de novo',
      'flash the current firmware and provision the board again',
      'grabe el firmware actual y aprovisione la placa de nuevo',
    ),
  });
}

function joinTimeout({ ssid }: Wifi): BenchTrouble {
  return new BenchTrouble('WIFI_TIMEOUT', {
    message: inEach(
      `a placa não disse em ${JOIN_MS / 1000} segundos se entrou em "${ssid}"`,
      `the board did not say within ${JOIN_MS / 1000} seconds whether it joined "${ssid}"`,
      `la placa no dijo en ${JOIN_MS / 1000} segundos si entró en "${ssid}"`,
    ),
    next: inEach(
      'aperte reset na placa, leve-a para mais perto do roteador e comece de novo',
      'press reset on the board, bring it nearer to the access point and start again',
      'presione reset en la placa, llévela más cerca del router y comience de nuevo',
    ),
  });
}

function noImprov(message: InEach): BenchTrouble {
  return new BenchTrouble('NO_ANSWER', {
    message,
    next: inEach(
      'aperte reset na placa e comece de novo; se ela continuar calada, grave antes o firmware',
      'press reset on the board and start again; if it stays silent, flash the firmware first',
      'presione reset en la placa y comience de nuevo; si sigue callada, grabe antes el firmware',
    ),
  });
}
