import { readPublisherKeys } from '#adapters/firmware/publisher-keys.ts';
import { type InBoth, inBoth } from '#core/both-languages.ts';
import type { PublisherKey } from '#features/equipment/firmware/ports.ts';
import type { Firmware, FirmwareManifest, Signed } from './firmware-manifest.ts';
import { type JobContext, sentence } from './job.ts';

import { BenchTrouble } from './trouble.ts';

/** What is known of who made a firmware. `unknown`: it is signed, by nobody whose key is here. */
export type Publisher = { signature: 'valid'; signed_by: string } | { signature: 'unknown' | 'none' };

/**
 * What a publisher signs of a bundle: chip, version and every part with its place, so that none can be left out, moved or
 * put under another version. Its first line is another one than that of a single image (device protocol, 11.3).
 */
export function statementOfBundle({
  chip,
  version,
  parts,
}: Pick<FirmwareManifest, 'chip' | 'version' | 'parts'>): string {
  const lines = parts
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, sha256 }) => `part 0x${offset.toString(16)} ${sha256.toLowerCase()}\n`);
  return `shrimp-farm firmware bundle 1\nchip ${chip}\nversion ${version}\n${lines.join('')}`;
}

/** Who signed it, as far as these keys know. Several statements count as one firmware: each must be signed. */
export function publisherOf(
  signed: readonly Signed[] | null,
  keys: readonly Pick<PublisherKey, 'id' | 'isSignatureOf'>[],
): Publisher {
  if (signed === null || signed.length === 0) return { signature: 'none' };
  const ids = signed.map(
    ({ statement, signature }) => keys.find((key) => key.isSignatureOf(statement, signature))?.id,
  );
  const [first] = ids;
  return first === undefined || ids.includes(undefined)
    ? { signature: 'unknown' }
    : { signature: 'valid', signed_by: first };
}

/**
 * Lets only firmware of a known publisher through, or what somebody said is unsigned. Throws BenchTrouble UNSIGNED before
 * the port is opened: a board that was flashed by a stranger holds the farm's keys afterwards.
 */
export async function requirePublisher(
  { signed }: Pick<Firmware, 'signed'>,
  job: { firmware_keys: string | null; allow_unsigned: boolean },
  context: JobContext,
): Promise<void> {
  const keys = job.firmware_keys === null ? [] : await readPublisherKeys(job.firmware_keys);
  const publisher = publisherOf(signed, keys);
  if (publisher.signature === 'valid') {
    const { signed_by: by } = publisher;
    context.tell(
      sentence('check', inBoth(`assinado pelo fabricante ${by}`, `signed by the publisher ${by}`)),
    );
    return;
  }
  const message = whyUnsigned(publisher.signature, keys.length);
  if (!job.allow_unsigned) throw new BenchTrouble('UNSIGNED', { message, next: NEXT });
  context.tell(sentence('check', message, 'warning'));
}

/** The same for a list of bundles. */
export function whyUnsigned(signature: 'unknown' | 'none', keys: number): InBoth {
  if (signature === 'none') return inBoth('este firmware não está assinado', 'this firmware is not signed');
  if (keys === 0)
    return inBoth(
      'nenhum fabricante de firmware é conhecido aqui, e este não pode ser conferido',
      'no publisher of firmware is known here, and this one cannot be checked',
    );
  return inBoth(
    'este firmware não está assinado por um fabricante conhecido aqui',
    'this firmware is not signed by a publisher known here',
  );
}

const NEXT = inBoth(
  'peça o firmware assinado, ou ponha a chave pública do fabricante em firmware-keys.pem; quem o fez ele mesmo diz --unsigned (no console, "sem assinatura"); nada foi gravado',
  'ask for the signed firmware, or put the public key of its publisher into firmware-keys.pem; whoever built it himself says --unsigned (in the console, "without a signature"); nothing was written',
);
