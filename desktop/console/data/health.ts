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

/** Version of the interface: it stands at the very beginning of a large document, of which the rest is not fetched. */
export const useInterfaceVersion = () =>
  useQuery({
    queryKey: ['interface-version'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const rest = new AbortController();
      const answer = await fetch('/api/v1/openapi.json', { signal: rest.signal });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      const first = await reader?.read();
      rest.abort();
      return /"version":\s*"([^"]+)"/.exec(first?.value ?? '')?.[1] ?? null;
    },
  });
