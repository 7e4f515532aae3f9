import type { KeyObject } from 'node:crypto';
import type { SimClock } from '../sim-clock.ts';
import { type Chip, esp32, esp32c3, lockedEsp32c3, readMac } from './chip.ts';
import { createControllerHost } from './controller-host.ts';
import { APP_AT, makeImage, readImage } from './esp-image.ts';
import type { BoardFaults } from './faults.ts';
import { chooseProgram, createFlash, type Flash } from './flash.ts';
import { createWifi, FARM_WIFI } from './improv.ts';
import { createLoader, type Loader } from './loader.ts';
import { createSettings, type WifiSettings } from './nvs.ts';
import { type Program, startProgram } from './program.ts';

// What the chip prints before the program speaks.

type ResetReason = 'power' | 'software' | 'panic' | 'watchdog';

const REASONS: Record<ResetReason, string> = {
  power: 'rst:0x1 (POWERON_RESET)',
  software: 'rst:0xc (SW_CPU_RESET)',
  panic: 'rst:0xc (SW_CPU_RESET)',
  watchdog: 'rst:0x10 (RTCWDT_RTC_RESET)',
};

type SyncWatch = {
  /** The bytes from the SYNC frame's beginning on, or null while none began. */
  look(bytes: Uint8Array): Uint8Array | null;
  reset(): void;
};

// A loader's client begins with SYNC: on a wire without DTR and RTS those words stand for the reset it asked for.

const SYNC_START = [0xc0, 0x00, 0x08, 0x24, 0x00];

// A controller board without hardware: chip, flash, program. It knows nothing of how its bytes travel.

export type BoardOptions = {
  mac: string;
  seed: number;
  /** File that keeps the flash; without one it is forgotten. */
  flashFile?: string | undefined;
  /** true: straight from the reel, nothing in the flash. */
  isBlank?: boolean;
  /** `sync`: download mode begins with the first words of a loader's client, for wires without DTR and RTS. */
  download: 'sync' | 'lines';
  farmWifi?: WifiSettings | undefined;
  /** How long the board needs to join a network. */
  joinTakesMs?: number;
  /** Without modem lines: the board leaves download mode when nobody has spoken for so long. */
  loaderIdleMs?: number;
  /** Whose firmware its controller takes over the air. */
  firmwareKeys?: readonly KeyObject[] | undefined;
  faults: BoardFaults;
};

export type BoardMode = 'program' | 'rom' | 'stub' | 'held' | 'off' | 'broken';

export type BoardEvent =
  | { kind: 'mode'; mode: 'program' | 'rom' | 'broken' }
  | { kind: 'wifi'; ssid: string }
  | { kind: 'identity'; device_id: string | null }
  | { kind: 'controller'; news: 'connected' | 'lost' | 'heartbeat'; reason?: string };

export type Board = {
  /** Bytes of the host. */
  feed(bytes: Uint8Array): void;
  /** DTR and RTS as the usual two transistors wire them: RTS holds the reset, DTR chooses download at its release. */
  setLines(lines: { dtr: boolean; rts: boolean }): void;
  /** The host closed the port, where the wire can tell. */
  hangUp(): void;
  powerOn(): void;
  powerOff(): void;
  /** Rate the board's side of the line runs at. */
  baud(): number;
  mode(): BoardMode;
  close(): Promise<void>;
};

const START_BAUD = 115_200;
const LOADER_IDLE_MS = 3_000;
const JOIN_TAKES_MS = 1_200;
const BOOT_TAKES_MS = 120;
const RETRY_BOOT_MS = 1_000;
const FACTORY_VERSION = 'sim-1.0.0';

/** A board without power. Throws a RangeError for a wrong MAC. */
export function createBoard(
  deps: { clock: SimClock; send: (bytes: Uint8Array) => void; tell: (event: BoardEvent) => void },
  options: BoardOptions,
): Board {
  const { clock } = deps;
  const { faults } = options;
  const chip = chipOf(faults, readMac(options.mac));
  const flash = createFlash({
    file: options.flashFile,
    badBlockAt: faults['bad-block'],
    deadBlockAt: faults['dead-block'],
  });
  if (options.isBlank !== true) putFactoryProgram(flash, chip);
  const settings = createSettings(flash);
  const controller = createControllerHost({
    clock,
    seed: options.seed,
    mac: options.mac,
    firmwareKeys: options.firmwareKeys,
    tell: (news) => {
      if (news.kind === 'rekeyed') {
        const identity = settings.identity();
        if (identity !== null) settings.saveIdentity({ ...identity, key: news.key });
        return;
      }
      if (news.kind === 'adopted') {
        settings.saveIdentity(news.identity);
        deps.tell({ kind: 'identity', device_id: news.identity.device_id });
        if (running.kind === 'program')
          running.program.log('I', 'main', `adopted as ${news.identity.device_id}`);
        return;
      }
      const reason = news.kind === 'lost' ? { reason: news.reason } : {};
      deps.tell({ kind: 'controller', news: news.kind, ...reason });
      if (running.kind !== 'program') return;
      if (news.kind === 'connected') running.program.log('I', 'gateway', 'connected');
      if (news.kind === 'lost') running.program.log('W', 'gateway', `lost: ${news.reason}`);
    },
  });
  const farm = options.farmWifi ?? FARM_WIFI;
  const wifi = createWifi(clock, { farm, joinTakesMs: options.joinTakesMs ?? JOIN_TAKES_MS, faults });

  type Running =
    | { kind: 'off' | 'held' }
    | { kind: 'starting' | 'broken'; timer: { cancel(): void } }
    | { kind: 'program'; program: Program }
    | { kind: 'loader'; loader: Loader };
  let running: Running = { kind: 'off' };
  let baud = START_BAUD;
  let heardMs = 0;
  let toldMode: 'program' | 'rom' | 'broken' | null = null;
  let lines = { dtr: false, rts: false };

  const send = (bytes: Uint8Array) => {
    if (faults.silent === undefined) deps.send(bytes);
  };
  const print = (text: string) => send(new TextEncoder().encode(text));

  const tellMode = (mode: 'program' | 'rom' | 'broken') => {
    if (mode !== toldMode) deps.tell({ kind: 'mode', mode });
    toldMode = mode;
  };

  const halt = () => {
    if (running.kind === 'program') running.program.stop();
    if (running.kind === 'starting' || running.kind === 'broken') running.timer.cancel();
    controller.cut();
    syncWatch.reset();
    baud = START_BAUD;
    running = { kind: 'off' };
  };
  const enterLoader = (how: 'announced' | 'unheard') => {
    halt();
    const loader = createLoader({
      chip,
      flash,
      send,
      baud: () => baud,
      setBaud: (wanted) => {
        baud = wanted;
      },
      leave: () => boot('software'),
    });
    running = { kind: 'loader', loader };
    heardMs = clock.nowMs();
    if (how === 'announced') print(bootBanner('power', 'download'));
    tellMode('rom');
    if (options.download === 'sync') watchIdle(loader);
  };
  const watchIdle = (watched: Loader) => {
    const idleMs = options.loaderIdleMs ?? LOADER_IDLE_MS;
    clock.at(heardMs + idleMs, () => {
      if (running.kind !== 'loader' || running.loader !== watched) return;
      if (clock.nowMs() - heardMs < idleMs) return watchIdle(watched);
      boot('power');
    });
  };
  const boot = (reason: ResetReason) => {
    halt();
    print(bootBanner(reason, 'flash'));
    const timer = clock.at(clock.nowMs() + BOOT_TAKES_MS, startFlash);
    running = { kind: 'starting', timer };
  };
  const startFlash = () => {
    const imageAt = (base: number) =>
      readImage((at, length) => flash.read(base + at, length), chip.imageChipId);
    const bootloader = imageAt(chip.bootloaderAt);
    const choice = chooseProgram(flash);
    const image = 'why' in bootloader ? bootloader : 'damaged' in choice ? choice : imageAt(choice.at);
    if ('text' in image) {
      // The chip tries again for ever; what stands on the console is all a technician sees of it.
      print(
        `E (58) ${'why' in image ? `esp_image: ${image.text}` : image.text}\r\nE (60) boot: No bootable app partitions in the partition table\r\n`,
      );
      running = { kind: 'broken', timer: clock.at(clock.nowMs() + RETRY_BOOT_MS, () => boot('watchdog')) };
      return tellMode('broken');
    }
    print(bootLog('at' in choice ? choice.at : APP_AT));
    tellMode('program');
    const program = startProgram(
      { clock, send, settings, wifi, controller, restart: boot, tell: deps.tell },
      {
        version: image.version ?? FACTORY_VERSION,
        mac: options.mac,
        chip: chip.name,
        faults,
        seed: options.seed,
      },
    );
    running = { kind: 'program', program };
  };

  const syncWatch = createSyncWatch();
  const canDownload = faults['no-download'] === undefined;
  const feed = (bytes: Uint8Array): void => {
    heardMs = clock.nowMs();
    if (running.kind === 'loader') return running.loader.feed(bytes);
    if (running.kind === 'off' || running.kind === 'held') return;
    const rest = options.download === 'sync' && canDownload ? syncWatch.look(bytes) : null;
    if (rest !== null) {
      enterLoader('unheard');
      return feed(rest);
    }
    if (running.kind === 'program') running.program.feed(bytes);
  };
  let closing: Promise<void> | null = null;
  const close = async () => {
    halt();
    await controller.close();
    flash.close();
  };
  return {
    feed,
    setLines: (wanted) => {
      const before = lines;
      lines = wanted;
      if (running.kind === 'off') return;
      if (wanted.rts && !before.rts) {
        halt();
        running = { kind: 'held' };
      } else if (!wanted.rts && before.rts) {
        if (wanted.dtr && canDownload) enterLoader('announced');
        else boot('power');
      }
    },
    hangUp: () => {
      if (running.kind === 'loader' && options.download === 'sync') boot('power');
    },
    powerOn: () => boot('power'),
    powerOff: () => {
      halt();
      toldMode = null;
    },
    baud: () => baud,
    mode: () => {
      if (running.kind === 'loader') return running.loader.mode();
      return running.kind === 'starting' ? 'program' : running.kind;
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function chipOf(faults: BoardFaults, mac: Uint8Array): Chip {
  if (faults.locked !== undefined) return lockedEsp32c3(mac);
  return faults['wrong-chip'] === undefined ? esp32(mac) : esp32c3(mac);
}

/** As it comes from the maker: a loader and a program that start. What a kept flash already holds stays. */
function putFactoryProgram(flash: Flash, { bootloaderAt, imageChipId }: Chip): void {
  if (!flash.isErased()) return;
  flash.write(bootloaderAt, makeImage(imageChipId, null));
  flash.write(APP_AT, makeImage(imageChipId, FACTORY_VERSION));
}

function createSyncWatch(): SyncWatch {
  let matched = 0;
  return {
    look: (bytes) => {
      for (const [index, byte] of bytes.entries()) {
        // A new delimiter begins the search anew.
        if (byte === SYNC_START[matched]) matched += 1;
        else matched = byte === SYNC_START[0] ? 1 : 0;
        if (matched < SYNC_START.length) continue;
        matched = 0;
        return Uint8Array.from([...SYNC_START, ...bytes.subarray(index + 1)]);
      }
      return null;
    },
    reset: () => {
      matched = 0;
    },
  };
}

function bootBanner(reason: ResetReason, into: 'flash' | 'download'): string {
  const mode =
    into === 'flash'
      ? 'boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n'
      : 'boot:0x3 (DOWNLOAD_BOOT(UART0/UART1/SDIO_REI_REO_V2))\r\nwaiting for download\r\n';
  return `ets Jul 29 2019 12:21:46\r\n\r\n${REASONS[reason]},${mode}`;
}

function bootLog(programAt: number): string {
  return [
    'configsip: 0, SPIWP:0xee',
    'clk_drv:0x00,q_drv:0x00,d_drv:0x00,cs0_drv:0x00,hd_drv:0x00,wp_drv:0x00',
    'mode:DIO, clock div:2',
    'load:0x3fff0030,len:256',
    'entry 0x40080000',
    'I (29) boot: 2nd stage bootloader',
    'I (36) boot: SPI Flash Size : 4MB',
    `I (45) boot: Loaded app from partition at offset 0x${programAt.toString(16)}`,
    '',
  ].join('\r\n');
}
