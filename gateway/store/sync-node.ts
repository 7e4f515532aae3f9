// The last part of a stamp names who set it. Those of a hosted instance begin with these digits and those of gateways
// never do, so that a stamp tells which side a value came from.

const HOSTED = 'c0';
const DIGITS = 8;

/** The node of a run, made of random hex digits. */
export function nodeOf(role: 'gateway' | 'hosted', random: string): string {
  const own = random.slice(0, DIGITS - HOSTED.length);
  if (role === 'hosted') return `${HOSTED}${own}`;
  const node = random.slice(0, DIGITS);
  return node.startsWith(HOSTED) ? `0${node.slice(1)}` : node;
}

/** True for a stamp that a hosted instance set; false for '' and those of gateways. */
export const isHostedStamp = (hlc: string): boolean => hlc.split('.')[2]?.startsWith(HOSTED) ?? false;

/**
 * A stamp that a hosted instance sets in place of a gateway's, by a node of its own: while a clock is behind, stamps count up
 * alone, those under a stream's lock beside those of farms that have none, and one of both could come twice.
 */
export function inPlaceOfGateways(hlc: string): string {
  const last = Number.parseInt(hlc.slice(-1), 16);
  return `${hlc.slice(0, -1)}${(last ^ 8).toString(16)}`;
}
