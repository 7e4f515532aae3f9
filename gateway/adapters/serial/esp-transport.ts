import { setTimeout as pause } from 'node:timers/promises';
import { ESPError, Transport } from 'esptool-js';
import type { SerialLink } from './open-port.ts';

const END = 0xc0;
const ESC = 0xdb;
const ESC_END = 0xdc;
const ESC_ESC = 0xdd;

/** The longest answer is a block of read flash, 4 KiB and its escapes; anything longer is no frame of a board. */
const MAX_FRAME = 16_384;

/** One frame of the Serial Line Internet Protocol (RFC 1055, with an END on both sides as the ESP ROM wants it). */
export function slipFrame(data: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(data.length * 2 + 2);
  let at = 0;
  out[at++] = END;
  for (const byte of data) {
    if (byte !== END && byte !== ESC) {
      out[at++] = byte;
    } else {
      out[at++] = ESC;
      out[at++] = byte === END ? ESC_END : ESC_ESC;
    }
  }
  out[at++] = END;
  return out.subarray(0, at);
}

/**
 * Takes frames out of a stream. Text between frames (a boot log, noise) is passed over; a frame with a wrong escape or
 * without an end is dropped, so one disturbed byte costs one answer and not the connection.
 */
export function createSlipReader(): { feed: (bytes: Uint8Array) => Buffer[]; reset: () => void } {
  const frame = Buffer.allocUnsafe(MAX_FRAME);
  let length = 0;
  let state: 'outside' | 'inside' | 'escaped' = 'outside';
  return {
    feed(bytes) {
      const frames: Buffer[] = [];
      for (const byte of bytes) {
        if (byte === END) {
          if (state === 'inside' && length > 0) {
            frames.push(Buffer.from(frame.subarray(0, length)));
            state = 'outside';
          } else {
            // two in a row: where one frame was lost, the second one is the beginning
            state = 'inside';
          }
          length = 0;
          continue;
        }
        if (state === 'outside') continue;
        let plain = byte;
        if (state === 'escaped') {
          plain = byte === ESC_END ? END : ESC;
          state = byte === ESC_END || byte === ESC_ESC ? 'inside' : 'outside';
          if (state === 'outside') continue;
        } else if (byte === ESC) {
          state = 'escaped';
          continue;
        }
        if (length === MAX_FRAME) {
          state = 'outside';
          continue;
        }
        frame[length++] = plain;
      }
      return frames;
    },
    reset() {
      state = 'outside';
      length = 0;
    },
  };
}

/** What a board says outside of frames: enough for the boot log that names the boot mode. */
const MAX_TEXT = 4_096;
/** Answers nobody took; the protocol has one question at a time. */
const MAX_FRAMES = 256;
/** EN is held low for so long: longer than the capacitors at it need. */
const RESET_MS = 100;

/**
 * The way of esptool-js to a board, over a serial port of this machine. The library's own transport is made for browsers:
 * it polls, copies every frame byte by byte and does not hear a pulled cable while it waits.
 */
export class EspTransport extends Transport {
  /** False as soon as the port refused to move DTR or RTS. */
  hasLines = true;
  readonly #link: SerialLink;
  #signal: AbortSignal;
  readonly #slip = createSlipReader();
  #frames: Buffer[] = [];
  #text = Buffer.alloc(0);
  #wake: (() => void) | null = null;
  #unlisten: (() => void) | null = null;
  #lines = { dtr: false, rts: false };
  #hasMovedLines = false;

  /** `signal` ends every wait; its reason is what is thrown. */
  constructor(link: SerialLink, usb: { vendorId?: number; productId?: number }, signal: AbortSignal) {
    // the base class asks its device for the ids of the USB bridge only
    super({ getInfo: () => ({ usbVendorId: usb.vendorId, usbProductId: usb.productId }) });
    this.#link = link;
    this.#signal = AbortSignal.any([signal, link.lost]);
  }

  override trace(): void {}

  override async connect(baud = 115_200): Promise<void> {
    this.baudrate = baud;
    await this.#link.setBaud(baud);
    this.#unlisten ??= this.#link.onData((bytes) => this.#take(bytes));
  }

  override async readLoop(): Promise<void> {}

  /** Stops listening; the port belongs to whoever opened it. */
  override async disconnect(): Promise<void> {
    this.#unlisten?.();
    this.#unlisten = null;
    this.flushInput();
  }

  override async changeBaudrate(baud: number): Promise<boolean> {
    await this.#link.setBaud(baud);
    this.baudrate = baud;
    return false;
  }

  override async write(data: Uint8Array): Promise<void> {
    this.#signal.throwIfAborted();
    await this.#link.write(slipFrame(data));
  }

  /** The next frame, within so many milliseconds. */
  override async read(timeoutMs: number): Promise<Uint8Array> {
    this.#signal.throwIfAborted();
    const waiting = this.#frames.shift();
    if (waiting !== undefined) return waiting;
    await this.#nextFrame(timeoutMs);
    const frame = this.#frames.shift();
    if (frame === undefined) throw new ESPError(`no answer within ${timeoutMs} ms`);
    return frame;
  }

  override flushInput(): void {
    this.#frames = [];
    this.#text = Buffer.alloc(0);
    this.#slip.reset();
  }

  override async drainInput(quietMs = 100, maxMs = 400): Promise<void> {
    await pause(Math.min(quietMs, maxMs));
    this.flushInput();
  }

  override inWaiting(): number {
    return this.#text.length;
  }

  override peek(): Uint8Array {
    return this.#text;
  }

  override async setRTS(rts: boolean): Promise<void> {
    await this.#set({ rts });
  }

  override async setDTR(dtr: boolean): Promise<void> {
    await this.#set({ dtr });
  }

  override async setSignals(dtr?: boolean, rts?: boolean): Promise<void> {
    await this.#set({ ...(dtr === undefined ? {} : { dtr }), ...(rts === undefined ? {} : { rts }) });
  }

  /**
   * From here on nothing but a lost port ends a wait: a job that was taken back still owes the board its program. A
   * controller that is left in its loader stands still until somebody presses its button.
   */
  outliveTheJob(): void {
    this.#signal = this.#link.lost;
  }

  /** Resets the board into its program; false where the port has no lines for it, or none was ever moved. */
  async resetIntoProgram(): Promise<boolean> {
    if (!this.hasLines || !this.#hasMovedLines) return false;
    this.outliveTheJob();
    // RTS asserted holds EN low; IO0 is left high, so that the program starts
    await this.#set({ dtr: false, rts: true });
    await pause(RESET_MS);
    await this.#set({ dtr: false, rts: false });
    return this.hasLines;
  }

  async #set(change: { dtr?: boolean; rts?: boolean }): Promise<void> {
    this.#signal.throwIfAborted();
    this.#hasMovedLines = true;
    this.#lines = { ...this.#lines, ...change };
    if (!(await this.#link.setLines(this.#lines))) this.hasLines = false;
  }

  #take(bytes: Buffer): void {
    this.#text = Buffer.concat([this.#text, bytes]).subarray(-MAX_TEXT);
    this.#frames.push(...this.#slip.feed(bytes));
    if (this.#frames.length > MAX_FRAMES) this.#frames = this.#frames.slice(-MAX_FRAMES);
    if (this.#frames.length > 0) this.#wake?.();
  }

  #nextFrame(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const signal = this.#signal;
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#wake = null;
        settle();
      };
      const abort = () => end(() => reject(signal.reason));
      const timer = setTimeout(() => end(resolve), timeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      this.#wake = () => end(resolve);
    });
  }
}
