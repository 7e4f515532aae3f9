import * as z from 'zod';
import { idInput, idOrNumber, instantInput, longText, shortText } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { WATER_FIELDS } from './water-quality.ts';

// Probes in the water that speak Modbus: over RS-485 at a serial port, over the network, or through a serial server.

/** What a probe can measure. What is not a field of a measurement is shown and stored nowhere. */
export const PROBE_PARAMETERS = [...WATER_FIELDS, 'oxygen_saturation', 'conductivity'] as const;
export type ProbeParameter = (typeof PROBE_PARAMETERS)[number];

export const REGISTER_TYPES = ['i16', 'u16', 'i32', 'u32', 'f32'] as const;
/** Bytes of a 32-bit value as they lie in two registers: 1 is the most significant. */
export const WORD_ORDERS = ['1234', '2143', '3412', '4321'] as const;

/** serial: RTU frames at a port of this box. tcp: Modbus TCP. rtu_over_tcp: RTU frames through a serial server. */
export const BUS_KINDS = ['serial', 'tcp', 'rtu_over_tcp'] as const;
export type BusKind = (typeof BUS_KINDS)[number];
const PARITIES = ['none', 'even', 'odd'] as const;

/**
 * good: fresh and possible. stale: the probe has not answered for a while. suspect: it answers, but not what water does
 * (a leap, a value that stands still, more oxygen than there can be). fault: the probe itself says it has no value, or
 * one beyond its range. Only good values become measurements.
 */
export const QUALITIES = ['good', 'stale', 'suspect', 'fault'] as const;
export type Quality = (typeof QUALITIES)[number];
export const QUALITY_REASONS = [
  'NO_ANSWER',
  'NOT_MEASURED',
  'OUT_OF_RANGE',
  'LEAP',
  'STANDS_STILL',
  'IMPLAUSIBLE',
] as const;
export type QualityReason = (typeof QUALITY_REASONS)[number];

/** What keeps a bus or a probe from being read. */
export const PROBE_TROUBLES = [
  'PORT_NOT_FOUND',
  'PORT_BUSY',
  'PORT_DENIED',
  'NOT_A_SERIAL_PORT',
  'SERIAL_MISSING',
  'UNPLUGGED',
  'NOT_ON_FARM_NETWORK',
  'UNREACHABLE',
  'NO_ANSWER',
  'GARBLED',
  'REFUSED',
] as const;
export type ProbeTroubleCode = (typeof PROBE_TROUBLES)[number];

const finite = z.number().min(-1e12).max(1e12);

/** Where one value lies in a probe and how it becomes a value in the unit of its parameter: raw × scale + offset. */
export const probeRegister = z
  .object({
    parameter: z.enum(PROBE_PARAMETERS),
    function_code: z
      .union([z.literal(3), z.literal(4)])
      .default(3)
      .describe('3 holding, 4 input registers'),
    address: z.int().min(0).max(65_534).describe('As sent on the wire: register 40001 is 0'),
    type: z.enum(REGISTER_TYPES).default('i16'),
    word_order: z.enum(WORD_ORDERS).default('1234').describe('For 32-bit types'),
    scale: finite.refine((scale) => scale !== 0, { message: 'must not be 0' }).default(1),
    offset: finite.default(0),
    not_measured: z
      .array(finite)
      .max(8)
      .default([])
      .describe('Raw values that mean "no value"; a NaN always does'),
    min: finite
      .nullable()
      .default(null)
      .describe('Least value of the probe’s range, in the parameter’s unit'),
    max: finite.nullable().default(null).describe('Largest value of the probe’s range'),
  })
  .refine(({ min, max }) => min === null || max === null || min < max, {
    path: ['max'],
    message: 'must be more than min',
  });
export type ProbeRegister = z.infer<typeof probeRegister>;

export const probeBus = defineResource({
  name: 'probe_buses',
  sync: 'local',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    name: z.string(),
    kind: z.enum(BUS_KINDS),
    /** Path of the serial port; null for the others. */
    device: z.string().nullable(),
    baud: z.int(),
    parity: z.enum(PARITIES),
    stop_bits: z.int(),
    /** Network address; null for a serial port. */
    host: z.string().nullable(),
    port: z.int(),
    is_enabled: z.boolean(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
});

export const probe = defineResource({
  name: 'probes',
  sync: 'local',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    probe_bus_id: uuid,
    pond_id: uuid,
    name: z.string(),
    unit_id: z.int(),
    /** Name of a shipped profile, or id of one of the farm. */
    probe_profile_id: z.string(),
    poll_s: z.int(),
    is_enabled: z.boolean(),
    calibrated_at: instant.nullable(),
    /** Days after which it wants to be calibrated again; null: nobody is reminded. */
    calibration_days: z.int().nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
});

export const probeProfile = defineResource({
  name: 'probe_profiles',
  sync: 'local',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    name: z.string(),
    notes: z.string().nullable(),
    registers: z.array(z.record(z.string(), z.unknown())),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
});

const baud = z
  .int()
  .refine((rate) => [1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200].includes(rate), {
    message: 'must be a usual rate: 1200, 2400, 4800, 9600, 19200, 38400, 57600 or 115200',
  });
const busFields = {
  name: shortText,
  kind: z.enum(BUS_KINDS),
  device: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .nullish()
    .describe('Serial port, for example /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0 or COM3'),
  baud: baud.describe('Default 9600'),
  parity: z.enum(PARITIES).describe('Default none'),
  stop_bits: z.int().min(1).max(2).describe('Default 1'),
  host: z.string().trim().toLowerCase().min(1).max(255).nullish().describe('Address on the farm network'),
  port: z.int().min(1).max(65_535).describe('Default 502'),
  is_enabled: z.boolean().describe('Default true'),
};

/** POST /probe-buses/ */
export const probeBusCreate = z.object({
  farm_id: idInput,
  ...busFields,
  baud: busFields.baud.default(9600),
  parity: busFields.parity.default('none'),
  stop_bits: busFields.stop_bits.default(1),
  port: busFields.port.default(502),
  is_enabled: busFields.is_enabled.default(true),
});
export type ProbeBusCreate = z.infer<typeof probeBusCreate>;
/** PUT /probe-buses/{probe_bus_id}: fields left out stay. */
export const probeBusUpdate = z.object(busFields).partial();
export type ProbeBusUpdate = z.infer<typeof probeBusUpdate>;

const probeFields = {
  name: shortText,
  unit_id: z.int().min(1).max(247).describe('Address of the probe on its bus'),
  probe_profile_id: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .describe('Name of a shipped profile or id of one of the farm'),
  poll_s: z.int().min(2).max(300).describe('Seconds between two readings; default 10'),
  is_enabled: z.boolean().describe('Default true'),
  calibrated_at: instantInput.nullish(),
  calibration_days: z
    .int()
    .min(1)
    .max(730)
    .nullish()
    .describe('Days between calibrations; default 30, null: no reminder'),
};

/** POST /probes/ */
export const probeCreate = z.object({
  pond_id: idOrNumber,
  probe_bus_id: idInput,
  ...probeFields,
  poll_s: probeFields.poll_s.default(10),
  is_enabled: probeFields.is_enabled.default(true),
});
export type ProbeCreate = z.infer<typeof probeCreate>;
/** PUT /probes/{probe_id}: fields left out stay. A probe that hangs in another pond gets its `pond_id`. */
export const probeUpdate = z.object({ pond_id: idOrNumber, probe_bus_id: idInput, ...probeFields }).partial();
export type ProbeUpdate = z.infer<typeof probeUpdate>;

const registers = z.array(probeRegister).min(1).max(16);
export const probeProfileCreate = z.object({
  farm_id: idInput,
  name: shortText,
  notes: longText.nullish(),
  registers,
});
export type ProbeProfileCreate = z.infer<typeof probeProfileCreate>;
export const probeProfileUpdate = z
  .object({ name: shortText, notes: longText.nullish(), registers })
  .partial();
export type ProbeProfileUpdate = z.infer<typeof probeProfileUpdate>;

export const probeCalibrationCreate = z.object({
  calibrated_at: instantInput.nullish().describe('Default now; not ahead of now'),
  notes: longText.nullish().describe('Kept in the log: solution, values before and after'),
});

/** POST …/scan */
export const busScanCreate = z.object({
  from: z.int().min(1).max(247).default(1),
  to: z.int().min(1).max(247).default(247),
});
/** POST …/read: one reading by hand, before a probe is set up. */
export const busReadCreate = z.object({
  unit_id: probeFields.unit_id,
  probe_profile_id: probeFields.probe_profile_id,
});

const trouble = z
  .object({
    code: z.enum(PROBE_TROUBLES),
    message: z.string().describe('What is wrong'),
    next: z.string().describe('What to do next, with the hands'),
    since: z.string(),
  })
  .nullable();

export const probeBusAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  name: z.string(),
  kind: z.enum(BUS_KINDS),
  device: z.string().nullable(),
  baud: z.int(),
  parity: z.enum(PARITIES),
  stop_bits: z.int(),
  host: z.string().nullable(),
  port: z.int(),
  is_enabled: z.boolean(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  probes: z.int(),
  state: z.enum(['off', 'idle', 'running', 'trouble']).describe('idle: it has no probe to read yet'),
  trouble,
  figures: z.object({
    reads: z.int().describe('Since the program started'),
    no_answer: z.int(),
    garbled: z.int(),
    refused: z.int(),
  }),
});
export type ProbeBusAnswer = z.infer<typeof probeBusAnswer>;

const probeReading = z.object({
  parameter: z.enum(PROBE_PARAMETERS),
  unit: z.string(),
  value: z.number().nullable().describe('The last one; null: none yet or no number'),
  measured_at: z.string().nullable(),
  quality: z.enum(QUALITIES),
  reason: z.enum(QUALITY_REASONS).nullable(),
});
export type ProbeReading = z.infer<typeof probeReading>;

export const probeAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  probe_bus_id: z.uuid(),
  pond_id: z.uuid(),
  pond_cod: z.string(),
  name: z.string(),
  unit_id: z.int(),
  probe_profile_id: z.string(),
  profile_name: z.string(),
  poll_s: z.int(),
  is_enabled: z.boolean(),
  calibrated_at: z.string().nullable(),
  calibration_days: z.int().nullable(),
  calibration_due_at: z.string().nullable(),
  is_calibration_due: z.boolean(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  quality: z.enum(QUALITIES).describe('The worst of its readings'),
  last_answer_at: z.string().nullable(),
  readings: z.array(probeReading),
  trouble,
});
export type ProbeAnswer = z.infer<typeof probeAnswer>;

export const probeProfileAnswer = z.object({
  id: z.string().describe('Name of a shipped profile or id of one of the farm'),
  is_shipped: z.boolean(),
  farm_id: z.uuid().nullable(),
  name: z.string(),
  notes: z.string().nullable(),
  serial: z
    .object({ baud: z.int(), parity: z.enum(PARITIES), unit_id: z.int() })
    .nullable()
    .describe('As the maker delivers it'),
  registers: z.array(
    z.object({
      parameter: z.enum(PROBE_PARAMETERS),
      unit: z.string(),
      function_code: z.int(),
      address: z.int(),
      type: z.enum(REGISTER_TYPES),
      word_order: z.enum(WORD_ORDERS),
      scale: z.number(),
      offset: z.number(),
      not_measured: z.array(z.number()),
      min: z.number().nullable(),
      max: z.number().nullable(),
    }),
  ),
});
export type ProbeProfileAnswer = z.infer<typeof probeProfileAnswer>;

export const probeSample = z.object({
  at: z.string(),
  values: z.array(
    z.object({
      parameter: z.enum(PROBE_PARAMETERS),
      value: z.number().nullable(),
      quality: z.enum(QUALITIES),
      reason: z.enum(QUALITY_REASONS).nullable(),
    }),
  ),
});

export const busScanAnswer = z.object({
  state: z.enum(['none', 'running', 'done', 'cancelled', 'failed']),
  from: z.int(),
  to: z.int(),
  asked: z.int().describe('Addresses asked so far'),
  total: z.int(),
  found: z.array(
    z.object({
      unit_id: z.int(),
      answer: z
        .enum(['values', 'refused', 'garbled'])
        .describe(
          'refused: somebody is there who does not know register 0. garbled: maybe two with one address',
        ),
    }),
  ),
  trouble,
});
export type BusScanAnswer = z.infer<typeof busScanAnswer>;

export const busReadAnswer = z.object({
  readings: z.array(probeReading),
  registers: z
    .array(z.object({ function_code: z.int(), address: z.int(), word: z.int() }))
    .describe('What came over the wire, to compare with the maker’s table'),
});
