import { openPty } from '#sim/board/open-pty.ts';

// The app side of a board, small and written from the protocol's text alone: what the gateway's clients must agree with.

export type TalkingBoard = Awaited<ReturnType<typeof aTalkingBoard>>;

type Faults = {
  /** Commands it does not hear, one after the other. */
  deafTo?: number;
  wifiPassword?: string;
  refusesIdentity?: string;
  forgetsIdentity?: boolean;
  /** A firmware from before boards kept the claim code of their label. */
  knowsNoClaim?: boolean;
  motorMa?: number | null;
  stuckOn?: boolean;
  isMute?: boolean;
};

export type BoardIdentity = {
  device_id: string;
  mqtt_id: string;
  key: string;
  gw_host: string;
  claim?: string | null;
};

export async function aTalkingBoard(
  faults: Faults = {},
  heard: { identity?: (it: BoardIdentity) => void; joined?: () => void } = {},
) {
  const pty = await openPty();
  const board = {
    identity: null as BoardIdentity | null,
    wifi: 'ready',
    relay: [] as string[],
    commands: [] as string[],
    deaf: faults.deafTo ?? 0,
  };
  const say = (...parts: (string | Uint8Array)[]) => {
    for (const part of parts) pty.write(Buffer.from(part));
  };
  let pending = Buffer.alloc(0);
  const asked = Promise.withResolvers<void>();
  pty.onData((bytes) => {
    asked.resolve();
    pending = Buffer.concat([pending, bytes]);
    if (faults.isMute) return;
    for (let frame = take(); frame !== null; frame = take()) {
      if (board.deaf > 0) board.deaf -= 1;
      else if (frame.kind === 'IMPROV') improv(frame.data);
      else sfprov(JSON.parse(frame.data.toString('utf8')));
    }
  });

  function take(): { kind: string; data: Buffer } | null {
    const at = Math.min(
      ...['IMPROV', 'SFPROV'].map((word) => pending.indexOf(word)).map((i) => (i < 0 ? 1e9 : i)),
    );
    if (at === 1e9) return null;
    const kind = pending.toString('latin1', at, at + 6);
    const isLong = kind === 'SFPROV';
    const lengthAt = at + 8;
    const dataAt = lengthAt + (isLong ? 2 : 1);
    if (pending.length < dataAt) return null;
    const length = isLong ? pending.readUInt16BE(lengthAt) : pending.readUInt8(lengthAt);
    if (pending.length < dataAt + length + 1) return null;
    const data = pending.subarray(dataAt, dataAt + length);
    pending = pending.subarray(dataAt + length + 1);
    return { kind, data };
  }

  function improv(data: Buffer): void {
    const texts = (...list: string[]) => {
      const body = Buffer.concat(list.flatMap((text) => [Buffer.from([text.length]), Buffer.from(text)]));
      return frame('IMPROV', 4, Buffer.concat([Buffer.from([data[0] ?? 0, body.length]), body]));
    };
    const state = (n: number) => frame('IMPROV', 1, Buffer.from([n]));
    const error = (n: number) => frame('IMPROV', 2, Buffer.from([n]));
    board.commands.push(`improv ${data[0]}`);
    if (data[0] === 2) say('I (1) wifi: state\n', error(0), state(board.wifi === 'ready' ? 2 : 4));
    else if (data[0] === 3) say(error(0), texts('shrimp', '1.2.0', 'ESP32', 'aerator'));
    else if (data[0] === 4)
      say(
        error(0),
        texts('far', '-80', 'YES'),
        'noise IMPROV of a log\n',
        texts('farm', '-41', 'YES'),
        texts(),
      );
    else if (data[0] === 1) {
      const ssid = data.subarray(3, 3 + (data[2] ?? 0)).toString();
      const rest = data.subarray(3 + ssid.length);
      const password = rest.subarray(1, 1 + (rest[0] ?? 0)).toString();
      if (faults.wifiPassword !== undefined && password !== faults.wifiPassword) {
        say(error(0), state(3), error(3), state(2));
        return;
      }
      board.wifi = 'provisioned';
      say(error(0), state(3), 'I (9) wifi: got ip\n', state(4), texts('http://10.0.0.7/'));
      heard.joined?.();
    }
  }

  function sfprov(command: Record<string, unknown>): void {
    const answer = (body: unknown) =>
      say('I (2) prov: command\n', frame('SFPROV', 2, Buffer.from(JSON.stringify(body))));
    board.commands.push(String(command['op']));
    switch (command['op']) {
      case 'info':
        answer({
          ok: true,
          device_id: board.identity?.device_id ?? null,
          mqtt_id: board.identity?.mqtt_id ?? null,
          has_key: board.identity !== null,
          ...(faults.knowsNoClaim ? {} : { has_claim: board.identity?.claim != null }),
          firmware_version: '1.2.0',
          mac: '24:0a:c4:00:00:01',
          chip: 'ESP32',
          gw_host: board.identity?.gw_host ?? null,
          wifi: board.wifi,
        });
        break;
      case 'identity':
        if (faults.refusesIdentity !== undefined) return answer({ ok: false, error: faults.refusesIdentity });
        // the shape is what the test checks
        if (!faults.forgetsIdentity) board.identity = command as unknown as BoardIdentity;
        answer({ ok: true });
        if (board.identity) heard.identity?.(board.identity);
        break;
      case 'relay': {
        board.relay.push(String(command['level']));
        const level = faults.stuckOn ? 'ON' : command['level'];
        answer({
          ok: true,
          current_status: level,
          motor_current_ma: level === 'ON' ? (faults.motorMa ?? null) : 0,
        });
        break;
      }
      default:
        answer({ ok: true });
    }
  }

  return {
    /** Resolves with the first byte it is sent. */ asked: () => asked.promise,
    path: pty.path,
    state: board,
    close: () => pty.close(),
  };
}

function frame(word: string, type: number, data: Buffer): Buffer {
  const length = word === 'SFPROV' ? [data.length >> 8, data.length & 0xff] : [data.length];
  const body = Buffer.concat([Buffer.from(`${word}\u0001`), Buffer.from([type, ...length]), data]);
  return Buffer.concat([body, Buffer.from([body.reduce((sum, byte) => sum + byte, 0) & 0xff, 0x0a])]);
}
