import * as z from 'zod';
import { parseNetwork } from '#adapters/http/client-address.ts';
import { isName } from '#features/system/trust/trust-rules.ts';

// What an option of the program may be, with the sentence for whoever gave something else.

export const port = z.coerce
  .number({ message: 'must be a port, 0 to 65535' })
  .int({ message: 'must be a port, 0 to 65535' })
  .min(0, { message: 'must be a port, 0 to 65535' })
  .max(65_535, { message: 'must be a port, 0 to 65535' });
export const portOrOff = z.union([z.literal('off').transform(() => null), port], {
  message: 'must be a port, 0 to 65535, or off',
});
export const namesList = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((name) => name !== ''))
  .refine((names) => names.length <= 20 && names.every(isName), {
    message: 'must be up to 20 host names or addresses with commas between',
  });
export const countries = z
  .string()
  .transform((text) => text.split(/[\s,+]+/).filter((code) => code !== ''))
  .refine(
    (codes) => codes.length > 0 && codes.length <= 50 && codes.every((code) => /^[1-9]\d{0,3}$/.test(code)),
    {
      message: 'must be country codes with commas between, for example 55, 598',
    },
  );
export const networksList = z.string().transform((text, context) => {
  const given = text.split(/[\s,]+/).filter((name) => name !== '');
  const networks = given.flatMap((one) => parseNetwork(one) ?? []);
  if (networks.length === given.length && networks.length <= 50) return networks;
  context.addIssue({
    code: 'custom',
    message: 'must be up to 50 addresses or networks with commas between, for example 127.0.0.1, 10.0.0.0/24',
  });
  return z.NEVER;
});
export const seconds = (min: number, max: number) =>
  z.coerce
    .number({ message: `must be seconds, ${min} to ${max}` })
    .min(min, { message: `must be seconds, ${min} to ${max}` })
    .max(max, { message: `must be seconds, ${min} to ${max}` });
export const count = (min: number, max: number) =>
  z.coerce
    .number({ message: `must be a whole number, ${min} to ${max}` })
    .int({ message: `must be a whole number, ${min} to ${max}` })
    .min(min, { message: `must be a whole number, ${min} to ${max}` })
    .max(max, { message: `must be a whole number, ${min} to ${max}` });
export const yesNo = z
  .union([z.boolean(), z.enum(['1', '0', 'true', 'false', 'yes', 'no'], { message: 'must be 1 or 0' })])
  .transform((word) => word === true || word === '1' || word === 'true' || word === 'yes');
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export type Option = {
  schema: z.ZodType;
  fallback: unknown;
  help: string;
  /** What was given is not shown when it is refused. */
  isSecret?: true;
};

export const webAddress = z
  .url({
    protocol: /^https?$/,
    message: 'must be an http or https address, for example https://farm.example',
  })
  .transform((address) => address.replace(/\/+$/, ''));

export const priceOption = (plan: string, currency: string) =>
  ({
    schema: z.string().min(1).nullable(),
    fallback: null,
    help: `price id at Stripe of ${plan} in ${currency}; without it the plan is not sold in it`,
  }) satisfies Option;

export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { message: 'must be a postgres:// address' })
  .nullable();

/** The first address names the account, with a password or as a token; all are encrypted, or none. */
export const busServers = z
  .string()
  .transform((list) => list.split(',').map((one) => one.trim()))
  .refine(
    (servers) =>
      servers.every((one) => /^(nats|tls):\/\/[^/]/.test(one) && URL.canParse(one)) &&
      new Set(servers.map((one) => new URL(one).protocol)).size === 1,
    { message: 'must be nats:// addresses, or tls:// addresses, with commas between' },
  )
  .nullable();
