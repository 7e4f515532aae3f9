import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { Language } from '#contract/words.ts';
import type { FaultInput } from '#sim/fleet/faults.ts';
import type { Person } from './interface.ts';
import { type MadeFarm, POINTS, SILENT } from './make-farm.ts';
import type { PastGateway } from './past-fleet.ts';

// What happened on the farm in the last seven days: plain nights, and the troubles a farm has.

/** The farm's zone keeps this offset all year. */
const OFFSET_MS = -3 * 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SILENT_SINCE_MS = 30 * MINUTE_MS;

type Week = { gateway: PastGateway; farm: MadeFarm; endMs: number; language: Language };

type Told = Readonly<Record<string, string>>;
const PORTUGUESE: Told = {
  'Dissolved oxygen 2.9 mg/L in V-06 by the hand-held meter, overcast sky':
    'Oxigênio dissolvido 2,9 mg/L no V-06 pelo medidor de mão, céu encoberto',
  'Oxygen low in V-06': 'Oxigênio baixo no V-06',
  'Rope in the paddles of V-02': 'Corda nas pás do V-02',
  'New belt for the paddle wheels of V-01': 'Correia nova dos aeradores do V-01',
  'Shrimp at the surface of V-06 at dawn': 'Camarões na superfície do V-06 ao amanhecer',
  'Half of the feed left on the tray of V-11': 'Metade da ração sobrou na bandeja do V-11',
  'Before the afternoon feed': 'Antes do trato da tarde',
  'Diffusers are cleaned': 'Limpeza dos difusores',
  'Night aeration': 'Aeração da noite',
  'After the large feed': 'Depois do trato grande',
  'Partial harvest of V-12': 'Despesca parcial do V-12',
};
const SPANISH: Told = {
  'Dissolved oxygen 2.9 mg/L in V-06 by the hand-held meter, overcast sky':
    'Oxígeno disuelto 2,9 mg/L en V-06 con el medidor de mano, cielo cubierto',
  'Oxygen low in V-06': 'Oxígeno bajo en V-06',
  'Rope in the paddles of V-02': 'Cuerda en las paletas de V-02',
  'New belt for the paddle wheels of V-01': 'Correa nueva de los aireadores de V-01',
  'Shrimp at the surface of V-06 at dawn': 'Camarones en la superficie de V-06 al amanecer',
  'Half of the feed left on the tray of V-11': 'Quedó la mitad del balanceado en el comedero de V-11',
  'Before the afternoon feed': 'Antes de la ración de la tarde',
  'Diffusers are cleaned': 'Limpieza de los difusores',
  'Night aeration': 'Aireación de la noche',
  'After the large feed': 'Después de la ración grande',
  'Partial harvest of V-12': 'Cosecha parcial de V-12',
};
const IN: Readonly<Record<Language, Told>> = { 'pt-BR': PORTUGUESE, en: {}, es: SPANISH };
const told = ({ language }: Pick<Week, 'language'>, text: string): string => IN[language][text] ?? text;
type Happening = (week: Week) => Promise<void> | void;

/** Days ago, time of day at the farm, what happened. */
const HAPPENINGS: readonly (readonly [number, string, Happening])[] = [
  [6, '15:30', lowOxygen('CP-04', 'Dissolved oxygen 2.9 mg/L in V-06 by the hand-held meter, overcast sky')],
  [6, '05:10', photo('operator', { pond: 'V-06' }, 'surface', 'Shrimp at the surface of V-06 at dawn')],
  [6, '15:32', order('operator', 'CP-04', 'on', { for_s: 5_400, reason: 'Oxygen low in V-06' })],
  [6, '17:05', resolve('LOW_OXYGEN')],
  [5, '02:10', fault({ kind: 'mains_fail', on: { feeder: 'B' }, for_s: 840 })],
  [5, '02:13', acknowledge('operator', 'POWER_FAILURE')],
  [4, '09:15', fault({ kind: 'network_down', on: [deviceOf('CP-06')], for_s: 1_620 })],
  [4, '09:31', acknowledge('manager', 'DEVICE_OFFLINE')],
  [4, '19:40', order('technician', 'CP-02', 'off', { for_s: 1_200, reason: 'Rope in the paddles of V-02' })],
  [4, '19:44', photo('technician', { point: 'CP-02' }, 'paddles', 'Rope in the paddles of V-02')],
  [3, '07:00', ({ farm }) => farm.owner.send('POST', '/notifications/mark-all-read')],
  [3, '21:30', fault({ kind: 'breaker_trip', on: [deviceOf('CP-03')] })],
  [3, '21:36', acknowledge('technician', 'NO_CURRENT')],
  [3, '22:05', fault({ kind: 'heal', on: [deviceOf('CP-03')] })],
  [2, '08:00', lockOut('CP-02', 'New belt for the paddle wheels of V-01')],
  [2, '09:20', liftLockOut('CP-02')],
  [2, '17:50', fault({ kind: 'relay_stuck', on: [deviceOf('CP-05')], at: 'OFF' })],
  [2, '18:04', acknowledge('manager', 'COMMAND_NOT_CONFIRMED')],
  [2, '18:25', fault({ kind: 'heal', on: [deviceOf('CP-05')] })],
  [1, '08:10', photo('operator', { pond: 'V-11' }, 'tray', 'Half of the feed left on the tray of V-11')],
  [1, '09:00', scheduleOnce('CP-07')],
  [1, '13:05', order('manager', 'CP-07', 'on', { for_s: 3_600, reason: 'Before the afternoon feed' })],
  [1, '20:00', ({ farm }) => farm.technician.send('POST', '/notifications/mark-all-read')],
];

/** Lets the week pass, up to `endMs`. */
export async function liveThrough(week: Week): Promise<void> {
  const { gateway, farm, endMs } = week;
  const startMs = gateway.nowMs();
  for (const controller of farm.controllers) gateway.fleet.add(controller);
  await giveSchedules(week);
  const dated = HAPPENINGS.map(([days, time, happen]) => ({ atMs: localMs(endMs, -days, time), happen }));
  const silence = fault({ kind: 'network_down', on: [deviceOf(SILENT)] });
  dated.push({ atMs: endMs - SILENT_SINCE_MS, happen: silence });
  const inOrder = dated.filter(({ atMs }) => atMs > startMs && atMs < endMs).sort((a, b) => a.atMs - b.atMs);
  for (const { atMs, happen } of inOrder) {
    await gateway.passUntil(atMs);
    await happen(week);
  }
  await gateway.passUntil(endMs);
}

/** Air from dusk to dawn everywhere, more on some afternoons, and a pause to clean the diffusers of the nursery. */
async function giveSchedules(past: Week): Promise<void> {
  const { farm, endMs } = past;
  const week = (time: string, days = -7) => new Date(localMs(endMs, days, time)).toISOString();
  for (const { cod, base } of POINTS) {
    const path = `/control-points/${farm.controlPointIds.get(cod)}/schedules`;
    if (base === 'ON') {
      await farm.owner.send('POST', path, {
        action: 'OFF',
        start_time: week('13:00'),
        end_time: week('13:20'),
        repeat_pattern: 'WEEKLY',
        days_of_week: [3],
        description: told(past, 'Diffusers are cleaned'),
      });
      continue;
    }
    await farm.owner.send('POST', path, {
      action: 'ON',
      start_time: week('18:00'),
      end_time: week('06:00', -6),
      repeat_pattern: 'DAILY',
      description: told(past, 'Night aeration'),
    });
    if (cod !== 'CP-03' && cod !== 'CP-06') continue;
    await farm.owner.send('POST', path, {
      action: 'ON',
      start_time: week('13:00'),
      end_time: week('14:30'),
      repeat_pattern: 'WEEKLY',
      days_of_week: [1, 4],
      description: told(past, 'After the large feed'),
    });
  }
}

function scheduleOnce(cod: string): Happening {
  return ({ farm, endMs, language }) =>
    farm.manager.send('POST', `/control-points/${farm.controlPointIds.get(cod)}/schedules`, {
      action: 'ON',
      start_time: new Date(localMs(endMs, 1, '14:00')).toISOString(),
      end_time: new Date(localMs(endMs, 1, '16:00')).toISOString(),
      repeat_pattern: 'ONCE',
      description: told({ language }, 'Partial harvest of V-12'),
    });
}

type Role = 'owner' | 'manager' | 'technician' | 'operator';
const personOf = ({ farm }: Week, role: Role): Person => farm[role];

function order(by: Role, cod: string, to: 'on' | 'off', body: { for_s: number; reason: string }): Happening {
  return (week) =>
    personOf(week, by).send('POST', `/control-points/${week.farm.controlPointIds.get(cod)}/turn-${to}`, {
      ...body,
      reason: told(week, body.reason),
    });
}

function fault(what: FaultInput): Happening {
  return ({ gateway }) => gateway.fleet.inject(what);
}

function lockOut(cod: string, reason: string): Happening {
  return (week) =>
    week.farm.technician.send('POST', `/control-points/${week.farm.controlPointIds.get(cod)}/lock-out`, {
      reason: told(week, reason),
    });
}

function liftLockOut(cod: string): Happening {
  return ({ farm }) =>
    farm.technician.send('DELETE', `/control-points/${farm.controlPointIds.get(cod)}/lock-out`);
}

function lowOxygen(cod: string, message: string): Happening {
  return (week) =>
    week.farm.technician.send('POST', `/alerts/${week.farm.controlPointIds.get(cod)}/alerts`, {
      type: 'LOW_OXYGEN',
      message: told(week, message),
    });
}

const withId = z.object({ id: z.string() });
const ponds = z.array(withId.extend({ cod: z.string() }));

/** As the camera of a phone: announced first, the bytes after it. */
function photo(
  by: Role,
  of: { pond: string } | { point: string },
  picture: 'surface' | 'paddles' | 'tray',
  note: string,
): Happening {
  return async (week) => {
    const person = personOf(week, by);
    const bytes = await readFile(new URL(`./photos/${picture}.jpg`, import.meta.url));
    const place =
      'point' in of
        ? `/control-points/${week.farm.controlPointIds.get(of.point)}`
        : `/ponds/${(await person.get('/ponds/', ponds)).find(({ cod }) => cod === of.pond)?.id}`;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const announced = { sha256, bytes: bytes.length, width: 960, height: 720, type: 'image/jpeg' };
    const { id } = await person.post(`${place}/photos`, { ...announced, note: told(week, note) }, withId);
    await person.bring(`/photos/${id}/image`, bytes, 'image/jpeg');
  };
}

function acknowledge(by: Role, type: string): Happening {
  return async (week) => {
    const person = personOf(week, by);
    for (const id of await openAlerts(person, type)) await person.send('POST', `/alerts/${id}/acknowledge`);
  };
}

function resolve(type: string): Happening {
  return async ({ farm: { technician } }) => {
    for (const id of await openAlerts(technician, type))
      await technician.send('PUT', `/alerts/${id}/resolve`);
  };
}

const alerts = z.array(z.object({ id: z.string() }));

/** Throws when there is none: the story and the gateway would then tell different things. */
async function openAlerts(person: Person, type: string): Promise<string[]> {
  const found = await person.get(`/alerts/?include=all&type=${type}`, alerts);
  if (found.length === 0) throw new Error(`the story says ${type}, but no such alert was raised`);
  return found.map(({ id }) => id);
}

function deviceOf(cod: string): string {
  const point = POINTS.find((known) => known.cod === cod);
  if (point === undefined) throw new Error(`no ${cod} on this farm`);
  return point.device_id;
}

/** An instant by the farm's wall clock, counted in days from the day of `endMs`. */
function localMs(endMs: number, days: number, time: string): number {
  const today = Math.floor((endMs + OFFSET_MS) / DAY_MS) * DAY_MS;
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return today + days * DAY_MS + (hour * 60 + minute) * MINUTE_MS - OFFSET_MS;
}
