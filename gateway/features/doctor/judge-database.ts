import type { Finding } from '#contract/resources/system-doctor.ts';
import { above, agoOf, DAY, finding, MB, say, sizeOf } from './finding.ts';
import type { DoctorFacts } from './ports.ts';

const WAL_BYTES = { warn: 64 * MB, bad: 1_000 * MB };
const CHECKED_MS = 30 * DAY;

export function checkDatabase({ database, now, disk }: DoctorFacts): Finding[] {
  if (database === null) return [];
  if (database.trouble !== null || database.bytes === null) {
    return [
      finding(
        'database_unreadable',
        'bad',
        say(
          `O banco de dados não responde: ${database.trouble ?? ''}`,
          `The database does not answer: ${database.trouble ?? ''}`,
        ),
        {
          next: say(
            'Inicie o gateway: ele tenta as cópias por si. Senão, restaure um backup.',
            'Start the gateway: it tries its copies by itself. Else restore a backup.',
          ),
        },
      ),
    ];
  }
  const size = sizeOf(database.bytes);
  const isTight = database.engine === 'sqlite' && disk !== null && disk.freeBytes < 2 * database.bytes;
  const found = [
    finding(
      'database_size',
      isTight ? 'warn' : 'ok',
      say(`O banco de dados tem ${size['pt-BR']}.`, `The database has ${size.en}.`),
      {
        measured: [database.bytes, 'B'],
        ...(isTight
          ? {
              next: say(
                'Para cópias e restauração deve haver livre o dobro disto.',
                'Copies and a restore need twice as much free space.',
              ),
            }
          : {}),
      },
    ),
  ];
  return [...found, ...checkSoundness(database, now), ...checkWal(database), ...checkBoot(database)];
}

type Database = NonNullable<DoctorFacts['database']>;

function checkSoundness({ engine, wrong, checkedAt, snapshotAt }: Database, now: number): Finding[] {
  if (engine === 'postgres') return [];
  const found: Finding[] = [];
  if (wrong !== null) {
    found.push(
      finding(
        'database_damaged',
        'bad',
        say(`O banco de dados está danificado: ${wrong}`, `The database is damaged: ${wrong}`),
        {
          next: say(
            'Restaure um backup em breve; o controle segue.',
            'Restore a backup soon; control goes on.',
          ),
          measured: [wrong, null],
        },
      ),
    );
  } else if (checkedAt === null || now - checkedAt > CHECKED_MS) {
    const old = checkedAt === null ? null : agoOf(now - checkedAt);
    found.push(
      finding(
        'database_check_old',
        'note',
        old === null
          ? say(
              'O banco de dados inteiro ainda não foi verificado.',
              'The whole database was not checked yet.',
            )
          : say(
              `A última verificação completa foi há ${old['pt-BR']}.`,
              `The last full check was ${old.en} ago.`,
            ),
        { next: say('npm run doctor -- --deep verifica agora.', 'npm run doctor -- --deep checks it now.') },
      ),
    );
  } else {
    const age = agoOf(now - checkedAt);
    found.push(
      finding(
        'database_checked',
        'ok',
        say(`Verificado inteiro e são há ${age['pt-BR']}.`, `Checked as a whole and sound ${age.en} ago.`),
        { measured: [Math.round((now - checkedAt) / 1000), 's'] },
      ),
    );
  }
  if (snapshotAt === null) {
    found.push(
      finding(
        'database_no_snapshot',
        'note',
        say('Ainda não há cópia local do banco de dados.', 'There is no local snapshot of the database yet.'),
        {
          next: say(
            'O gateway faz uma após mudanças; espere um pouco.',
            'The gateway makes one after changes; wait a while.',
          ),
        },
      ),
    );
  } else {
    const age = agoOf(Math.max(0, now - snapshotAt));
    found.push(
      finding(
        'database_snapshot',
        'ok',
        say(`A última cópia local tem ${age['pt-BR']}.`, `The last snapshot is ${age.en} old.`),
        {
          measured: [Math.round((now - snapshotAt) / 1000), 's'],
        },
      ),
    );
  }
  return found;
}

function checkWal({ walBytes }: Database): Finding[] {
  const severity = above(walBytes ?? 0, WAL_BYTES);
  if (walBytes === null || severity === 'ok') return [];
  const size = sizeOf(walBytes);
  return [
    finding(
      'database_wal',
      severity,
      say(
        `O diário do banco (WAL) cresceu a ${size['pt-BR']}.`,
        `The log of the database (WAL) grew to ${size.en}.`,
      ),
      {
        next: say(
          'Feche programas que leem o banco; reinicie o gateway.',
          'Close programs that read the database; restart the gateway.',
        ),
        measured: [walBytes, 'B'],
      },
    ),
  ];
}

function checkBoot({ boot }: Database): Finding[] {
  if (boot === null || boot.isWhole) return [];
  return [
    finding(
      'database_recovered',
      'warn',
      say(
        `A partida não usou o banco como estava (${boot.rung}): ${boot.detail}`,
        `The start did not use the database as it was (${boot.rung}): ${boot.detail}`,
      ),
      {
        next: say(
          'Confira horários e ordens; restaure um backup se faltar algo.',
          'Check schedules and orders; restore a backup if something is missing.',
        ),
        measured: [boot.rung, null],
      },
    ),
  ];
}
