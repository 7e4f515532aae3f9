import { SerialPort } from 'serialport';

// What a browser's Web Serial would give to the libraries of other makers, over a port of this machine.

type Settings = { baudRate: number };

/** As much of a Web Serial port as esptool-js and the Improv SDK touch, by its path; open and close it as often as one likes. */
export function webSerialPort(path: string) {
  let port: SerialPort | null = null;
  const shim = {
    readable: null as ReadableStream<Uint8Array> | null,
    writable: null as WritableStream<Uint8Array> | null,
    getInfo: () => ({}),
    open: async ({ baudRate }: Settings) => {
      const opened = new SerialPort({ path, baudRate, autoOpen: false });
      await new Promise<void>((resolve, reject) =>
        opened.open((error) => (error ? reject(error) : resolve())),
      );
      // An unplugged port tells it here; a broken read or write tells the test.
      opened.on('error', () => undefined);
      port = opened;
      shim.readable = new ReadableStream<Uint8Array>({
        start: (controller) => {
          opened.on('data', (bytes: Buffer) => controller.enqueue(new Uint8Array(bytes)));
          opened.on('close', () => {
            try {
              controller.close();
            } catch {
              // The reader has cancelled before.
            }
          });
        },
        cancel: () => void opened.removeAllListeners('data'),
      });
      shim.writable = new WritableStream<Uint8Array>({
        write: (bytes) =>
          new Promise((resolve, reject) =>
            opened.write(Buffer.from(bytes), (error) => (error ? reject(error) : resolve())),
          ),
      });
    },
    close: async () => {
      const closing = port;
      port = null;
      shim.readable = null;
      shim.writable = null;
      if (closing?.isOpen) await new Promise<void>((resolve) => closing.close(() => resolve()));
    },
    // A pseudo-terminal has no modem lines.
    setSignals: async () => undefined,
    getSignals: async () => ({
      clearToSend: false,
      dataCarrierDetect: false,
      dataSetReady: false,
      ringIndicator: false,
    }),
  };
  return shim;
}
