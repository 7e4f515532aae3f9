import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { writeWhole } from '#adapters/backup/safe-files.ts';
import { certificateMaker } from '#adapters/tls/make-certificate.ts';
import { trustFiles } from '#adapters/tls/trust-files.ts';
import { keepTrust, type TrustNews } from '#features/system/trust/keep-trust.ts';
import type { Network, ServerRecord } from '#features/system/trust/ports.ts';

/** The keeper of a box with real files, its own clock and a network that can change. */
export function aTrust(given: { data?: string; now?: number; pin?: string | null } = {}) {
  const data = given.data ?? mkdtempSync(join(tmpdir(), 'trust-'));
  if (given.data === undefined) onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const world = {
    now: given.now ?? Date.UTC(2026, 2, 2),
    quality: 'trusted' as 'trusted' | 'estimated',
    network: { hostname: 'Gateway-1', addresses: ['192.168.0.10'] } as Network,
    pin: given.pin ?? null,
  };
  const shown: ServerRecord[] = [];
  const told: TrustNews[] = [];
  const sentences: { level: string; fields: Record<string, unknown>; sentence: string }[] = [];
  const note = (level: string) => (fields: Record<string, unknown>, sentence: string) =>
    void sentences.push({ level, fields, sentence });
  const keeper = keepTrust({
    now: () => world.now,
    monotonic: () => world.now,
    clockQuality: () => world.quality,
    log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
    store: trustFiles({ writeWhole, maker: certificateMaker }, data),
    maker: certificateMaker,
    network: () => world.network,
    extraNames: ['painel.fazenda.example'],
    newTicketKey: () => randomBytes(48).toString('base64'),
    knownPin: async () => world.pin,
    rememberPin: async (pin) => {
      world.pin = pin;
      return true;
    },
    show: (record) => void shown.push(record),
    tell: (news) => void told.push(news),
  });
  return { data, world, keeper, shown, told, sentences, facts: certificateMaker.facts };
}

/** What must hold of a thing a test expects to be there. */
export function there<Thing>(thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined) throw new Error('it is not there');
  return thing;
}
