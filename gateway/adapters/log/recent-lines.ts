const LINES = 1_000;
const LINE_CHARACTERS = 4_000;
const CHARACTERS = 512 * 1024;

export type RecentLines = { add: (line: string) => void; all: () => string[] };

/** The last lines of the log, for a support bundle; bounded, whatever is written. */
export function createRecentLines(): RecentLines {
  const lines: string[] = [];
  let characters = 0;
  return {
    add(line) {
      const kept = line.length <= LINE_CHARACTERS ? line.trimEnd() : cut(line);
      lines.push(kept);
      characters += kept.length;
      while (lines.length > LINES || characters > CHARACTERS) characters -= lines.shift()?.length ?? 0;
    },
    all: () => [...lines],
  };
}

/** No half of a word: that of a secret would not be known as one. */
const cut = (line: string): string => `${line.slice(0, LINE_CHARACTERS).replace(/\S{0,300}$/, '')}…`;
