import type { Finding, InEach } from '#contract/resources/system-doctor.ts';
import type { ClockState } from '#core/clock-trust.ts';
import { above, agoOf, finding, say, unlessOk, written } from './finding.ts';
import type { ClockFacts, DoctorFacts } from './ports.ts';

/** Controllers and people compare times of day; a second does not matter, a minute does. */
const OFFSET_MS = { warn: 2_000, bad: 60_000 };

/** The words of the console, too. */
const REASONS: Readonly<Record<ClockState['reason'], InEach>> = {
  synchronised: say('acertado pela internet', 'set over the internet', 'ajustado por internet'),
  hosted_time: say('acertado pela nuvem', 'set by the hosted instance', 'ajustado por la nube'),
  battery_clock: say('tem bateria', 'it has a battery', 'tiene batería'),
  plausible: say('parece certo', 'it looks right', 'parece correcto'),
  configured: say('definido por --trust-clock', 'told by --trust-clock', 'definido por --trust-clock'),
  before_last_known_time: say(
    'está antes da última hora conhecida',
    'it is before the last known time',
    'está antes de la última hora conocida',
  ),
  not_synchronised: say('ainda não foi acertado', 'it was not set yet', 'todavía no se ha ajustado'),
  stepped: say('deu um salto', 'it jumped', 'dio un salto'),
  set_by_operator: say('acertado por uma pessoa', 'set by a person', 'ajustado por una persona'),
};

export function checkClock({ clock, now, role }: DoctorFacts): Finding[] {
  if (clock === null) return [];
  return [
    ...checkTrust(clock),
    ...checkBehind(clock, now),
    ...checkOffset(clock),
    ...(role === 'gateway' ? checkBattery(clock) : []),
  ];
}

function checkTrust({ isTrusted, reason }: ClockFacts): Finding[] {
  if (isTrusted === null || reason === null) return [];
  const why = REASONS[reason];
  if (isTrusted) {
    const sentence = say(
      `O relógio é confiável (${why['pt-BR']}).`,
      `The clock is to be trusted (${why.en}).`,
      `El reloj es confiable (${why.es}).`,
    );
    return [finding('clock_trust', 'ok', sentence, { measured: [reason, null] })];
  }
  return [
    finding(
      'clock_untrusted',
      'bad',
      say(
        `O relógio não é confiável (${why['pt-BR']}): os horários esperam e cada motor fica na sua posição segura.`,
        `The clock is not to be trusted (${why.en}): schedules wait and each motor holds its fail-safe state.`,
        `El reloj no es confiable (${why.es}): los horarios esperan y cada motor queda en su estado seguro.`,
      ),
      {
        next: say(
          'Ligue a internet, ou acerte a hora no console, em Sistema → Diagnóstico.',
          'Connect the internet, or set the time in the console, at System → Diagnostics.',
          'Conecte el internet, o ajuste la hora en el panel, en Sistema → Diagnóstico.',
        ),
        measured: [reason, null],
      },
    ),
  ];
}

function checkBehind({ lastGoodAt }: ClockFacts, now: number): Finding[] {
  if (lastGoodAt === null || now >= lastGoodAt - OFFSET_MS.bad) return [];
  const behind = agoOf(lastGoodAt - now);
  return [
    finding(
      'clock_behind',
      'bad',
      say(
        `O relógio desta caixa está ${behind['pt-BR']} atrás da última hora certa conhecida.`,
        `The clock of this box is ${behind.en} behind the last time known to be right.`,
        `El reloj de esta caja está ${behind.es} atrás de la última hora correcta conocida.`,
      ),
      {
        next: say(
          'Ligue a internet e espere um minuto, ou acerte a hora (sudo timedatectl set-time); depois inicie o gateway.',
          'Connect the internet and wait a minute, or set the time (sudo timedatectl set-time); then start the gateway.',
          'Conecte el internet y espere un minuto, o ajuste la hora (sudo timedatectl set-time); después arranque el gateway.',
        ),
        measured: [Math.round((lastGoodAt - now) / 1000), 's'],
      },
    ),
  ];
}

function checkOffset({ offsetMs, correctionMs }: ClockFacts): Finding[] {
  const worst = Math.abs(offsetMs ?? 0) > Math.abs(correctionMs) ? (offsetMs ?? 0) : correctionMs;
  const severity = above(Math.abs(worst), OFFSET_MS);
  if (offsetMs === null && severity === 'ok') return [];
  const seconds = written(Math.abs(worst) / 1000, 1);
  const off =
    Math.abs(worst) < 2 * OFFSET_MS.bad
      ? say(`${seconds['pt-BR']} s`, `${seconds.en} s`, `${seconds.es} s`)
      : agoOf(Math.abs(worst));
  const next = say(
    'Veja se a caixa alcança a internet; o serviço de hora (chrony ou systemd-timesyncd) a acerta por ela.',
    'See whether the box reaches the internet; its time service (chrony or systemd-timesyncd) sets it from there.',
    'Vea si la caja alcanza internet; el servicio de hora (chrony o systemd-timesyncd) la ajusta por ella.',
  );
  return [
    finding(
      'clock_offset',
      severity,
      say(
        `O relógio da caixa difere da hora certa em ${off['pt-BR']}.`,
        `The clock of the box differs from the right time by ${off.en}.`,
        `El reloj de la caja difiere de la hora correcta en ${off.es}.`,
      ),
      { measured: [worst / 1000, 's'], ...unlessOk(severity, next) },
    ),
  ];
}

function checkBattery({ hasBatteryClock, isSynchronised }: ClockFacts): Finding[] {
  if (hasBatteryClock !== false) return [];
  return [
    finding(
      'clock_no_battery',
      isSynchronised === true ? 'note' : 'warn',
      say(
        'Esta placa não tem relógio com bateria: depois de uma queda de energia sem internet ela não sabe a hora.',
        'This board has no clock with a battery: after a power cut without internet it does not know the time.',
        'Esta placa no tiene reloj con batería: después de un corte de energía sin internet no sabe la hora.',
      ),
      {
        next: say(
          'Instale um módulo RTC (DS3231), ou a bateria do Raspberry Pi 5.',
          'Fit an RTC module (DS3231), or the battery of the Raspberry Pi 5.',
          'Instale un módulo RTC (DS3231), o la batería de la Raspberry Pi 5.',
        ),
      },
    ),
  ];
}
