import { type InEach, inEach } from '#core/each-language.ts';
import type { Progress } from './job.ts';

export type Explained = {
  level: Progress['level'];
  /** What it means and what to do; null for an ordinary line. */
  meaning: InEach | null;
};

const RESET_AND_BOOT = /rst:0x([0-9a-f]+) \(([\w ]+)\),boot:0x([0-9a-f]+) \(([\w ()/,]+)\)/i;

const WORDS: readonly [
  pattern: RegExp,
  level: Progress['level'],
  meaning: (match: RegExpExecArray) => InEach,
][] = [
  [
    /Guru Meditation Error(?:: Core +\d+ panic'ed \(([\w ]{1,40})\))?/,
    'alarm',
    ([, cause]) => {
      const named = cause === undefined ? '' : ` (${cause})`;
      return inEach(
        `o firmware caiu${named}; guarde este registro para quem o fez`,
        `the firmware crashed${named}; save this log for its maker`,
        `el firmware se cayó${named}; guarde este registro para quien lo hizo`,
      );
    },
  ],
  [
    /abort\(\) was called|assert failed|Stack canary|stack smashing/i,
    'alarm',
    () =>
      inEach(
        'o firmware desistiu; guarde este registro para quem o fez',
        'the firmware gave up; save this log for its maker',
        'el firmware desistió; guarde este registro para quien lo hizo',
      ),
  ],
  [
    /^Backtrace:/,
    'alarm',
    () =>
      inEach(
        'onde o firmware caiu; guarde esta linha para quem o fez',
        'where the firmware crashed; save this line for its maker',
        'dónde se cayó el firmware; guarde esta línea para quien lo hizo',
      ),
  ],
  [
    /Brownout detector was triggered/,
    'alarm',
    () =>
      inEach(
        'a alimentação cai abaixo de 2,4 V: use uma fonte mais forte ou um cabo mais curto, sem mais nada nele',
        'the supply sags below 2.4 V: use a stronger supply or a shorter cable, and nothing else on it',
        'la alimentación cae por debajo de 2,4 V: use una fuente más fuerte o un cable más corto, sin nada más en él',
      ),
  ],
  [
    /invalid header: 0x|flash read err/i,
    'alarm',
    () =>
      inEach(
        'não há firmware: grave a placa',
        'there is no firmware: flash the board',
        'no hay firmware: grabe la placa',
      ),
  ],
  [
    /csum err|Checksum failed|invalid magic byte|No bootable app/i,
    'alarm',
    () =>
      inEach(
        'o firmware está danificado: grave a placa de novo',
        'the firmware is damaged: flash the board again',
        'el firmware está dañado: grabe la placa de nuevo',
      ),
  ],
  [
    /waiting for download/,
    'warning',
    () =>
      inEach(
        'a placa espera no carregador: solte BOOT (IO0), depois aperte e solte EN ou RST',
        'the board waits in its loader: let go BOOT (IO0), then press and let go EN or RST',
        'la placa espera en el cargador: suelte BOOT (IO0), después presione y suelte EN o RST',
      ),
  ],
];

/** Says what a line of a boot log means; most lines mean nothing special. */
export function explainLine(line: string): Explained {
  for (const [pattern, level, meaning] of WORDS) {
    const match = pattern.exec(line);
    if (match !== null) return { level, meaning: meaning(match) };
  }
  const boot = RESET_AND_BOOT.exec(line);
  return boot === null ? { level: 'info', meaning: null } : explainBoot(boot);
}

function explainBoot([, , reset = '', mode = '', modeName = '']: RegExpExecArray): Explained {
  if (/DOWNLOAD/i.test(modeName))
    return {
      level: 'warning',
      meaning: inEach(
        `modo de partida 0x${mode}: a placa foi ao carregador em vez do programa; BOOT (IO0) está apertado ou em nível baixo`,
        `boot mode 0x${mode}: the board went into its loader instead of its program; BOOT (IO0) is held or pulled low`,
        `modo de arranque 0x${mode}: la placa fue al cargador en vez del programa; BOOT (IO0) está presionado o en nivel bajo`,
      ),
    };
  if (/BROWN/i.test(reset))
    return {
      level: 'alarm',
      meaning: inEach(
        'reiniciou porque a alimentação caiu',
        'restarted because the supply sagged',
        'se reinició porque cayó la alimentación',
      ),
    };
  if (/WDT/i.test(reset))
    return {
      level: 'warning',
      meaning: inEach(
        'reiniciada pelo cão de guarda: o programa travou',
        'restarted by its watchdog: the program hung',
        'reiniciada por el perro guardián: el programa se trabó',
      ),
    };
  if (/POWERON/i.test(reset))
    return {
      level: 'info',
      meaning: inEach(
        'partiu quando a energia veio',
        'started after power came',
        'arrancó cuando llegó la energía',
      ),
    };
  return { level: 'info', meaning: null };
}

/** Most of such a line are not letters: both sides speak at different speeds. */
export function isGibberish(line: string): boolean {
  const odd = line.replace(/[\x20-\x7e\t]/g, '').length;
  return line.length >= 8 && odd * 3 > line.length;
}
