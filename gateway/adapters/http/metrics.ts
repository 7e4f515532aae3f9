import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { AppError, forbidden } from '#core/errors.ts';
import { notAuthenticated } from '#core/request-checks.ts';
import type { Caller, Route } from '#core/route.ts';

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Metrics = ReturnType<typeof createMetrics>;

/** What the instance counts and measures. Labels are closed words (route paths, methods), never what a caller sent. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the parsed request to the end of its answer, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_S,
    registers: [registry],
  });
  return {
    /** Notes one answered request of a route. */
    timerOf(route: Pick<Route, 'method' | 'path'>): (status: number, durationMs: number) => void {
      const labelsByStatus = new Map<number, { method: string; route: string; status: string }>();
      return (status, durationMs) => {
        let labels = labelsByStatus.get(status);
        if (labels === undefined) {
          labels = { method: route.method, route: route.path, status: String(status) };
          labelsByStatus.set(status, labels);
        }
        requests.observe(labels, durationMs / 1000);
      };
    },
    /** What does not change while this process lives: always 1, with words to join other metrics with. */
    info(name: string, help: string, labels: Readonly<Record<string, string>>): void {
      new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }).set(labels, 1);
    },
    /** A value that is asked for when somebody looks. */
    gauge(name: string, help: string, read: () => number | Promise<number>): void {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
    /**
     * Counts by closed words that others keep, for example refusals by reason. With several labels a key holds their
     * words in order, with a space between.
     */
    counterBy(
      name: string,
      help: string,
      labelNames: string[],
      read: () => Readonly<Record<string, number>>,
    ): void {
      new Counter({
        name,
        help,
        labelNames,
        registers: [registry],
        collect() {
          this.reset();
          for (const [key, value] of Object.entries(read())) {
            const words = key.split(' ');
            this.inc(Object.fromEntries(labelNames.map((label, at) => [label, words[at] ?? ''])), value);
          }
        },
      });
    },
    /** A count that others keep; it only grows while this process lives. */
    counter(name: string, help: string, read: () => number): void {
      new Counter({
        name,
        help,
        registers: [registry],
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
    /** A count of its own; answers what raises it. */
    count(name: string, help: string): (by?: number) => void {
      const counter = new Counter({ name, help, registers: [registry] });
      return (by = 1) => counter.inc(by);
    },
    contentType: registry.contentType,
    // the library spells it as no reader of the format must understand
    text: async () => (await registry.metrics()).replaceAll(/ Nan$/gm, ' NaN'),
  };
}

export type MetricsPageDeps = {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** `open` on a gateway: who stands at the farm may look. */
  access: 'open' | 'guarded';
  /** Alternative to the token of an ADMIN, for a Prometheus server. */
  metricsToken: string | null;
  authenticate: (bearer: string) => Promise<Caller>;
};

/** GET /metrics, in the format of Prometheus. */
export function metricsPage(deps: MetricsPageDeps): RequestHandler {
  return async (request, response) => {
    if (deps.access === 'guarded' || deps.metricsToken !== null) {
      await requireReader(deps, /^Bearer +(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]);
    }
    response.setHeader('Content-Type', deps.metrics.contentType);
    response.end(await deps.metrics.text());
  };
}

async function requireReader(deps: MetricsPageDeps, bearer: string | undefined): Promise<void> {
  if (bearer === undefined) throw notAuthenticated();
  if (deps.metricsToken !== null && isSameText(bearer, deps.metricsToken)) return;
  const caller = await deps.authenticate(bearer).catch((error: unknown) => {
    if (error instanceof AppError) throw notAuthenticated();
    throw error;
  });
  if (caller.role !== 'ADMIN') throw forbidden('Only administrators may read the metrics');
}

function isSameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
