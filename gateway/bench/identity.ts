import { randomBytes } from 'node:crypto';
import { z } from 'zod';

const port = z.int().min(0).max(65_535);
/** An NVS string holds 4,000 bytes; nothing here comes near. */
const text = z.string().max(255);

/** Who a board is, as it is written to its NVS partition or sent over its console. `key` and `claim` are secrets. */
export const identity = z.strictObject({
  device_id: text.min(1),
  mqtt_id: text.min(1),
  /** base64url, as issued by the gateway */
  key: text.min(1),
  gw_host: text.min(1),
  /** 0: no such listener */
  gw_http: port,
  gw_mqtt: port,
  gw_mqtts: port,
  /** base64 SHA-256 of the public key of the farm's authority */
  gw_pin: text.nullable(),
  /** code of the control point */
  cp: text.nullable(),
  fail_safe: text.nullable(),
  /** What the label shows; by it the board is given a new key over the network. null: the board keeps the one it has. */
  claim: z
    .string()
    .regex(/^[0-9A-Z]{12,64}$/)
    .nullable()
    .default(null),
});

export type Identity = z.infer<typeof identity>;

/** Without letters that are taken for digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;

/** A claim code for the label of one board: 80 random bits (device protocol, 10.1). */
export function newClaimCode(): string {
  return [...randomBytes(LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}
