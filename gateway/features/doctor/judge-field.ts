import type { Finding } from '#contract/resources/system-doctor.ts';
import { below, DAY, finding, MB, named, say, sizeOf, unlessOk } from './finding.ts';
import type { DoctorFacts, ModemFacts, ProbeFacts } from './ports.ts';

// What hangs on the box: its card, probes in the water, the modem.

const CARD_YEARS = 5;
/** A common 32 GB card bears some 30 TB: at this rate it is worn out within five years. */
const WRITTEN_PER_DAY = 15_000 * MB;
const SIGNAL_DBM = { warn: -95, bad: -105 };

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
        ),
        {
          measured: [health.fileSystemErrors, 'errors'],
          next: say(
            'Faça um backup agora e troque o cartão (docs/pt-br/replace-a-box.md).',
            'Make a backup now and replace the card (docs/en/replace-a-box.md).',
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
        ),
        {
          measured: [years, 'a'],
          next: say(
            'Troque o cartão antes que falhe (docs/pt-br/replace-a-box.md).',
            'Replace the card before it fails (docs/en/replace-a-box.md).',
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
  );
  return [
    finding(
      'disk_written',
      severity,
      say(`No disco são gravados ${size['pt-BR']} por dia.`, `${size.en} a day are written to the disk.`),
      { measured: [Math.round(perDay), 'B/d'], ...unlessOk(severity, next) },
    ),
  ];
}

export function checkProbes({ probes }: DoctorFacts): Finding[] {
  if (probes === null || probes.length === 0) return [];
  const answering = probes.filter(({ trouble }) => trouble === null).length;
  return [
    finding(
      'probes',
      'ok',
      say(
        `Sondas que respondem: ${answering} de ${probes.length}.`,
        `Probes that answer: ${answering} of ${probes.length}.`,
      ),
      { measured: [answering, 'probes'] },
    ),
    ...named(probes.flatMap(silent), {
      id: 'probe_silent_more',
      what: say('sondas que não são lidas', 'probes that cannot be read'),
      unit: 'probes',
    }),
    ...named(probes.filter(({ isCalibrationDue }) => isCalibrationDue).map(uncalibrated), {
      id: 'probe_calibration_due_more',
      what: say('sondas com a calibração vencida', 'probes with overdue calibration'),
      unit: 'probes',
    }),
  ];
}

function silent({ name, pond, trouble }: ProbeFacts): Finding[] {
  if (trouble === null) return [];
  const { message, next } = trouble;
  return [
    finding(
      'probe_silent',
      'warn',
      say(
        `A sonda ${name} do viveiro ${pond} não é lida: ${message['pt-BR']}`,
        `The probe ${name} of pond ${pond} cannot be read: ${message.en}`,
      ),
      { measured: [name, null], next },
    ),
  ];
}

function uncalibrated({ name, pond }: ProbeFacts): Finding {
  return finding(
    'probe_calibration_due',
    'note',
    say(
      `A sonda ${name} do viveiro ${pond} está com a calibração vencida.`,
      `The calibration of the probe ${name} of pond ${pond} is overdue.`,
    ),
    {
      measured: [name, null],
      next: say(
        'Calibre a sonda e registre a calibração no console, em Sistema → Sondas (docs/pt-br/probes.md).',
        'Calibrate it and record that in the console, at System → Probes (docs/en/probes.md).',
      ),
    },
  );
}

export function checkModem({ modem }: DoctorFacts): Finding[] {
  if (modem === null) return [];
  const { state, words } = modem;
  const { message, next } = words;
  const more = { measured: [state, null] as [string, null], next };
  switch (state) {
    case 'off':
      return [];
    case 'starting':
      return [finding('modem_starting', 'ok', message, more)];
    case 'ready':
      return [finding('modem_ready', 'ok', message, more), ...checkSignal(modem)];
    default:
      return [finding(`modem_${state}`, 'bad', message, more)];
  }
}

function checkSignal({ signalDbm, operator }: ModemFacts): Finding[] {
  if (signalDbm === null) return [];
  const severity = below(signalDbm, SIGNAL_DBM);
  const next = say(
    'Ponha a antena do modem mais alto, fora da caixa de metal.',
    'Put the antenna of the modem higher, outside of the metal box.',
  );
  return [
    finding(
      'modem_signal',
      severity,
      say(
        `Sinal do modem: ${signalDbm} dBm (${operator ?? '?'}).`,
        `Signal of the modem: ${signalDbm} dBm (${operator ?? '?'}).`,
      ),
      {
        measured: [signalDbm, 'dBm'],
        ...unlessOk(severity, next),
      },
    ),
  ];
}
