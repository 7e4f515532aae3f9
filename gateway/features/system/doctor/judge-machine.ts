import type { Finding } from '#contract/resources/system-doctor.ts';
import { above, below, finding, MB, say, sizeOf, unlessOk, written } from './finding.ts';
import type { DoctorFacts } from './ports.ts';

// The box: its memory, temperature and power.

const AVAILABLE_BYTES = { warn: 150 * MB, bad: 50 * MB };
/** The heap ends at 512 MB; a healthy program stays far below. */
const RESIDENT_BYTES = { warn: 450 * MB, bad: 700 * MB };
/** A Raspberry Pi slows down at 80 °C and more so at 85 °C. */
const CELSIUS = { warn: 80, bad: 85 };

export function checkMemory({ memory }: DoctorFacts): Finding[] {
  if (memory === null) return [];
  const { availableBytes, residentBytes } = memory;
  const available = sizeOf(availableBytes);
  const scarce = below(availableBytes, AVAILABLE_BYTES);
  const alone = say(
    'Pare outros programas nesta caixa: o gateway deve ficar sozinho nela.',
    'Stop other programs on this box: the gateway should have it alone.',
    'Pare otros programas en esta caja: el gateway debe quedar solo en ella.',
  );
  const found = [
    finding(
      'memory_available',
      scarce,
      say(
        `Memória disponível: ${available['pt-BR']}.`,
        `Memory available: ${available.en}.`,
        `Memoria disponible: ${available.es}.`,
      ),
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
    'Grabe un paquete de soporte y reinicie el gateway.',
  );
  return [
    ...found,
    finding(
      'memory_program',
      large,
      say(
        `O gateway ocupa ${resident['pt-BR']} de memória.`,
        `The gateway takes ${resident.en} of memory.`,
        `El gateway ocupa ${resident.es} de memoria.`,
      ),
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
        say(
          `O processador está a ${heat['pt-BR']} °C.`,
          `The processor is at ${heat.en} °C.`,
          `El procesador está a ${heat.es} °C.`,
        ),
        {
          measured: [machine.celsius, '°C'],
          ...unlessOk(
            severity,
            say(
              'Dê sombra e ar à caixa, ou um dissipador.',
              'Give the box shade and air, or a heat sink.',
              'Dé sombra y aire a la caja, o un disipador.',
            ),
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
          ? say(
              'A tensão de alimentação está baixa agora.',
              'The supply voltage is low now.',
              'El voltaje de alimentación está bajo ahora.',
            )
          : say(
              'A tensão de alimentação já esteve baixa desde que a caixa foi ligada.',
              'The supply voltage has been low since the box was switched on.',
              'El voltaje de alimentación ya estuvo bajo desde que se encendió la caja.',
            ),
        {
          next: say(
            'Use a fonte oficial e um cabo curto: tensão baixa estraga o cartão.',
            'Use the official power supply and a short cable: low voltage ruins the card.',
            'Use la fuente oficial y un cable corto: un voltaje bajo daña la tarjeta.',
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
              'El procesador está más lento ahora, por calor o voltaje bajo.',
            )
          : say(
              'O processador já ficou mais lento desde que a caixa foi ligada, por calor ou tensão baixa.',
              'The processor was slowed down since the box was switched on, by heat or low voltage.',
              'El procesador ya estuvo más lento desde que se encendió la caja, por calor o voltaje bajo.',
            ),
        {
          next: say(
            'Dê sombra e ar à caixa; confira a fonte e o cabo dela.',
            'Give the box shade and air; check its power supply and cable.',
            'Dé sombra y aire a la caja; revise su fuente y su cable.',
          ),
        },
      ),
    );
  }
  return found;
}
