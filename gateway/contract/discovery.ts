import * as z from 'zod';

// How a gateway is found on the farm's network: it answers a question sent to everybody, and announces a service.

/** UDP. */
export const DISCOVERY_PORT = 48_555;
export const DISCOVERY_QUESTION = 'camarao?1';
/** DNS-SD service on the local network (RFC 6763). */
export const SERVICE = '_camarao._tcp.local';

/** The answer, JSON in one datagram. */
export const beacon = z.object({
  id: z.string().min(1).max(100).describe('Stays the same for the life of the gateway'),
  name: z.string().max(100),
  software: z.string().max(100),
  http_port: z.int().min(1).max(65_535),
  https_port: z.int().min(1).max(65_535).nullable(),
  pin: z
    .string()
    .max(100)
    .nullable()
    .describe('SHA-256 of the public key (SPKI) of its authority, base64; null: plain http only'),
});
export type Beacon = z.infer<typeof beacon>;
