import { atTheBox } from '#contract/commands.ts';
import type { Finding, InEach } from '#contract/resources/system-doctor.ts';
import { above, ageOf, agoOf, DAY, finding, MB, say, sizeOf, unlessOk } from './finding.ts';
import type { BootRung, DoctorFacts } from './ports.ts';

const WAL_BYTES = { warn: 64 * MB, bad: 1_000 * MB };
const CHECKED_MS = 30 * DAY;

export function checkDatabase({ database, now, disk, run }: DoctorFacts): Finding[] {
  if (database === null) return [];
  const isRunning = run?.state === 'running';
  // what its file is like says nothing of a gateway that holds everything in memory, and advice about it would do harm
  if (database.boot?.isMemoryOnly === true) return checkBoot(database);
  if (database.trouble !== null || database.bytes === null) return [unreadable(database, { isRunning })];
  const size = sizeOf(database.bytes);
  const isTight = database.engine === 'sqlite' && disk !== null && disk.freeBytes < 2 * database.bytes;
  const severity = isTight ? 'warn' : 'ok';
  const next = say(
    'Libere espaço, ou passe para um disco maior.',
    'Free some space, or move to a larger disk.',
    'Libere espacio, o pase a un disco más grande.',
  );
  const found = [
    finding(
      'database_size',
      severity,
      isTight
        ? say(
            `O banco de dados tem ${size['pt-BR']}, e o disco não tem livre o dobro disto, de que cópias e uma restauração precisam.`,
            `The database has ${size.en}, and the disk has less than twice that free, which copies and a restore need.`,
            `La base de datos tiene ${size.es}, y el disco no tiene libre el doble de esto, que necesitan las copias y una restauración.`,
          )
        : say(
            `O banco de dados tem ${size['pt-BR']}.`,
            `The database has ${size.en}.`,
            `La base de datos tiene ${size.es}.`,
          ),
      { measured: [database.bytes, 'B'], ...unlessOk(severity, next) },
    ),
  ];
  return [
    ...found,
    ...checkSoundness(database, { now, isRunning }),
    ...checkWal(database),
    ...checkSums(database),
    ...checkBoot(database),
  ];
}

type Database = NonNullable<DoctorFacts['database']>;

function unreadable({ trouble }: Database, { isRunning }: { isRunning: boolean }): Finding {
  const gone = say('o arquivo não está lá', 'its file is not there', 'el archivo no está ahí');
  const why = trouble === null ? gone : say(trouble, trouble, trouble);
  return finding(
    'database_unreadable',
    'bad',
    say(
      `O banco de dados não pode ser lido: ${why['pt-BR']}`,
      `The database cannot be read: ${why.en}`,
      `La base de datos no se puede leer: ${why.es}`,
    ),
    { next: isRunning ? KEEP_RUNNING : START_IT },
  );
}

const START_IT = say(
  'Inicie ou reinicie o gateway: ele mesmo tenta as cópias. Se não bastar, restaure um backup (docs/pt-br/replace-a-box.md).',
  'Start or restart the gateway: it tries its copies by itself. If that is not enough, restore a backup (docs/en/replace-a-box.md).',
  'Arranque o reinicie el gateway: él mismo prueba las copias. Si no basta, restaure un respaldo (docs/es/replace-a-box.md).',
);
/** The file was taken away under a program that still has it open. */
const KEEP_RUNNING = say(
  'Não reinicie o gateway: ele ainda tem o banco de dados aberto, e o que é novo se perde ao parar. Exporte ou anote o que mudou desde o último backup, depois restaure-o (docs/pt-br/replace-a-box.md).',
  'Do not restart the gateway: it still has the database open, and what is new is lost when it stops. Export or note down what changed since the latest backup, then restore that (docs/en/replace-a-box.md).',
  'No reinicie el gateway: todavía tiene abierta la base de datos, y lo nuevo se pierde al parar. Exporte o anote lo que cambió desde el último respaldo, después restáurelo (docs/es/replace-a-box.md).',
);

function checkSoundness(
  { engine, wrong, checkedAt, snapshotAt }: Database,
  { now, isRunning }: { now: number; isRunning: boolean },
): Finding[] {
  if (engine === 'postgres') return [];
  const found: Finding[] = [];
  if (wrong !== null) {
    found.push(
      finding(
        'database_damaged',
        'bad',
        say(
          `O banco de dados está danificado: ${wrong}`,
          `The database is damaged: ${wrong}`,
          `La base de datos está dañada: ${wrong}`,
        ),
        {
          next: say(
            'O controle segue. Restaure o último backup em breve (docs/pt-br/replace-a-box.md).',
            'Control goes on. Restore the latest backup soon (docs/en/replace-a-box.md).',
            'El control sigue. Restaure el último respaldo pronto (docs/es/replace-a-box.md).',
          ),
          measured: [wrong, null],
        },
      ),
    );
  } else if (checkedAt === null || now - checkedAt > CHECKED_MS) {
    const old = checkedAt === null ? null : agoOf(ageOf(now, checkedAt));
    found.push(
      finding(
        'database_check_old',
        'note',
        old === null
          ? say(
              'O banco de dados inteiro ainda não foi verificado.',
              'The whole database was not checked yet.',
              'La base de datos entera todavía no se ha verificado.',
            )
          : say(
              `A última verificação completa foi há ${old['pt-BR']}.`,
              `The last full check was ${old.en} ago.`,
              `La última verificación completa fue hace ${old.es}.`,
            ),
        { next: isRunning ? AT_NEXT_START : CHECK_NOW },
      ),
    );
  } else {
    const age = ageOf(now, checkedAt);
    const shown = agoOf(age);
    found.push(
      finding(
        'database_checked',
        'ok',
        say(
          `O banco de dados inteiro foi verificado há ${shown['pt-BR']} e está em ordem.`,
          `The whole database was checked ${shown.en} ago and is sound.`,
          `La base de datos entera se verificó hace ${shown.es} y está en orden.`,
        ),
        { measured: [Math.round(age / 1000), 's'] },
      ),
    );
  }
  if (snapshotAt === null) {
    found.push(
      finding(
        'database_no_snapshot',
        'note',
        say(
          'Ainda não há cópia local do banco de dados.',
          'There is no local snapshot of the database yet.',
          'Todavía no hay una copia local de la base de datos.',
        ),
        {
          next: say(
            'O gateway ligado faz uma minutos depois de uma mudança; veja amanhã se ela está lá.',
            'A running gateway makes one minutes after a change; look tomorrow whether it is there.',
            'El gateway encendido hace una minutos después de un cambio; vea mañana si está ahí.',
          ),
        },
      ),
    );
  } else {
    const age = ageOf(now, snapshotAt);
    const shown = agoOf(age);
    found.push(
      finding(
        'database_snapshot',
        'ok',
        say(
          `A última cópia local do banco de dados tem ${shown['pt-BR']}.`,
          `The last local snapshot of the database is ${shown.en} old.`,
          `La última copia local de la base de datos tiene ${shown.es}.`,
        ),
        { measured: [Math.round(age / 1000), 's'] },
      ),
    );
  }
  return found;
}

function checkSums({ pondsToSum }: Database): Finding[] {
  if (pondsToSum === null || pondsToSum === 0) return [];
  return [
    finding(
      'database_sums',
      'note',
      say(
        `As somas das medições de ${pondsToSum} viveiro(s) estão sendo refeitas; até lá, as listas leem as medições e demoram mais.`,
        `The sums of the measurements of ${pondsToSum} pond(s) are being made again; until then lists read the measurements and take longer.`,
        `Las sumas de las mediciones de ${pondsToSum} piscina(s) se están rehaciendo; hasta entonces, las listas leen las mediciones y tardan más.`,
      ),
      {
        next: say(
          'O gateway ligado as refaz sozinho em minutos; se isto continuar amanhã, reinicie-o.',
          'A running gateway makes them by itself within minutes; if this is still so tomorrow, restart it.',
          'El gateway encendido las rehace solo en minutos; si esto continúa mañana, reinícielo.',
        ),
        measured: [pondsToSum, null],
      },
    ),
  ];
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
        `El diario de la base (WAL) creció a ${size.es}.`,
      ),
      {
        next: say(
          'Feche outros programas que leem o banco de dados e reinicie o gateway.',
          'Close other programs that read the database, and restart the gateway.',
          'Cierre otros programas que leen la base de datos y reinicie el gateway.',
        ),
        measured: [walBytes, 'B'],
      },
    ),
  ];
}

const CHECK_NOW = say(
  `${atTheBox('doctor --deep')} o verifica agora (minutos).`,
  `${atTheBox('doctor --deep')} checks it now (minutes).`,
  `${atTheBox('doctor --deep')} la verifica ahora (minutos).`,
);
const AT_NEXT_START = say(
  'O gateway o verifica minutos depois de cada partida: reinicie-o numa hora calma.',
  'The gateway checks it minutes after each start: restart it in a quiet hour.',
  'El gateway la verifica minutos después de cada arranque: reinícielo a una hora tranquila.',
);

const RUNGS: Readonly<Record<BootRung, InEach>> = {
  normal: say(
    'com o banco de dados como estava',
    'with the database as it was',
    'con la base de datos como estaba',
  ),
  wal: say(
    'com o banco de dados recuperado do diário',
    'with the database recovered from its log',
    'con la base de datos recuperada del diario',
  ),
  rolled_back: say(
    'sem as últimas mudanças, que se perderam',
    'without the last changes, which are lost',
    'sin los últimos cambios, que se perdieron',
  ),
  snapshot: say(
    'com uma cópia local verificada',
    'with a verified local snapshot',
    'con una copia local verificada',
  ),
  last_good: say(
    'só com a última configuração boa, sem a história',
    'with the last good configuration alone, without the history',
    'solo con la última configuración buena, sin la historia',
  ),
  fail_safe: say(
    'vazio: cada controlador segue sozinho',
    'empty: each controller goes on alone',
    'vacío: cada controlador sigue solo',
  ),
};

function checkBoot({ boot }: Database): Finding[] {
  if (boot === null) return [];
  if (boot.isMemoryOnly) {
    return [
      finding(
        'database_in_memory',
        'bad',
        say(
          'O gateway controla com o que tem na memória: nada é salvo, e ao desligar tudo o que é novo se perde.',
          'The gateway controls from memory: nothing is saved, and what is new is lost when it stops.',
          'El gateway controla con lo que tiene en la memoria: no se guarda nada, y al apagarse todo lo nuevo se pierde.',
        ),
        {
          next: say(
            'Não reinicie ainda: anote o que mudou, libere espaço no disco ou tenha à mão o cartão novo e o último backup; só então reinicie (docs/pt-br/replace-a-box.md).',
            'Do not restart yet: note down what changed, free space on the disk or have the new card and the latest backup at hand; only then restart (docs/en/replace-a-box.md).',
            'No lo reinicie todavía: anote lo que cambió, libere espacio en el disco o tenga a mano la tarjeta nueva y el último respaldo; solo entonces reinicie (docs/es/replace-a-box.md).',
          ),
          measured: [boot.rung, null],
        },
      ),
    ];
  }
  if (boot.isWhole) return [];
  const how = RUNGS[boot.rung];
  return [
    finding(
      'database_recovered',
      'warn',
      say(
        `O banco de dados estava danificado; o gateway partiu ${how['pt-BR']} (${boot.detail}).`,
        `The database was damaged; the gateway started ${how.en} (${boot.detail}).`,
        `La base de datos estaba dañada; el gateway arrancó ${how.es} (${boot.detail}).`,
      ),
      {
        next: say(
          'Confira horários e ordens no console; se faltar algo, restaure um backup (docs/pt-br/replace-a-box.md).',
          'Check schedules and orders in the console; if something is missing, restore a backup (docs/en/replace-a-box.md).',
          'Revise horarios y órdenes en el panel; si falta algo, restaure un respaldo (docs/es/replace-a-box.md).',
        ),
        measured: [boot.rung, null],
      },
    ),
  ];
}
