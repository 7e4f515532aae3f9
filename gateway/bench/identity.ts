import { z } from 'zod';

const port = z.int().min(0).max(65_535);
/** An NVS string holds 4,000 bytes; nothing here comes near. */
const text = z.string().max(255);

/** Who a board is, as it is written to its NVS partition or sent over its console. `key` is a secret. */
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
});

export type Identity = z.infer<typeof identity>;
