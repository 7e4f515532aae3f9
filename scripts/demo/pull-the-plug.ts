import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { LinkProxy } from '../hosted/link-proxy.ts';

const SLOW = { roundTripMs: 600, bytesPerSecond: 8_000 };
const FAST = { roundTripMs: 0, bytesPerSecond: null };

const WORDS: Readonly<Record<string, { does: string; run: (link: LinkProxy) => void }>> = {
  cut: {
    does: 'breaks the line between farm and cloud',
    run: (link) => link.cut(),
  },
  hang: {
    does: 'the line looks whole and swallows everything, as behind a router that forgot it',
    run: (link) => link.swallow(),
  },
  slow: {
    does: 'a bad radio link: 64 kbit/s, 600 ms there and back',
    run: (link) => link.set(SLOW),
  },
  heal: {
    does: 'whole and fast again',
    run(link) {
      link.set(FAST);
      link.restore();
    },
  },
};

export const PLUG_HELP = [
  'Pull the plug: type one of these here, then Enter',
  ...Object.entries(WORDS).map(([word, { does }]) => `  ${word.padEnd(12)} ${does}`),
].join('\n');

/** Listens for the words until it is told to stop. */
export function pullThePlug(link: LinkProxy, input: Readable, print: (line: string) => void): () => void {
  const lines = createInterface({ input });
  lines.on('line', (typed) => {
    const name = typed.trim().toLowerCase();
    if (name === '') return;
    const word = WORDS[name];
    if (word === undefined) return print(PLUG_HELP);
    word.run(link);
    print(`${name}: ${word.does}`);
  });
  return () => {
    lines.close();
    // whoever started the demo has its terminal back
    input.pause();
  };
}

/** How much went over the line. */
export function linkLine({ counts }: LinkProxy): string {
  const { open, bytesThere, bytesBack } = counts();
  return `${open} connections to the cloud, ${kb(bytesThere)} kB there, ${kb(bytesBack)} kB back`;
}

const kb = (bytes: number): string => (bytes / 1_000).toFixed(0);
