import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { calendarDay, figure, grams, type Language, percent } from '#science/advice/language.ts';
import { missingText } from '#science/advice/missing-words.ts';
import { type BatchReport, endDayOf, type ReportSeries } from './batch-report.ts';
import { REPORT_WORDS, type ReportWords } from './report-words.ts';
import { type Chart, escaped, svgChart } from './svg-chart.ts';

/** Stands between the style tags of the page exactly so: the content policy knows it by its hash. */
export const REPORT_STYLE = `
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #1c2b33; background: #fff; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; border-bottom: 2px solid #0b6e78; }
header p, footer { color: #51626b; margin: .2rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .5rem .25rem 0; border-bottom: 1px solid #d8e0e3; font-weight: normal; }
td { text-align: right; font-variant-numeric: tabular-nums; }
th.wide { width: 55%; }
thead th { color: #51626b; font-size: .85rem; text-align: right; }
thead th:first-child { text-align: left; }
figure { margin: .6rem 0 1rem; break-inside: avoid; }
figcaption { font-size: .9rem; color: #51626b; }
.chart { width: 100%; height: auto; }
.grid { stroke: #d8e0e3; stroke-width: 1; }
.tick, .axis { font-size: 11px; fill: #51626b; }
.line { fill: none; stroke: #0b6e78; stroke-width: 2; }
.dashed { fill: none; stroke: #b35a00; stroke-width: 2; stroke-dasharray: 6 4; }
.dot { fill: #0b6e78; }
.bar { fill: #0b6e78; }
.stroke { stroke: #0b6e78; stroke-width: 2; }
.band { fill: #0b6e78; fill-opacity: .18; }
@media print {
  @page { size: A4; margin: 16mm; }
  body { font-size: 11pt; margin: 0; max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  tr, figure { break-inside: avoid; }
}
`;

type Said = { words: ReportWords; language: Language };

/** A report as one page: readable on a phone, printable on A4, without a script. All text in it is escaped. */
export function reportPage(
  report: BatchReport,
  given: { series: ReportSeries; language: Language; today: string },
): string {
  const { language, series, today } = given;
  const words = REPORT_WORDS[language];
  const said: Said = { words, language };
  const { state } = report.history;
  const title = escaped(`${words.title} ${state.batch.batch_code}`);
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${REPORT_STYLE}</style></head><body>`,
    `<header><h1>${title}</h1>${headLines(report, said)}</header>`,
    production(report, said),
    growth(series, said),
    feedPerWeek(series, said),
    water(report, series, said),
    costs(report, said),
    `<footer>${escaped(`${words.madeOn} ${calendarDay(today, language)}`)}</footer>`,
    '</body></html>',
  ].join('\n');
}

function headLines({ history: { state }, pond }: BatchReport, { words, language }: Said): string {
  const { batch } = state;
  const end = endDayOf(state);
  const period = `${calendarDay(batch.start_date, language)} – ${end === null ? words.untilToday : calendarDay(end, language)}`;
  const lines = [
    `${words.farm}: ${pond.farmName} · ${words.pond}: ${state.pondCod}`,
    `${words.species}: ${batch.species} · ${words.lineage}: ${batch.lineage} · ${words.origin}: ${batch.larva_origin}`,
    `${words.period}: ${period} · ${words.status}: ${words.statuses[batch.status]}`,
  ];
  return lines.map((line) => `<p>${escaped(line)}</p>`).join('');
}

function production({ history }: BatchReport, said: Said): string {
  const { words, language } = said;
  const { state } = history;
  const { latestBiometry } = state;
  const count = (n: number) => figure(n, 0, language);
  const shrimp = (n: number) => `${count(n)} ${words.animals}`;
  const when = words.when[state.batch.status];
  const kg = (n: number) => `${figure(n, 1, language)} kg`;
  const taken =
    state.harvestedCount === 0 ? '–' : `${shrimp(state.harvestedCount)} · ${kg(state.harvestedKg)}`;
  const days = latestBiometry?.measurementDay ?? 0;
  const gain =
    latestBiometry === null || days <= 0
      ? '–'
      : `${figure((latestBiometry.batchWeightG - state.batch.initial_avg_weight) / days, 3, language)} g/d`;
  return section(words.production, [
    table([
      [words.daysOfCulture, count(state.daysActive)],
      [words.stocked, shrimp(state.batch.initial_count)],
      // of a batch that has ended nothing lives, and how many did at its end is what was harvested
      ...(state.batch.status === 'ACTIVE'
        ? [[`${words.alive} ${when}`, shrimp(state.population)] as const]
        : []),
      [words.survival, percent(state.survivalRate, language)],
      [words.harvested, taken],
      [`${words.averageWeight} ${when}`, grams(state.currentWeightG, language)],
      [words.dailyGain, gain],
      [
        words.variation,
        latestBiometry?.coefficient_variation == null
          ? '–'
          : percent(latestBiometry.coefficient_variation, language),
      ],
      [`${words.biomass} ${when}`, kg(state.biomassKg)],
      [words.feed, kg(state.totalFeedKg)],
      [words.feedings, count(state.feedingCount)],
      [words.feedConversion, state.fca === null ? '–' : figure(state.fca, 2, language)],
    ]),
  ]);
}

function growth({ measuredG, expectedG }: ReportSeries, said: Said): string {
  const { words } = said;
  return section(words.growth, [
    chart(
      {
        title: `${words.measured} (●) · ${words.expected} (- -)`,
        xName: words.ageDays,
        yName: 'g',
        marks: [
          { kind: 'dashed', name: words.expected, points: expectedG },
          { kind: 'line', name: words.measured, points: measuredG },
          { kind: 'dots', name: words.measured, points: measuredG },
        ],
      },
      said,
    ),
  ]);
}

function feedPerWeek({ feedKgByWeek }: ReportSeries, said: Said): string {
  const { words } = said;
  return section(words.feedPerWeek, [
    chart(
      {
        title: words.feedPerWeek,
        xName: words.week,
        yName: 'kg',
        marks: [{ kind: 'bars', name: words.feed, points: feedKgByWeek }],
      },
      said,
    ),
  ]);
}

function water(report: BatchReport, series: ReportSeries, said: Said): string {
  const { words, language } = said;
  const rows = WATER_FIELDS.flatMap((name) => {
    const totals = report.water.of.get(name);
    if (totals === undefined) return [];
    const cells = [totals.least, totals.mean, totals.most].map(
      (value) => `<td>${figure(value, 2, language)}</td>`,
    );
    const told = name === 'ammonia' ? words.ammonia[report.ammonia.basis] : words.figures[name];
    const own = `<tr><th scope="row">${escaped(told)}</th>${cells.join('')}</tr>`;
    return name === 'ammonia' ? [own, otherAmmonia(report, said)] : [own];
  });
  const head = ['', words.least, words.mean, words.most]
    .map((name) => `<th scope="col">${escaped(name)}</th>`)
    .join('');
  const bandOf = (name: 'dissolved_oxygen' | 'temperature', points: ReportSeries['oxygenByDay']) =>
    chart(
      {
        title: `${words.figures[name]}: ${words.dailyRange}`,
        xName: words.ageDays,
        yName: name === 'temperature' ? '°C' : 'mg/L',
        marks: [{ kind: 'band', name: words.dailyRange, points }],
      },
      said,
    );
  return section(`${words.water} (${words.pond} ${report.pond.cod})`, [
    `<p>${escaped(`${words.measurements}: ${figure(report.water.count, 0, language)}`)}</p>`,
    rows.length === 0 ? '' : `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`,
    bandOf('dissolved_oxygen', series.oxygenByDay),
    bandOf('temperature', series.temperatureByDay),
  ]);
}

/** Ammonia on the basis that the kit does not measure, worked out with the water beside each measurement. */
function otherAmmonia({ ammonia: { basis, totals } }: BatchReport, { words, language }: Said): string {
  if (totals === null) return '';
  const other = basis === 'TAN' ? 'NH3' : 'TAN';
  const of = other === 'NH3' ? totals.nh3N : totals.tan;
  const cells = [of?.least, of?.mean, of?.most].map(
    (value) => `<td>${value === undefined ? '–' : figure(value, 3, language)}</td>`,
  );
  const why = other === 'TAN' && totals.tan === null ? words.notWorkedOut : words.workedOut;
  const named = `${words.ammonia[other]}, ${totals.isWorst && other === 'NH3' ? words.atWorst : why}`;
  return `<tr><th scope="row">${escaped(named)}</th>${cells.join('')}</tr>`;
}

function costs({ money }: BatchReport, { words, language }: Said): string {
  if (money === null) return '';
  const { costs: spent, currency } = money;
  const sign = currency === 'BRL' ? 'R$' : 'US$';
  const amount = (value: number | null) => (value === null ? '–' : `${sign} ${figure(value, 2, language)}`);
  const missing = missingText(spent.missing, language);
  return section(words.money, [
    table([
      [words.feedCost, amount(spent.totalFeedCost)],
      [words.operationalCost, amount(spent.totalOperationalCost)],
      [words.energyCost, amount(spent.totalEnergyCost)],
      [words.totalCost, amount(spent.totalCost)],
      [words.costPerKg, amount(spent.totalCost === null ? null : spent.costPerKg)],
    ]),
    ...(missing === null ? [] : [`<p>${escaped(missing)}</p>`]),
  ]);
}

function section(title: string, parts: readonly string[]): string {
  return `<section><h2>${escaped(title)}</h2>${parts.join('')}</section>`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(
    ([name, value]) =>
      `<tr><th class="wide" scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
  );
  return `<table><tbody>${lines.join('')}</tbody></table>`;
}

function chart(of: Chart, { words, language }: Said): string {
  const svg = svgChart(of, language);
  const shown = svg ?? `<p>${escaped(words.nothing)}</p>`;
  return `<figure>${shown}<figcaption>${escaped(of.title)}</figcaption></figure>`;
}
