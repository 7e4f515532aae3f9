/** What the host does at its end. */
export type HostEvents = {
  data(bytes: Uint8Array): void;
  hangUp(): void;
  lines(lines: { dtr: boolean; rts: boolean }): void;
};

// The serial port at the other end of a telnet connection (RFC 854, RFC 2217), as far as loaders' clients use it: binary
// bytes, baud rate, DTR and RTS, purge.

export type Rfc2217 = {
  feed(bytes: Uint8Array): void;
  /** Bytes of the board as they go over the connection. */
  escape(bytes: Uint8Array): Uint8Array;
};

const IAC = 255;
const SE = 240;
const SB = 250;
const WILL = 251;
const WONT = 252;
const DO = 253;
const DONT = 254;
const BINARY = 0;
const ECHO = 1;
const SUPPRESS_GO_AHEAD = 3;
const COM_PORT = 44;
const OPTIONS: readonly number[] = [BINARY, ECHO, SUPPRESS_GO_AHEAD, COM_PORT];

const SET_CONTROL = 5;
const CONTROL = { dtrOn: 8, dtrOff: 9, rtsOn: 11, rtsOff: 12 } as const;
/** A server's answer to command n is n + 100. */
const ANSWER = 100;
const MAX_SUBNEGOTIATION_BYTES = 64;

export function createRfc2217(deps: HostEvents & { reply: (bytes: Uint8Array) => void }): Rfc2217 {
  let state: 'data' | 'iac' | 'option' | 'sub' | 'subIac' = 'data';
  let verb = 0;
  let sub: number[] = [];
  let lines = { dtr: false, rts: false };
  const agreed = new Set<string>();

  const reply = (...bytes: number[]) => deps.reply(Uint8Array.from(bytes));
  /** Answered once per option and side: an answer to an answer would go on for ever. */
  const negotiate = (asked: number, option: number) => {
    const isOffer = asked === WILL || asked === DO;
    const isKnown = OPTIONS.includes(option);
    const yes = asked === WILL || asked === WONT ? DO : WILL;
    const no = asked === WILL || asked === WONT ? DONT : WONT;
    const answer = isOffer && isKnown ? yes : no;
    const name = `${answer}:${option}`;
    if (agreed.has(name)) return;
    agreed.add(name);
    agreed.delete(`${answer === yes ? no : yes}:${option}`);
    reply(IAC, answer, option);
  };
  const keep = (byte: number) => {
    if (sub.length < MAX_SUBNEGOTIATION_BYTES) sub.push(byte);
  };
  const runSub = () => {
    const [option, command, ...value] = sub;
    sub = [];
    if (option !== COM_PORT || command === undefined) return;
    if (command === SET_CONTROL) setControl(value[0] ?? 0);
    reply(
      IAC,
      SB,
      COM_PORT,
      command + ANSWER,
      ...value.flatMap((byte) => (byte === IAC ? [IAC, IAC] : [byte])),
      IAC,
      SE,
    );
  };
  const setControl = (value: number) => {
    if (value === CONTROL.dtrOn || value === CONTROL.dtrOff)
      lines = { ...lines, dtr: value === CONTROL.dtrOn };
    else if (value === CONTROL.rtsOn || value === CONTROL.rtsOff)
      lines = { ...lines, rts: value === CONTROL.rtsOn };
    else return;
    deps.lines(lines);
  };

  const feed = (bytes: Uint8Array) => {
    let plain: number[] = [];
    // What came before a line change reached the board before it.
    const flush = () => {
      if (plain.length > 0) deps.data(Uint8Array.from(plain));
      plain = [];
    };
    for (const byte of bytes) {
      if (state === 'data') {
        if (byte === IAC) state = 'iac';
        else plain.push(byte);
      } else if (state === 'iac') {
        if (byte === IAC) plain.push(IAC);
        if (byte === SB) sub = [];
        verb = byte;
        state = byte === SB ? 'sub' : byte >= WILL && byte <= DONT ? 'option' : 'data';
      } else if (state === 'option') {
        state = 'data';
        negotiate(verb, byte);
      } else if (state === 'sub') {
        if (byte === IAC) state = 'subIac';
        else keep(byte);
      } else {
        state = byte === IAC ? 'sub' : 'data';
        if (byte === IAC) keep(IAC);
        if (byte === SE) {
          flush();
          runSub();
        }
      }
    }
    flush();
  };
  return {
    feed,
    escape: (bytes) =>
      bytes.includes(IAC)
        ? Uint8Array.from([...bytes].flatMap((byte) => (byte === IAC ? [IAC, IAC] : [byte])))
        : bytes,
  };
}
