import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FIRMWARE_CHIPS } from '#contract/mqtt/ota.ts';
import { firmwareManifest } from '#contract/resources/firmware.ts';
import { statementOf } from '#features/equipment/firmware/store-firmware.ts';
import { statementOfBundle } from '../gateway/bench/check-firmware.ts';
import { firmwareManifest as bundleManifest } from '../gateway/bench/firmware-manifest.ts';
import { MANIFEST } from '../gateway/bench/read-firmware.ts';

// Makes a signed firmware file (.sfw) from an application image, for the store of a gateway, and signs bundles for the
// cable.

const HELP = `Signs firmware of controllers, for updates over the air and for the cable.

  a pair of keys, once:   npm run sign-firmware -- --new-key publisher
  a firmware file:        npm run sign-firmware -- --key publisher.key.pem --chip esp32 --version 1.5.0 \\
                              [--notes TEXT] --image build/aerator.bin --out aerator-1.5.0.sfw
  a bundle:               npm run sign-firmware -- --key publisher.key.pem --bundle aerator-1.5.0

--bundle signs a folder with manifest.json and its files as they are now: the digests in the manifest are renewed.

--new-key writes publisher.key.pem (keep it secret and off the farm) and publisher.pub.pem (put it into
firmware-keys.pem in the data folder of each gateway, and into the firmware of the controllers).
Chips: ${FIRMWARE_CHIPS.join(', ')}. Exit codes: 0 done, 2 wrong usage.`;

/** The bytes of a firmware file. Throws when the manifest would not be taken (chip, version, size). */
export function firmwareFile(
  image: Uint8Array,
  facts: { chip: string; version: string; notes?: string | undefined },
  privateKeyPem: string | Buffer,
): Buffer {
  const described = {
    chip: facts.chip,
    version: facts.version,
    size: image.length,
    sha256: createHash('sha256').update(image).digest('hex'),
    notes: facts.notes ?? null,
  };
  const unsigned = firmwareManifest.omit({ signature: true }).parse({ format: 1, ...described });
  const signature = sign(null, Buffer.from(statementOf(unsigned)), createPrivateKey(privateKeyPem));
  const manifest = { ...unsigned, signature: signature.toString('base64url') };
  return Buffer.concat([Buffer.from(`${JSON.stringify(manifest)}\n`), image]);
}

/** Signs the bundle in a folder. Throws when it is none, or a file of it is missing. */
export async function signBundle(folder: string, privateKeyPem: string | Buffer) {
  const file = join(folder, MANIFEST);
  const written = JSON.parse(await readFile(file, 'utf8')) as { parts?: { file?: unknown }[] };
  const parts = await Promise.all(
    (written.parts ?? []).map(async (part) => {
      const bytes = await readFile(join(folder, String(part.file)));
      return { ...part, sha256: createHash('sha256').update(bytes).digest('hex') };
    }),
  );
  const renewed = { ...written, parts, signature: undefined };
  const manifest = bundleManifest.parse(renewed);
  const signature = sign(null, Buffer.from(statementOfBundle(manifest)), createPrivateKey(privateKeyPem));
  const signed = { ...renewed, signature: signature.toString('base64url') };
  await writeFile(file, `${JSON.stringify(signed, null, 2)}\n`);
  return manifest;
}

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      'new-key': { type: 'string' },
      key: { type: 'string' },
      chip: { type: 'string' },
      version: { type: 'string' },
      notes: { type: 'string' },
      image: { type: 'string' },
      bundle: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values['new-key'] !== undefined) return newKey(values['new-key']);
  const { key, chip, version, image, out, notes, bundle } = values;
  if (key && bundle) {
    const signed = await signBundle(bundle, await readFile(key));
    console.log(`${bundle}: ${signed.version} for ${signed.chip}, ${signed.parts.length} files`);
    return 0;
  }
  if (!key || !chip || !version || !image || !out) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  const file = firmwareFile(await readFile(image), { chip, version, notes }, await readFile(key));
  await writeFile(out, file);
  console.log(`${out}: ${version} for ${chip}, ${file.length} bytes`);
  return 0;
}

async function newKey(name: string): Promise<number> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const open = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
  // never over a key that is there
  await writeFile(`${name}.key.pem`, secret, { mode: 0o600, flag: 'wx' });
  await writeFile(`${name}.pub.pem`, open, { flag: 'wx' });
  console.log(`${name}.key.pem (secret) and ${name}.pub.pem`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exitCode = 2;
  }
}
