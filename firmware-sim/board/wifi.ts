import type { SimClock } from '../sim-clock.ts';
import type { BoardFaults } from './faults.ts';
import type { WifiSettings } from './settings.ts';

// The air around the simulated board.

export type Network = { ssid: string; rssi: number /** null: open. */; password: string | null };

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
