import type { AskKind, Refused, SyncTransport } from '../../../gateway/sync/ports.ts';
import type { Chance } from './chance.ts';
import type { VirtualTime } from './virtual-time.ts';

// The line between the two instances, in virtual time. A request is text on a wire: it may never arrive, arrive twice,
// arrive after the asker gave up, arrive cut off or with a wrong letter; and so may its answer.

export type Answer = { ok: true; answer: unknown } | { ok: false; refused: Refused };

/** What a hosted instance does with a request. */
export type Asked = (kind: AskKind, body: unknown) => Promise<Answer>;

export type Weather = {
  /** Shares of requests; the same of answers. */
  lost: number;
  twice: number;
  cutOff: number;
  wrongLetter: number;
  busy: number;
  /** How long a way takes, ms; a slow one may outlive the asker's patience and be overtaken. */
  delayMs: { usual: number; slow: number; slowShare: number };
  /** Nothing arrives and nobody is told. */
  isHalfOpen: boolean;
};

export const CALM: Weather = {
  lost: 0,
  twice: 0,
  cutOff: 0,
  wrongLetter: 0,
  busy: 0,
  delayMs: { usual: 50, slow: 50, slowShare: 0 },
  isHalfOpen: false,
};

export const ROUGH: Weather = {
  lost: 0.12,
  twice: 0.12,
  cutOff: 0.04,
  wrongLetter: 0.06,
  busy: 0.05,
  delayMs: { usual: 100, slow: 90_000, slowShare: 0.1 },
  isHalfOpen: false,
};

export type Network = {
  /** The line of one gateway process. `isAlive` false: nobody waits for its answers any more. */
  transport(process: { isAlive: () => boolean; asked: () => Asked }): SyncTransport;
  setWeather(weather: Weather): void;
  isHalfOpen(): boolean;
  /** The next requests of that kind never arrive; or the next answer, of whatever. */
  loseNext(what: AskKind | 'answer', times?: number): void;
  counts: Record<'asked' | 'lost' | 'twice' | 'cutOff' | 'wrongLetter' | 'busy' | 'late', number>;
};

export type NetworkDeps = {
  chance: Chance;
  time: VirtualTime;
  trace: (line: string) => void;
};

const HEADER_MS = 1;

export function createNetwork({ chance, time, trace }: NetworkDeps): Network {
  const state = { weather: CALM, id: 0, toLose: new Map<string, number>() };
  const counts: Network['counts'] = {
    asked: 0,
    lost: 0,
    twice: 0,
    cutOff: 0,
    wrongLetter: 0,
    busy: 0,
    late: 0,
  };

  function wayMs(): number {
    const { usual, slow, slowShare } = state.weather.delayMs;
    return HEADER_MS + (chance.of(slowShare) ? chance.between(usual, slow) : chance.between(0, usual));
  }

  function isHit(fault: 'lost' | 'twice' | 'cutOff' | 'wrongLetter' | 'busy'): boolean {
    const share = fault === 'lost' && state.weather.isHalfOpen ? 1 : state.weather[fault];
    if (share === 0 || !chance.of(share)) return false;
    counts[fault] += 1;
    return true;
  }

  function isMeant(what: string): boolean {
    const left = state.toLose.get(what) ?? 0;
    state.toLose.set(what, left - 1);
    return left > 0;
  }

  /** The text as it arrives; null: it does not. Only where a chain of hashes covers the rows may a letter be wrong. */
  function carried(text: string, isChained: boolean): string | null {
    if (isHit('lost')) return null;
    if (isHit('cutOff')) return text.slice(0, chance.between(0, text.length - 1));
    return isChained && isHit('wrongLetter') ? withWrongLetter(text, chance) : text;
  }

  function transport({ isAlive, asked }: Parameters<Network['transport']>[0]): SyncTransport {
    return {
      ask(kind, body, { timeoutMs }) {
        if (!isAlive()) return new Promise(() => undefined);
        state.id += 1;
        counts.asked += 1;
        const id = state.id;
        const text = JSON.stringify(body);
        trace(`${time.now()} ${id} ${kind} ${text}`);
        return new Promise((resolve, reject) => {
          let isSettled = false;
          const settle = (how: () => void) => {
            if (isSettled || !isAlive()) return;
            isSettled = true;
            how();
          };
          time.after(timeoutMs, () => {
            settle(() => {
              counts.late += 1;
              reject(new Error('no answer in time'));
            });
          });
          const deliver = async () => {
            const arrived = carried(text, kind === 'push');
            if (isMeant(kind) || arrived === null) return;
            const answer = isHit('busy') ? BUSY : await answered(asked(), kind, arrived);
            trace(`${time.now()} ${id} answers ${JSON.stringify(answer)}`);
            time.after(wayMs(), () => {
              const back = carried(JSON.stringify(answer), kind === 'pull');
              if (!isMeant('answer') && back !== null) settle(() => deliverAnswer(back, resolve, reject));
            });
          };
          time.after(wayMs(), deliver);
          if (isHit('twice')) time.after(wayMs() * 2, deliver);
        });
      },
    };
  }

  return {
    transport,
    counts,
    setWeather(weather) {
      state.weather = weather;
    },
    isHalfOpen: () => state.weather.isHalfOpen,
    loseNext(what, times = 1) {
      state.toLose.set(what, times);
    },
  };
}

const BUSY: Answer = {
  ok: false,
  refused: { status: 503, code: 'SYNC_BUSY', detail: 'busy', retryAfterMs: 2_000 },
};

/** What the hosted instance's door does with text: what is no JSON never comes in. */
async function answered(asked: Asked, kind: AskKind, text: string): Promise<Answer> {
  const body = parsed(text);
  if (body === undefined) {
    return { ok: false, refused: { status: 400, code: 'SYNC_INVALID', detail: 'not JSON' } };
  }
  try {
    return await asked(kind, body);
  } catch (error) {
    return { ok: false, refused: { status: 500, code: 'INTERNAL_ERROR', detail: String(error) } };
  }
}

function deliverAnswer(text: string, resolve: (answer: Answer) => void, reject: (error: Error) => void) {
  const answer = parsed(text);
  if (answer === undefined) reject(new Error('the answer was cut off'));
  // the other end of this very line made it
  else resolve(answer as Answer);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Another letter within the rows, which the chain of hashes covers. What is outside is small and under TLS; a wrong
 * letter there would be a forged message, not a fault of the line.
 */
function withWrongLetter(text: string, chance: Chance): string {
  const rows = text.indexOf('"rows":[{');
  if (rows < 0) return text.slice(0, -1);
  const bodies = [...text.matchAll(/"(?:name|notes|cod|description|hlc|cl|phone_number)":"?/g)].filter(
    ({ index }) => index > rows,
  );
  const body = chance.pickOrNull(bodies);
  if (body === null) return text.slice(0, -1);
  const place = body.index + body[0].length;
  const letter = text[place];
  if (letter === undefined || /["nul{}[\],]/.test(letter)) return text.slice(0, -1);
  return `${text.slice(0, place)}${letter === '7' ? '9' : '7'}${text.slice(place + 1)}`;
}
