import type { ImportKind } from '#contract/resources/imports.ts';
import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { SPANISH_NAMES, SPANISH_UNITS } from './spanish-columns.ts';
import type { Unit } from './units.ts';

/** How a column may be headed, and what an example looks like. The first alias is its Portuguese name. See SPANISH_NAMES, too. */
export type Column = {
  name: string;
  is: 'text' | 'integer' | 'number' | 'day' | 'moment' | 'time';
  aliases: readonly [string, ...string[]];
  example: string;
};

const batch: Column = {
  name: 'batch',
  is: 'text',
  aliases: ['lote', 'codigo_do_lote', 'batch_code', 'batch_id', 'batch_name', 'batch_number'],
  example: 'L-2025-01',
};
const pond: Column = {
  name: 'pond',
  is: 'text',
  aliases: ['viveiro', 'tanque', 'pond_cod', 'pond_name', 'pond_id', 'codigo_do_viveiro', 'vv', 'viv'],
  example: 'V-01',
};
const date = (...more: string[]): Column => ({
  name: 'date',
  is: 'moment',
  aliases: [
    'data',
    'dia',
    'data_hora',
    'data_e_hora',
    'date_time',
    'datetime',
    'date_and_time',
    'timestamp',
    'utc_date_time',
    'data_hora_local',
    'data_local',
    'local_date_time',
    'local_date',
    'data_da_coleta',
    'data_de_coleta',
    'data_da_amostragem',
    'data_da_leitura',
    'sampling_date',
    'sample_date',
    'created_at',
    ...more,
  ],
  example: '01/03/2025',
});
const time: Column = {
  name: 'time',
  is: 'time',
  aliases: [
    'hora',
    'horario',
    'hora_local',
    'local_time',
    'hora_da_coleta',
    'hora_da_leitura',
    'sampling_time',
    'sample_time',
  ],
  example: '06:00',
};
const notes: Column = {
  name: 'notes',
  is: 'text',
  aliases: [
    'observacoes',
    'observacao',
    'obs',
    'observations',
    'notas',
    'comentarios',
    'comments',
    'remarks',
  ],
  example: '',
};
const figure = (name: string, example: string, ...aliases: [string, ...string[]]): Column => ({
  name,
  is: 'number',
  aliases,
  example,
});
const text = (name: string, example: string, ...aliases: [string, ...string[]]): Column => ({
  name,
  is: 'text',
  aliases,
  example,
});

type WaterColumns = Record<(typeof WATER_FIELDS)[number], Pick<Column, 'aliases' | 'example'>>;
const WATER_COLUMN: WaterColumns = {
  temperature: {
    aliases: [
      'temperatura',
      'temperatura_c',
      'temperature_c',
      'temp',
      'temperatura_da_agua',
      'temp_agua',
      'temp_da_agua',
      'temperatura_agua',
      't_agua',
      'temp_c',
      'water_temperature',
      'water_temp',
      'rtd',
      't',
      'c',
    ],
    example: '28,4',
  },
  dissolved_oxygen: {
    aliases: [
      'oxigenio_dissolvido',
      'oxigenio',
      'oxig',
      'oxig_dissolvido',
      'oxig_dissolv',
      'ox_dissolvido',
      'o2_dissolvido',
      'od',
      'do',
      'oxigenio_mg_l',
      'od_mg_l',
      'o_d',
      'd_o',
      'odo',
      'rdo',
      'ldo',
      'do_conc',
      'do_concentration',
      'rdo_concentration',
      'dissolved_oxygen_concentration',
    ],
    example: '5,2',
  },
  ph: { aliases: ['ph', 'p_h', 'ph_da_agua'], example: '7,9' },
  salinity: {
    aliases: ['salinidade', 'salinidade_ppt', 'salinity_ppt', 'sal', 'salin', 'salin_ppt'],
    example: '20',
  },
  alkalinity: {
    aliases: [
      'alcalinidade',
      'alcalinidade_mg_l',
      'alcalinidade_total',
      'alc',
      'alc_total',
      'alcal',
      'alk',
      'total_alkalinity',
      'alkalinity_total',
    ],
    example: '',
  },
  // nitrogen-columns.ts knows their other names, and what these count
  ammonia: { aliases: ['amonia', 'amonia_mg_l'], example: '' },
  nitrite: { aliases: ['nitrito', 'nitrito_mg_l'], example: '' },
  nitrate: { aliases: ['nitrato', 'nitrato_mg_l'], example: '' },
  transparency: {
    aliases: [
      'transparencia',
      'transparencia_cm',
      'secchi',
      'transp',
      'transp_cm',
      'disco_de_secchi',
      'secchi_disk',
    ],
    example: '',
  },
};

export const COLUMNS: Readonly<Record<ImportKind, readonly Column[]>> = {
  batches: [
    { ...batch, name: 'batch_code', aliases: ['lote', 'codigo', 'codigo_do_lote', 'batch', 'batch_name'] },
    pond,
    text('species', 'Litopenaeus vannamei', 'especie'),
    text('lineage', 'SPF', 'linhagem'),
    text('larva_origin', 'Aracati', 'origem_da_larva', 'origem_das_larvas', 'larvicultura', 'origem'),
    {
      name: 'start_date',
      is: 'day',
      aliases: ['data_de_povoamento', 'povoamento', 'inicio', 'data_inicio', 'data_de_inicio'],
      example: '01/03/2025',
    },
    {
      name: 'actual_harvest_date',
      is: 'moment',
      aliases: ['data_da_despesca', 'despesca', 'data_de_despesca', 'fim', 'end_date', 'data_fim'],
      example: '20/06/2025',
    },
    {
      name: 'initial_count',
      is: 'integer',
      aliases: ['quantidade_inicial', 'populacao_inicial', 'quantidade', 'initial_population', 'larvas'],
      example: '100000',
    },
    figure(
      'initial_avg_weight',
      '0,003',
      'peso_inicial_g',
      'peso_inicial',
      'peso_medio_inicial',
      'peso_medio_inicial_g',
      'initial_average_weight',
      'initial_weight',
      'stocking_weight',
    ),
    figure('initial_density', '33,3', 'densidade', 'densidade_inicial'),
    figure(
      'estimated_survival_rate',
      '85',
      'sobrevivencia',
      'sobrevivencia_estimada',
      'survival_rate',
      'taxa_de_sobrevivencia',
    ),
    text('status', 'FINISHED', 'situacao', 'estado'),
    figure(
      'final_weight_kg',
      '850',
      'biomassa_final_kg',
      'peso_final_kg',
      'biomassa_despescada',
      'biomassa_final',
    ),
    notes,
  ],
  biometries: [
    batch,
    { ...pond, example: '' },
    date('measurement_date', 'data_da_biometria'),
    time,
    {
      name: 'sample_size',
      is: 'integer',
      aliases: [
        'amostra',
        'tamanho_da_amostra',
        'numero_de_animais',
        'n_animais',
        'n_de_animais',
        'no_animais',
        'no_de_animais',
        'sample_count',
      ],
      example: '100',
    },
    figure(
      'total_weight_g',
      '512,3',
      'peso_total_g',
      'peso_total',
      'peso_da_amostra',
      'peso_da_amostra_g',
      'sample_weight',
    ),
    figure(
      'average_weight_g',
      '',
      'peso_medio_g',
      'peso_medio',
      'gramatura',
      'gramatura_g',
      'average_weight',
    ),
    figure('weight_sd_g', '', 'desvio_padrao_g', 'desvio_padrao', 'standard_deviation'),
    notes,
  ],
  feeding: [
    batch,
    { ...pond, example: '' },
    date('feed_date', 'data_do_arracoamento'),
    time,
    text('feed_type', 'Ração 35 %', 'tipo_de_racao', 'racao', 'tipo'),
    figure('quantity_kg', '12,5', 'quantidade_kg', 'quantidade', 'racao_kg', 'kg'),
    figure('cost_per_kg', '6,20', 'custo_por_kg', 'preco_por_kg', 'custo_kg', 'preco_kg', 'custo', 'preco'),
    figure('tray_leftover_percent', '', 'sobra_percentual', 'sobra', 'sobras', 'tray_leftover', 'leftover'),
    notes,
  ],
  measurements: [
    pond,
    date('measurement_date', 'data_da_medicao'),
    time,
    ...WATER_FIELDS.map((name): Column => ({ name, is: 'number', ...WATER_COLUMN[name] })),
    notes,
  ],
  // what was used is no reading: a column `kWh` or `Consumo` says not which of the two it is
  meters: [
    text(
      'meter',
      'Casa de bombas',
      'medidor',
      'relogio',
      'numero_do_medidor',
      'n_do_medidor',
      'energy_meter',
    ),
    date(),
    time,
    figure('counter', '10452,5', 'leitura', 'leitura_do_medidor', 'leitura_kwh', 'reading', 'meter_reading'),
    figure('meter_factor', '', 'fator', 'fator_de_multiplicacao', 'constante', 'factor', 'multiplier'),
    text('meter_change', '', 'troca', 'troca_do_medidor', 'change', 'meter_changed'),
    text('responsible', '', 'responsavel', 'leiturista', 'quem_leu', 'read_by'),
    notes,
  ],
};

/** Headings that say the unit, too; null: the unit must stand beside it. */
type UnitInName = { column: string; unit: Unit | null };
const UNIT_IN_NAME: Readonly<Record<string, UnitInName>> = {
  ...fromAliases('dissolved_oxygen', 'percent', [
    'saturacao',
    'saturacao_de_oxigenio',
    'saturacao_de_od',
    'saturacao_od',
    'od_saturacao',
    'od_sat',
    'do_sat',
    'odo_sat',
    'do_saturation',
    'rdo_saturation',
    'dissolved_oxygen_saturation',
    'oxygen_saturation',
    'percent_saturation',
  ]),
  ...fromAliases('salinity', null, [
    'condutividade',
    'condutividade_eletrica',
    'conductivity',
    'actual_conductivity',
    'cond',
    'ec',
    'ce',
    'c_us_cm',
  ]),
  ...fromAliases('salinity', null, [
    'spcond',
    'spc',
    'specific_conductivity',
    'specific_conductance',
    'condutividade_a_25_c',
    'condutividade_especifica',
  ]),
};
/** Conductivity as if the water had 25 °C. */
export const AT_25 =
  /^(?:spcond|spc|specific_conduct|condutividade_a_25|condutividade_especifica|conductividad_especifica)/;

/** The column that a heading names together with its unit; null: it names none of this kind. */
export function unitInName(kind: ImportKind, word: string): { column: Column; unit: Unit | null } | null {
  const columns = COLUMNS[kind];
  const known = Object.hasOwn(UNIT_IN_NAME, word) ? UNIT_IN_NAME[word] : undefined;
  const column = columns.find(({ name }) => name === known?.column);
  if (known !== undefined && column !== undefined) return { column, unit: known.unit };
  for (const [name, unit, words] of SPANISH_UNITS) {
    const found = words.includes(word) ? columns.find((each) => each.name === name) : undefined;
    if (found !== undefined) return { column: found, unit };
  }
  return null;
}

function fromAliases(column: string, unit: Unit | null, aliases: readonly string[]) {
  return Object.fromEntries(aliases.map((alias) => [alias, { column, unit }]));
}

/** `Peso médio (g)` is `peso_medio_g`. */
export function wordOf(heading: string): string {
  return heading
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}

/** Whether our own template heads the column so, in any language. */
export function isOfTemplate(kind: ImportKind, name: string, heading: string): boolean {
  const portuguese = COLUMNS[kind].find((column) => column.name === name)?.aliases[0];
  return [name, portuguese, SPANISH_NAMES[name]?.[0]].includes(wordOf(heading));
}

/** The column that bears this name; a name goes before what another is also called. */
export function columnNamed(kind: ImportKind, word: string): Column | null {
  const columns = COLUMNS[kind];
  return (
    columns.find(({ name }) => name === word) ??
    columns.find(({ aliases }) => aliases.includes(word)) ??
    columns.find(({ name }) => SPANISH_NAMES[name]?.includes(word)) ??
    null
  );
}
