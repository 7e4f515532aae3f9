import * as z from 'zod';

// How a gateway is found on the farm's network: it answers a question sent to everybody, and announces a service.

/** UDP. */
export const DISCOVERY_PORT = 48_555;
export const DISCOVERY_QUESTION = 'camarao?1';
/** DNS-SD service on the local network (RFC 6763). */
export const SERVICE = '_camarao._tcp.local';
/** Leads to the gateway of a network that has one. */
const GATEWAY_HOST = 'camarao.local';
/**
 * Hosts that a gateway answers to on its network. Each has one of its own, because another gateway on the same network
 * answers to the common one, too.
 */
export function hostsOf(gatewayId: string): [own: string, common: string] {
  const own = gatewayId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(-8);
  return [`camarao-${own === '' ? 'gateway' : own}.local`, GATEWAY_HOST];
}
/** Without being asked a gateway says the same to everybody this often, for boards that only listen. */
export const BEACON_EVERY_S = 30;

const CODE_DIGITS = 20;
const PIN_BYTES = 32;

/**
 * The key of a gateway for people who compare it: 20 digits, the same on the label of the box and on every screen. They
 * hold 66 of its bits: nobody makes another key with the same digits. Empty when it is no key.
 */
export function codeOfPin(pin: string): string {
  let bytes: string;
  try {
    bytes = atob(pin);
  } catch {
    return '';
  }
  if (bytes.length !== PIN_BYTES) return '';
  let number = 0n;
  for (const byte of bytes.slice(0, 9)) number = number * 256n + BigInt(byte.charCodeAt(0));
  const digits = (number % 10n ** BigInt(CODE_DIGITS)).toString().padStart(CODE_DIGITS, '0');
  return digits.replace(/\d{5}(?=\d)/g, '$& ');
}

/** The answer, JSON in one datagram. */
export const beacon = z.object({
  id: z.string().min(1).max(100).describe('Stays the same for the life of the gateway'),
  name: z.string().max(100),
  software: z.string().max(100),
  http_port: z.int().min(1).max(65_535),
  https_port: z.int().min(1).max(65_535).nullable(),
  mqtt_port: z.int().min(1).max(65_535).nullish().describe('Of its broker; absent before it told so'),
  mqtts_port: z.int().min(1).max(65_535).nullish(),
  pin: z
    .string()
    .max(100)
    .nullable()
    .describe('SHA-256 of the public key (SPKI) of its authority, base64; null: plain http only'),
});
export type Beacon = z.infer<typeof beacon>;
