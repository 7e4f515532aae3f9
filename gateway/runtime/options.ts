import * as z from 'zod';
import { atTheBox } from '#contract/commands.ts';
import { DISCOVERY_PORT } from '#contract/discovery.ts';
import {
  busServers,
  count,
  countries,
  isZone,
  namesList,
  networksList,
  type Option,
  port,
  portOrOff,
  postgresUrl,
  priceOption,
  seconds,
  webAddress,
  yesNo,
} from './option-kinds.ts';

// Every option of the program: flag, environment variable, what it may be, default, and a sentence for --help.

export const options = {
  role: {
    schema: z.enum(['gateway', 'hosted'], { message: 'must be gateway or hosted' }),
    fallback: 'gateway',
    help: 'gateway (on the farm) or hosted (in the cloud)',
  },
  data: {
    schema: z.string().min(1),
    fallback: './data',
    help: 'folder of the database and the secrets (DATA_DIR)',
  },
  host: { schema: z.string().min(1), fallback: '0.0.0.0', help: 'address to listen on' },
  'http-port': { schema: port, fallback: 8080, help: 'port of the interface; 0 picks a free one' },
  'mqtt-port': { schema: port, fallback: 1883, help: 'port of the broker; 0 picks a free one' },
  'https-port': {
    schema: portOrOff,
    fallback: 8443,
    help: 'port of the interface within TLS, of a gateway; 0 picks a free one, off: none',
  },
  'mqtts-port': {
    schema: portOrOff,
    fallback: 8883,
    help: 'port of the broker within TLS; 0 picks a free one, off: none',
  },
  'discovery-port': {
    schema: portOrOff,
    fallback: DISCOVERY_PORT,
    help: 'UDP port where a gateway answers who looks for one on the farm network; off: it does not',
  },
  'ntp-port': {
    schema: portOrOff,
    fallback: 123,
    help: 'UDP port where a gateway tells controllers the time (SNTP), while it trusts its clock; 0 picks a free one, off: none',
  },
  'tls-names': {
    schema: namesList,
    fallback: [],
    help: 'further names and addresses of this box for its certificate, with commas between',
  },
  'trusted-proxies': {
    schema: networksList,
    fallback: [],
    help: 'addresses or networks of proxies in front whose X-Forwarded-For is believed, with commas between; by default nobody is',
  },
  'database-url': {
    schema: postgresUrl,
    fallback: null,
    help: 'PostgreSQL of a hosted instance; without it SQLite in the data folder',
  },
  'bus-url': {
    schema: busServers,
    fallback: null,
    isSecret: true,
    help: 'NATS servers through which the processes of a hosted instance tell each other what changed, nats:// or tls://, of one cluster with commas between; without it PostgreSQL does',
  },
  'bus-database-url': {
    schema: postgresUrl,
    fallback: null,
    help: 'the same database past a connection pooler in transaction mode, which carries nothing of what processes of an instance say to each other; by default --database-url',
  },
  'jwt-secret': {
    schema: z.string().min(32, { message: 'must have at least 32 characters' }).nullable(),
    fallback: null,
    isSecret: true,
    help: 'secret of the tokens of a hosted instance; without it one is made and kept in the database',
  },
  registration: {
    schema: z.enum(['open', 'invite'], { message: 'must be open or invite' }).nullable(),
    fallback: null,
    help: 'who may register: open or invite; without it open, on a gateway until its first OWNER is there',
  },
  'require-second-factor': {
    schema: z.enum(['off', 'admins', 'owners'], {
      message: 'must be off, admins or owners (which are ADMINs, too)',
    }),
    fallback: 'off',
    help: 'whose sign-in at a hosted instance reaches nothing without a second factor: off, admins or owners (ADMINs, too)',
  },
  'local-plan': {
    schema: z.enum(['FREE', 'BASIC', 'PROFESSIONAL', 'ENTERPRISE'], {
      message: 'must be FREE, BASIC, PROFESSIONAL or ENTERPRISE',
    }),
    fallback: 'FREE',
    help: 'plan of new users on a gateway',
  },
  'rate-limits': {
    schema: yesNo.nullable(),
    fallback: null,
    help: 'limit requests per hour and at the same time by plan (default: hosted yes, gateway no); control never',
  },
  timezone: {
    schema: z.string().refine(isZone, { message: 'must be an IANA zone, for example America/Fortaleza' }),
    fallback: 'America/Fortaleza',
    help: 'zone of farms without an address',
  },
  'online-after-s': {
    schema: seconds(5, 3600),
    fallback: 60,
    help: 'a controller is online this long after its last report',
  },
  'poll-interval-s': {
    schema: seconds(1, 3600),
    fallback: 30,
    help: 'heartbeat interval told to controllers',
  },
  'start-step-s': {
    schema: seconds(0, 600),
    fallback: 5,
    help: 'time between two motor starts of one start group',
  },
  'allow-unkeyed-devices': {
    schema: yesNo.nullable(),
    fallback: null,
    help: 'serve controllers without a key over HTTP (default: gateway yes, from private addresses; hosted no)',
  },
  'max-mqtt-clients': {
    schema: count(1, 20_000),
    fallback: 5_500,
    help: 'most controllers the broker holds; as many connections that proved nothing yet',
  },
  'mqtt-messages-per-s': {
    schema: count(0, 100_000),
    fallback: 20,
    help: 'messages a second one controller may send, in bursts of five times as many; 0 switches the limit off',
  },
  'mqtt-connects-per-minute': {
    schema: count(0, 1_000_000),
    fallback: 600,
    help: 'connections a minute one address may open to the broker; 0 switches the limit off',
  },
  'trust-clock': {
    schema: z.enum(['auto', 'yes', 'no'], { message: 'must be auto, yes or no' }),
    fallback: 'auto',
    help: 'auto: judge the clock of this box; yes or no: do not judge',
  },
  'backup-dir': {
    schema: z.string().min(1).nullable(),
    fallback: null,
    help: `folder of a stick for encrypted backups, made ready by ${atTheBox('backup --to FOLDER')}; without it none`,
  },
  'backup-every-h': {
    schema: count(1, 168),
    fallback: 1,
    help: 'hours between two backups',
  },
  'backup-max-mb': {
    schema: count(1, 10_000_000),
    fallback: 4_000,
    help: 'most megabytes all backups in the folder may take; the oldest go first',
  },
  'snapshot-mb-per-day': {
    schema: count(1, 100_000),
    fallback: 20,
    help: 'most megabytes a day that snapshots for a broken start may write beside the database',
  },
  'smtp-url': {
    schema: z
      .string()
      .regex(/^smtps?:\/\/[^\s/@]+(@|:|\/|$)/, {
        message: 'must be smtp:// or smtps://, for example smtps://user:password@mail.example:465',
      })
      .nullable(),
    fallback: null,
    help: 'mail server that takes notifications, with user and password; without it there are no e-mail channels',
    isSecret: true,
  },
  'smtp-from': {
    schema: z
      .string()
      .regex(/^([^<>@\r\n]*<)?[^\s<>@]+@[^\s<>@]+>?$/, { message: 'must be an e-mail address' })
      .nullable(),
    fallback: null,
    help: 'sender of that mail, for example "Fazenda Norte <avisos@farm.example>"; by default the user of the mail server',
  },
  modem: {
    schema: z.string().min(1).nullable(),
    fallback: null,
    help: 'serial port of a GSM modem that sends SMS without the internet, for example /dev/ttyUSB2; without it none',
  },
  'modem-pin': {
    schema: z
      .string()
      .regex(/^\d{4,8}$/, { message: 'must be 4 to 8 digits' })
      .nullable(),
    fallback: null,
    isSecret: true,
    help: 'PIN of its SIM, better given as MODEM_PIN; tried once, so that the SIM is never locked',
  },
  'modem-baud': { schema: count(1_200, 921_600), fallback: 115_200, help: 'baud of the modem' },
  'sms-per-hour': {
    schema: count(1, 200),
    fallback: 20,
    help: 'most SMS an hour to one person; the rest waits',
  },
  'outbound-networks': {
    schema: networksList,
    fallback: [],
    help: 'addresses or networks at the farm that webhooks may call, with commas between, for example 192.168.1.20; probes are reached without it, but on this box',
  },
  'sms-countries': {
    schema: countries,
    fallback: ['55'],
    help: 'country codes of numbers that people may have SMS sent to, with commas between',
  },
  'home-assistant': {
    schema: z
      .url({
        protocol: /^mqtts?$/,
        message: 'must be an mqtt or mqtts address, for example mqtt://192.168.1.20:1883',
      })
      .refine((address) => new URL(address).username === '' && new URL(address).password === '', {
        message: 'must not hold a name or password; they are given by options of their own',
      })
      .nullable(),
    fallback: null,
    isSecret: true,
    help: 'broker of Home Assistant to which a gateway shows its control points; without it none',
  },
  'home-assistant-user': {
    schema: z.string().min(1).nullable(),
    fallback: null,
    help: 'name of the gateway at that broker',
  },
  'home-assistant-password': {
    schema: z.string().min(1).nullable(),
    fallback: null,
    isSecret: true,
    help: 'its password there, better given as HOME_ASSISTANT_PASSWORD',
  },
  'home-assistant-orders-by': {
    schema: z.email({ message: 'must be the e-mail of an account' }).nullable(),
    fallback: null,
    help: 'account in whose name, and with whose rights, Home Assistant switches; without it it only looks',
  },
  'public-url': {
    schema: webAddress.nullable(),
    fallback: null,
    help: 'address at which people reach this instance, for links; without it the one a request came to',
  },
  'hosted-url': {
    schema: webAddress.nullable(),
    fallback: null,
    help: `hosted instance that this gateway is paired with when nothing else is said, see ${atTheBox('pair')}`,
  },
  'sync-quota-mb': {
    schema: count(10, 10_000_000),
    fallback: 2_000,
    help: 'most megabytes that changes may take which a paired hosted instance has not confirmed',
  },
  'stripe-secret-key': {
    schema: z.string().min(1).nullable(),
    fallback: null,
    isSecret: true,
    help: 'key of Stripe, better given as STRIPE_SECRET_KEY; without it a built-in sandbox sells for test cards',
  },
  'stripe-webhook-secret': {
    schema: z.string().min(1).nullable(),
    fallback: null,
    isSecret: true,
    help: 'secret that signs what Stripe sends to /api/v1/payment/webhook, better as STRIPE_WEBHOOK_SECRET',
  },
  'stripe-api-base': {
    schema: webAddress.nullable(),
    fallback: null,
    help: 'another host than that of Stripe, for tests',
  },
  'stripe-price-basic-brl': priceOption('BASIC', 'BRL'),
  'stripe-price-basic-usd': priceOption('BASIC', 'USD'),
  'stripe-price-professional-brl': priceOption('PROFESSIONAL', 'BRL'),
  'stripe-price-professional-usd': priceOption('PROFESSIONAL', 'USD'),
  'update-keys': {
    schema: z.string().min(1).nullable(),
    fallback: null,
    help: 'file of the public keys of updates; given by the package, without it this program does not update itself',
  },
  'updates-dir': {
    schema: z.string().min(1).nullable(),
    fallback: null,
    help: 'folder of a hosted instance with signed packages (.update) that its gateways may fetch; without it none',
  },
  'bench-ports': {
    schema: z
      .string()
      .transform((text) =>
        text
          .split(',')
          .map((path) => path.trim())
          .filter((path) => path !== ''),
      )
      .refine(
        (paths) => paths.length <= 32 && paths.every((path) => path.startsWith('/') || /^COM\d+$/.test(path)),
        {
          message: 'must be up to 32 serial ports with commas between, for example /dev/ttyS1',
        },
      ),
    fallback: [],
    help: 'further serial ports for the bench, with commas between; those of USB cables are found by themselves',
  },
  'firmware-keys': {
    schema: z.string().min(1).nullable(),
    fallback: null,
    help: 'file of the public keys that sign firmware of controllers (PEM, Ed25519); by default firmware-keys.pem in the data folder',
  },
  'metrics-token': {
    schema: z.string().min(16, { message: 'must have at least 16 characters' }).nullable(),
    fallback: null,
    isSecret: true,
    help: 'token that reads /metrics; without it a gateway shows them to anyone, a hosted instance to ADMINs',
  },
  'log-level': {
    schema: z.enum(['debug', 'info', 'warn', 'error'], { message: 'must be debug, info, warn or error' }),
    fallback: 'info',
    help: 'debug, info, warn or error',
  },
} as const satisfies Record<string, Option>;
