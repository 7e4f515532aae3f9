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
      const kept = line.slice(0, LINE_CHARACTERS).trimEnd();
      lines.push(kept);
      characters += kept.length;
      while (lines.length > LINES || characters > CHARACTERS) characters -= lines.shift()?.length ?? 0;
    },
    all: () => [...lines],
  };
}
