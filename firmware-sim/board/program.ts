import type { SwitchState } from '#contract/words.ts';
import { changePlant, measure, newPlant } from '../controller-runner.ts';
import type { SimClock, SimTimer } from '../sim-clock.ts';
import type { ControllerHost } from './controller-host.ts';
import type { BoardFaults } from './faults.ts';
import { createImprov, type Wifi } from './improv.ts';
import type { Settings } from './nvs.ts';
import { createConsoleReader, createSfprov } from './sfprov.ts';

// The controller's program on the board, from its start to the next reset: a log on the console, Improv and SFPROV beside
// it, and the controller itself as soon as it knows who it is and has Wi-Fi.

export type Program = {
  feed(bytes: Uint8Array): void;
  log(level: 'I' | 'W' | 'E', tag: string, text: string): void;
  stop(): void;
};

export type ProgramDeps = {
  clock: SimClock;
  send: (bytes: Uint8Array) => void;
  settings: Settings;
  wifi: Wifi;
  controller: ControllerHost;
  /** The program restarts the chip: after `reboot`, or because it died. */
  restart: (why: 'software' | 'panic') => void;
  tell: (event: { kind: 'wifi'; ssid: string } | { kind: 'identity'; device_id: string | null }) => void;
};

export type ProgramOptions = {
  version: string;
  mac: string;
  chip: string;
  faults: BoardFaults;
  seed: number;
};

const FIRMWARE = 'aerator-controller';
/** A frame whose rest does not come within this time is none. */
const FRAME_PAUSE_MS = 1_000;
/** The answer to `reboot` must be through before the line falls silent. */
const RESTART_AFTER_MS = 100;

/** Starts the program. */
export function startProgram(deps: ProgramDeps, options: ProgramOptions): Program {
  const { clock, settings, wifi } = deps;
  const { faults, version } = options;
  const startedMs = clock.nowMs();
  const timers = new Set<SimTimer>();
  let isStopped = false;
  let heardMs = startedMs;
  let name = `Aerator ${options.mac.slice(-5).replace(':', '')}`;

  const after = (ms: number, run: () => void) => {
    const timer = clock.at(clock.nowMs() + ms, () => {
      timers.delete(timer);
      run();
    });
    timers.add(timer);
    return timer;
  };
  const send = (bytes: Uint8Array) => {
    if (!isStopped) deps.send(bytes);
  };
  const print = (text: string) => send(new TextEncoder().encode(`${text}\r\n`));
  const log: Program['log'] = (level, tag, text) =>
    print(`${level} (${Math.round(clock.nowMs() - startedMs)}) ${tag}: ${text}`);

  const startController = () => {
    const identity = settings.identity();
    const known = settings.wifi();
    if (known === null) return log('I', 'wifi', 'no network yet, waiting for Improv');
    if (!wifi.isRight(known)) return log('W', 'wifi', `${known.ssid} refuses the password, reason 15`);
    log('I', 'wifi', `connected to ${known.ssid}, address 192.168.4.23`);
    if (identity === null) return log('I', 'main', 'no identity yet, waiting for SFPROV');
    log('I', 'main', `controller ${identity.device_id} calls ${identity.gw_host}`);
    if (!deps.controller.run(identity, version))
      log('E', 'main', 'the identity names no port of the gateway');
  };
  const restartController = () => {
    deps.controller.cut();
    startController();
  };

  const relay = createBenchRelay(clock, after, options);
  const improv = createImprov({
    clock,
    send,
    wifi,
    info: () => ({ firmware: FIRMWARE, version, chip: options.chip, name }),
    saved: settings.wifi,
    save: (chosen) => {
      settings.saveWifi(chosen);
      deps.tell({ kind: 'wifi', ssid: chosen.ssid });
      restartController();
    },
    nextUrl: () => {
      const identity = settings.identity();
      return identity === null ? null : `http://${identity.gw_host}:${identity.gw_http || 80}/`;
    },
    setName: (wanted) => {
      name = wanted;
    },
  });
  const sfprov = createSfprov({
    send,
    info: () => {
      const identity = settings.identity();
      return {
        device_id: identity?.device_id ?? null,
        mqtt_id: identity?.mqtt_id ?? null,
        has_key: identity !== null,
        has_claim: settings.hasClaim(),
        firmware_version: version,
        mac: options.mac,
        chip: options.chip,
        gw_host: identity?.gw_host ?? null,
        wifi: settings.wifi() === null ? 'ready' : 'provisioned',
      };
    },
    saveIdentity: (identity) => {
      settings.saveIdentity(identity);
      deps.tell({ kind: 'identity', device_id: identity.device_id });
      restartController();
    },
    clickRelay: relay.click,
    reboot: () => void after(RESTART_AFTER_MS, () => deps.restart('software')),
    forget: () => {
      settings.forget();
      deps.controller.cut();
      deps.tell({ kind: 'identity', device_id: null });
    },
  });
  const reader = createConsoleReader((frame) => {
    if (frame.type === 'damaged') {
      if (frame.protocol === 'improv') improv.hearDamaged();
    } else if (frame.protocol === 'improv') improv.hear(frame.type, frame.data);
    else sfprov.hear(frame.type, frame.data);
  });

  log('I', 'main', `${FIRMWARE} ${version} on ${options.chip}, ${options.mac}`);
  startController();
  if (faults.crash !== undefined) {
    after(faults.crash * 1_000, () => {
      for (const line of PANIC) print(line);
      deps.restart('panic');
    });
  }
  return {
    feed: (bytes) => {
      if (clock.nowMs() - heardMs > FRAME_PAUSE_MS) reader.reset();
      heardMs = clock.nowMs();
      reader.feed(bytes);
    },
    log,
    stop: () => {
      isStopped = true;
      for (const timer of timers) timer.cancel();
    },
  };
}

/** The relay and the motor on the bench, apart from what the gateway orders. */
function createBenchRelay(
  clock: SimClock,
  after: (ms: number, run: () => void) => SimTimer,
  { faults }: ProgramOptions,
) {
  const plant = newPlant(1.5, () => 0.5);
  let release: SimTimer | null = null;
  changePlant(plant, clock.nowMs(), {
    isMainsOk: faults['no-motor'] === undefined,
    stuckAt: faults['stuck-relay'] === undefined ? null : 'OFF',
  });
  return {
    click: (level: SwitchState, forMs: number) => {
      release?.cancel();
      changePlant(plant, clock.nowMs(), { coil: level });
      release = after(forMs, () => changePlant(plant, clock.nowMs(), { coil: 'OFF' }));
      const { contact, currentMa } = measure(plant, clock.nowMs());
      return { current_status: contact, motor_current_ma: currentMa };
    },
  };
}

const PANIC = [
  "Guru Meditation Error: Core  0 panic'ed (LoadProhibited). Exception was unhandled.",
  '',
  'Core  0 register dump:',
  'PC      : 0x400d1f2c  PS      : 0x00060c30  A0      : 0x800d2046  A1      : 0x3ffb5c90',
  'EXCVADDR: 0x00000000  LBEG    : 0x4000c2e0  LEND    : 0x4000c2f6  LCOUNT  : 0x00000000',
  '',
  'Backtrace: 0x400d1f29:0x3ffb5c90 0x400d2043:0x3ffb5cb0 0x40089d35:0x3ffb5cd0',
  '',
  'Rebooting...',
];
