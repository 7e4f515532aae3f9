// The id of what can be done once, whoever does it: two devices that know nothing of each other come to the same one, so
// that the gateway keeps a single row. Pure; the digests of browsers are missing on plain http.

/** UUID in the shape of a v4, the same for the same words. Not for secrets: it spreads words over 122 bits, no more. */
export function sharedId(words: string): string {
  const hex = [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f].map((seed) => wordOf(words, seed)).join('');
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** 32 bits in hex: MurmurHash3 over the letters. */
function wordOf(words: string, seed: number): string {
  let hash = seed;
  for (let at = 0; at < words.length; at += 1) {
    let part = Math.imul(words.charCodeAt(at), 0xcc9e2d51);
    part = Math.imul((part << 15) | (part >>> 17), 0x1b873593);
    hash ^= part;
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash ^= words.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, '0');
}
