import { atTheBox } from '#contract/commands.ts';
import type { Finding } from '#contract/resources/system-doctor.ts';
import { ageOf, agoOf, DAY, finding, HOUR, say, unlessOk } from './finding.ts';
import type { BackupFacts, DoctorFacts, RunFacts } from './ports.ts';

// The backups that bring a farm back when its box is dead.

/** Of three backups that should be there, none. */
const LATE_AFTER = 3;
/** A box that was off for days makes the first one within minutes of its start. */
const FIRST_WITHIN_MS = HOUR;
const PROOF_MS = 180 * DAY;

export function checkBackup({ backup, run, now }: DoctorFacts): Finding[] {
  if (backup === null) return [];
  if (backup.folder === null) {
    return [
      finding(
        'backup_none',
        'warn',
        say(
          'Não há backup: se o cartão falhar, a história da fazenda se perde.',
          'There is no backup: if the card fails, the history of the farm is lost.',
          'No hay respaldo: si la tarjeta falla, la historia de la camaronera se pierde.',
        ),
        {
          next: say(
            `Prepare um pendrive: ${atTheBox('backup --to PASTA')}, e indique-o ao gateway em BACKUP_DIR (docs/pt-br/install.md).`,
            `Make a stick ready: ${atTheBox('backup --to FOLDER')}, and name it to the gateway in BACKUP_DIR (docs/en/install.md).`,
            `Prepare una memoria USB: ${atTheBox('backup --to CARPETA')}, e indíquela al gateway en BACKUP_DIR (docs/es/install.md).`,
          ),
        },
      ),
    ];
  }
  if (!backup.isReady) return [notReady(backup.folder), ...checkProof(backup, now)];
  return [...checkNewest(backup, { run, now }), ...checkProof(backup, now)];
}

function notReady(folder: string): Finding {
  return finding(
    'backup_not_ready',
    'bad',
    say(
      `O pendrive de backup não está em ${folder}: nenhum backup é feito.`,
      `The stick for backups is not at ${folder}: no backup is made.`,
      `La memoria USB de respaldo no está en ${folder}: no se hace ningún respaldo.`,
    ),
    {
      next: say(
        `Encaixe o pendrive. Se ele é novo: ${atTheBox(`backup --to ${folder}`)}.`,
        `Plug the stick in. If it is a new one: ${atTheBox(`backup --to ${folder}`)}.`,
        `Conecte la memoria USB. Si es nueva: ${atTheBox(`backup --to ${folder}`)}.`,
      ),
      measured: [folder, null],
    },
  );
}

function checkNewest(backup: BackupFacts, { run, now }: { run: RunFacts | null; now: number }): Finding[] {
  const { newestAt, trouble } = backup;
  const next = say(
    'Veja se o pendrive tem espaço e aceita gravação, e se o gateway está ligado; senão troque o pendrive.',
    'See whether the stick has room and takes writing, and whether the gateway runs; else replace the stick.',
    'Vea si la memoria USB tiene espacio y acepta grabación, y si el gateway está encendido; si no, cambie la memoria USB.',
  );
  const why = trouble === null ? '' : ` (${trouble})`;
  if (newestAt === null) {
    return [
      finding(
        'backup_missing',
        'bad',
        say(`Ainda não há backup${why}.`, `There is no backup yet${why}.`, `Todavía no hay respaldo${why}.`),
        {
          next,
        },
      ),
    ];
  }
  const age = ageOf(now, newestAt);
  const severity = trouble !== null || isLate(backup, { run, now }) ? 'bad' : 'ok';
  const shown = agoOf(age);
  return [
    finding(
      'backup_age',
      severity,
      say(
        `O último backup tem ${shown['pt-BR']}${why}.`,
        `The latest backup is ${shown.en} old${why}.`,
        `El último respaldo tiene ${shown.es}${why}.`,
      ),
      { measured: [Math.round(age / 1000), 's'], ...unlessOk(severity, next) },
    ),
  ];
}

/** While a gateway is stopped nobody makes backups, and none is late. */
function isLate(
  { newestAt, until, everyH }: BackupFacts,
  { run, now }: { run: RunFacts | null; now: number },
): boolean {
  if (newestAt === null || until === null) return false;
  const startedAt = run?.state === 'running' ? run.startedAt : null;
  const isFresh = startedAt !== null && ageOf(now, startedAt) < FIRST_WITHIN_MS;
  return !isFresh && ageOf(until, newestAt) > LATE_AFTER * everyH * HOUR;
}

function checkProof({ provedAt }: BackupFacts, now: number): Finding[] {
  const next = say(
    `Prove que a chave do papel abre o último backup: ${atTheBox('backup --prove-key')}.`,
    `Prove that the key on the paper opens the latest backup: ${atTheBox('backup --prove-key')}.`,
    `Compruebe que la clave del papel abre el último respaldo: ${atTheBox('backup --prove-key')}.`,
  );
  if (provedAt === null) {
    return [
      finding(
        'backup_unproved',
        'note',
        say(
          'Ninguém provou ainda a chave de recuperação.',
          'Nobody has proved the recovery key yet.',
          'Nadie ha comprobado todavía la clave de recuperación.',
        ),
        { next },
      ),
    ];
  }
  const age = ageOf(now, provedAt);
  const severity = age > PROOF_MS ? 'note' : 'ok';
  const shown = agoOf(age);
  return [
    finding(
      'backup_proof',
      severity,
      say(
        `A chave de recuperação foi provada há ${shown['pt-BR']}.`,
        `The recovery key was proved ${shown.en} ago.`,
        `La clave de recuperación se comprobó hace ${shown.es}.`,
      ),
      { measured: [Math.round(age / DAY), 'd'], ...unlessOk(severity, next) },
    ),
  ];
}
