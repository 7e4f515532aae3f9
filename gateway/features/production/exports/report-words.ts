import type { WaterField } from '#contract/resources/water-quality.ts';
import type { BatchStatus } from '#contract/words.ts';
import type { Language } from '#science/advice/language.ts';

export type ReportWords = {
  title: string;
  farm: string;
  pond: string;
  species: string;
  lineage: string;
  origin: string;
  period: string;
  untilToday: string;
  status: string;
  statuses: Record<BatchStatus, string>;
  production: string;
  daysOfCulture: string;
  stocked: string;
  alive: string;
  animals: string;
  /** Behind population, weight and biomass: now, or at the end. */
  when: Record<BatchStatus, string>;
  survival: string;
  harvested: string;
  averageWeight: string;
  dailyGain: string;
  variation: string;
  biomass: string;
  feed: string;
  feedings: string;
  feedConversion: string;
  growth: string;
  measured: string;
  expected: string;
  ageDays: string;
  feedPerWeek: string;
  week: string;
  water: string;
  measurements: string;
  least: string;
  mean: string;
  most: string;
  dailyRange: string;
  figures: Record<Exclude<WaterField, 'ammonia'>, string>;
  /** By what is measured, or worked out of it. */
  ammonia: Record<'NH3' | 'TAN', string>;
  workedOut: string;
  atWorst: string;
  notWorkedOut: string;
  money: string;
  feedCost: string;
  operationalCost: string;
  energyCost: string;
  totalCost: string;
  costPerKg: string;
  nothing: string;
  madeOn: string;
};

const PORTUGUESE: ReportWords = {
  title: 'Relatório do lote',
  farm: 'Fazenda',
  pond: 'Viveiro',
  species: 'Espécie',
  lineage: 'Linhagem',
  origin: 'Origem das larvas',
  period: 'Período',
  untilToday: 'até hoje',
  status: 'Situação',
  statuses: { ACTIVE: 'Em cultivo', FINISHED: 'Despescado', ABORTED: 'Encerrado' },
  production: 'Produção',
  daysOfCulture: 'Dias de cultivo',
  stocked: 'Povoamento',
  alive: 'População',
  animals: 'camarões',
  when: { ACTIVE: 'atual', FINISHED: 'na despesca', ABORTED: 'no encerramento' },
  survival: 'Sobrevivência',
  harvested: 'Despescas parciais',
  averageWeight: 'Peso médio',
  dailyGain: 'Ganho médio diário',
  variation: 'Coeficiente de variação na última biometria',
  biomass: 'Biomassa',
  feed: 'Ração fornecida',
  feedings: 'Arraçoamentos',
  feedConversion: 'Conversão alimentar (FCA)',
  growth: 'Crescimento',
  measured: 'Peso medido',
  expected: 'Peso esperado',
  ageDays: 'Dias de cultivo',
  feedPerWeek: 'Ração por semana',
  week: 'Semana de cultivo',
  water: 'Qualidade da água',
  measurements: 'Medições',
  least: 'Mínimo',
  mean: 'Média',
  most: 'Máximo',
  dailyRange: 'média, mínimo e máximo do dia',
  figures: {
    temperature: 'Temperatura (°C)',
    dissolved_oxygen: 'Oxigênio dissolvido (mg/L)',
    ph: 'pH',
    salinity: 'Salinidade (ppt)',
    alkalinity: 'Alcalinidade (mg/L CaCO₃)',
    nitrite: 'Nitrito (mg/L)',
    nitrate: 'Nitrato (mg/L)',
    transparency: 'Transparência (cm)',
  },
  ammonia: { NH3: 'Amônia (mg/L NH₃-N)', TAN: 'Amônia (mg/L TAN)' },
  workedOut: 'calculada',
  atWorst: 'calculada, no pior caso onde faltou pH, temperatura ou salinidade',
  notWorkedOut: 'sem pH, temperatura e salinidade não se calcula',
  money: 'Custos',
  feedCost: 'Ração',
  operationalCost: 'Operação',
  energyCost: 'Energia',
  totalCost: 'Total',
  costPerKg: 'Custo por kg',
  nothing: 'Nada registrado.',
  madeOn: 'Emitido em',
};

const ENGLISH: ReportWords = {
  title: 'Batch report',
  farm: 'Farm',
  pond: 'Pond',
  species: 'Species',
  lineage: 'Lineage',
  origin: 'Origin of larvae',
  period: 'Period',
  untilToday: 'until today',
  status: 'Status',
  statuses: { ACTIVE: 'In production', FINISHED: 'Harvested', ABORTED: 'Aborted' },
  production: 'Production',
  daysOfCulture: 'Days of culture',
  stocked: 'Stocked',
  alive: 'Population',
  animals: 'shrimp',
  when: { ACTIVE: 'now', FINISHED: 'at harvest', ABORTED: 'at the end' },
  survival: 'Survival',
  harvested: 'Partial harvests',
  averageWeight: 'Average weight',
  dailyGain: 'Average daily gain',
  variation: 'Coefficient of variation, last biometry',
  biomass: 'Biomass',
  feed: 'Feed given',
  feedings: 'Feedings',
  feedConversion: 'Feed conversion (FCR)',
  growth: 'Growth',
  measured: 'Measured weight',
  expected: 'Expected weight',
  ageDays: 'Days of culture',
  feedPerWeek: 'Feed per week',
  week: 'Week of culture',
  water: 'Water quality',
  measurements: 'Measurements',
  least: 'Minimum',
  mean: 'Mean',
  most: 'Maximum',
  dailyRange: 'mean, minimum and maximum of the day',
  figures: {
    temperature: 'Temperature (°C)',
    dissolved_oxygen: 'Dissolved oxygen (mg/L)',
    ph: 'pH',
    salinity: 'Salinity (ppt)',
    alkalinity: 'Alkalinity (mg/L CaCO₃)',
    nitrite: 'Nitrite (mg/L)',
    nitrate: 'Nitrate (mg/L)',
    transparency: 'Transparency (cm)',
  },
  ammonia: { NH3: 'Ammonia (mg/L NH₃-N)', TAN: 'Ammonia (mg/L TAN)' },
  workedOut: 'worked out',
  atWorst: 'worked out, at worst where pH, temperature or salinity was missing',
  notWorkedOut: 'not worked out without pH, temperature and salinity',
  money: 'Costs',
  feedCost: 'Feed',
  operationalCost: 'Operation',
  energyCost: 'Energy',
  totalCost: 'Total',
  costPerKg: 'Cost per kg',
  nothing: 'Nothing recorded.',
  madeOn: 'Made on',
};

const SPANISH: ReportWords = {
  title: 'Reporte del lote',
  farm: 'Camaronera',
  pond: 'Piscina',
  species: 'Especie',
  lineage: 'Línea genética',
  origin: 'Origen de las larvas',
  period: 'Período',
  untilToday: 'hasta hoy',
  status: 'Situación',
  statuses: { ACTIVE: 'En cultivo', FINISHED: 'Cosechado', ABORTED: 'Cerrado' },
  production: 'Producción',
  daysOfCulture: 'Días de cultivo',
  stocked: 'Siembra',
  alive: 'Población',
  animals: 'camarones',
  when: { ACTIVE: 'actual', FINISHED: 'en la cosecha', ABORTED: 'al cerrar' },
  survival: 'Supervivencia',
  harvested: 'Cosechas parciales',
  averageWeight: 'Peso promedio',
  dailyGain: 'Ganancia promedio diaria',
  variation: 'Coeficiente de variación en el último muestreo',
  biomass: 'Biomasa',
  feed: 'Balanceado suministrado',
  feedings: 'Alimentaciones',
  feedConversion: 'Conversión alimenticia (FCA)',
  growth: 'Crecimiento',
  measured: 'Peso medido',
  expected: 'Peso esperado',
  ageDays: 'Días de cultivo',
  feedPerWeek: 'Balanceado por semana',
  week: 'Semana de cultivo',
  water: 'Calidad del agua',
  measurements: 'Mediciones',
  least: 'Mínimo',
  mean: 'Promedio',
  most: 'Máximo',
  dailyRange: 'promedio, mínimo y máximo del día',
  figures: {
    temperature: 'Temperatura (°C)',
    dissolved_oxygen: 'Oxígeno disuelto (mg/L)',
    ph: 'pH',
    salinity: 'Salinidad (ppt)',
    alkalinity: 'Alcalinidad (mg/L CaCO₃)',
    nitrite: 'Nitrito (mg/L)',
    nitrate: 'Nitrato (mg/L)',
    transparency: 'Transparencia (cm)',
  },
  ammonia: { NH3: 'Amoníaco (mg/L NH₃-N)', TAN: 'Amoníaco (mg/L TAN)' },
  workedOut: 'calculado',
  atWorst: 'calculado, en el peor caso donde faltó pH, temperatura o salinidad',
  notWorkedOut: 'sin pH, temperatura y salinidad no se calcula',
  money: 'Costos',
  feedCost: 'Balanceado',
  operationalCost: 'Operación',
  energyCost: 'Energía',
  totalCost: 'Total',
  costPerKg: 'Costo por kg',
  nothing: 'Nada registrado.',
  madeOn: 'Emitido el',
};

export const REPORT_WORDS: Readonly<Record<Language, ReportWords>> = {
  'pt-BR': PORTUGUESE,
  en: ENGLISH,
  es: SPANISH,
};
