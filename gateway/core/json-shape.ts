// How JSON is built, counted in its bytes before a parser makes anything of it: parsers are held for long by texts that
// are nested deeply or made of nothing but small values, and whoever waits for control waits with them.

const [QUOTE, ESCAPE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c,
];

/** From so long a text on its end is looked for natively, which is many times as fast. */
const LONG_TEXT = 256;

/** Whether it is nested deeper than that, or has more values than that. Brackets and commas within texts do not count. */
export function isBeyond(bytes: Uint8Array, most: { depth: number; values: number }): boolean {
  let depth = 0;
  let values = 0;
  let isText = false;
  /** Where the text began, or its last escape was. */
  let since = 0;
  let nextEscape = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === ESCAPE) {
        at += 1;
        since = at;
      } else if (byte === QUOTE) isText = false;
      else if (at - since >= LONG_TEXT) {
        // found once and kept until it is passed: nothing is looked at twice
        if (nextEscape < at) nextEscape = placeOf(bytes, ESCAPE, at);
        at = Math.min(placeOf(bytes, QUOTE, at), nextEscape) - 1;
      }
    } else if (byte === QUOTE) {
      isText = true;
      since = at;
    } else if (byte === COMMA) {
      values += 1;
      if (values > most.values) return true;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > most.depth || values > most.values) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

function placeOf(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found === -1 ? bytes.length : found;
}
