import { deviceTopic } from '#contract/mqtt/topics.ts';
import type { Language } from '#contract/words.ts';
import type { DemoFarm } from './demo-farm.ts';
import { HOSTED_OWNER, type HostedSide } from './hosted-side.ts';
import { controllerOf } from './live-fleet.ts';
import { FARM, MEMBERS, OWNER, SILENT, STUCK } from './make-farm.ts';
import { PLUG_HELP } from './pull-the-plug.ts';

export type DemoAddresses = { http: string; mqtt: string; data: string };

/** What a person who has never seen the product can do now: the console first, then lines to copy for programs. */
export function whatToLookAt(farm: DemoFarm, at: DemoAddresses, language: Language): string {
  return [
    console_(farm, at, language),
    troubles(language),
    addresses(at),
    requests(farm, at),
    controllers(farm, at),
  ].join('\n\n');
}

function console_({ password }: DemoFarm, { http, data }: DemoAddresses, language: Language): string {
  const words = WORDS[language];
  const known =
    password === null
      ? `${words.asShown}: npm run admin -- reset-password --email ${OWNER.email} --data ${data}`
      : `${password}   (${words.shownOnce})`;
  return [
    `${words.open}  ${http}/`,
    '',
    `  ${words.owner.padEnd(12)} ${OWNER.email}`,
    ...MEMBERS.map(({ email, role }) => `  ${words.roles[role].padEnd(12)} ${email}`),
    `  ${words.password.padEnd(12)} ${known}`,
    '',
    `${FARM.name}: ${words.farm(data)}`,
  ].join('\n');
}

const WORDS = {
  'pt-BR': {
    open: 'Abra no navegador:',
    owner: 'dona',
    roles: { MANAGER: 'gerente', TECHNICIAN: 'técnica', OPERATOR: 'operador', VIEWER: 'visitante' },
    password: 'senha',
    asShown: 'como foi mostrada quando a fazenda foi feita; outra',
    shownOnce: 'mostrada só agora, a mesma para todos',
    farm: (data: string) =>
      `20 viveiros com dois ciclos de camarão, 8 pontos de controle e uma semana de história, em ${data}`,
    troubles: [
      'O que acontece:',
      `  ${SILENT} calou meia hora antes de o demo ser feito: o alarme de aparelho sem sinal fica de pé.`,
      `  ${STUCK} tem um contator que gruda: em meio minuto vem o alarme de ordem não confirmada.`,
      '  Os outros seguem a programação: aeração das 18:00 às 06:00. A cada dez minutos alguém mede os viveiros.',
    ],
  },
  en: {
    open: 'Open in a browser:',
    owner: 'owner',
    roles: { MANAGER: 'manager', TECHNICIAN: 'technician', OPERATOR: 'operator', VIEWER: 'viewer' },
    password: 'password',
    asShown: 'as shown when the farm was made; another one',
    shownOnce: 'shown this once, the same for all',
    farm: (data: string) =>
      `20 ponds with two crops of shrimp, 8 control points, a week of their history in ${data}`,
    troubles: [
      'What goes on:',
      `  ${SILENT} fell silent half an hour before the demo was made: DEVICE_OFFLINE stays ACTIVE.`,
      `  ${STUCK} has a contactor that sticks: COMMAND_NOT_CONFIRMED is raised within about half a minute.`,
      '  The others follow their schedules: aeration from 18:00 to 06:00. Every ten minutes somebody measures the ponds.',
    ],
  },
  es: {
    open: 'Abra en el navegador:',
    owner: 'dueña',
    roles: { MANAGER: 'gerente', TECHNICIAN: 'técnica', OPERATOR: 'operador', VIEWER: 'visitante' },
    password: 'contraseña',
    asShown: 'como se mostró cuando se hizo la camaronera; otra',
    shownOnce: 'se muestra solo ahora, la misma para todos',
    farm: (data: string) =>
      `20 piscinas con dos ciclos de camarón, 8 puntos de control y una semana de historia, en ${data}`,
    troubles: [
      'Lo que pasa:',
      `  ${SILENT} calló media hora antes de hacerse la demostración: la alarma de equipo sin señal sigue en pie.`,
      `  ${STUCK} tiene un contactor que se pega: en medio minuto llega la alarma de orden no confirmada.`,
      '  Los demás siguen la programación: aireación de las 18:00 a las 06:00. Cada diez minutos alguien mide las piscinas.',
    ],
  },
} as const;

const troubles = (language: Language): string => WORDS[language].troubles.join('\n');

function addresses({ http, mqtt }: DemoAddresses): string {
  return [
    'For programs:',
    `  interface    ${http}/api/v1/docs/`,
    `  events       ${http}/api/v1/events`,
    `  metrics      ${http}/metrics`,
    `  broker       ${mqtt}`,
  ].join('\n');
}

function requests(farm: DemoFarm, { http }: DemoAddresses): string {
  const api = `${http}/api/v1`;
  const login = JSON.stringify({
    email: OWNER.email,
    password: farm.password ?? 'PASSWORD',
    remember_me: true,
  });
  const get = (path: string) => `  curl -s -H "Authorization: Bearer $TOKEN" '${api}${path}'`;
  const point = `/control-points/${controllerOf(farm, 'CP-02').control_point_id}`;
  return [
    'Look at it as the owner:',
    `  TOKEN=$(curl -s ${api}/auth/login -H 'Content-Type: application/json' -d '${login}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    get(`/dashboard/overview?farm_id=${farm.farm_id}`),
    get(`/ponds/summary-cards?farm_id=${farm.farm_id}`),
    get(`/dashboard/growth-rates?farm_id=${farm.farm_id}`),
    get(`/dashboard/feed-efficiency?farm_id=${farm.farm_id}`),
    get('/alerts/?include=all'),
    get('/notifications/?unread_only=true'),
    get(`/logs/farm/${farm.farm_id}/control-points?limit=20`),
    get(`${point}/orders?limit=5`),
    '',
    'See an order go out and its report come back, beside the event stream:',
    `  curl -sN -H "Authorization: Bearer $TOKEN" ${api}/events`,
    `  curl -s -X POST -H "Authorization: Bearer $TOKEN" ${api}${point}/turn-on -H 'Content-Type: application/json' -d '{"for_s":120,"reason":"to try it"}'`,
  ].join('\n');
}

function controllers(farm: DemoFarm, { http, mqtt }: DemoAddresses): string {
  const { hostname, port } = new URL(mqtt);
  const silent = controllerOf(farm, SILENT);
  const who = `-h ${hostname} -p ${port} -i ${silent.mqtt_id} -u ${silent.mqtt_id} -P ${silent.key} -q 1`;
  return [
    `Be ${SILENT}: read its level; then report, and its alert is resolved:`,
    `  mosquitto_sub ${who} -v -C 1 -t ${deviceTopic(silent.mqtt_id, 'shadow/desired')}`,
    `  mosquitto_pub ${who} -t ${deviceTopic(silent.mqtt_id, 'hb')} -m '{"current_status":"OFF"}'`,
    `  curl -s ${http}/api/v1/devices/heartbeat -H 'Authorization: Bearer ${silent.key}' -H 'Content-Type: application/json' -d '{"device_id":"${silent.device_id}","current_status":"OFF"}'`,
  ].join('\n');
}

/** The same farm from afar, and how to break the line to it. */
export function whatToLookAtFromAfar(
  farm: DemoFarm,
  { http, folder, password }: Pick<HostedSide, 'http' | 'folder' | 'password'>,
  gateway: Pick<DemoAddresses, 'http'>,
): string {
  const { email } = HOSTED_OWNER;
  const reset = `npm run admin -- reset-password --email ${email} --role hosted --data ${folder}`;
  const known = password ?? `as shown when the farm was paired; another one: ${reset}`;
  const login = JSON.stringify({ email, password: password ?? 'PASSWORD', remember_me: true });
  const token = (api: string) =>
    `$(curl -s ${api}/auth/login -H 'Content-Type: application/json' -d '${login}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  const get = (api: string, path: string) => `  curl -s -H "Authorization: Bearer $CLOUD" '${api}${path}'`;
  const [cloud, local] = [`${http}/api/v1`, `${gateway.http}/api/v1`];
  const point = `/control-points/${controllerOf(farm, 'CP-03').control_point_id}`;
  return [
    'The cloud: a hosted instance, paired with the farm; the farm belongs to its account now',
    '',
    `  console      ${http}/`,
    `  interface    ${cloud}/docs/`,
    `  owner        ${email}`,
    `  password     ${known}`,
    '',
    'The same farm from afar, as its owner (the account opens the gateway, too, as soon as both have spoken):',
    `  CLOUD=${token(cloud)}`,
    get(cloud, `/ponds/summary-cards?farm_id=${farm.farm_id}`),
    get(cloud, '/sync/gateways'),
    `  curl -s -X POST -H "Authorization: Bearer $CLOUD" ${cloud}${point}/turn-on -H 'Content-Type: application/json' -d '{"for_s":120,"reason":"from afar"}'`,
    get(cloud, `${point}/commands?limit=5`),
    'and how the gateway sees the link:',
    `  FARM=${token(local)}`,
    `  curl -s -H "Authorization: Bearer $FARM" '${local}/sync/status'`,
    '',
    PLUG_HELP,
  ].join('\n');
}
