import type { Unit } from './units.ts';

/** How columns are headed on farms that speak Spanish, as `wordOf` spells it. The first is what a template says. */
export const SPANISH_NAMES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  batch: ['lote', 'codigo_de_lote', 'codigo_del_lote', 'corrida', 'ciclo'],
  batch_code: ['lote', 'codigo_de_lote', 'codigo_del_lote', 'corrida', 'ciclo'],
  pond: ['piscina', 'ps', 'pisc', 'no_piscina', 'codigo_de_piscina', 'codigo_de_la_piscina', 'estanque'],
  date: [
    'fecha',
    'fecha_hora',
    'fecha_y_hora',
    'fecha_local',
    'fecha_hora_local',
    'fecha_de_muestreo',
    'fecha_de_medicion',
    'fecha_de_la_medicion',
    'fecha_de_alimentacion',
  ],
  time: ['hora', 'hora_local', 'hora_de_lectura', 'hora_de_la_lectura', 'hora_de_muestreo'],
  notes: ['observaciones', 'observacion', 'notas', 'comentarios'],
  species: ['especie'],
  lineage: ['linea_genetica', 'linea', 'genetica'],
  larva_origin: ['origen_de_la_larva', 'origen_de_larva', 'laboratorio', 'origen'],
  start_date: ['fecha_de_siembra', 'fecha_siembra', 'siembra', 'fecha_de_inicio', 'fecha_inicio', 'inicio'],
  actual_harvest_date: ['fecha_de_cosecha', 'fecha_cosecha', 'cosecha', 'fecha_de_pesca', 'fecha_fin', 'fin'],
  initial_count: [
    'camarones_sembrados',
    'animales_sembrados',
    'larvas_sembradas',
    'cantidad_sembrada',
    'cantidad_inicial',
    'poblacion_inicial',
    'cantidad',
  ],
  initial_avg_weight: [
    'peso_inicial_g',
    'peso_inicial',
    'peso_promedio_inicial',
    'peso_promedio_inicial_g',
    'peso_de_siembra',
    'peso_siembra',
  ],
  initial_density: ['densidad', 'densidad_inicial', 'densidad_de_siembra'],
  estimated_survival_rate: [
    'supervivencia',
    'sobrevivencia',
    'supervivencia_estimada',
    'tasa_de_supervivencia',
  ],
  status: ['situacion', 'estado', 'estatus'],
  final_weight_kg: [
    'peso_cosechado_kg',
    'biomasa_final_kg',
    'biomasa_cosechada',
    'biomasa_final',
    'peso_cosechado',
  ],
  sample_size: [
    'muestra',
    'tamano_de_la_muestra',
    'tamano_de_muestra',
    'camarones_en_la_muestra',
    'numero_de_animales',
    'animales_muestreados',
  ],
  total_weight_g: [
    'peso_total_g',
    'peso_total',
    'peso_de_la_muestra',
    'peso_de_la_muestra_g',
    'peso_muestra',
  ],
  average_weight_g: ['peso_promedio_g', 'peso_promedio', 'peso_medio', 'peso_actual', 'gramaje'],
  weight_sd_g: ['desviacion_estandar_g', 'desviacion_estandar', 'desviacion'],
  feed_type: ['balanceado', 'tipo_de_balanceado', 'alimento', 'tipo_de_alimento', 'marca_de_balanceado'],
  quantity_kg: [
    'balanceado_kg',
    'alimento_kg',
    'cantidad_kg',
    'cantidad',
    'cantidad_de_balanceado',
    'cantidad_de_alimento',
    'kilos',
    'kg',
  ],
  cost_per_kg: ['costo_por_kg', 'precio_por_kg', 'costo_kg', 'precio_kg', 'costo', 'precio'],
  tray_leftover_percent: ['sobrante_percentual', 'sobrante', 'sobrantes', 'sobrante_en_comedero', 'residuo'],
  temperature: ['temperatura', 'temperatura_c', 'temp', 'temperatura_del_agua', 'temp_agua'],
  dissolved_oxygen: ['oxigeno_disuelto', 'oxigeno', 'od', 'o2', 'oxigeno_mg_l', 'od_mg_l'],
  ph: ['ph', 'ph_del_agua'],
  salinity: ['salinidad', 'salinidad_ppt', 'sal'],
  alkalinity: ['alcalinidad', 'alcalinidad_mg_l', 'alcalinidad_total'],
  ammonia: ['amoniaco', 'amonio', 'amoniaco_mg_l', 'amonio_mg_l', 'nitrogeno_amoniacal'],
  nitrite: ['nitrito', 'nitritos', 'nitrito_mg_l', 'nitritos_mg_l'],
  nitrate: ['nitrato', 'nitratos', 'nitrato_mg_l', 'nitratos_mg_l'],
  transparency: ['transparencia', 'transparencia_cm', 'disco_secchi'],
};

/** What stands in a template where the example of the column is a Portuguese word. */
export const SPANISH_EXAMPLES: Readonly<Record<string, string>> = {
  'V-01': 'P-01',
  Aracati: 'Santa Elena',
  'Ração 35 %': 'Balanceado 35 %',
};

/** Headings that say the unit, too: farms of Ecuador weigh feed and harvests in pounds. */
export const SPANISH_UNITS: readonly (readonly [
  column: string,
  unit: Unit | null,
  names: readonly string[],
])[] = [
  [
    'dissolved_oxygen',
    'percent',
    ['saturacion', 'saturacion_de_oxigeno', 'saturacion_de_od', 'saturacion_od'],
  ],
  ['salinity', null, ['conductividad', 'conductividad_electrica', 'conductividad_especifica']],
  [
    'quantity_kg',
    'lb',
    ['balanceado_lb', 'balanceado_lbs', 'balanceado_libras', 'alimento_lb', 'alimento_lbs'],
  ],
  [
    'quantity_kg',
    'lb',
    ['alimento_libras', 'libras_de_balanceado', 'libras_de_alimento', 'libras', 'lbs', 'lb'],
  ],
  [
    'final_weight_kg',
    'lb',
    ['libras_cosechadas', 'peso_cosechado_lb', 'biomasa_final_lb', 'libras', 'lbs', 'lb'],
  ],
  [
    'cost_per_kg',
    'money/lb',
    ['costo_por_libra', 'precio_por_libra', 'costo_libra', 'precio_libra', 'costo_lb'],
  ],
];
