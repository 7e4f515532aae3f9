import * as z from 'zod';
import { idInput, numberInQuery, shortText } from '../fields.ts';
import { instant } from '../resource.ts';
import { claimInput, macInput } from './adoption.ts';

// The technician's bench: boards at the serial ports of the gateway's own box.

export const BENCH_JOB_KINDS = [
  'detect',
  'flash',
  'erase',
  'provision',
  'self_test',
  'wifi_scan',
  'monitor',
] as const;
export type BenchJobKind = (typeof BENCH_JOB_KINDS)[number];

/** `running` includes one that was asked to stop and has not yet. */
export const BENCH_JOB_STATES = ['running', 'done', 'failed', 'cancelled'] as const;

/** Why a job ended before its goal; each stands for one cause and one next action. Never reused. */
export const BENCH_TROUBLES = [
  'BAD_INPUT',
  'PORT_NOT_FOUND',
  'PORT_BUSY',
  'PORT_DENIED',
  'UNPLUGGED',
  'NO_ANSWER',
  'WRONG_CHIP',
  'WRONG_IMAGE',
  'CHECKSUM_REFUSED',
  'UNSIGNED',
  'FLASH_FAULT',
  'VERIFY_FAILED',
  'IDENTITY_REFUSED',
  'WIFI_REFUSED',
  'WIFI_TIMEOUT',
  'NO_HEARTBEAT',
  'SELF_TEST_FAILED',
  'CANCELLED',
  'INTERNAL',
] as const;

/** GET /bench/ports */
export const benchPort = z.object({
  path: z.string().describe('Name for jobs; the one that stays the same when the cable is put back'),
  device: z.string().describe('As the system numbers it now, for example /dev/ttyUSB0'),
  vendor_id: z.string().nullable().describe('USB, hexadecimal'),
  product_id: z.string().nullable(),
  serial_number: z.string().nullable(),
  manufacturer: z.string().nullable(),
  product: z.string().nullable(),
  in_use_by: z
    .array(z.object({ pid: z.int(), name: z.string() }))
    .describe('Other programs that hold it now, as far as this one may see'),
  is_busy: z.boolean().describe('A job of the bench runs there now, yours or not'),
  job_id: z.uuid().nullable().describe('That job, if it is one that you may see'),
  is_named: z.boolean().describe('Named in the configuration (bench-ports), not found by itself'),
});
export type BenchPort = z.infer<typeof benchPort>;

export const BENCH_SIGNATURES = ['valid', 'unknown', 'none'] as const;

/** GET /bench/firmware */
export const benchFirmware = z.object({
  name: z.string().describe('Name for a flash job: its folder below bench/firmware in the data folder'),
  chip: z.string().nullable(),
  version: z.string().nullable(),
  bytes: z.int().describe('All parts together'),
  parts: z.array(z.object({ file: z.string(), offset: z.int(), bytes: z.int() })),
  trouble: z.string().nullable().describe('Why it cannot be flashed; null: it can'),
  signature: z
    .enum(BENCH_SIGNATURES)
    .describe(
      'valid: signed by a publisher this gateway knows; unknown: signed by another; none: not signed',
    ),
  signed_by: z.string().nullable().describe('Begin of the SHA-256 of the publisher’s key, where it is valid'),
});
export type BenchFirmware = z.infer<typeof benchFirmware>;

const port = z.string().trim().min(1).max(1_024).describe('`path` of GET /bench/ports');
const flashBaud = z
  .literal([115_200, 230_400, 460_800, 921_600])
  .optional()
  .describe('Speed of the line while flashing, default 460800; slower for a long or poor cable');

const selfTest = z.object({
  for_s: z.int().min(1).max(10).optional().describe('The relay is on this long at most, default 2'),
  min_current_ma: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .optional()
    .describe('The motor must draw this much; null or absent: no motor is looked for'),
});

const wifi = z.object({
  ssid: z.string().min(1).max(32),
  password: z.string().max(64).describe('Empty: an open network. Goes to the board and is kept nowhere else'),
});

/** POST /bench/jobs */
export const benchJobInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('detect'), port }),
  z.object({
    kind: z.literal('flash'),
    port,
    firmware: shortText.describe('`name` of GET /bench/firmware'),
    allow_unsigned: z
      .boolean()
      .optional()
      .describe('Take firmware that no publisher known here signed: for whoever builds it; default no'),
    baud: flashBaud,
    identity: z
      .enum(['keep', 'erase'])
      .optional()
      .describe('What becomes of the identity and the Wi-Fi on the board, default keep'),
    erase: z.boolean().optional().describe('Blank everything else first'),
    backup: z
      .boolean()
      .optional()
      .describe('Save what is on the board to bench/backups in the data folder before a byte is written'),
  }),
  z.object({
    kind: z.literal('erase'),
    port,
    baud: flashBaud,
    what: z
      .enum(['all', 'identity', 'firmware'])
      .describe('identity: the controller forgets who it is and its Wi-Fi; firmware: all but that'),
  }),
  z.object({
    kind: z.literal('provision'),
    port,
    control_point_id: idInput.describe(
      'Whose controller the board becomes; its key before stays valid until the new one is used',
    ),
    wifi: wifi.nullable().optional().describe('Absent or null: the board keeps the Wi-Fi it has'),
    gateway_host: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be a host name or an address')
      .optional()
      .describe('Where the board finds this gateway; default: its address on the farm network'),
    wait_s: z
      .int()
      .min(1)
      .max(600)
      .optional()
      .describe('How long its first heartbeat is awaited, default 90'),
    self_test: selfTest
      .optional()
      .describe('Let the relay click when it has reported; absent: no. A motor that is wired will start'),
  }),
  z.object({ kind: z.literal('self_test'), port, ...selfTest.shape }),
  z.object({ kind: z.literal('wifi_scan'), port }),
  z.object({
    kind: z.literal('monitor'),
    port,
    baud: z.literal([9_600, 57_600, 74_880, 115_200, 230_400, 460_800, 921_600]).optional(),
    reset: z.boolean().optional().describe('Reset the board first, so that its boot is seen'),
    for_s: z.int().min(1).max(3_600).optional().describe('Ends by itself after this long, default 600'),
  }),
]);
export type BenchJobInput = z.infer<typeof benchJobInput>;

export const benchProgress = z.object({
  step: z.string().describe('connect, check, write, verify, identity, wifi, heartbeat, relay, monitor, …'),
  done: z.number().describe('Bytes or pieces of this step'),
  total: z.number().describe('0: unknown'),
  bytes_per_s: z.number().nullable(),
  eta_s: z.number().nullable(),
  message: z.string(),
});

export const benchTrouble = z.object({
  code: z.enum(BENCH_TROUBLES),
  message: z.string().describe('What is wrong'),
  next: z.string().describe('What a hand does about it'),
});

/** A field that a kind of job does not find out is absent. */
export const benchResult = z.looseObject({
  device_id: z.string().nullable().optional(),
  mac: z.string().nullable().optional(),
  chip: z.string().nullable().optional(),
  firmware_version: z.string().nullable().optional(),
  description: z.string().optional().describe('Chip with its revision, as its maker calls it'),
  flash_bytes: z.int().optional(),
  flash_id: z.string().optional(),
  crystal_mhz: z.number().optional(),
  firmware: z
    .object({ version: z.string(), project: z.string() })
    .nullable()
    .optional()
    .describe('What the board would start'),
  identity: z
    .object({
      device_id: z.string(),
      mqtt_id: z.string().nullable(),
      gw_host: z.string().nullable(),
      wifi: z.boolean(),
      has_claim: z.boolean().optional(),
    })
    .nullable()
    .optional()
    .describe('Who the board is; null: nobody yet'),
  content: z.string().optional().describe('What the flash holds: blank, ours, or somebody else’s'),
  bytes_written: z.int().optional(),
  bytes_skipped: z.int().optional().describe('Were right already'),
  backup: z.string().optional().describe('File on the box where the flash before was saved'),
  has_claim: z
    .boolean()
    .nullable()
    .optional()
    .describe('It has the claim code of its label; null: its firmware does not tell'),
  claim_kept: z.boolean().optional().describe('It had the code of its label already and keeps it'),
  previous_device_id: z.string().nullable().optional().describe('Who the board was before'),
  address: z.string().nullable().optional().describe('What the board shows of itself in the Wi-Fi'),
  first_heartbeat_at: z.string().optional(),
  motor_current_ma: z.number().nullable().optional(),
  networks: z
    .array(z.object({ ssid: z.string(), rssi: z.number(), secured: z.boolean() }))
    .optional()
    .describe('Strongest first'),
});

export const benchJobAnswer = z.object({
  id: z.uuid(),
  kind: z.enum(BENCH_JOB_KINDS),
  port: z.string(),
  state: z.enum(BENCH_JOB_STATES),
  control_point_id: z.uuid().nullable().describe('Of a provision job'),
  firmware: z.string().nullable().describe('Of a flash job'),
  started_by: z.uuid(),
  started_at: instant,
  ended_at: instant.nullable(),
  progress: benchProgress.nullable().describe('The step under way, or the last one'),
  result: benchResult.nullable().describe('Of a job that is done'),
  trouble: benchTrouble.nullable().describe('Of a job that failed or was cancelled'),
  last_line: z.int().describe('Number of the newest line of its log; 0: none yet'),
});
export type BenchJobAnswer = z.infer<typeof benchJobAnswer>;

export const benchLine = z.object({
  n: z.int().describe('1 is the first line of the job'),
  at: instant,
  step: z.string(),
  level: z.enum(['info', 'warning', 'alarm']).describe('alarm: the board crashed, or something was refused'),
  text: z.string(),
});
export type BenchLine = z.infer<typeof benchLine>;

/** GET /bench/jobs/{id} */
export const benchJobDetail = benchJobAnswer.extend({
  lines: z.array(benchLine).describe('Lines after `after`, oldest first; the last 2,000 of a job are kept'),
});

export const benchJobQuery = z.object({
  after: numberInQuery(z.number().int().min(0).max(1_000_000_000))
    .default(0)
    .describe('Only lines with a greater number: the last one you have'),
});

/** PUT /bench/labels/{control_point_id} */
export const benchLabelInput = z.object({
  mac: macInput.describe('Of the board'),
  claim: claimInput.describe('The claim code that was written to it'),
});

/** GET /bench/labels, GET /bench/label-sheet */
export const benchLabelQuery = z.object({
  ids: z
    .string()
    .max(10_000)
    .transform((text) => text.split(',').filter((id) => id !== ''))
    .pipe(z.array(idInput).min(1).max(240))
    .meta({ override: { type: 'string' } })
    .describe('Ids of control points with commas between, 240 at most'),
});

export const benchLabel = z.object({
  control_point_id: z.uuid(),
  device_id: z.string(),
  code: z.string().nullable().describe('Code of the control point'),
  farm: z.string().nullable(),
  ponds: z.array(z.string()),
  claim: z
    .string()
    .nullable()
    .describe(
      'Of the board that it has, and of no other: proves that somebody has the label in hand. null: no board with a known label; one that came over the Wi-Fi keeps the label it came with',
    ),
  mac: z.string().nullable().describe('Of that board, 12 hex digits'),
  qr: z
    .string()
    .nullable()
    .describe('What the QR code says: `SF1:<device_id>:<claim>`; null without a claim'),
  text: z.string().describe('For a printer of plain text'),
  svg: z.string().describe('70 × 37 mm'),
});
export type BenchLabel = z.infer<typeof benchLabel>;
