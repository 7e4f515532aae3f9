import { hostname, networkInterfaces } from 'node:os';

/** The name of this machine and its addresses outside of itself, IPv4 and IPv6. */
export function machineNetwork(): { hostname: string; addresses: string[] } {
  const addresses = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);
  return { hostname: hostname(), addresses: [...new Set(addresses)] };
}
