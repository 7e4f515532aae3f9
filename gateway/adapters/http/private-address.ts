import { BlockList } from 'node:net';

const privateNetworks = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const) {
  privateNetworks.addSubnet(network, bits, 'ipv4');
}
privateNetworks.addSubnet('fc00::', 7, 'ipv6');
privateNetworks.addSubnet('fe80::', 10, 'ipv6');
privateNetworks.addAddress('::1', 'ipv6');

/** True for addresses of a farm's own network and of this machine. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '').replace(/%.*$/, '');
  return privateNetworks.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4');
}
