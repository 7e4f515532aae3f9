import { waterWords } from '../../components/water-words.ts';
import { dictionary } from '../../i18n/language.ts';

/** What a column can be, as people call it; the parameters of the water have their names already. */
const names = dictionary({
  'pt-BR': {
    batch: 'Lote',
    batch_code: 'Código do lote',
    pond: 'Viveiro',
    date: 'Data',
    time: 'Hora',
    notes: 'Observações',
    species: 'Espécie',
    lineage: 'Linhagem',
    larva_origin: 'Origem da larva',
    start_date: 'Data do povoamento',
    actual_harvest_date: 'Data da despesca',
    initial_count: 'Camarões povoados',
    initial_avg_weight: 'Peso médio no povoamento',
    initial_density: 'Densidade',
    estimated_survival_rate: 'Sobrevivência',
    status: 'Situação',
    final_weight_kg: 'Peso despescado',
    sample_size: 'Camarões na amostra',
    total_weight_g: 'Peso da amostra',
    average_weight_g: 'Peso médio',
    weight_sd_g: 'Desvio padrão do peso',
    feed_type: 'Ração',
    quantity_kg: 'Quantidade de ração',
    cost_per_kg: 'Preço por kg',
    tray_leftover_percent: 'Sobra na bandeja',
  },
  en: {
    batch: 'Batch',
    batch_code: 'Code of the batch',
    pond: 'Pond',
    date: 'Date',
    time: 'Time',
    notes: 'Notes',
    species: 'Species',
    lineage: 'Lineage',
    larva_origin: 'Origin of the larvae',
    start_date: 'Day of stocking',
    actual_harvest_date: 'Day of harvest',
    initial_count: 'Shrimp stocked',
    initial_avg_weight: 'Mean weight at stocking',
    initial_density: 'Density',
    estimated_survival_rate: 'Survival',
    status: 'State',
    final_weight_kg: 'Weight harvested',
    sample_size: 'Shrimp in the sample',
    total_weight_g: 'Weight of the sample',
    average_weight_g: 'Mean weight',
    weight_sd_g: 'Standard deviation of weight',
    feed_type: 'Feed',
    quantity_kg: 'Amount of feed',
    cost_per_kg: 'Price per kg',
    tray_leftover_percent: 'Left on the tray',
  },
});

export function columnName(column: string): string {
  const known: Readonly<Record<string, string>> = { ...waterWords().name, ...names() };
  return known[column] ?? column;
}
