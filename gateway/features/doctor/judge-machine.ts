import type { Finding } from '#contract/resources/system-doctor.ts';
import { above, below, finding, MB, say, sizeOf, written } from './finding.ts';
import type { DoctorFacts } from './ports.ts';

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
  const found = [
    finding(
      'disk_space',
      severity,
      say(
        `Livres em ${disk.folder}: ${free['pt-BR']} de ${total['pt-BR']}.`,
        `Free in ${disk.folder}: ${free.en} of ${total.en}.`,
      ),
      {
        measured: [disk.freeBytes, 'B'],
        ...(severity === 'ok'
          ? {}
          : {
              next: say(
                'Libere espaço: o controle segue, mas nada mais é salvo com o disco cheio.',
                'Free some space: control goes on, but with a full disk nothing is saved.',
              ),
            }),
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
        { next: say('Libere espaço agora.', 'Free some space now.') },
      ),
    );
  }
  return [...found, ...checkWear(disk)];
}

function checkWear({ card, wearPercent, spares }: NonNullable<DoctorFacts['disk']>): Finding[] {
  if (card === 'sd') {
    return [
      finding(
        'disk_wear_unknown',
        'note',
        say('Um cartão SD não diz quanto já se desgastou.', 'An SD card does not tell how worn it is.'),
        {
          next: say(
            'Use um cartão industrial, ou eMMC/SSD, e mantenha os backups.',
            'Use an industrial card, or eMMC/SSD, and keep the backups.',
          ),
        },
      ),
    ];
  }
  if (wearPercent === null) return [];
  const bySpares = spares === 'urgent' ? 'bad' : spares === 'warning' ? 'warn' : 'ok';
  const byWear = above(wearPercent, WEAR_PERCENT);
  const severity = bySpares === 'bad' || byWear === 'bad' ? 'bad' : bySpares === 'warn' ? 'warn' : byWear;
  return [
    finding(
      'disk_wear',
      severity,
      say(
        `A memória eMMC usou até ${wearPercent} % da vida útil; blocos de reserva: ${spares ?? '?'}.`,
        `The eMMC has used up to ${wearPercent} % of its life; spare blocks: ${spares ?? '?'}.`,
      ),
      {
        measured: [wearPercent, '%'],
        ...(severity === 'ok'
          ? {}
          : {
              next: say(
                'Planeje a troca da placa; confira o backup.',
                'Plan to replace the board; check the backup.',
              ),
            }),
      },
    ),
  ];
}

export function checkMemory({ memory }: DoctorFacts): Finding[] {
  if (memory === null) return [];
  const { availableBytes, residentBytes } = memory;
  const available = sizeOf(availableBytes);
  const scarce = below(availableBytes, AVAILABLE_BYTES);
  const found = [
    finding(
      'memory_available',
      scarce,
      say(`Memória disponível: ${available['pt-BR']}.`, `Memory available: ${available.en}.`),
      {
        measured: [availableBytes, 'B'],
        ...(scarce === 'ok'
          ? {}
          : {
              next: say(
                'Veja que outros programas rodam nesta máquina; o gateway deve ficar sozinho nela.',
                'See which other programs run on this machine; the gateway should have it alone.',
              ),
            }),
      },
    ),
  ];
  if (residentBytes === null) return found;
  const resident = sizeOf(residentBytes);
  const large = above(residentBytes, RESIDENT_BYTES);
  return [
    ...found,
    finding(
      'memory_program',
      large,
      say(`O programa ocupa ${resident['pt-BR']}.`, `The program takes ${resident.en}.`),
      {
        measured: [residentBytes, 'B'],
        ...(large === 'ok'
          ? {}
          : { next: say('Envie um pacote de suporte e reinicie.', 'Send a support bundle and restart.') }),
      },
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
          ...(severity === 'ok'
            ? {}
            : {
                next: say(
                  'Dê sombra e ar à caixa, ou um dissipador.',
                  'Give the box shade and air, or a heat sink.',
                ),
              }),
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
              'A tensão de alimentação já esteve baixa desde a partida.',
              'The supply voltage was low since the start.',
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
        say(
          'O processador reduz, ou reduziu, a velocidade por calor ou tensão.',
          'The processor slows, or slowed, down for heat or voltage.',
        ),
        { next: say('Veja a fonte e a ventilação.', 'See to power supply and ventilation.') },
      ),
    );
  }
  return found;
}
