import { useQuery } from '@tanstack/preact-query';
import { Unreachable } from './api.ts';

/** What the gateway says of itself; also when it is not ready. */
export type Readiness = {
  ready: boolean;
  checks: Record<string, { ok: boolean; detail?: string; rung?: string; age_s?: number | null }>;
};

const isReadiness = (told: unknown): told is Readiness =>
  typeof told === 'object' && told !== null && 'ready' in told && 'checks' in told;

async function readiness(signal: AbortSignal): Promise<Readiness> {
  const told: unknown = await fetch('/readyz', { signal, cache: 'no-store' })
    .then((answer) => answer.json())
    .catch((error: unknown) => {
      throw new Unreachable(error);
    });
  if (!isReadiness(told)) throw new Unreachable(null);
  return told;
}

export const useReadiness = () =>
  useQuery({ queryKey: ['readyz'], queryFn: ({ signal }) => readiness(signal), staleTime: 5_000 });

/** How long the program has run, in seconds. */
export const useUptime = () =>
  useQuery({
    queryKey: ['healthz'],
    queryFn: async ({ signal }) => {
      const told = (await (await fetch('/healthz', { signal, cache: 'no-store' })).json()) as {
        uptime_s?: number;
      };
      return told.uptime_s ?? null;
    },
  });

const LONGEST_HEAD = 4_000;

/** Version of the interface: it stands at the very beginning of a large document, of which the rest is not fetched. */
export const useInterfaceVersion = () =>
  useQuery({
    queryKey: ['interface-version'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const rest = new AbortController();
      const answer = await fetch('/api/v1/openapi.json', { signal: rest.signal });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let head = '';
      let version: string | undefined;
      // a slow line brings it in crumbs
      while (version === undefined && head.length < LONGEST_HEAD) {
        const more = await reader?.read();
        if (more?.value === undefined) break;
        head += more.value;
        version = /"version":\s*"([^"]+)"/.exec(head)?.[1];
      }
      rest.abort();
      return version ?? null;
    },
  });
