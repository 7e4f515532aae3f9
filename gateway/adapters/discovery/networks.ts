import { networkInterfaces } from 'node:os';

export type OwnNetwork = { address: string; netmask: string; broadcast: string };

/** The IPv4 networks this machine is in, with the address that reaches everybody there. */
export function ownNetworks(): OwnNetwork[] {
  return Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address, netmask }) => ({ address, netmask, broadcast: broadcastOf(address, netmask) }));
}

/** Whether an IPv4 address is in that network. */
export function isNeighbour(
  { address, netmask }: Pick<OwnNetwork, 'address' | 'netmask'>,
  other: string,
): boolean {
  const [mask, own] = [numbersOf(netmask), numbersOf(address)];
  const theirs = numbersOf(other);
  return (
    theirs.length === 4 &&
    theirs.every((part, place) => ((part ^ (own[place] ?? 0)) & (mask[place] ?? 255)) === 0)
  );
}

function broadcastOf(address: string, netmask: string): string {
  const mask = numbersOf(netmask);
  return numbersOf(address)
    .map((part, place) => (part | (~(mask[place] ?? 255) & 255)) >>> 0)
    .join('.');
}

const numbersOf = (address: string): number[] => address.split('.').map(Number);
