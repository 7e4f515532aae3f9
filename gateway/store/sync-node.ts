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
