import { SerialPort } from 'serialport';
import type { SerialLink } from '#adapters/serial/open-port.ts';

// What a browser's Web Serial would give to the libraries of other makers, over a port of this machine or a telnet.

type Settings = { baudRate: number };
type Lines = { dtr: boolean; rts: boolean };
type Wire = Pick<SerialLink, 'write' | 'setLines' | 'close'> & {
  listen: (hear: (bytes: Uint8Array) => void, end: () => void) => () => void;
};

/** As much of a Web Serial port as esptool-js and the Improv SDK touch, by its path; open and close it as often as one likes. */
export const webSerialPort = (path: string) => webSerialOver((baudRate) => openSerial(path, baudRate));

/** The same over a link of ours. */
export const webSerialLink = (open: (baud: number) => Promise<SerialLink>) =>
  webSerialOver(async (baud) => {
    const link = await open(baud);
    return {
      write: link.write,
      setLines: link.setLines,
      close: link.close,
      listen(hear, end) {
        link.lost.addEventListener('abort', end, { once: true });
        return link.onData(hear);
      },
    };
  });

async function openSerial(path: string, baudRate: number): Promise<Wire> {
  const opened = new SerialPort({ path, baudRate, autoOpen: false });
  await new Promise<void>((resolve, reject) => opened.open((error) => (error ? reject(error) : resolve())));
  // An unplugged port tells it here; a broken read or write tells the test.
  opened.on('error', () => undefined);
  return {
    write: (bytes) =>
      new Promise((resolve, reject) =>
        opened.write(Buffer.from(bytes), (error) => (error ? reject(error) : resolve())),
      ),
    // A pseudo-terminal has no modem lines.
    setLines: async () => false,
    close: () => new Promise((resolve) => opened.close(() => resolve())),
    listen(hear, end) {
      const take = (bytes: Buffer) => hear(new Uint8Array(bytes));
      opened.on('data', take);
      opened.on('close', end);
      return () => void opened.off('data', take);
    },
  };
}

function webSerialOver(open: (baud: number) => Promise<Wire>) {
  let wire: Wire | null = null;
  let lines: Lines = { dtr: false, rts: false };
  const shim = {
    readable: null as ReadableStream<Uint8Array> | null,
    writable: null as WritableStream<Uint8Array> | null,
    getInfo: () => ({}),
    open: async ({ baudRate }: Settings) => {
      const opened = await open(baudRate);
      wire = opened;
      let deaf: () => void = () => undefined;
      shim.readable = new ReadableStream<Uint8Array>({
        start: (controller) => {
          deaf = opened.listen(
            (bytes) => controller.enqueue(new Uint8Array(bytes)),
            () => {
              try {
                controller.close();
              } catch {
                // The reader has cancelled before.
              }
            },
          );
        },
        cancel: () => deaf(),
      });
      shim.writable = new WritableStream<Uint8Array>({ write: opened.write });
    },
    close: async () => {
      const closing = wire;
      wire = null;
      shim.readable = null;
      shim.writable = null;
      await closing?.close();
    },
    setSignals: async (wanted: { dataTerminalReady?: boolean; requestToSend?: boolean }) => {
      lines = {
        dtr: wanted.dataTerminalReady ?? lines.dtr,
        rts: wanted.requestToSend ?? lines.rts,
      };
      await wire?.setLines(lines);
    },
    getSignals: async () => ({
      clearToSend: false,
      dataCarrierDetect: false,
      dataSetReady: false,
      ringIndicator: false,
    }),
  };
  return shim;
}
