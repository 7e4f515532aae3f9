import { networkInterfaces } from 'node:os';

export type OwnNetwork = { address: string; broadcast: string };

/** The IPv4 networks this machine is in, with the address that reaches everybody there. */
export function ownNetworks(): OwnNetwork[] {
  return Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address, netmask }) => ({ address, broadcast: broadcastOf(address, netmask) }));
}

function broadcastOf(address: string, netmask: string): string {
  const mask = netmask.split('.').map(Number);
  return address
    .split('.')
    .map((part, place) => (Number(part) | (~(mask[place] ?? 255) & 255)) >>> 0)
    .join('.');
}
