import type { Finding } from '#contract/resources/system-doctor.ts';
import { above, agoOf, finding, say, written } from './finding.ts';
import type { DoctorFacts } from './ports.ts';

/** Controllers and people compare times of day; a second does not matter, a minute does. */
const OFFSET_MS = { warn: 2_000, bad: 60_000 };

export function checkClock({ clock, now, role }: DoctorFacts): Finding[] {
  if (clock === null) return [];
  const found: Finding[] = [];
  const { isTrusted, reason } = clock;
  if (isTrusted === false) {
    found.push(
      finding(
        'clock_untrusted',
        'bad',
        say(
          `O relógio não é confiável (${reason}): os horários esperam e cada motor segue seu estado de segurança.`,
          `The clock is not to be trusted (${reason}): schedules wait and each motor follows its fail-safe state.`,
        ),
        {
          next: say(
            'Ligue a internet, ou confirme a hora no console (POST /system/clock).',
            'Connect the internet, or confirm the time in the console (POST /system/clock).',
          ),
          measured: [reason ?? '', null],
        },
      ),
    );
  }
  if (isTrusted === true) {
    found.push(
      finding(
        'clock_trust',
        'ok',
        say(`O relógio é confiável (${reason}).`, `The clock is trusted (${reason}).`),
        {
          measured: [reason ?? '', null],
        },
      ),
    );
  }
  if (clock.lastGoodAt !== null && now < clock.lastGoodAt - OFFSET_MS.bad) {
    found.push(
      finding(
        'clock_behind',
        'bad',
        say(
          `O relógio da máquina está ${agoOf(clock.lastGoodAt - now)['pt-BR']} atrás da última hora boa conhecida.`,
          `The clock of the machine is ${agoOf(clock.lastGoodAt - now).en} behind the last good time.`,
        ),
        {
          next: say(
            'Acerte a hora antes de iniciar o gateway.',
            'Set the time before you start the gateway.',
          ),
          measured: [Math.round((clock.lastGoodAt - now) / 1000), 's'],
        },
      ),
    );
  }
  return [...found, ...checkOffset(clock), ...(role === 'gateway' ? checkBattery(clock) : [])];
}

function checkOffset({ offsetMs, correctionMs }: NonNullable<DoctorFacts['clock']>): Finding[] {
  const worst = Math.abs(offsetMs ?? 0) > Math.abs(correctionMs) ? (offsetMs ?? 0) : correctionMs;
  const severity = above(Math.abs(worst), OFFSET_MS);
  if (offsetMs === null && severity === 'ok') return [];
  const seconds = written(worst / 1000, 1);
  return [
    finding(
      'clock_offset',
      severity,
      say(
        `O relógio da máquina difere da hora certa em ${seconds['pt-BR']} s.`,
        `The clock of the machine differs from the right time by ${seconds.en} s.`,
      ),
      {
        measured: [worst / 1000, 's'],
        ...(severity === 'ok'
          ? {}
          : {
              next: say(
                'Veja se o serviço de hora (chrony ou systemd-timesyncd) alcança um servidor.',
                'See whether the time service (chrony or systemd-timesyncd) reaches a server.',
              ),
            }),
      },
    ),
  ];
}

function checkBattery({ hasBatteryClock, isSynchronised }: NonNullable<DoctorFacts['clock']>): Finding[] {
  if (hasBatteryClock !== false) return [];
  return [
    finding(
      'clock_no_battery',
      isSynchronised === true ? 'note' : 'warn',
      say(
        'Esta placa não tem relógio com bateria: depois de uma queda de energia sem internet ela não sabe a hora.',
        'This board has no clock with a battery: after a power cut without internet it does not know the time.',
      ),
      {
        next: say(
          'Instale um módulo RTC (DS3231), ou a bateria do Raspberry Pi 5.',
          'Fit an RTC module (DS3231), or the battery of the Raspberry Pi 5.',
        ),
      },
    ),
  ];
}
