import * as z from 'zod';
import { instant } from '../resource.ts';

// What the doctor says: GET /system/doctor, and the command of the same name.

/** From well to broken; the worst one decides how a report ends. */
export const SEVERITIES_OF_FINDINGS = ['ok', 'note', 'warn', 'bad'] as const;
export type FindingSeverity = (typeof SEVERITIES_OF_FINDINGS)[number];

/**
 * Every finding there is, with the severities it is told with. An id stays the same over versions; one that went is not
 * given to something else.
 */
export const SEVERITIES_BY_FINDING = {
  gateway_stopped: ['bad'],
  gateway_silent: ['bad'],
  gateway_starting: ['warn', 'bad'],
  last_start: ['ok', 'note', 'warn'],
  last_fault: ['warn'],
  versions: ['ok', 'warn'],
  schema_refused: ['bad'],
  schema_due: ['note'],
  update_under_way: ['note'],
  update_waiting: ['note'],
  update_stuck: ['warn'],
  update_rolled_back: ['warn', 'bad'],
  update_damaged: ['warn'],
  update_not_made: ['note'],
  event_loop: ['ok', 'warn', 'bad'],
  stood_still: ['note', 'warn'],
  logs: ['ok', 'note'],

  clock_trust: ['ok'],
  clock_untrusted: ['bad'],
  clock_behind: ['bad'],
  clock_offset: ['ok', 'warn', 'bad'],
  clock_no_battery: ['note', 'warn'],
  sntp: ['ok'],
  sntp_off: ['note'],
  sntp_untrusted: ['warn'],

  disk_space: ['ok', 'warn', 'bad'],
  disk_read_only: ['bad'],
  disk_refuses_writes: ['bad'],
  disk_errors: ['bad'],
  disk_card_old: ['warn'],
  disk_written: ['ok', 'warn'],
  disk_wear: ['ok', 'warn', 'bad'],
  disk_wear_unknown: ['note'],
  memory_available: ['ok', 'warn', 'bad'],
  memory_program: ['ok', 'warn', 'bad'],
  temperature: ['ok', 'warn', 'bad'],
  power_undervoltage: ['warn', 'bad'],
  processor_throttled: ['note', 'warn'],

  database_unreadable: ['bad'],
  database_damaged: ['bad'],
  database_size: ['ok', 'warn'],
  database_checked: ['ok'],
  database_check_old: ['note'],
  database_snapshot: ['ok'],
  database_no_snapshot: ['note'],
  database_sums: ['note'],
  database_wal: ['warn', 'bad'],
  database_recovered: ['warn'],
  database_in_memory: ['bad'],
  backup_none: ['warn'],
  backup_not_ready: ['bad'],
  backup_missing: ['bad'],
  backup_age: ['ok', 'bad'],
  backup_unproved: ['note'],
  backup_proof: ['ok', 'note'],

  certificate_authority_lost: ['bad'],
  certificate_authority_unlimited: ['warn'],
  certificate_trouble: ['warn'],
  certificate_server: ['ok', 'warn', 'bad'],
  certificate_authority: ['ok', 'warn', 'bad'],
  port_http: ['ok', 'bad'],
  port_https: ['ok', 'bad'],
  port_mqtt: ['ok', 'bad'],
  port_mqtts: ['ok', 'bad'],
  broker_loop: ['ok', 'note'],
  broker_silent: ['bad'],

  controllers: ['ok'],
  controller_silent: ['note', 'bad'],
  controller_silent_more: ['note', 'bad'],
  controller_weak_wifi: ['warn', 'bad'],
  controller_weak_wifi_more: ['warn', 'bad'],
  controller_unkeyed: ['warn'],
  controller_unkeyed_more: ['warn'],
  controller_old_firmware: ['note'],
  controller_old_firmware_more: ['note'],
  controller_folded: ['warn'],
  controller_folded_more: ['warn'],
  probes: ['ok'],
  probe_silent: ['warn'],
  probe_silent_more: ['warn'],
  probe_calibration_due: ['note'],
  probe_calibration_due_more: ['note'],
  serial_ports: ['ok'],
  serial_port_denied: ['warn'],
  serial_port_denied_more: ['warn'],
  serial_port_modemmanager: ['warn'],
  serial_port_modemmanager_more: ['warn'],
  serial_port_modemmanager_unknown: ['note'],
  modem_starting: ['ok'],
  modem_ready: ['ok'],
  modem_no_port: ['bad'],
  modem_port_busy: ['bad'],
  modem_port_denied: ['bad'],
  modem_silent: ['bad'],
  modem_no_sim: ['bad'],
  modem_needs_pin: ['bad'],
  modem_pin_wrong: ['bad'],
  modem_puk: ['bad'],
  modem_no_network: ['bad'],
  modem_signal: ['ok', 'warn', 'bad'],

  sync_state: ['ok', 'warn', 'bad'],
  sync_refused: ['warn'],
  sync_parked: ['warn'],
  sync_offline_days: ['warn', 'bad'],
  cloud_path: ['ok'],
  cloud_no_network: ['warn'],
  cloud_no_name: ['warn'],
  cloud_no_connection: ['warn'],

  run_unknown: ['warn'],
  clock_unknown: ['warn'],
  disk_unknown: ['warn'],
  memory_unknown: ['warn'],
  machine_unknown: ['warn'],
  database_unknown: ['warn'],
  backup_unknown: ['warn'],
  certificates_unknown: ['warn'],
  ports_unknown: ['warn'],
  broker_unknown: ['warn'],
  controllers_unknown: ['warn'],
  probes_unknown: ['warn'],
  modem_unknown: ['warn'],
  serialPorts_unknown: ['warn'],
  sync_unknown: ['warn'],
  cloud_unknown: ['warn'],
  sntp_unknown: ['warn'],
  eventLoop_unknown: ['warn'],
  versions_unknown: ['warn'],
  update_unknown: ['warn'],
  logs_unknown: ['warn'],
} as const satisfies Readonly<Record<string, readonly FindingSeverity[]>>;
export type FindingId = keyof typeof SEVERITIES_BY_FINDING;
export type SeverityOf<Id extends FindingId> = (typeof SEVERITIES_BY_FINDING)[Id][number];

// the keys of an object of ours
const FINDING_IDS = Object.keys(SEVERITIES_BY_FINDING) as FindingId[];

const inEach = z.object({ 'pt-BR': z.string(), en: z.string(), es: z.string() });
/** A sentence for people, in each language. */
export type InEach = z.infer<typeof inEach>;

export const finding = z.object({
  id: z.enum(FINDING_IDS).describe('Names the check and what it found; stays the same over versions'),
  severity: z.enum(SEVERITIES_OF_FINDINGS).describe('note: good to know; warn: see to it; bad: act now'),
  sentence: inEach,
  next_step: inEach.nullable().describe('What to do about it; null: nothing'),
  measured: z
    .object({ value: z.union([z.number(), z.string(), z.boolean()]), unit: z.string().nullable() })
    .nullable()
    .describe('What was measured, with its unit'),
  control_point: z
    .object({ id: z.uuid(), farm_id: z.uuid(), cod: z.string(), device_id: z.string() })
    .nullable()
    .describe('The control point whose controller it is about; null: it is about the instance'),
});
export type Finding = z.infer<typeof finding>;

/** GET /system/doctor */
export const doctorAnswer = z.object({
  made_at: instant,
  version: z.string().describe('Version of the program'),
  role: z.enum(['gateway', 'hosted']),
  is_running: z.boolean().describe('false: a stopped gateway was looked at from outside'),
  worst: z.enum(SEVERITIES_OF_FINDINGS),
  findings: z.array(finding).describe('Worst first'),
});
export type DoctorReport = z.infer<typeof doctorAnswer>;
