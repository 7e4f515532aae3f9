import type { Both, Finding } from '#contract/resources/system-doctor.ts';
import { above, below, finding, MB, say, sizeOf, unlessOk, written } from './finding.ts';
import type { DiskFacts, DoctorFacts } from './ports.ts';

// The box: its disk, memory, temperature and power.

const FREE_BYTES = { warn: 1_000 * MB, bad: 100 * MB };
/** From the life time a chip reports: the last fifth, and the end of it. */
const WEAR_PERCENT = { warn: 80, bad: 100 };
const AVAILABLE_BYTES = { warn: 150 * MB, bad: 50 * MB };
/** The heap ends at 512 MB; a healthy program stays far below. */
const RESIDENT_BYTES = { warn: 450 * MB, bad: 700 * MB };
/** A Raspberry Pi slows down at 80 °C and more so at 85 °C. */
const CELSIUS = { warn: 80, bad: 85 };

export function checkDisk({ disk }: DoctorFacts): Finding[] {
  if (disk === null) return [];
  const free = sizeOf(disk.freeBytes);
  const total = sizeOf(disk.totalBytes);
  const severity = below(disk.freeBytes, FREE_BYTES);
  const next = say(
    'Libere espaço: apague o que não é do gateway, ou passe para um disco maior. Com o disco cheio o controle segue, mas nada é salvo.',
    'Free some space: remove what is not of the gateway, or move to a larger disk. With a full disk control goes on, but nothing is saved.',
  );
  const found = [
    finding(
      'disk_space',
      severity,
      say(
        `Espaço livre no disco (${disk.folder}): ${free['pt-BR']} de ${total['pt-BR']}.`,
        `Free space on the disk (${disk.folder}): ${free.en} of ${total.en}.`,
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
        ),
        {
          next: say(
            'Troque o cartão e restaure o último backup (docs/pt-br/replace-a-box.md).',
            'Replace the card and restore the latest backup (docs/en/replace-a-box.md).',
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
        ),
        {
          next: say(
            'Libere espaço agora: o que não é salvo se perde quando a caixa desliga.',
            'Free some space now: what is not saved is lost when the box goes off.',
          ),
        },
      ),
    );
  }
  return [...found, ...checkWear(disk)];
}

const SPARES: Readonly<Record<NonNullable<DiskFacts['spares']>, Both>> = {
  normal: say('blocos de reserva bastantes', 'enough spare blocks'),
  warning: say('restam poucos blocos de reserva', 'few spare blocks are left'),
  urgent: say('quase sem blocos de reserva', 'hardly any spare block is left'),
};

function checkWear({ card, wearPercent, spares }: DiskFacts): Finding[] {
  if (card === 'sd') {
    return [
      finding(
        'disk_wear_unknown',
        'note',
        say('Um cartão SD não diz quanto já se desgastou.', 'An SD card does not tell how worn it is.'),
        {
          next: say(
            'Use um cartão industrial, ou eMMC/SSD, e mantenha os backups (docs/pt-br/hardware.md).',
            'Use an industrial card, or eMMC/SSD, and keep the backups (docs/en/hardware.md).',
          ),
        },
      ),
    ];
  }
  if (wearPercent === null && spares === null) return [];
  const severity = wearSeverity(wearPercent, spares);
  const life =
    wearPercent === null
      ? say(
          'A memória eMMC não diz quanto usou da vida útil',
          'The eMMC does not tell how much of its life it used',
        )
      : say(
          `A memória eMMC usou até ${wearPercent} % da vida útil`,
          `The eMMC has used up to ${wearPercent} % of its life`,
        );
  const left = spares === null ? say('', '') : say(`; ${SPARES[spares]['pt-BR']}`, `; ${SPARES[spares].en}`);
  const next = say(
    'Confira o backup e planeje a troca da placa (docs/pt-br/replace-a-box.md).',
    'Check the backup and plan to replace the board (docs/en/replace-a-box.md).',
  );
  return [
    finding('disk_wear', severity, say(`${life['pt-BR']}${left['pt-BR']}.`, `${life.en}${left.en}.`), {
      ...(wearPercent === null ? {} : { measured: [wearPercent, '%'] }),
      ...unlessOk(severity, next),
    }),
  ];
}

/** The worse of the two figures of the chip. */
function wearSeverity(wearPercent: number | null, spares: DiskFacts['spares']): 'ok' | 'warn' | 'bad' {
  const byWear = above(wearPercent ?? 0, WEAR_PERCENT);
  if (spares === 'urgent' || byWear === 'bad') return 'bad';
  return spares === 'warning' ? 'warn' : byWear;
}

export function checkMemory({ memory }: DoctorFacts): Finding[] {
  if (memory === null) return [];
  const { availableBytes, residentBytes } = memory;
  const available = sizeOf(availableBytes);
  const scarce = below(availableBytes, AVAILABLE_BYTES);
  const alone = say(
    'Pare outros programas nesta caixa: o gateway deve ficar sozinho nela.',
    'Stop other programs on this box: the gateway should have it alone.',
  );
  const found = [
    finding(
      'memory_available',
      scarce,
      say(`Memória disponível: ${available['pt-BR']}.`, `Memory available: ${available.en}.`),
      {
        measured: [availableBytes, 'B'],
        ...unlessOk(scarce, alone),
      },
    ),
  ];
  if (residentBytes === null) return found;
  const resident = sizeOf(residentBytes);
  const large = above(residentBytes, RESIDENT_BYTES);
  const restart = say(
    'Grave um pacote de suporte e reinicie o gateway.',
    'Write a support bundle and restart the gateway.',
  );
  return [
    ...found,
    finding(
      'memory_program',
      large,
      say(`O gateway ocupa ${resident['pt-BR']} de memória.`, `The gateway takes ${resident.en} of memory.`),
      { measured: [residentBytes, 'B'], ...unlessOk(large, restart) },
    ),
  ];
}

export function checkMachine({ machine }: DoctorFacts): Finding[] {
  if (machine === null) return [];
  const found: Finding[] = [];
  if (machine.celsius !== null) {
    const heat = written(machine.celsius, 1);
    const severity = above(machine.celsius, CELSIUS);
    found.push(
      finding(
        'temperature',
        severity,
        say(`O processador está a ${heat['pt-BR']} °C.`, `The processor is at ${heat.en} °C.`),
        {
          measured: [machine.celsius, '°C'],
          ...unlessOk(
            severity,
            say('Dê sombra e ar à caixa, ou um dissipador.', 'Give the box shade and air, or a heat sink.'),
          ),
        },
      ),
    );
  }
  return [...found, ...checkPower(machine)];
}

function checkPower({ now, sinceStart }: NonNullable<DoctorFacts['machine']>): Finding[] {
  const found: Finding[] = [];
  if (now?.undervoltage === true || sinceStart?.undervoltage === true) {
    found.push(
      finding(
        'power_undervoltage',
        now?.undervoltage === true ? 'bad' : 'warn',
        now?.undervoltage === true
          ? say('A tensão de alimentação está baixa agora.', 'The supply voltage is low now.')
          : say(
              'A tensão de alimentação já esteve baixa desde que a caixa foi ligada.',
              'The supply voltage has been low since the box was switched on.',
            ),
        {
          next: say(
            'Use a fonte oficial e um cabo curto: tensão baixa estraga o cartão.',
            'Use the official power supply and a short cable: low voltage ruins the card.',
          ),
        },
      ),
    );
  }
  if (now?.throttled === true || sinceStart?.throttled === true) {
    found.push(
      finding(
        'processor_throttled',
        now?.throttled === true ? 'warn' : 'note',
        now?.throttled === true
          ? say(
              'O processador está mais lento agora, por calor ou tensão baixa.',
              'The processor is slowed down now, by heat or low voltage.',
            )
          : say(
              'O processador já ficou mais lento desde que a caixa foi ligada, por calor ou tensão baixa.',
              'The processor was slowed down since the box was switched on, by heat or low voltage.',
            ),
        {
          next: say(
            'Dê sombra e ar à caixa; confira a fonte e o cabo dela.',
            'Give the box shade and air; check its power supply and cable.',
          ),
        },
      ),
    );
  }
  return found;
}
