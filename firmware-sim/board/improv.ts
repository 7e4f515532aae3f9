import type { SimClock } from '../sim-clock.ts';
import type { BoardFaults } from './faults.ts';
import type { WifiSettings } from './nvs.ts';
import { improvFrame } from './sfprov.ts';

// The air around the simulated board.

type Network = { ssid: string; rssi: number /** null: open. */; password: string | null };

export type Wifi = {
  networks(): readonly Network[];
  /** Whether these settings would be let in. */
  isRight(wifi: WifiSettings): boolean;
  /** Tells later; never when the access point stays silent. */
  join(wifi: WifiSettings, told: (isJoined: boolean) => void): void;
};

/** The network of the farm, and two that belong to others. */
export const FARM_WIFI: WifiSettings = { ssid: 'Fazenda', password: 'camarao2026' };

export function createWifi(
  clock: SimClock,
  options: { farm: WifiSettings; joinTakesMs: number; faults: BoardFaults },
): Wifi {
  const { farm, faults } = options;
  const networks: Network[] = [
    { ssid: farm.ssid, rssi: -52, password: farm.password === '' ? null : farm.password },
    { ssid: 'Vizinho', rssi: -71, password: 'nao-e-nosso' },
    { ssid: 'Visitantes', rssi: -78, password: null },
  ];
  const isRight = ({ ssid, password }: WifiSettings) => {
    if (faults['wifi-password'] !== undefined) return false;
    const found = networks.find((network) => network.ssid === ssid);
    return found !== undefined && (found.password === null || found.password === password);
  };
  return {
    networks: () => networks,
    isRight,
    join: (wifi, told) => {
      if (faults['wifi-silent'] !== undefined) return;
      clock.at(clock.nowMs() + options.joinTakesMs, () => told(isRight(wifi)));
    },
  };
}

// The device's side of Improv over serial: a host asks who is there, which networks are heard, and gives it one.

const TYPE_STATE = 1;
const TYPE_ERROR = 2;
const TYPE_COMMAND = 3;
const TYPE_RESULT = 4;

const STATE = { ready: 2, provisioning: 3, provisioned: 4 } as const;
const ERROR = { none: 0, invalid: 1, unknown: 2, unableToConnect: 3, badHostname: 5 } as const;
const COMMAND = { settings: 1, state: 2, info: 3, scan: 4, hostname: 5, deviceName: 6 } as const;
/** The length of a result is one byte; a network's name and strength always fit. */
const MAX_TEXT_BYTES = 120;

type ImprovDeps = {
  clock: SimClock;
  send: (bytes: Uint8Array) => void;
  wifi: Wifi;
  info: () => { firmware: string; version: string; chip: string; name: string };
  saved: () => WifiSettings | null;
  save: (wifi: WifiSettings) => void;
  /** Where a person goes next; null where nothing is to be seen. */
  nextUrl: () => string | null;
  setName: (name: string) => void;
};

type Improv = {
  hear(type: number, data: Uint8Array): void;
  hearDamaged(): void;
};

export function createImprov(deps: ImprovDeps): Improv {
  let isJoining = false;
  let hostname = 'aerator';

  const send = (type: number, data: Uint8Array | readonly number[]) => deps.send(improvFrame(type, data));
  const refuse = (error: number) => send(TYPE_ERROR, [error]);
  const accept = () => send(TYPE_ERROR, [ERROR.none]);
  const tellState = () => {
    const settled = deps.saved() === null ? STATE.ready : STATE.provisioned;
    send(TYPE_STATE, [isJoining ? STATE.provisioning : settled]);
  };
  const answer = (command: number, texts: readonly string[]) => {
    const body = texts.flatMap((text) => {
      const bytes = new TextEncoder().encode(text).subarray(0, MAX_TEXT_BYTES);
      return [bytes.length, ...bytes];
    });
    send(TYPE_RESULT, [command, body.length, ...body]);
  };
  const urls = () => {
    const url = deps.nextUrl();
    return url === null ? [] : [url];
  };

  const join = (wifi: WifiSettings) => {
    isJoining = true;
    accept();
    tellState();
    deps.wifi.join(wifi, (isJoined) => {
      isJoining = false;
      if (isJoined) deps.save(wifi);
      else refuse(ERROR.unableToConnect);
      tellState();
      if (isJoined) answer(COMMAND.settings, urls());
    });
  };
  const run = (command: number, data: Uint8Array) => {
    switch (command) {
      case COMMAND.settings: {
        const wifi = readSettings(data);
        return wifi === null || isJoining ? refuse(ERROR.invalid) : join(wifi);
      }
      case COMMAND.state:
        accept();
        tellState();
        if (deps.saved() !== null && !isJoining) answer(command, urls());
        return;
      case COMMAND.info: {
        const { firmware, version, chip, name } = deps.info();
        accept();
        return answer(command, [firmware, version, chip, name]);
      }
      case COMMAND.scan:
        accept();
        for (const { ssid, rssi, password } of deps.wifi.networks())
          answer(command, [ssid, String(rssi), password === null ? 'NO' : 'YES']);
        return answer(command, []);
      case COMMAND.hostname: {
        const wanted = new TextDecoder().decode(data);
        if (wanted !== '' && !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(wanted))
          return refuse(ERROR.badHostname);
        if (wanted !== '') hostname = wanted;
        accept();
        return answer(command, [hostname]);
      }
      case COMMAND.deviceName:
        if (data.length > 0) deps.setName(new TextDecoder().decode(data));
        accept();
        return answer(command, [deps.info().name]);
      default:
        return refuse(ERROR.unknown);
    }
  };
  return {
    hear: (type, data) => {
      if (type !== TYPE_COMMAND) return;
      const [command, length] = data;
      if (command === undefined || length === undefined || length !== data.length - 2)
        return refuse(ERROR.invalid);
      run(command, data.subarray(2));
    },
    hearDamaged: () => refuse(ERROR.invalid),
  };
}

function readSettings(data: Uint8Array): WifiSettings | null {
  const ssidLength = data[0] ?? 0;
  const passwordLength = data[1 + ssidLength];
  if (ssidLength === 0 || ssidLength > 32 || passwordLength === undefined) return null;
  if (data.length !== 2 + ssidLength + passwordLength) return null;
  const text = (from: number, length: number) => new TextDecoder().decode(data.subarray(from, from + length));
  return { ssid: text(1, ssidLength), password: text(2 + ssidLength, passwordLength) };
}
