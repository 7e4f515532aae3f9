import type { Finding } from '#contract/resources/system-doctor.ts';
import { below, finding, named, say, unlessOk } from './finding.ts';
import type { DoctorFacts, ModemFacts, ProbeFacts } from './ports.ts';

// What hangs on the box: probes in the water, the modem.

const SIGNAL_DBM = { warn: -95, bad: -105 };

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
