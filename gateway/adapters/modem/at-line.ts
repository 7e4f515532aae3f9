// The dialogue with a modem (ITU-T V.250, 3GPP TS 27.005 and 27.007): one command at a time, lines and a final result.

/** A serial port as far as a modem needs it. */
export type ModemPort = {
  write: (bytes: Uint8Array) => Promise<void>;
  onData: (listener: (bytes: Buffer) => void) => () => void;
  readonly lost: AbortSignal;
  close: () => Promise<void>;
};

export type AtAnswer = { result: 'ok' | 'error' | 'silent'; lines: string[]; error: string | null };

export type AtLine = {
  /** `text`: what is typed at the prompt `>`, ended by Ctrl-Z. Rejects when the port is lost. */
  ask: (command: string, how?: { withinMs?: number; text?: string }) => Promise<AtAnswer>;
  close: () => Promise<void>;
};

const CTRL_Z = '\u001A';
const ESCAPE = '\u001B';
const ANSWER_WITHIN_MS = 5_000;
/** A line of noise grows no further. */
const MOST_LINE = 1_024;
const MOST_LINES = 64;
const FINAL_ERROR = /^(ERROR|\+CM[ES] ERROR: .*|NO CARRIER|NO DIALTONE|BUSY|NO ANSWER)$/;
/** What a modem says without being asked. */
const UNASKED =
  /^(\+CMTI|\+CMT|\+CDS|\+CDSI|\+CBM|\+CREG: \d\s*$|\+CEREG: \d\s*$|RING|\^|\+CIEV|\+CPIN: (?=NOT READY)|RDY|\*)/;

type Waiting = {
  answer: AtAnswer;
  text: string | null;
  isTyped: boolean;
  done: (result: AtAnswer['result'], error: string | null) => void;
};

/** `unasked` hears lines such as delivery reports. Bytes that are no text are dropped. */
export function createAtLine(port: ModemPort, unasked: (line: string) => void): AtLine {
  let buffered = '';
  let waiting: Waiting | null = null;

  const stopListening = port.onData((bytes) => {
    buffered = (buffered + bytes.toString('latin1')).slice(-MOST_LINE * 4);
    for (;;) {
      typeAtPrompt();
      const end = buffered.search(/[\r\n]/);
      if (end < 0) break;
      const line = buffered.slice(0, end).trim().slice(0, MOST_LINE);
      buffered = buffered.slice(end + 1);
      if (line !== '') hear(line);
    }
  });

  /** The prompt ends no line. */
  function typeAtPrompt(): void {
    if (waiting === null || waiting.text === null || waiting.isTyped || !/^[\r\n ]*> ?$/.test(buffered))
      return;
    buffered = '';
    waiting.isTyped = true;
    void port.write(bytesOf(`${waiting.text}${CTRL_Z}`)).catch(() => undefined);
  }

  function hear(line: string): void {
    if (UNASKED.test(line)) return unasked(line);
    if (waiting === null) return;
    if (line === 'OK') waiting.done('ok', null);
    else if (FINAL_ERROR.test(line)) waiting.done('error', line);
    else if (waiting.answer.lines.length < MOST_LINES && line !== '>') waiting.answer.lines.push(line);
  }

  async function ask(command: string, how: { withinMs?: number; text?: string } = {}): Promise<AtAnswer> {
    port.lost.throwIfAborted();
    if (waiting !== null) throw new Error('a modem answers one command at a time');
    const { promise, resolve, reject } = Promise.withResolvers<AtAnswer>();
    const answer: AtAnswer = { result: 'silent', lines: [], error: null };
    const lose = () => reject(port.lost.reason);
    port.lost.addEventListener('abort', lose, { once: true });
    const timer = setTimeout(() => resolve(answer), how.withinMs ?? ANSWER_WITHIN_MS);
    buffered = '';
    waiting = {
      answer,
      text: how.text ?? null,
      isTyped: false,
      done: (result, error) => resolve({ ...answer, result, error }),
    };
    try {
      await port.write(bytesOf(`${command}\r`));
      const told = await promise;
      // whatever it waits for at the prompt is broken off, so that the next command is heard as one
      if (told.result === 'silent' && how.text !== undefined && !port.lost.aborted)
        await port.write(bytesOf(ESCAPE));
      // the echo of a modem that still has it on
      return { ...told, lines: told.lines.filter((line) => line !== command) };
    } finally {
      waiting = null;
      clearTimeout(timer);
      port.lost.removeEventListener('abort', lose);
    }
  }

  return {
    ask,
    async close() {
      stopListening();
      await port.close();
    },
  };
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0) & 0xff);
