import type { Change } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Language, Notify } from '#core/notifying.ts';
import { type PerformDeps, perform } from '#core/use-case.ts';
import type { PolledProbe } from './poll-bus.ts';
import type { BusRow, ProbeInPond, ProbeQueries } from './ports.ts';
import { calibrationDue, isStale, placeOf, qualityOf } from './probe-answers.ts';
import { reasonTold, troubleTold } from './trouble-words.ts';
import type { ProbeWatch } from './watch-probes.ts';

export type TellProbesDeps = PerformDeps &
  Pick<Kernel, 'now' | 'log' | 'clockQuality'> & {
    monotonic: () => number;
    queries: Pick<ProbeQueries, 'probes' | 'buses'>;
    watch: Pick<ProbeWatch, 'probes'>;
    notify: Notify;
  };

/** A cable that is being plugged, a probe that is being cleaned: nobody is told of that. */
const TROUBLE_AFTER_MS = 10 * 60_000;

/** Tells the operators of a farm of probes that give no good value, and of those that want to be calibrated. */
export function createProbeTeller(deps: TellProbesDeps) {
  /** Since when each probe gives no good value: on the clock that only grows, and on the wall. */
  const badSince = new Map<string, { monotonic: number; at: number }>();
  const told = new Set<string>();

  /** Once a minute. */
  async function look(): Promise<void> {
    const bad = nowBad();
    if (bad.length > 0) {
      const buses = await deps.queries.buses();
      await once(
        bad.map((probe) => probe.row.id),
        () => tellBad(bad, buses),
      );
    }
    if (deps.clockQuality() === 'trusted') {
      const due = (await deps.queries.probes()).filter((row) => row.is_enabled && isDue(row));
      for (const row of due) await once([calibrationCause(row)], () => tellCalibration(row));
    }
  }

  function nowBad(): PolledProbe[] {
    const polled = deps.watch.probes();
    for (const id of badSince.keys()) if (!polled.some(({ row }) => row.id === id)) forget(id);
    for (const probe of polled) {
      if (qualityOf(probe, deps.monotonic()) === 'good') forget(probe.row.id);
      else if (!badSince.has(probe.row.id))
        badSince.set(probe.row.id, { monotonic: deps.monotonic(), at: deps.now() });
    }
    return polled.filter(({ row }) => {
      const since = badSince.get(row.id);
      return (
        since !== undefined && deps.monotonic() - since.monotonic >= TROUBLE_AFTER_MS && !told.has(row.id)
      );
    });
  }

  function forget(id: string): void {
    badSince.delete(id);
    told.delete(id);
  }

  async function once(keys: readonly string[], changes: () => Promise<Change[]>): Promise<void> {
    if (keys.every((key) => told.has(key))) return;
    await perform(deps, null, async () => ({ answer: undefined, changes: await changes() }));
    for (const key of keys) told.add(key);
  }

  /** One sentence for all probes of a bus: with its cable out they are all silent. */
  async function tellBad(bad: readonly PolledProbe[], buses: readonly BusRow[]): Promise<Change[]> {
    const changes: Change[] = [];
    for (const bus of buses) {
      const own = bad.filter(({ row }) => row.probe_bus_id === bus.id);
      const [first] = own;
      if (first === undefined) continue;
      const since = badSince.get(first.row.id)?.at ?? deps.now();
      changes.push(
        ...(await deps.notify(
          { farmId: bus.farm_id, who: 'operators' },
          {
            type: 'SYSTEM',
            severity: 'MEDIUM',
            title: (language) => titleOf(own, language),
            message: (language) => own.map((probe) => sentenceOf(probe, bus, language)).join(' '),
            data: {
              event: 'probe_trouble',
              probe_ids: own.map(({ row }) => row.id),
              probe_bus_id: bus.id,
              pond_id: first.row.pond_id,
              pond_cod: first.row.pond_cod,
            },
            cause: `probe_trouble:${first.row.id}:${isoOf(since)}`,
          },
        )),
      );
    }
    return changes;
  }

  function sentenceOf(probe: PolledProbe, bus: BusRow, language: Language): string {
    const { name, pond_cod, unit_id } = probe.row;
    const trouble = isStale(probe, deps.monotonic())
      ? troubleTold(probe.trouble, { place: placeOf(bus), kind: bus.kind, unitId: unit_id }, language)
      : null;
    if (trouble !== null) return `${name} (${pond_cod}): ${trouble.message} ${trouble.next}`;
    const reason =
      probe.samples.at(-1)?.values.find(({ quality }) => quality !== 'good')?.reason ?? 'NO_ANSWER';
    const clean = {
      'pt-BR': 'Limpe e verifique a sonda.',
      en: 'Clean and check the probe.',
      es: 'Limpie y revise la sonda.',
    }[language];
    return `${name} (${pond_cod}): ${reasonTold(reason, language)}. ${clean}`;
  }

  const isDue = (row: ProbeInPond) => (calibrationDue(row) ?? Number.POSITIVE_INFINITY) <= deps.now();

  function tellCalibration(row: ProbeInPond): Promise<Change[]> {
    return deps.notify(
      { farmId: row.farm_id, who: 'operators' },
      {
        type: 'SYSTEM',
        severity: 'LOW',
        title: (language) =>
          ({ 'pt-BR': 'Calibrar uma sonda', en: 'Calibrate a probe', es: 'Calibrar una sonda' })[language],
        message: (language) =>
          ({
            'pt-BR': `${row.name} em ${row.pond_cod} deve ser calibrada. Registre a data quando estiver feito.`,
            en: `${row.name} in ${row.pond_cod} is due for calibration. Enter the date when it is done.`,
            es: `${row.name} en ${row.pond_cod} debe ser calibrada. Registre la fecha cuando esté hecho.`,
          })[language],
        data: {
          event: 'probe_calibration_due',
          probe_id: row.id,
          pond_id: row.pond_id,
          pond_cod: row.pond_cod,
        },
        cause: calibrationCause(row),
      },
    );
  }

  return { look };
}

/** The same until it is calibrated: told once, also after a restart. */
const calibrationCause = (row: ProbeInPond) =>
  `probe_calibration:${row.id}:${row.calibrated_at ?? row.created_at}:${row.calibration_days}`;

function titleOf(probes: readonly PolledProbe[], language: Language): string {
  const names = probes.map(({ row }) => row.name).join(', ');
  return {
    'pt-BR': `Sem valor confiável de ${names}`,
    en: `No good value from ${names}`,
    es: `Sin valor confiable de ${names}`,
  }[language];
}
