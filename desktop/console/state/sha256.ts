// SHA-256 (FIPS 180-4). The browser has one of its own on https alone, and a gateway is often called on plain http.

const ROUNDS = 64;
const K = new Uint32Array(ROUNDS);
const START = new Uint32Array(8);

/** Roots of the first primes make the constants. */
function fill(): void {
  const isPrime = (n: number) => {
    for (let by = 2; by * by <= n; by += 1) if (n % by === 0) return false;
    return true;
  };
  const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32);
  for (let n = 2, found = 0; found < ROUNDS; n += 1) {
    if (!isPrime(n)) continue;
    if (found < START.length) START[found] = fraction(Math.sqrt(n));
    K[found] = fraction(Math.cbrt(n));
    found += 1;
  }
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** In hex. */
export function sha256(bytes: Uint8Array): string {
  if (K[0] === 0) fill();
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = START.slice();
  const words = new Uint32Array(ROUNDS);
  for (let at = 0; at < padded.length; at += 64) block(state, words, view, at);
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

function block(state: Uint32Array, words: Uint32Array, view: DataView, at: number): void {
  const w = (n: number) => words[n] ?? 0;
  for (let n = 0; n < ROUNDS; n += 1) {
    if (n < 16) {
      words[n] = view.getUint32(at + 4 * n);
      continue;
    }
    const [near, far] = [w(n - 2), w(n - 15)];
    const small = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const large = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[n] = w(n - 16) + small + w(n - 7) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let n = 0; n < ROUNDS; n += 1) {
    const first =
      (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + (K[n] ?? 0) + w(n)) | 0;
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [n, word] of [a, b, c, d, e, f, g, h].entries()) state[n] = (state[n] ?? 0) + word;
}
