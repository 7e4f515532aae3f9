import * as z from 'zod';
import { hostedAddress } from '#adapters/sync/private-host.ts';
import { programVersion } from '#adapters/system/program-version.ts';
import type { Config } from '#runtime/config.ts';
import { readRun, runFileOf } from '../doctor/run-file.ts';
import type { Remote } from '../update/fetch-package.ts';
import { archOf } from '../update/manifest.ts';
import { UpdateRefused } from '../update/update-trouble.ts';

const ANSWER_WITHIN_MS = 30_000;

const entrance = z.object({ hosted_url: z.string(), token: z.string() });
export type HostedEntrance = z.infer<typeof entrance>;

/**
 * Where the hosted instance hands out the package for this machine. The gateway that runs is asked: it alone signs in
 * there, because two that do so with one key look like a copied box. Throws UpdateRefused.
 */
export async function askedAtGateway(config: Pick<Config, 'data' | 'role' | 'httpPort'>): Promise<Remote> {
  const { hosted_url } = await entranceOf(config);
  const address = hostedAddress(hosted_url);
  if (!address.ok) throw new UpdateRefused('INSECURE_SOURCE', address.why);
  const wish = new URLSearchParams({ arch: archOf(process.arch) ?? '', version: programVersion() });
  return {
    address: `${hosted_url.replace(/\/+$/, '')}/sync/v1/update?${wish}`,
    token: async () => (await entranceOf(config)).token,
  };
}

async function entranceOf(config: Pick<Config, 'data' | 'role' | 'httpPort'>): Promise<HostedEntrance> {
  const run = readRun(runFileOf(config));
  if (run === null || run.key === '') throw notRunning();
  const answer = await fetch(`${run.address}/local/hosted-entrance`, {
    headers: { authorization: `Local ${run.key}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch((cause: unknown) => {
    throw notRunning(cause);
  });
  const said: unknown = await answer.json().catch(() => null);
  const found = entrance.safeParse(said);
  if (answer.ok && found.success) return found.data;
  const { code, detail } = refusal.parse(said);
  if (code === 'NOT_PAIRED') throw new UpdateRefused('NOT_PAIRED', detail);
  throw new UpdateRefused('NOT_REACHABLE', detail || `the gateway that runs answered ${answer.status}`);
}

const refusal = z.object({ code: z.string(), detail: z.string() }).catch({ code: '', detail: '' });

const notRunning = (cause?: unknown) =>
  new UpdateRefused(
    'NOT_REACHABLE',
    'a package of the hosted instance comes through the gateway: start it first',
    {
      cause,
    },
  );
