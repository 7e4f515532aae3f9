import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  doctorAnswer,
  type FindingId,
  type InEach,
  SEVERITIES_BY_FINDING,
} from '#contract/resources/system-doctor.ts';
import { LANGUAGES, type Language } from '#contract/words.ts';
import { MODEM_WORDS } from '#features/alarms/modem/modem-words.ts';
import { examine } from '#features/system/doctor/examine.ts';
import type { DoctorFacts, RunFacts } from '#features/system/doctor/ports.ts';
import { options } from '#runtime/options.ts';
import { aController } from './healthy-facts.ts';
import { farmWith, PROVOCATIONS, well } from './provocations.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { now } = well;

const examined = (...different: Parameters<typeof farmWith>) => examine(farmWith(...different));
/** Every finding with every severity it is told with, as `disk_space bad`. */
const KINDS = Object.entries(SEVERITIES_BY_FINDING).flatMap(([id, severities]) =>
  severities.map((severity) => `${id} ${severity}`),
);

describe('a gateway with which all is well', () => {
  it('has no finding that asks for anything', () => {
    const report = examine(well);
    expect(report.worst).toBe('ok');
    expect(report.findings.filter(({ severity }) => severity !== 'ok')).toEqual([]);
    expect(report.findings.filter(({ next_step: next }) => next !== null)).toEqual([]);
    expect(doctorAnswer.parse(report)).toEqual(report);
  });

  it('is told everything that can be well', () => {
    const starting = examined({ modem: { state: 'starting', words: MODEM_WORDS.starting } });
    const told = [...examine(well).findings, ...starting.findings].map(({ id }) => `${id} ok`);
    expect(new Set(told)).toEqual(new Set(KINDS.filter((kind) => kind.endsWith(' ok'))));
  });
});

describe('the doctor tells that', () => {
  it.each(PROVOCATIONS)('%s', (_fact, different, id, severity) => {
    const { findings } = examined(different);
    const found = findings.filter((one) => one.id === id);
    expect(found.map((one) => one.severity)).toContain(severity);
  });

  it('everything that it can find, with every severity, has a fact of a farm above', () => {
    const provoked = new Set(PROVOCATIONS.map(([, , id, severity]) => `${id} ${severity}`));
    expect(provoked).toEqual(new Set(KINDS.filter((kind) => !kind.endsWith(' ok'))));
  });

  it('nothing that is not written down', () => {
    const told = PROVOCATIONS.flatMap(([, different]) => examined(different).findings);
    const kinds = told.map(({ id, severity }) => `${id} ${severity}`);
    expect(kinds.filter((kind) => !KINDS.includes(kind))).toEqual([]);
  });
});

/** What a farm that has this trouble is told to do, in each language. */
const NEXT_STEPS: readonly (readonly [FindingId, InEach | null, InEach])[] = PROVOCATIONS.flatMap(
  ([, different, id, severity]) =>
    examined(different)
      .findings.filter((one) => one.id === id && one.severity === severity)
      .map(({ next_step: next, sentence }) => [id, next, sentence] as const),
);
const each = (text: RegExp, take: (found: string) => void, language: Language) => {
  for (const [, next] of NEXT_STEPS)
    for (const [, found = ''] of next?.[language].matchAll(text) ?? []) take(found);
};

describe('who is told of trouble', () => {
  it('is told what to do, in each language', () => {
    const isSentence = (text: string | undefined) => /^\p{Lu}.*\p{L}{2}.*[.?)]$/u.test(text ?? '');
    const without = NEXT_STEPS.filter(
      ([, next, sentence]) =>
        !isSentence(next?.['pt-BR']) ||
        !isSentence(next?.en) ||
        !isSentence(next?.es) ||
        new Set(Object.values(next ?? {})).size < 3 ||
        // `Program 1.0.0, Node …` is one word for both neighbours
        sentence.en === sentence['pt-BR'] ||
        sentence.en === sentence.es,
    );
    expect(without).toEqual([]);
    expect(NEXT_STEPS.length).toBeGreaterThanOrEqual(PROVOCATIONS.length);
  });

  it('reads the same figures in each language', () => {
    const figures = (text: string) => (text.match(/\d+(?:[.,]\d+)?/g) ?? []).map((n) => n.replace(',', '.'));
    for (const [id, next, sentence] of NEXT_STEPS)
      for (const said of [sentence, next])
        for (const language of LANGUAGES)
          expect([id, figures(said?.[language] ?? '')]).toEqual([id, figures(said?.['pt-BR'] ?? '')]);
  });

  it('reads words of a farm, not of programs, each in its language', () => {
    for (const [, next, sentence] of NEXT_STEPS) {
      const portuguese = `${sentence['pt-BR']} ${next?.['pt-BR']}`;
      const english = `${sentence.en} ${next?.en}`;
      // names of states, operations of the interface, things that were not known
      const spanish = `${sentence.es} ${next?.es}`;
      for (const text of [portuguese, english, spanish])
        expect(text).not.toMatch(/\b[a-z]+_[a-z]+|\b(GET|POST) |npm run|undefined|\bnull\b|NaN/);
      expect(portuguese).not.toMatch(/(?<!\p{L})(the|of|is|was|and|not|with)(?!\p{L})/u);
      expect(english).not.toMatch(/(?<!\p{L})(de|não|um|está|com|das|que)(?!\p{L})/u);
      expect(spanish).not.toMatch(/(?<!\p{L})(the|of|is|was|and|not|with|não|um|com|das|há|em|ou)(?!\p{L})/u);
    }
  });

  it('is sent to documents that there are, in the language of the reader', () => {
    const named = { 'pt-BR': [] as string[], en: [] as string[], es: [] as string[] };
    each(/(docs\/[\w/.-]+\.md)/g, (file) => named['pt-BR'].push(file), 'pt-BR');
    each(/(docs\/[\w/.-]+\.md)/g, (file) => named.en.push(file), 'en');
    expect(named.en.length).toBeGreaterThan(5);
    expect(named['pt-BR']).toEqual(named.en.map((file) => file.replace('docs/en/', 'docs/pt-br/')));
    each(/(docs\/[\w/.-]+\.md)/g, (file) => named.es.push(file), 'es');
    expect(named.es).toEqual(named.en.map((file) => file.replace('docs/en/', 'docs/es/')));
    for (const file of [...named['pt-BR'], ...named.en, ...named.es])
      expect([file, existsSync(file)]).toEqual([file, true]);
  });

  it('is sent to screens, commands and options that there are', () => {
    const sources = ['backup', 'restore', 'doctor']
      .map((name) => readFileSync(`gateway/cli/${name}.ts`, 'utf8'))
      .join('\n');
    const command = readFileSync('packaging/command', 'utf8');
    for (const language of LANGUAGES) {
      const words = readFileSync(`desktop/console/words/${language}/system.ts`, 'utf8');
      const screens = [...words.matchAll(/name: '([^']+)'/g)].map(([, name]) => name);
      const seen: string[] = [];
      each(/(?:Sistema|System) → (\p{L}+)/gu, (name) => seen.push(name), language);
      expect(seen.length).toBeGreaterThan(5);
      expect(seen.filter((name) => !screens.includes(name))).toEqual([]);
      each(/sudo shrimp-farm-gateway (\w+)/g, (name) => expect(command).toContain(name), language);
      each(
        /(?<![\w-])--([a-z][a-z-]+)/g,
        (option) => {
          const isKnown = option in options || sources.includes(option) || option === 'now';
          expect([option, isKnown]).toEqual([option, true]);
        },
        language,
      );
    }
  });
});

describe('a report', () => {
  it('begins with the worst, and ends by it', () => {
    const report = examined({ disk: { freeBytes: 20e6 }, run: { cause: 'power' } });
    expect([report.worst, report.findings[0]?.id]).toEqual(['bad', 'disk_space']);
  });

  it('says nothing of what is not known', () => {
    const nothing = Object.fromEntries(Object.keys(well).map((name) => [name, null]));
    // a report of nothing but who asks
    const facts = { ...nothing, now, role: 'hosted', version: '1', unknown: [] } as unknown as DoctorFacts;
    expect(examine(facts).findings).toEqual([]);
  });

  it('stays small whatever other programs say, and whatever hangs on the box', () => {
    const endless = 'a sentence without end\n'.repeat(100);
    const inEach = { 'pt-BR': endless, en: endless, es: endless };
    const lots = <One>(one: One) => Array.from({ length: 5_000 }, () => one);
    const { findings } = examined({
      run: { fault: endless },
      database: { wrong: endless },
      certificates: { authorityTrouble: endless, serverTrouble: endless },
      backup: { trouble: endless },
      versions: { schemaDue: lots('0001_x.sql') },
      unknown: [{ section: 'disk', reason: endless }],
      serialPorts: { ports: lots({ path: '/dev/ttyUSB0', mayOpen: false, usedBy: ['ModemManager'] }) },
      probes: lots({
        name: 'DO-1',
        pond: 'V-01',
        trouble: { message: inEach, next: inEach },
        isCalibrationDue: true,
      }),
      controllers: lots(aController({ isOnline: false, hasKey: false })),
    });
    expect(findings.length).toBeLessThan(200);
    const texts = findings.flatMap(({ sentence, next_step: next, measured }) =>
      [sentence['pt-BR'], sentence.en, next?.['pt-BR'], next?.en, measured?.value]
        .filter((text) => typeof text === 'string')
        .map((text) => text.length),
    );
    expect(Math.max(...texts)).toBeLessThanOrEqual(400);
    expect(findings.filter(({ sentence }) => sentence.en.includes('\n'))).toEqual([]);
  });
});

describe('of a gateway that loses what it holds when it stops, the doctor', () => {
  const boot = { rung: 'last_good', isWhole: false, isMemoryOnly: true, detail: '' } as const;
  const ofDatabase = (...different: Parameters<typeof farmWith>) =>
    examined(...different).findings.filter(({ id }) => id.startsWith('database'));

  it('says first of all that nothing is saved, and never that it may be restarted before that is written down', () => {
    for (const bytes of [null, 50e6]) {
      const found = ofDatabase({ database: { bytes, boot, checkedAt: null, snapshotAt: null } });
      expect(found.map(({ id }) => id)).toEqual(['database_in_memory']);
      expect(found[0]?.next_step?.en).toMatch(/^Do not restart yet/);
      expect(found[0]?.next_step?.['pt-BR']).toMatch(/^Não reinicie ainda/);
    }
  });

  it('warns of a restart while the removed file is still open, and asks for a start only where none runs', () => {
    const stepOf = (state: 'running' | 'stopped') =>
      ofDatabase({ database: { bytes: null }, run: { state } })[0]?.next_step?.en;
    expect(stepOf('running')).toMatch(/^Do not restart/);
    expect(stepOf('stopped')).toMatch(/^Start or restart/);
  });
});

describe('a backup of five hours ago', () => {
  const ofBackup = (run: Partial<RunFacts>, until: number | null) =>
    examined({ run, backup: { newestAt: now - 5 * HOUR, until } })
      .findings.filter(({ id }) => id === 'backup_age')
      .map(({ severity }) => severity);

  it('is late while the gateway runs, and on one that ran on without making another', () => {
    expect(ofBackup({}, now)).toEqual(['bad']);
    expect(ofBackup({ state: 'stopped' }, now - HOUR)).toEqual(['bad']);
  });

  it('is not where the gateway has been stopped since, nor in the first minutes after its start', () => {
    expect(ofBackup({ state: 'stopped' }, now - 4 * HOUR)).toEqual(['ok']);
    expect(ofBackup({ state: 'starting' }, null)).toEqual(['ok']);
    expect(ofBackup({ startedAt: now - 600_000 }, now)).toEqual(['ok']);
  });
});

describe('a gateway that sends what gathered in a month', () => {
  it('is well as long as some of it is confirmed now and then, and in the first minutes after a start', () => {
    const sync = { state: 'catching_up' as const, waitingRows: 90_000, lagS: 30 * 86_400 };
    const severityOf = (ackAgeS: number | null, startedAt: number) =>
      examined({ sync: { ...sync, ackAgeS }, run: { startedAt } }).findings.find(
        ({ id }) => id === 'sync_state',
      )?.severity;
    expect(severityOf(20, now - DAY)).toBe('ok');
    expect(severityOf(null, now - 60_000)).toBe('ok');
    expect(severityOf(null, now - HOUR)).toBe('warn');
  });
});

describe('of controllers the doctor', () => {
  const judged = (...controllers: ReturnType<typeof aController>[]) =>
    examined({ controllers })
      .findings.filter(({ severity }) => severity !== 'ok')
      .map(({ id, severity, control_point: about }) => [id, severity, about?.device_id ?? null]);

  it('names each with its control point', () => {
    expect(judged(aController({ hasKey: false }))).toEqual([['controller_unkeyed', 'warn', 'aer-1']]);
  });

  it('warns of none without a key that nobody can play, because it is heard with one alone', () => {
    expect(judged(aController({ hasKey: false, takesUnkeyed: false }))).toEqual([]);
    expect(judged(aController({ hasKey: false, takesUnkeyed: true }))).toHaveLength(1);
  });

  it('finds those behind the newest firmware of their farm, by number and not by letter', () => {
    const found = judged(
      aController({ deviceId: 'old', firmware: '2.9.0' }),
      aController({ deviceId: 'new', firmware: 'v2.10.1-rc' }),
      aController({ deviceId: 'odd', firmware: 'nightly' }),
      aController({ deviceId: 'elsewhere', farmId: 'other', firmware: '1.0' }),
    );
    expect(found).toEqual([['controller_old_firmware', 'note', 'old']]);
  });

  it('names twenty of a kind and sums up the rest', () => {
    const found = judged(
      ...Array.from({ length: 50 }, (_, n) => aController({ deviceId: `d-${n}`, hasKey: false })),
    );
    expect(found).toHaveLength(21);
    expect(found.at(-1)).toEqual(['controller_unkeyed_more', 'warn', null]);
  });

  it('names one that fell silent before thirty that never came', () => {
    const never = Array.from({ length: 30 }, () => aController({ isOnline: false, heardAt: null }));
    const found = judged(...never, aController({ deviceId: 'lost', isOnline: false, heardAt: now - HOUR }));
    expect(found[0]).toEqual(['controller_silent', 'bad', 'lost']);
    expect(found.at(-1)).toEqual(['controller_silent_more', 'note', null]);
  });

  it('calls none silent while the gateway itself is stopped', () => {
    expect(judged(aController({ isOnline: null, heardAt: now - DAY }))).toEqual([]);
  });
});

describe('a clock that was put back', () => {
  it('makes nothing older than now', () => {
    const later = now + 30 * DAY;
    const { findings } = examined({
      run: { startedAt: later },
      database: { checkedAt: later, snapshotAt: later },
      backup: { newestAt: later, provedAt: later },
      controllers: [aController({ isOnline: false, heardAt: later })],
    });
    const ages = findings.filter(({ measured }) => measured?.unit === 's' || measured?.unit === 'd');
    expect(ages.filter(({ measured }) => Number(measured?.value) < 0)).toEqual([]);
    expect(findings.filter(({ sentence }) => /-\d/.test(sentence.en)).map(({ id }) => id)).toEqual([
      // a name and a level, no ages
      'controller_silent',
      'modem_signal',
    ]);
  });
});
