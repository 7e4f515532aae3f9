import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { callHttp } from '../http-call.ts';
import type { GatewayTrust } from '../transport/gateway-trust.ts';
import { pinsInPem, readPin } from '../transport/gateway-trust.ts';
import { GatewayRefused } from './gateway-api.ts';
import type { Options } from './options.ts';
import { UsageError } from './options.ts';

// By what the controllers know their gateway: a pin, a file, or what the gateway says of itself the first time.

export type Addresses = { httpBase: string; mqttUrl: string; trust?: GatewayTrust | undefined };

const port = z.int().min(1).max(65_535).nullable();
const identity = z.object({
  authority: z.object({ spki_sha256: z.string() }).nullable(),
  ports: z.object({ https: port, mqtts: port }),
});

/**
 * Puts TLS on the addresses where it is asked for. With a pin or a file the addresses are taken as given; with --tls alone
 * the gateway is asked for its pin and its ports in the clear, as a console does that sees it for the first time.
 */
export async function secureAddresses(options: Options, plain: Addresses): Promise<Addresses> {
  const pin = options.text('tls-pin');
  const file = options.text('tls-ca');
  if (pin === undefined && file === undefined) return options.is('tls') ? askGateway(plain) : plain;
  const trust = { pins: [...(pin === undefined ? [] : readPins(pin)), ...(await pinsInFile(file))] };
  const isSecured = plain.httpBase.startsWith('https:') || plain.mqttUrl.startsWith('mqtts:');
  if (!isSecured) throw new UsageError('--tls-pin and --tls-ca need an https:// or mqtts:// address.');
  return { ...plain, trust };
}

async function askGateway({ httpBase }: Addresses): Promise<Addresses> {
  const answer = await callHttp(httpBase, '/api/v1/system/identity').catch((cause: unknown) => {
    throw new GatewayRefused(`${httpBase} cannot be reached to ask for its pin.`, { cause });
  });
  const told = identity.safeParse(answer.body);
  const { authority, ports } = told.success ? told.data : { authority: null, ports: null };
  if (authority === null || ports.https === null || ports.mqtts === null)
    throw new GatewayRefused(`${httpBase} has no secured ports open.`);
  const { hostname } = new URL(httpBase);
  return {
    httpBase: `https://${hostname}:${ports.https}`,
    mqttUrl: `mqtts://${hostname}:${ports.mqtts}`,
    trust: { pins: [authority.spki_sha256] },
  };
}

function readPins(text: string): string[] {
  return text.split(',').map((one) => {
    const pin = readPin(one);
    if (pin === null) throw new UsageError(`--tls-pin: "${one}" is no SHA-256 in base64.`);
    return pin;
  });
}

async function pinsInFile(file: string | undefined): Promise<string[]> {
  if (file === undefined) return [];
  try {
    const pins = pinsInPem(await readFile(file, 'utf8'));
    if (pins.length > 0) return pins;
  } catch (cause) {
    throw new UsageError(`--tls-ca ${file} cannot be read.`, { cause });
  }
  throw new UsageError(`--tls-ca ${file} holds no certificate.`);
}
