import * as z from 'zod';
import { FAIL_SAFES } from '#contract/words.ts';
import type { Flash } from './flash.ts';
import { NVS_AT, NVS_BYTES, type NvsValues, readNvs, writeNvs } from './nvs.ts';

// What the board's program keeps over a power cut: who it is, where its gateway stands, its Wi-Fi.

const NAMESPACE = 'sf';
const port = z.int().min(0).max(65_535);

/** Who the controller is and where its gateway stands. A port of 0 is none. */
export const boardIdentity = z.object({
  device_id: z.string().min(1).max(64),
  mqtt_id: z.string().min(1).max(64),
  key: z.string().min(1).max(128),
  gw_host: z.string().min(1).max(253),
  gw_http: port,
  gw_mqtt: port,
  gw_mqtts: port,
  gw_pin: z.string().max(64).nullable(),
  cp: z.string().max(64).nullable(),
  fail_safe: z.enum(FAIL_SAFES).nullable(),
  claim: z
    .string()
    .regex(/^[0-9A-Z]{12,64}$/)
    .nullable()
    .default(null),
});
export type BoardIdentity = z.infer<typeof boardIdentity>;

export type WifiSettings = { ssid: string; password: string };

export type Settings = {
  identity(): BoardIdentity | null;
  hasClaim(): boolean;
  wifi(): WifiSettings | null;
  saveIdentity(identity: BoardIdentity): void;
  saveWifi(wifi: WifiSettings): void;
  /** The claim code stays: it is on the board's label. */
  forget(): void;
};

/** Reads and writes the partition itself, so that an image flashed there and a setting told over the cable are one thing. */
export function createSettings(flash: Flash): Settings {
  const read = (): NvsValues => readNvs(flash.read(NVS_AT, NVS_BYTES), NAMESPACE);
  const save = (values: NvsValues) => {
    flash.erase(NVS_AT, NVS_BYTES);
    flash.write(NVS_AT, writeNvs(NAMESPACE, values));
  };
  return {
    identity: () => identityIn(read()),
    hasClaim: () => read()['claim'] !== undefined,
    wifi: () => {
      const { ssid, wifi_key: password } = read();
      return typeof ssid === 'string' && ssid !== ''
        ? { ssid, password: typeof password === 'string' ? password : '' }
        : null;
    },
    saveIdentity: (identity) => {
      const kept = { ...read() };
      // what says nothing of the claim code leaves the one on the label as it is
      for (const name of Object.keys(boardIdentity.shape)) if (name !== 'claim') delete kept[name];
      for (const [name, value] of Object.entries(identity)) if (value !== null) kept[name] = value;
      save(kept);
    },
    saveWifi: ({ ssid, password }) => save({ ...read(), ssid, wifi_key: password }),
    forget: () => {
      const { claim } = read();
      if (claim === undefined) flash.erase(NVS_AT, NVS_BYTES);
      else save({ claim });
    },
  };
}

function identityIn(values: NvsValues): BoardIdentity | null {
  const empty = { gw_http: 0, gw_mqtt: 0, gw_mqtts: 0, gw_pin: null, cp: null, fail_safe: null, claim: null };
  const parsed = boardIdentity.safeParse({ ...empty, ...values });
  return parsed.success ? parsed.data : null;
}
