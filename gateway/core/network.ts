/** An address, or all that begin with its first `bits`. */
export type Network = { address: string; family: 'ipv4' | 'ipv6'; bits: number };

/** Of version 6, in the part that the internet uses (2000::/3). */
const OF_THE_INTERNET = /^[23][\da-f]{3}:/i;

/**
 * What a bound counts an address as: one of version 6 as the /64 network that it lies in, for whoever has one address of the
 * internet has all 2^64 of its network. Addresses of a farm's own network are counted one by one.
 */
export function placeOf(address: string): string {
  if (!OF_THE_INTERNET.test(address)) return address;
  const [before = '', after] = address.toLowerCase().split('::');
  const groups = before.split(':');
  // what `::` leaves out is zeros, up to eight groups in all; the last two may be written as a version 4 address
  const behind = after === undefined || after === '' ? [] : after.split(':');
  const left = Math.max(0, 8 - groups.length - behind.length - (after?.includes('.') ? 1 : 0));
  const whole = after === undefined ? groups : [...groups, ...Array<string>(left).fill('0'), ...behind];
  const plain = (group: string) => group.replace(/^0+(?=.)/, '');
  return `${whole.slice(0, 4).map(plain).join(':')}::/64`;
}
