import type { Finding } from '#contract/resources/system-doctor.ts';
import { agoOf, DAY, finding, HOUR, say } from './finding.ts';
import type { BackupFacts, ControllerFacts, DoctorFacts } from './ports.ts';

// The farm behind the box: its controllers, and the backups that bring it back.

/** Below this a controller loses messages; −67 dBm is what voice needs, −75 the end of what is steady. */
const WEAK_DBM = -75;
const LOST_DBM = -85;
/** Findings of one kind that name a controller each; the rest is summed up. */
const NAMED = 20;
const LATE_AFTER = 3;
const PROOF_MS = 180 * DAY;

export function checkControllers({ controllers, now }: DoctorFacts): Finding[] {
  if (controllers === null) return [];
  const online = controllers.filter(({ isOnline }) => isOnline);
  const summary = finding(
    'controllers',
    'ok',
    say(
      `${online.length} de ${controllers.length} controladores em linha.`,
      `${online.length} of ${controllers.length} controllers are online.`,
    ),
    { measured: [online.length, 'controllers'] },
  );
  return [
    summary,
    ...named(
      controllers.filter(({ isOnline }) => !isOnline),
      (one) => silent(one, now),
    ),
    ...named(
      online.filter(({ rssiDbm }) => rssiDbm !== null && rssiDbm < WEAK_DBM),
      weak,
    ),
    ...named(
      controllers.filter(({ hasKey }) => !hasKey),
      unkeyed,
    ),
    ...named(olderFirmware(controllers), ({ one, newest }) => oldFirmware(one, newest)),
  ];
}

/** One finding each, at most so many; the last one then says how many more there are. */
function named<One>(those: readonly One[], judge: (one: One) => Finding): Finding[] {
  const findings = those.slice(0, NAMED).map(judge);
  const last = findings.at(-1);
  const more = those.length - findings.length;
  if (last === undefined || more === 0) return findings;
  const rest = finding(
    `${last.id}_more`,
    last.severity,
    say(`O mesmo vale para mais ${more}.`, `The same holds for ${more} more.`),
    { measured: [more, 'controllers'] },
  );
  return [...findings, rest];
}

function silent(one: ControllerFacts, now: number): Finding {
  const ago = one.heardAt === null ? null : agoOf(Math.max(0, now - one.heardAt));
  return finding(
    'controller_silent',
    ago === null ? 'note' : 'bad',
    ago === null
      ? say(
          `${one.cod} (${one.deviceId}) nunca se apresentou.`,
          `${one.cod} (${one.deviceId}) never reported.`,
        )
      : say(
          `${one.cod} (${one.deviceId}) está calado há ${ago['pt-BR']}.`,
          `${one.cod} (${one.deviceId}) is silent for ${ago.en}.`,
        ),
    {
      about: one,
      next: say(
        'Veja a energia e o Wi-Fi no painel dele; o motor segue o programa do controlador.',
        'See to power and Wi-Fi at its panel; the motor follows the program of the controller.',
      ),
      ...(one.heardAt === null ? {} : { measured: [Math.round((now - one.heardAt) / 1000), 's'] }),
    },
  );
}

function weak(one: ControllerFacts): Finding {
  const rssi = one.rssiDbm ?? 0;
  return finding(
    'controller_weak_wifi',
    rssi < LOST_DBM ? 'bad' : 'warn',
    say(
      `${one.cod} (${one.deviceId}) tem sinal fraco: ${rssi} dBm.`,
      `${one.cod} (${one.deviceId}) has a weak signal: ${rssi} dBm.`,
    ),
    {
      about: one,
      next: say(
        'Aproxime um ponto de acesso ou use antena externa.',
        'Bring an access point nearer, or use an outside antenna.',
      ),
      measured: [rssi, 'dBm'],
    },
  );
}

function unkeyed(one: ControllerFacts): Finding {
  return finding(
    'controller_unkeyed',
    'warn',
    say(
      `${one.cod} (${one.deviceId}) não tem chave: quem está na rede pode se passar por ele.`,
      `${one.cod} (${one.deviceId}) has no key: whoever is on the network can pretend to be it.`,
    ),
    {
      about: one,
      next: say(
        'Crie uma chave (POST …/device-key) e grave no controlador.',
        'Make a key (POST …/device-key) and put it into the controller.',
      ),
    },
  );
}

/** Those behind the newest firmware of the same farm; only versions of numbers can be compared. */
function olderFirmware(controllers: readonly ControllerFacts[]) {
  const newestByFarm = new Map<string, string>();
  for (const { farmId, firmware } of controllers) {
    if (firmware === null || numbersOf(firmware) === null) continue;
    const known = newestByFarm.get(farmId);
    if (known === undefined || compare(firmware, known) > 0) newestByFarm.set(farmId, firmware);
  }
  return controllers.flatMap((one) => {
    const newest = newestByFarm.get(one.farmId);
    const isOlder =
      newest !== undefined &&
      one.firmware !== null &&
      numbersOf(one.firmware) !== null &&
      compare(one.firmware, newest) < 0;
    return isOlder ? [{ one, newest }] : [];
  });
}

function oldFirmware(one: ControllerFacts, newest: string): Finding {
  return finding(
    'controller_old_firmware',
    'note',
    say(
      `${one.cod} (${one.deviceId}) tem o firmware ${one.firmware}; outros têm ${newest}.`,
      `${one.cod} (${one.deviceId}) has firmware ${one.firmware}; others have ${newest}.`,
    ),
    {
      about: one,
      next: say('Atualize-o numa tarde sem risco.', 'Update it on a day without risk.'),
      measured: [one.firmware ?? '', null],
    },
  );
}

function numbersOf(version: string): number[] | null {
  const found = /^v?(\d{1,6}(?:\.\d{1,6}){0,3})/.exec(version)?.[1];
  return found === undefined ? null : found.split('.').map(Number);
}

function compare(one: string, other: string): number {
  const [a, b] = [numbersOf(one) ?? [], numbersOf(other) ?? []];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function checkBackup({ backup, now }: DoctorFacts): Finding[] {
  if (backup === null) return [];
  if (backup.folder === null) {
    return [
      finding(
        'backup_none',
        'warn',
        say(
          'Não há backup: se o cartão falhar, a história da fazenda se perde.',
          'There is no backup: if the card fails, the history of the farm is lost.',
        ),
        {
          next: say(
            'npm run backup -- --to PASTA prepara um pendrive.',
            'npm run backup -- --to FOLDER makes a stick ready.',
          ),
        },
      ),
    ];
  }
  return [...checkNewest(backup, now), ...checkProof(backup, now)];
}

function checkNewest({ newestAt, everyH, trouble }: BackupFacts, now: number): Finding[] {
  const next = say(
    'Veja se o pendrive está conectado e tem espaço.',
    'See whether the stick is plugged in and has room.',
  );
  const why = trouble === null ? '' : ` (${trouble})`;
  if (newestAt === null) {
    return [
      finding('backup_missing', 'bad', say(`Ainda não há backup${why}.`, `There is no backup yet${why}.`), {
        next,
      }),
    ];
  }
  const age = Math.max(0, now - newestAt);
  const isLate = age > LATE_AFTER * everyH * HOUR;
  const shown = agoOf(age);
  return [
    finding(
      'backup_age',
      trouble !== null || isLate ? 'bad' : 'ok',
      say(`O último backup tem ${shown['pt-BR']}${why}.`, `The latest backup is ${shown.en} old${why}.`),
      { measured: [Math.round(age / 1000), 's'], ...(trouble !== null || isLate ? { next } : {}) },
    ),
  ];
}

function checkProof({ provedAt }: BackupFacts, now: number): Finding[] {
  const next = say(
    'npm run backup -- --prove-key: a chave do papel abre o último backup?',
    'npm run backup -- --prove-key: does the key on the paper open the latest backup?',
  );
  if (provedAt === null) {
    return [
      finding(
        'backup_unproved',
        'note',
        say('Ninguém provou ainda a chave de recuperação.', 'Nobody has proved the recovery key yet.'),
        { next },
      ),
    ];
  }
  const age = Math.max(0, now - provedAt);
  const shown = agoOf(age);
  return [
    finding(
      'backup_proof',
      age > PROOF_MS ? 'note' : 'ok',
      say(
        `A chave de recuperação foi provada há ${shown['pt-BR']}.`,
        `The recovery key was proved ${shown.en} ago.`,
      ),
      { measured: [Math.round(age / DAY), 'd'], ...(age > PROOF_MS ? { next } : {}) },
    ),
  ];
}
