import type { Finding, InEach } from '#contract/resources/system-doctor.ts';
import { above, below, DAY, finding, MB, say, sizeOf, unlessOk } from './finding.ts';
import type { DiskFacts, DoctorFacts } from './ports.ts';

// The disk of the box: its room, its wear, and what tells that it fails.

const FREE_BYTES = { warn: 1_000 * MB, bad: 100 * MB };
/** From the life time a chip reports: the last fifth, and the end of it. */
const WEAR_PERCENT = { warn: 80, bad: 100 };
const CARD_YEARS = 5;
/** A common 32 GB card bears some 30 TB: at this rate it is worn out within five years. */
const WRITTEN_PER_DAY = 15_000 * MB;

export function checkDisk({ disk }: DoctorFacts): Finding[] {
  if (disk === null) return [];
  const free = sizeOf(disk.freeBytes);
  const total = sizeOf(disk.totalBytes);
  const severity = below(disk.freeBytes, FREE_BYTES);
  const next = say(
    'Libere espaço: apague o que não é do gateway, ou passe para um disco maior. Com o disco cheio o controle segue, mas nada é salvo.',
    'Free some space: remove what is not of the gateway, or move to a larger disk. With a full disk control goes on, but nothing is saved.',
    'Libere espacio: elimine lo que no es del gateway, o pase a un disco más grande. Con el disco lleno el control sigue, pero no se guarda nada.',
  );
  const found = [
    finding(
      'disk_space',
      severity,
      say(
        `Espaço livre no disco (${disk.folder}): ${free['pt-BR']} de ${total['pt-BR']}.`,
        `Free space on the disk (${disk.folder}): ${free.en} of ${total.en}.`,
        `Espacio libre en el disco (${disk.folder}): ${free.es} de ${total.es}.`,
      ),
      {
        measured: [disk.freeBytes, 'B'],
        ...unlessOk(severity, next),
      },
    ),
  ];
  if (disk.isReadOnly === true) {
    found.push(
      finding(
        'disk_read_only',
        'bad',
        say(
          'O disco está montado somente para leitura: nada é salvo. Em geral é um cartão que falhou.',
          'The disk is mounted read-only: nothing is saved. Mostly it is a card that failed.',
          'El disco está montado solo para lectura: no se guarda nada. Por lo general es una tarjeta que falló.',
        ),
        {
          next: say(
            'Troque o cartão e restaure o último backup (docs/pt-br/replace-a-box.md).',
            'Replace the card and restore the latest backup (docs/en/replace-a-box.md).',
            'Cambie la tarjeta y restaure el último respaldo (docs/es/replace-a-box.md).',
          ),
        },
      ),
    );
  }
  if (disk.writes === 'full') {
    found.push(
      finding(
        'disk_refuses_writes',
        'bad',
        say(
          'A última gravação foi recusada: o disco está cheio.',
          'The last write was refused: the disk is full.',
          'La última grabación fue rechazada: el disco está lleno.',
        ),
        {
          next: say(
            'Libere espaço agora: o que não é salvo se perde quando a caixa desliga.',
            'Free some space now: what is not saved is lost when the box goes off.',
            'Libere espacio ahora: lo que no se guarda se pierde cuando la caja se apaga.',
          ),
        },
      ),
    );
  }
  return [...found, ...checkWear(disk)];
}

const SPARES: Readonly<Record<NonNullable<DiskFacts['spares']>, InEach>> = {
  normal: say('blocos de reserva bastantes', 'enough spare blocks', 'bloques de reserva suficientes'),
  warning: say(
    'restam poucos blocos de reserva',
    'few spare blocks are left',
    'quedan pocos bloques de reserva',
  ),
  urgent: say('quase sem blocos de reserva', 'hardly any spare block is left', 'casi sin bloques de reserva'),
};

function checkWear({ card, wearPercent, spares, health }: DiskFacts): Finding[] {
  if (card === 'sd') {
    return [
      finding(
        'disk_wear_unknown',
        'note',
        say(
          'Um cartão SD não diz quanto já se desgastou.',
          'An SD card does not tell how worn it is.',
          'Una tarjeta SD no dice cuánto se ha desgastado.',
        ),
        {
          next: say(
            'Use um cartão industrial, ou eMMC/SSD, e mantenha os backups (docs/pt-br/hardware.md).',
            'Use an industrial card, or eMMC/SSD, and keep the backups (docs/en/hardware.md).',
            'Use una tarjeta industrial, o eMMC/SSD, y mantenga los respaldos (docs/es/hardware.md).',
          ),
        },
      ),
    ];
  }
  if (card === 'ssd') return [wearOfSsd(health)];
  if (wearPercent === null && spares === null) return [];
  const severity = wearSeverity(wearPercent, spares);
  const life =
    wearPercent === null
      ? say(
          'A memória eMMC não diz quanto usou da vida útil',
          'The eMMC does not tell how much of its life it used',
          'La memoria eMMC no dice cuánto usó de su vida útil',
        )
      : say(
          `A memória eMMC usou até ${wearPercent} % da vida útil`,
          `The eMMC has used up to ${wearPercent} % of its life`,
          `La memoria eMMC usó hasta ${wearPercent} % de su vida útil`,
        );
  const left =
    spares === null
      ? say('', '', '')
      : say(`; ${SPARES[spares]['pt-BR']}`, `; ${SPARES[spares].en}`, `; ${SPARES[spares].es}`);
  const next = say(
    'Confira o backup e planeje a troca da placa (docs/pt-br/replace-a-box.md).',
    'Check the backup and plan to replace the board (docs/en/replace-a-box.md).',
    'Revise el respaldo y planifique el cambio de la placa (docs/es/replace-a-box.md).',
  );
  return [
    finding(
      'disk_wear',
      severity,
      say(`${life['pt-BR']}${left['pt-BR']}.`, `${life.en}${left.en}.`, `${life.es}${left.es}.`),
      {
        ...(wearPercent === null ? {} : { measured: [wearPercent, '%'] }),
        ...unlessOk(severity, next),
      },
    ),
  ];
}

function wearOfSsd(health: DiskFacts['health']): Finding {
  const name = health?.name == null ? '' : ` (${health.name})`;
  const device = `/dev/${health?.device ?? 'sda'}`;
  return finding(
    'disk_wear_unknown',
    'note',
    say(
      `Quanto o SSD${name} já se desgastou não se vê daqui.`,
      `How worn the SSD${name} is cannot be seen from here.`,
      `Cuánto se ha desgastado el SSD${name} no se ve desde aquí.`,
    ),
    {
      next: say(
        `Veja uma vez por ano com o pacote smartmontools: sudo smartctl -a ${device}. Mantenha os backups (docs/pt-br/hardware.md).`,
        `See once a year with the package smartmontools: sudo smartctl -a ${device}. Keep the backups (docs/en/hardware.md).`,
        `Véalo una vez al año con el paquete smartmontools: sudo smartctl -a ${device}. Mantenga los respaldos (docs/es/hardware.md).`,
      ),
    },
  );
}

/** The worse of the two figures of the chip. */
function wearSeverity(wearPercent: number | null, spares: DiskFacts['spares']): 'ok' | 'warn' | 'bad' {
  const byWear = above(wearPercent ?? 0, WEAR_PERCENT);
  if (spares === 'urgent' || byWear === 'bad') return 'bad';
  return spares === 'warning' ? 'warn' : byWear;
}

export function checkCard({ disk, now }: DoctorFacts): Finding[] {
  const health = disk?.health ?? null;
  if (disk === null || health === null) return [];
  const found: Finding[] = [];
  if (health.fileSystemErrors !== null && health.fileSystemErrors > 0) {
    found.push(
      finding(
        'disk_errors',
        'bad',
        say(
          `O cartão ou disco está falhando: erros notados até agora, ${health.fileSystemErrors}.`,
          `The card or disk is failing: errors noticed so far, ${health.fileSystemErrors}.`,
          `La tarjeta o el disco está fallando: errores notados hasta ahora, ${health.fileSystemErrors}.`,
        ),
        {
          measured: [health.fileSystemErrors, 'errors'],
          next: say(
            'Faça um backup agora e troque o cartão (docs/pt-br/replace-a-box.md).',
            'Make a backup now and replace the card (docs/en/replace-a-box.md).',
            'Haga un respaldo ahora y cambie la tarjeta (docs/es/replace-a-box.md).',
          ),
        },
      ),
    );
  }
  const years = health.madeInYear === null ? null : new Date(now).getUTCFullYear() - health.madeInYear;
  if (disk.card === 'sd' && years !== null && years >= CARD_YEARS) {
    found.push(
      finding(
        'disk_card_old',
        'warn',
        say(
          `O cartão SD (${health.name ?? '?'}) foi fabricado em ${health.madeInYear}.`,
          `The SD card (${health.name ?? '?'}) was made in ${health.madeInYear}.`,
          `La tarjeta SD (${health.name ?? '?'}) se fabricó en ${health.madeInYear}.`,
        ),
        {
          measured: [years, 'a'],
          next: say(
            'Troque o cartão antes que falhe (docs/pt-br/replace-a-box.md).',
            'Replace the card before it fails (docs/en/replace-a-box.md).',
            'Cambie la tarjeta antes de que falle (docs/es/replace-a-box.md).',
          ),
        },
      ),
    );
  }
  return [...found, ...checkWriting(health.writtenBytes, health.upS)];
}

function checkWriting(writtenBytes: number | null, upS: number | null): Finding[] {
  // the first hours after a start say little
  if (writtenBytes === null || upS === null || upS < 6 * 3_600) return [];
  const perDay = (writtenBytes / upS) * (DAY / 1000);
  const size = sizeOf(perDay);
  const severity = perDay > WRITTEN_PER_DAY ? 'warn' : 'ok';
  const next = say(
    'O gateway grava menos de 1 GB por dia: ache o programa que grava tanto (sudo iotop -a) e tire-o desta caixa.',
    'The gateway writes less than 1 GB a day: find the program that writes so much (sudo iotop -a) and take it off this box.',
    'El gateway graba menos de 1 GB por día: encuentre el programa que graba tanto (sudo iotop -a) y quítelo de esta caja.',
  );
  return [
    finding(
      'disk_written',
      severity,
      say(
        `No disco são gravados ${size['pt-BR']} por dia.`,
        `${size.en} a day are written to the disk.`,
        `En el disco se graban ${size.es} por día.`,
      ),
      { measured: [Math.round(perDay), 'B/d'], ...unlessOk(severity, next) },
    ),
  ];
}
