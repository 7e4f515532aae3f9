import { type InEach, inEach } from '#core/each-language.ts';

// What columns and sheets of a workbook are called. The reader's words are those that the importer knows, so that a workbook
// goes back in; what is worked out from others it must not take for a measurement.

/** By the name of the column in the file of the interface. */
export const HEADINGS: Readonly<Record<string, InEach>> = {
  date: inEach('Data', 'Date', 'Fecha'),
  time: inEach('Hora', 'Time', 'Hora'),
  pond: inEach('Viveiro', 'Pond', 'Piscina'),
  batch: inEach('Lote', 'Batch', 'Lote'),
  batches: inEach('Lotes ali', 'Batches there', 'Lotes allí'),
  place: inEach('Lugar', 'Place', 'Lugar'),
  kind: inEach('Tipo', 'Kind', 'Tipo'),
  unit: inEach('Unidade', 'Unit', 'Unidad'),
  notes: inEach('Observações', 'Notes', 'Observaciones'),
  observations: inEach('Observações', 'Observations', 'Observaciones'),
  description: inEach('Descrição', 'Description', 'Descripción'),
  // weighings
  sample_weight: inEach('Peso da amostra (g)', 'Sample weight (g)', 'Peso de la muestra (g)'),
  sample_count: inEach('Número de animais', 'Sample count', 'Camarones en la muestra'),
  average_weight: inEach('Peso médio (g)', 'Average weight (g)', 'Peso promedio (g)'),
  biomass: inEach('Biomassa estimada (kg)', 'Estimated biomass (kg)', 'Biomasa estimada (kg)'),
  survival_rate: inEach('Sobrevivência (%)', 'Survival (%)', 'Supervivencia (%)'),
  population: inEach('População estimada', 'Estimated population', 'Población estimada'),
  // feed
  feed_type: inEach('Ração', 'Feed type', 'Balanceado'),
  quantity_kg: inEach('Quantidade (kg)', 'Quantity (kg)', 'Cantidad (kg)'),
  frequency: inEach('Tratos no dia', 'Feedings that day', 'Raciones del día'),
  // water
  temperature: inEach('Temperatura (°C)', 'Temperature (°C)', 'Temperatura (°C)'),
  dissolved_oxygen: inEach(
    'Oxigênio dissolvido (mg/L)',
    'Dissolved oxygen (mg/L)',
    'Oxígeno disuelto (mg/L)',
  ),
  ph: inEach('pH', 'pH', 'pH'),
  ammonia: inEach('Amônia', 'Ammonia', 'Amoniaco'),
  nitrite: inEach('Nitrito', 'Nitrite', 'Nitrito'),
  nitrate: inEach('Nitrato', 'Nitrate', 'Nitrato'),
  transparency: inEach('Transparência (cm)', 'Transparency (cm)', 'Transparencia (cm)'),
  salinity: inEach('Salinidade (ppt)', 'Salinity (ppt)', 'Salinidad (ppt)'),
  alkalinity: inEach('Alcalinidade (mg/L)', 'Alkalinity (mg/L)', 'Alcalinidad (mg/L)'),
  ammonia_basis: inEach('Base da amônia', 'Basis of ammonia', 'Base del amoniaco'),
  ammonia_nh3_n: inEach('Calculado: N-NH3 (mg/L)', 'Calculated: NH3-N (mg/L)', 'Calculado: N-NH3 (mg/L)'),
  ammonia_tan: inEach('Calculado: TAN (mg/L)', 'Calculated: TAN (mg/L)', 'Calculado: TAN (mg/L)'),
  ammonia_certainty: inEach('Certeza do cálculo', 'Certainty of it', 'Certeza del cálculo'),
  // losses
  cause: inEach('Causa', 'Cause', 'Causa'),
  dead_count: inEach('Mortos', 'Dead', 'Muertos'),
  dead_weight_kg: inEach('Peso dos mortos (kg)', 'Weight of the dead (kg)', 'Peso de los muertos (kg)'),
  share: inEach('Parte que morreu (0 a 1)', 'Share that died (0 to 1)', 'Parte que murió (0 a 1)'),
  // records
  product: inEach('Produto', 'Product', 'Producto'),
  product_kind: inEach('Tipo de produto', 'Kind of product', 'Tipo de producto'),
  product_lot: inEach('Lote do produto', 'Lot of the product', 'Lote del producto'),
  amount: inEach('Quanto', 'Amount', 'Cuánto'),
  text: inEach('Texto', 'Text', 'Texto'),
  responsible: inEach('Responsável', 'Responsible', 'Responsable'),
  source: inEach('Origem da água', 'Source of the water', 'Origen del agua'),
  withdrawal_days: inEach('Carência (dias)', 'Withdrawal (days)', 'Retiro (días)'),
  harvest_from: inEach('Despesca a partir de', 'Harvest from', 'Cosecha a partir de'),
  // feed stock
  lot: inEach('Lote da ração', 'Lot', 'Lote del balanceado'),
  bags: inEach('Sacos', 'Bags', 'Sacos'),
  bag_kg: inEach('kg por saco', 'kg per bag', 'kg por saco'),
  protein_percent: inEach('Proteína (%)', 'Protein (%)', 'Proteína (%)'),
  pellet_mm: inEach('Pélete (mm)', 'Pellet (mm)', 'Pellet (mm)'),
  price_per_kg: inEach('Preço por kg', 'Price per kg', 'Precio por kg'),
  supplier: inEach('Fornecedor', 'Supplier', 'Proveedor'),
  expires_on: inEach('Validade', 'Expires on', 'Vencimiento'),
  expected_kg: inEach('Esperado (kg)', 'Expected (kg)', 'Esperado (kg)'),
  difference_kg: inEach('Diferença (kg)', 'Difference (kg)', 'Diferencia (kg)'),
  left_kg: inEach('Resta (kg)', 'Left (kg)', 'Queda (kg)'),
};

/** What a register is called as the name of a sheet. */
export const SHEETS = {
  biometries: inEach('Biometrias', 'Biometries', 'Muestreos'),
  feeding: inEach('Alimentação', 'Feeding', 'Alimentación'),
  water: inEach('Qualidade da água', 'Water quality', 'Calidad del agua'),
  losses: inEach('Mortalidade', 'Mortality', 'Mortalidad'),
  records: inEach('Registros', 'Records', 'Registros'),
  stock: inEach('Estoque de ração', 'Feed stock', 'Existencias de balanceado'),
} as const satisfies Record<string, InEach>;
