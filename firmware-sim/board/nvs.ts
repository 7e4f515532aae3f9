import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { FAIL_SAFES } from '#contract/words.ts';
import type { Flash } from './flash.ts';

// The partition that keeps settings over a power cut, in the chip maker's own format: pages of 4096 bytes, a header, a
// bitmap of two bits per entry, 126 entries of 32 bytes. Read and written as far as a controller's identity needs it.

const NVS_AT = 0x9000;
export const NVS_BYTES = 0x6000;

/** Keys of one namespace. */
type NvsValues = Record<string, string | number>;

const PAGE_BYTES = 4_096;
const ENTRY_BYTES = 32;
const ENTRIES_AT = 64;
const ENTRIES = 126;
const PAGE_ACTIVE = 0xfffffffe;
const PAGE_FULL = 0xfffffffc;
const VERSION_2 = 0xfe;
const WRITTEN = 0b10;
const TYPE_U8 = 0x01;
const TYPE_U16 = 0x02;
const TYPE_U32 = 0x04;
const TYPE_STRING = 0x21;
const NO_CHUNK = 0xff;

/** The values of a namespace; entries whose checksum is wrong are left out, as the chip leaves them out. */
export function readNvs(partition: Uint8Array, namespace: string): NvsValues {
  const pages = readPages(partition);
  const index = pages
    .flatMap((page) => page.entries)
    .find((entry) => entry.namespace === 0 && entry.key === namespace && entry.type === TYPE_U8);
  if (index === undefined) return {};
  const values: NvsValues = {};
  for (const page of pages) {
    for (const entry of page.entries) {
      if (entry.namespace !== index.data[0]) continue;
      const value = valueOf(entry);
      if (value !== null) values[entry.key] = value;
    }
  }
  return values;
}

/** A partition holding exactly these values: how the simulated firmware saves. Throws a RangeError when they do not fit. */
export function writeNvs(namespace: string, values: NvsValues): Uint8Array {
  const partition = new Uint8Array(NVS_BYTES).fill(0xff);
  const items = [
    item(0, namespace, 1, TYPE_U8),
    ...Object.entries(values).map(([key, value]) =>
      typeof value === 'string' ? textItem(1, key, value) : item(1, key, value, TYPE_U16),
    ),
  ];
  let page = 0;
  let used = 0;
  const begin = () => sealHeader(partition.subarray(page * PAGE_BYTES, page * PAGE_BYTES + ENTRIES_AT), page);
  begin();
  for (const bytes of items) {
    const span = bytes.length / ENTRY_BYTES;
    if (used + span > ENTRIES) {
      new DataView(partition.buffer).setUint32(page * PAGE_BYTES, PAGE_FULL, true);
      page += 1;
      used = 0;
      // The last page stays free for the chip's own housekeeping.
      if (page >= NVS_BYTES / PAGE_BYTES - 1)
        throw new RangeError('the settings do not fit into the partition');
      begin();
    }
    partition.set(bytes, page * PAGE_BYTES + ENTRIES_AT + used * ENTRY_BYTES);
    for (let i = 0; i < span; i += 1) markWritten(partition, page, used + i);
    used += span;
  }
  return partition;
}

type Entry = { namespace: number; type: number; key: string; data: Uint8Array; tail: Uint8Array };
type Page = { sequence: number; entries: Entry[] };

function readPages(partition: Uint8Array): Page[] {
  const pages: Page[] = [];
  for (let at = 0; at + PAGE_BYTES <= partition.length; at += PAGE_BYTES) {
    const bytes = partition.subarray(at, at + PAGE_BYTES);
    const view = viewOf(bytes);
    const state = view.getUint32(0, true);
    if (state !== PAGE_ACTIVE && state !== PAGE_FULL) continue;
    if (view.getUint32(28, true) !== checksum(bytes.subarray(4, 28))) continue;
    pages.push({ sequence: view.getUint32(4, true), entries: readEntries(bytes) });
  }
  // A later page overrides an earlier one.
  return pages.toSorted((a, b) => a.sequence - b.sequence);
}

function readEntries(page: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  for (let index = 0; index < ENTRIES; ) {
    const at = ENTRIES_AT + index * ENTRY_BYTES;
    const bytes = page.subarray(at, at + ENTRY_BYTES);
    const span = bytes[2] ?? 1;
    const isWhole = span >= 1 && index + span <= ENTRIES;
    if (stateOf(page, index) === WRITTEN && isWhole && isIntact(bytes)) {
      entries.push({
        namespace: bytes[0] ?? 0,
        type: bytes[1] ?? 0,
        key: keyOf(bytes.subarray(8, 24)),
        data: bytes.subarray(24, 32),
        tail: page.subarray(at + ENTRY_BYTES, at + span * ENTRY_BYTES),
      });
      index += span;
    } else index += 1;
  }
  return entries;
}

function valueOf({ type, data, tail }: Entry): string | number | null {
  const view = viewOf(data);
  if (type === TYPE_U8) return view.getUint8(0);
  if (type === TYPE_U16) return view.getUint16(0, true);
  if (type === TYPE_U32) return view.getUint32(0, true);
  if (type !== TYPE_STRING) return null;
  const text = tail.subarray(0, view.getUint16(0, true));
  if (text.length === 0 || view.getUint32(4, true) !== checksum(text)) return null;
  // the stored length counts the closing zero
  return new TextDecoder().decode(text.at(-1) === 0 ? text.subarray(0, -1) : text);
}

function stateOf(page: Uint8Array, index: number): number {
  return ((page[32 + (index >> 2)] ?? 0xff) >> ((index & 3) * 2)) & 0b11;
}

function markWritten(partition: Uint8Array, page: number, index: number): void {
  const at = page * PAGE_BYTES + 32 + (index >> 2);
  partition[at] = (partition[at] ?? 0xff) & ~(0b01 << ((index & 3) * 2));
}

function isIntact(entry: Uint8Array): boolean {
  return viewOf(entry).getUint32(4, true) === entryChecksum(entry);
}

/** Over the entry without the four bytes that hold it. */
function entryChecksum(entry: Uint8Array): number {
  const covered = new Uint8Array(28);
  covered.set(entry.subarray(0, 4));
  covered.set(entry.subarray(8, 32), 4);
  return checksum(covered);
}

function item(namespace: number, key: string, value: number, type: number): Uint8Array {
  const bytes = blank(namespace, key, { type, span: 1 });
  if (type === TYPE_U8) bytes[24] = value;
  else viewOf(bytes).setUint16(24, value, true);
  return sealed(bytes);
}

function textItem(namespace: number, key: string, value: string): Uint8Array {
  const text = new TextEncoder().encode(`${value}\0`);
  const span = 1 + Math.ceil(text.length / ENTRY_BYTES);
  const bytes = blank(namespace, key, { type: TYPE_STRING, span });
  const view = viewOf(bytes);
  view.setUint16(24, text.length, true);
  view.setUint32(28, checksum(text), true);
  const all = new Uint8Array(span * ENTRY_BYTES).fill(0xff);
  all.set(sealed(bytes));
  all.set(text, ENTRY_BYTES);
  return all;
}

function blank(namespace: number, key: string, shape: { type: number; span: number }): Uint8Array {
  const bytes = new Uint8Array(ENTRY_BYTES).fill(0xff);
  bytes.set([namespace, shape.type, shape.span, NO_CHUNK]);
  bytes.fill(0, 8, 24);
  bytes.set(new TextEncoder().encode(key).subarray(0, 15), 8);
  return bytes;
}

function sealed(entry: Uint8Array): Uint8Array {
  viewOf(entry).setUint32(4, entryChecksum(entry), true);
  return entry;
}

function sealHeader(header: Uint8Array, sequence: number): void {
  const view = viewOf(header);
  view.setUint32(0, PAGE_ACTIVE, true);
  view.setUint32(4, sequence, true);
  view.setUint8(8, VERSION_2);
  view.setUint32(28, checksum(header.subarray(4, 28)), true);
}

function keyOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The chip's CRC-32 starts from all ones without the usual first inversion. */
function checksum(bytes: Uint8Array): number {
  return crc32(bytes, 0xffffffff);
}

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
