import { writeFileSync } from 'node:fs';
import { ADVICE_SOURCES, ADVICE_STAGES, type Advice } from '#science/advice/advice-sources.ts';
import { ADVICE, fedAboveText, wordsOf } from '#science/advice/advice-table.ts';
import { doseOf } from '#science/advice/alkalinity-dose.ts';
import { figure, LANGUAGES, type Language } from '#science/advice/language.ts';
import { amount, parameterTitle } from '#science/advice/water-advice.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { alertTypesOf, optimalRange, WATER_PARAMETERS } from '#science/water-limits.ts';

// Makes docs/{en,pt-br,es}/advice.md out of the table of advice: `node scripts/advice-page.ts`. A test holds them together.

const WORDS = {
  en: {
    others: '[Português](../pt-br/advice.md) · [Español](../es/advice.md)',
    title: 'Advice: what is said, when, and after whom',
    intro: [
      'This page is made from the table that alarms, alerts, notifications, trends, the ration and the console speak from',
      '(`node scripts/advice-page.ts`); a test fails where they differ. A farm may put its own words for an alarm in place of it. Limits are the',
      'defaults; a farm may set its own.',
    ],
    stages: { now: 'Now', today: 'Today', week: 'In the days that follow' },
    head: ['Parameter', 'When', 'What is said', 'After'],
    any: 'out of range',
    volatile: 'swings from day to day',
    forecast: 'low oxygen expected at dawn',
    bySalinity: 'from half of what harms at its salinity, or where that is unknown',
    farFromHarm: 'below half of what harms at its salinity',
    ration: 'What the ration allows for',
    rationHead: ['Measured', 'Share of the ration'],
    rationAfter:
      'Of oxygen and ammonia the worse one counts; temperature is multiplied with it. What nobody measured counts as oxygen of',
    rationLimits: (unknown: string, dawn: string) =>
      `What nobody measured cuts the ration by ${unknown} at most; a dawn that was low, while oxygen is good again, by ${dawn} at most.`,
    temperature: 'Temperature',
    oxygen: 'Oxygen',
    ammonia: 'Ammonia, NH₃-N',
    sources: 'Sources',
    and: ' and ',
  },
  'pt-BR': {
    others: '[English](../en/advice.md) · [Español](../es/advice.md)',
    title: 'Orientações: o que se diz, quando e segundo quem',
    intro: [
      'Esta página é feita da tabela de que falam alarmes, alertas, avisos, tendências, a ração e o console (`node scripts/advice-page.ts`); um',
      'teste falha onde diferem. A fazenda pode pôr as próprias palavras no lugar das de um alarme. Os limites são os padrões; a fazenda pode',
      'definir os seus.',
    ],
    stages: { now: 'Agora', today: 'Hoje', week: 'Nos dias seguintes' },
    head: ['Parâmetro', 'Quando', 'O que se diz', 'Segundo'],
    any: 'fora da faixa',
    volatile: 'oscila de um dia para o outro',
    forecast: 'oxigênio baixo previsto para o amanhecer',
    bySalinity: 'a partir da metade do que faz mal na salinidade, ou se ela não é conhecida',
    farFromHarm: 'abaixo da metade do que faz mal na salinidade',
    ration: 'O que a ração desconta',
    rationHead: ['Medido', 'Parte da ração'],
    rationAfter:
      'De oxigênio e amônia conta o pior; a temperatura multiplica. O que ninguém mediu conta como oxigênio de',
    rationLimits: (unknown: string, dawn: string) =>
      `O que ninguém mediu corta a ração em ${unknown} no máximo; um amanhecer baixo, com o oxigênio já recuperado, em ${dawn} no máximo.`,
    temperature: 'Temperatura',
    oxygen: 'Oxigênio',
    ammonia: 'Amônia, NH₃-N',
    sources: 'Fontes',
    and: ' e ',
  },
  es: {
    others: '[English](../en/advice.md) · [Português](../pt-br/advice.md)',
    title: 'Consejos: qué se dice, cuándo y según quién',
    intro: [
      'Esta página se hace de la tabla de la que hablan alarmas, alertas, avisos, tendencias, la ración y el panel (`node scripts/advice-page.ts`); una',
      'prueba falla donde difieren. La camaronera puede poner sus propias palabras en lugar de las de una alarma. Los límites son los de fábrica; la',
      'camaronera puede definir los suyos.',
    ],
    stages: { now: 'Ahora', today: 'Hoy', week: 'En los días siguientes' },
    head: ['Parámetro', 'Cuándo', 'Qué se dice', 'Según'],
    any: 'fuera del rango',
    volatile: 'oscila de un día a otro',
    forecast: 'oxígeno bajo previsto para el amanecer',
    bySalinity: 'desde la mitad de lo que hace daño a su salinidad, o donde esta no se conoce',
    farFromHarm: 'por debajo de la mitad de lo que hace daño a su salinidad',
    ration: 'Qué descuenta la ración',
    rationHead: ['Medido', 'Parte de la ración'],
    rationAfter:
      'De oxígeno y amoníaco cuenta el peor; la temperatura multiplica. Lo que nadie midió cuenta como oxígeno de',
    rationLimits: (unknown: string, dawn: string) =>
      `Lo que nadie midió recorta la ración en ${unknown} como máximo; un amanecer bajo, con el oxígeno ya recuperado, en ${dawn} como máximo.`,
    temperature: 'Temperatura',
    oxygen: 'Oxígeno',
    ammonia: 'Amoníaco, NH₃-N',
    sources: 'Fuentes',
    and: ' y ',
  },
} as const satisfies Readonly<Record<Language, unknown>>;

const { water, feeding } = SCIENCE_DEFAULTS;

/** The page as it has to stand in docs. */
export function advicePage(language: Language): string {
  const words = WORDS[language];
  const tables = ADVICE_STAGES.flatMap((stage) => [
    `## ${words.stages[stage]}`,
    '',
    ...tableOf(
      words.head,
      linesOf(stage).map((line) => rowOf(line, language)),
    ),
    '',
  ]);
  return [
    `# ${words.title}`,
    '',
    words.others,
    '',
    ...words.intro,
    '',
    ...tables,
    ...rationOf(language),
    `## ${words.sources}`,
    '',
    ...Object.entries(ADVICE_SOURCES).map(([id, source]) => `- **${id}**: ${source}.`),
    '',
  ].join('\n');
}

const linesOf = (stage: Advice['stage']): Advice[] =>
  WATER_PARAMETERS.flatMap((parameter) =>
    ADVICE.filter((line) => line.stage === stage && line.parameter === parameter),
  );

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
];

function rowOf(line: Advice, language: Language): string[] {
  return [
    parameterTitle(line.parameter, language),
    whenOf(line, language),
    wordsOf(line.words[language])
      .replace('{dose}', doseIn(line, language))
      .replace('{fed}', fedAboveText(water.alerts.LOW_OXYGEN.highFrom, language)),
    line.sources.join(', '),
  ];
}

const doseIn = ({ from }: Advice, language: Language): string =>
  doseOf({ ...(from === undefined ? { lime: 'N kg' } : {}), bicarbonate: 'N kg' }, language);

/** What milligrams of these are of. */
const NITROGEN_AS: Readonly<Partial<Record<Advice['parameter'], string>>> = {
  ammonia: ' NH₃-N',
  nitrite: ' NO₂-N',
  nitrate: ' NO₃-N',
};

/** The values a line is for. */
function whenOf(line: Advice, language: Language): string {
  const words = WORDS[language];
  const { parameter, problem, grades, from, below, stage } = line;
  const told = (value: number) => `${amount(parameter, value, language)}${NITROGEN_AS[parameter] ?? ''}`;
  const between = (one: number, other: number) =>
    `${told(Math.min(one, other))} – ${told(Math.max(one, other))}`;
  if (problem === 'VOLATILE') return words.volatile;
  if (stage === 'today') return words.forecast;
  const range = optimalRange(water, parameter);
  const limit = problem === 'HIGH' ? (range.max ?? range.min) : range.min;
  const beyond = problem === 'HIGH' ? '>' : '<';
  if (from !== undefined) return problem === 'HIGH' ? `≥ ${told(from)}` : between(from, limit);
  if (below !== undefined && problem === 'HIGH' && grades !== undefined)
    return between(harmfulOf(line) ?? limit, below);
  if (below !== undefined) return `< ${told(below)}`;
  if (grades === undefined) return `${beyond} ${told(limit)}`;
  const harmful = harmfulOf(line);
  if (harmful === null)
    return `${beyond} ${told(limit)}, ${grades.includes('LOW') ? words.farFromHarm : words.bySalinity}`;
  if (grades.includes('CRITICAL')) return `≤ ${told(water.criticalOxygenMgL)}`;
  const edge = problem === 'HIGH' ? '≥' : '≤';
  return grades.includes('HIGH') ? `${edge} ${told(harmful)}` : between(limit, harmful);
}

function harmfulOf({ parameter, problem }: Advice): number | null {
  const type = alertTypesOf(parameter).find((each) => each.startsWith(problem));
  return type === undefined ? null : highFrom(type);
}

function highFrom(type: keyof typeof water.alerts): number | null {
  const rule = water.alerts[type];
  return 'highFrom' in rule ? rule.highFrom : null;
}

function rationOf(language: Language): string[] {
  const words = WORDS[language];
  const rows = (name: string, unit: string, table: readonly { at: number; factor: number }[]) =>
    table.map(({ at, factor }) => [
      `${name} ${figure(at, at % 1 === 0 ? 0 : 1, language)} ${unit}`,
      `${figure(factor * 100, 0, language)}%`,
    ]);
  const { oxygenMgL, temperatureC, ammoniaNh3NMgL, leastFactor } = feeding.whenUnknown;
  const most = (factor: number) => `${figure((1 - factor) * 100, 0, language)}%`;
  return [
    `## ${words.ration}`,
    '',
    ...tableOf(words.rationHead, [
      ...rows(words.temperature, '°C', feeding.temperatureFactor),
      ...rows(words.oxygen, 'mg/L', feeding.oxygenFactor),
      ...rows(words.ammonia, 'mg/L', feeding.ammoniaFactor),
    ]),
    '',
    `${words.rationAfter} ${figure(oxygenMgL, 1, language)} mg/L, ${figure(temperatureC, 0, language)} °C${words.and}${figure(ammoniaNh3NMgL, 1, language)} mg/L NH₃-N.`,
    words.rationLimits(most(leastFactor), most(feeding.dawnLeastFactor)),
    '',
  ];
}

const FILES: Readonly<Record<Language, string>> = {
  en: 'docs/en/advice.md',
  'pt-BR': 'docs/pt-br/advice.md',
  es: 'docs/es/advice.md',
};

if (import.meta.main) {
  for (const language of LANGUAGES) writeFileSync(FILES[language], advicePage(language));
}
