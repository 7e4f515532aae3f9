import { findImprovFrame, type ImprovFrame } from './improv-frames.ts';
import { findSfprovFrame, type SfprovFrame } from './sfprov-frames.ts';

/** What a board says on its console: frames of two protocols between the lines of its log. */
export type Heard =
  | ({ kind: 'improv' } & ImprovFrame)
  | ({ kind: 'sfprov' } & SfprovFrame)
  | { kind: 'line'; text: string };

export type ConsoleReader = {
  feed: (bytes: Uint8Array) => Heard[];
  /**
   * Gives up the frame that was begun and did not come whole, and looks for others behind its first byte: noise that
   * looks like a long frame must not swallow what follows.
   */
  giveUp: () => Heard[];
};

const LONGEST_LINE = 512;
const NEW_LINE = 0x0a;

export function createConsoleReader(): ConsoleReader {
  let waiting: Uint8Array = new Uint8Array(0);
  let line: number[] = [];

  function take(bytes: Uint8Array): Heard[] {
    const heard: Heard[] = [];
    let at = 0;
    while (at < bytes.length) {
      const improv = findImprovFrame(bytes, at);
      const sfprov = findSfprovFrame(bytes, at);
      if (improv.is === 'frame') {
        heard.push(...endLine(), { kind: 'improv', ...improv.frame });
        at = improv.end;
      } else if (sfprov.is === 'frame') {
        heard.push(...endLine(), { kind: 'sfprov', ...sfprov.frame });
        at = sfprov.end;
      } else if (improv.is === 'partial' || sfprov.is === 'partial') break;
      else {
        heard.push(...takeByte(bytes[at] ?? NEW_LINE));
        at += 1;
      }
    }
    waiting = bytes.slice(at);
    return heard;
  }

  function takeByte(byte: number): Heard[] {
    if (byte === NEW_LINE) return endLine();
    line.push(byte);
    return line.length >= LONGEST_LINE ? endLine() : [];
  }

  function endLine(): Heard[] {
    const text = printable(Uint8Array.from(line));
    line = [];
    return text === '' ? [] : [{ kind: 'line', text }];
  }

  return {
    feed: (bytes) => take(Buffer.concat([waiting, bytes])),
    giveUp() {
      const [first, ...rest] = waiting;
      if (first === undefined) return [];
      return [...takeByte(first), ...take(Uint8Array.from(rest))];
    },
  };
}

/** Without colours and control characters, which would move the cursor of whoever reads it. */
function printable(bytes: Uint8Array): string {
  return new TextDecoder()
    .decode(bytes)
    .replaceAll(/\p{Cc}\[[0-9;]*[A-Za-z]/gu, '')
    .replaceAll(/\p{Cc}/gu, '')
    .trimEnd();
}
