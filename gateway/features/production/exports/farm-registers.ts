// What a farm has written down, register by register, as it is stored: what an archive and a workbook of the whole farm hold.
// Columns are named here one by one, so that nothing leaves which nobody decided on: no people, no secrets.

export type RegisterColumn = {
  name: string;
  is: 'id' | 'text' | 'number' | 'whole number' | 'yes or no' | 'day' | 'instant';
  unit?: string;
  meaning: string;
  /** Of an id: the register whose row it names. */
  of?: 'farm' | 'ponds' | 'batches' | 'control_points';
  /** For those alone who see what the farm spends and earns. */
  isMoney?: true;
  /** Its heading in a workbook, where that is not the one of its name. */
  heading?: string;
};

export type FarmRegister = {
  name: string;
  table: string;
  /** What its rows hang on. */
  below: 'farm' | 'ponds' | 'batches' | 'control_points';
  column: string;
  /** Column of time by which it is read. */
  order: string;
  meaning: string;
  /** Stands in a workbook, too. */
  isSheet?: true;
  /** As a whole for those alone who see money. */
  isMoney?: true;
  columns: readonly RegisterColumn[];
};

const id: RegisterColumn = { name: 'id', is: 'id', meaning: 'Names this row for ever' };
const ofFarm: RegisterColumn = { name: 'farm_id', is: 'id', of: 'farm', meaning: 'The farm' };
const ofPond = (meaning: string, name = 'pond_id', heading = 'pond'): RegisterColumn => ({
  name,
  is: 'id',
  of: 'ponds',
  meaning,
  heading,
});
const ofBatch: RegisterColumn = {
  name: 'batch_id',
  is: 'id',
  of: 'batches',
  meaning: 'The batch',
  heading: 'batch',
};
const ofPoint = (meaning: string): RegisterColumn => ({
  name: 'control_point_id',
  is: 'id',
  of: 'control_points',
  meaning,
  heading: 'control_point',
});
const at = (name: string, meaning: string, heading = 'moment'): RegisterColumn => ({
  name,
  is: 'instant',
  meaning,
  heading,
});
const text = (name: string, meaning: string): RegisterColumn => ({ name, is: 'text', meaning });
const figure = (name: string, unit: string, meaning: string): RegisterColumn => ({
  name,
  is: 'number',
  unit,
  meaning,
});
const count = (name: string, meaning: string, unit = 'animals'): RegisterColumn => ({
  name,
  is: 'whole number',
  unit,
  meaning,
});
const money = (name: string, unit: string, meaning: string): RegisterColumn => ({
  ...figure(name, unit, meaning),
  isMoney: true,
});
const notes = text('notes', 'What was written beside it');
const MONEY = 'currency of the farm';
const PER_KG = `${MONEY} per kg`;

export const FARM_REGISTERS: readonly FarmRegister[] = [
  {
    name: 'farm',
    table: 'farms',
    below: 'farm',
    column: 'id',
    order: 'created_at',
    meaning: 'The farm',
    columns: [
      id,
      text('name', 'What it is called'),
      text('description', 'What it is'),
      text('lat', 'Latitude, decimal degrees'),
      text('lng', 'Longitude, decimal degrees'),
      text('timezone', 'IANA zone of its clock: days and schedules follow it'),
      at('created_at', 'When it was entered'),
    ],
  },
  {
    name: 'ponds',
    table: 'ponds',
    below: 'farm',
    column: 'farm_id',
    order: 'created_at',
    meaning: 'Ponds',
    isSheet: true,
    columns: [
      id,
      ofFarm,
      { ...text('cod', 'Code of the pond'), heading: 'pond' },
      text('pond_type', 'NURSERY or FATTENING; empty: not said'),
      figure('size_m2', 'm²', 'Area of the water'),
      figure('depth_m', 'm', 'Mean depth'),
      text('lat', 'Latitude, decimal degrees'),
      text('lng', 'Longitude, decimal degrees'),
      count('aerator_count', 'Aerators that stand in it', 'aerators'),
      ofPoint('What switches its aerators'),
      at('created_at', 'When it was entered', 'entered'),
    ],
  },
  {
    name: 'control_points',
    table: 'control_points',
    below: 'farm',
    column: 'farm_id',
    order: 'created_at',
    meaning: 'Control points: what is switched as one',
    columns: [
      id,
      ofFarm,
      text('cod', 'Code of the control point'),
      text('device_id', 'Name of its controller'),
      text('fail_safe', 'What holds while the controller hears nothing'),
      figure('min_on_s', 's', 'Least time on'),
      figure('min_off_s', 's', 'Least time off'),
      figure('do_on', 'mg/L', 'Oxygen below which it is switched on; empty: off'),
      figure('do_off', 'mg/L', 'Oxygen above which it is switched off again'),
      figure('do_emergency', 'mg/L', 'Oxygen below which nothing but a lock-out keeps it off'),
      { name: 'is_siren', is: 'yes or no', meaning: 'It is a siren, no aeration' },
      at('created_at', 'When it was entered'),
    ],
  },
  {
    name: 'aerators',
    table: 'aerators',
    below: 'ponds',
    column: 'pond_id',
    order: 'created_at',
    meaning: 'Aerators',
    columns: [
      id,
      ofPond('Where it stands'),
      text('name', 'What it is called'),
      text('device_id', 'Name of the device that switches it'),
      figure('power_kw', 'kW', 'Nominal power'),
      at('created_at', 'When it was entered'),
    ],
  },
  {
    name: 'schedules',
    table: 'schedules',
    below: 'control_points',
    column: 'control_point_id',
    order: 'created_at',
    meaning: 'Schedules of control points',
    columns: [
      id,
      ofPoint('What is switched'),
      text('action', 'ON or OFF, from start_time on'),
      at('start_time', 'When it first begins'),
      at('end_time', 'When it first ends; empty: it holds until another one'),
      text('repeat_pattern', 'ONCE, DAILY, WEEKLY, MONTHLY or YEARLY, by the clock of the farm'),
      text('days_of_week', 'Of WEEKLY: days as a JSON list, 1 Monday to 7 Sunday'),
      { name: 'is_active', is: 'yes or no', meaning: 'It counts' },
      text('description', 'What it is for'),
    ],
  },
  {
    name: 'batches',
    table: 'batches',
    below: 'farm',
    column: 'farm_id',
    order: 'created_at',
    meaning: 'Batches: animals of one stocking, from larva to harvest',
    isSheet: true,
    columns: [
      id,
      ofFarm,
      { ...text('batch_code', 'Code of the batch'), heading: 'batch' },
      ofPond('First pond; transfers tell where the animals went'),
      text('species', 'Species'),
      text('lineage', 'Genetic line'),
      text('larva_origin', 'Hatchery'),
      { name: 'start_date', is: 'day', meaning: 'Day of stocking' },
      at('expected_harvest_date', 'Expected harvest', 'expected_harvest'),
      at('actual_harvest_date', 'End of the batch; empty: it goes on', 'end'),
      count('initial_count', 'Animals stocked'),
      figure('initial_avg_weight', 'g', 'Mean weight at stocking'),
      figure('initial_density', 'animals per m²', 'Density at stocking'),
      figure(
        'estimated_survival_rate',
        '%',
        'Survival as estimated at stocking; losses tell what became of it',
      ),
      text('status', 'ACTIVE, FINISHED or ABORTED'),
      figure('final_weight_kg', 'kg', 'Harvested at the end; empty: the estimate counts'),
      money('final_price_per_kg', PER_KG, 'What the final harvest was sold for'),
      text('end_reason', 'Why it was aborted'),
      notes,
    ],
  },
  {
    name: 'losses',
    table: 'survival_changes',
    below: 'batches',
    column: 'batch_id',
    order: 'changed_at',
    meaning: 'Changes of survival; the rate of a batch follows from all of them in order of changed_at',
    isSheet: true,
    columns: [
      id,
      ofBatch,
      at('changed_at', 'When it was'),
      text(
        'kind',
        'ABSOLUTE: value is the new rate in percent. FACTOR: value is the share of all living that died',
      ),
      figure('value', '% or share of 1', 'See kind'),
      ofPond('Where they died; empty: in all ponds alike'),
      count('animals', 'How many died, where they were counted; ABSOLUTE: how many were counted alive'),
      figure('weight_kg', 'kg', 'Weight of the dead, where they were weighed'),
      figure('pond_share', 'share of 1', 'Share of the animals of that pond, where it was told so'),
      text('cause', 'What they died of; empty: nobody knows'),
      { name: 'corrects', is: 'id', meaning: 'The loss whose place this one takes from then on' },
      text('description', 'What was told'),
    ],
  },
  {
    name: 'harvests',
    table: 'harvests',
    below: 'batches',
    column: 'batch_id',
    order: 'harvest_date',
    meaning: 'Partial harvests; the final one stands with its batch',
    isSheet: true,
    columns: [
      id,
      ofBatch,
      ofPond('Where they were taken; empty: the only pond'),
      at('harvest_date', 'When it was'),
      count('quantity', 'Animals taken out'),
      figure('weight_kg', 'kg', 'Weight taken out'),
      money('price_per_kg', PER_KG, 'What it was sold for'),
      notes,
    ],
  },
  {
    name: 'biometries',
    table: 'biometries',
    below: 'batches',
    column: 'batch_id',
    order: 'measurement_date',
    meaning: 'Weighings of samples',
    isSheet: true,
    columns: [
      id,
      ofBatch,
      ofPond('Where the sample was taken; empty: of the whole batch'),
      at('measurement_date', 'When it was'),
      { ...count('sample_size', 'Animals in the sample'), heading: 'sample_count' },
      { ...figure('total_weight_g', 'g', 'Weight of the sample'), heading: 'sample_weight' },
      figure('weight_sd_g', 'g', 'Standard deviation of the weights'),
      text('individual_weights_g', 'Weight of each animal in g, as a JSON list'),
      notes,
    ],
  },
  {
    name: 'feeding',
    table: 'feeding_records',
    below: 'batches',
    column: 'batch_id',
    order: 'feed_date',
    meaning: 'Feedings',
    isSheet: true,
    columns: [
      id,
      ofBatch,
      ofPond('Where it was fed; empty: not said'),
      at('feed_date', 'When it was'),
      text('feed_type', 'What was fed'),
      figure('quantity_kg', 'kg', 'How much'),
      money('cost_per_kg', PER_KG, 'What the feed cost'),
      figure('tray_leftover_percent', '%', 'What was left on the trays; empty: nobody looked'),
      notes,
    ],
  },
  {
    name: 'water_quality',
    table: 'measurements',
    below: 'ponds',
    column: 'pond_id',
    order: 'measurement_date',
    meaning: 'Measurements of the water',
    isSheet: true,
    columns: [
      id,
      ofPond('The pond'),
      at('measurement_date', 'When it was'),
      figure('temperature', '°C', 'Temperature'),
      figure('dissolved_oxygen', 'mg/L', 'Dissolved oxygen'),
      figure('ph', 'pH', 'pH'),
      figure('salinity', 'ppt', 'Salinity'),
      figure('alkalinity', 'mg/L CaCO3', 'Total alkalinity'),
      figure('ammonia', 'mg/L', 'Ammonia on the basis of the farm (ammonia_basis in schema.json)'),
      figure('nitrite', 'mg/L', 'Nitrite'),
      figure('nitrate', 'mg/L', 'Nitrate'),
      figure('transparency', 'cm', 'Secchi depth'),
      notes,
      { ...text('source', 'manual, probe or import'), heading: 'measured_by' },
    ],
  },
  {
    name: 'transfers',
    table: 'transfers',
    below: 'batches',
    column: 'batch_id',
    order: 'transfer_date',
    meaning: 'Animals moved from one pond to another',
    isSheet: true,
    columns: [
      id,
      ofBatch,
      at('transfer_date', 'When it was'),
      ofPond('From', 'source_pond_id', 'from_pond'),
      ofPond('To', 'destination_pond_id', 'to_pond'),
      count('quantity', 'Animals moved'),
      figure('average_weight', 'g', 'Their mean weight; empty: not weighed yet'),
      text('reason', 'Why'),
      notes,
      { name: 'contested', is: 'yes or no', meaning: 'Two instances moved more than there were' },
    ],
  },
  {
    name: 'expenses',
    table: 'expenses',
    below: 'batches',
    column: 'batch_id',
    order: 'expense_date',
    meaning: 'Money spent on a batch beside its feed',
    isSheet: true,
    isMoney: true,
    columns: [
      id,
      ofBatch,
      at('expense_date', 'When it was'),
      text('category', 'ENERGY, LABOR and the like'),
      { ...money('amount', MONEY, 'How much'), heading: 'money' },
      text('description', 'For what'),
    ],
  },
  {
    name: 'records',
    table: 'farm_records',
    below: 'farm',
    column: 'farm_id',
    order: 'happened_at',
    meaning: 'Treatments, water exchanges and notes',
    isSheet: true,
    columns: [
      id,
      ofFarm,
      at('happened_at', 'When it was'),
      text('kind', 'TREATMENT, WATER_EXCHANGE or NOTE'),
      ofPond('Of a pond'),
      ofBatch,
      ofPoint('Of a control point'),
      text('text', 'The note, or why it was done'),
      text('product', 'What was given'),
      text('product_kind', 'PROBIOTIC, LIME, MEDICATION and the like'),
      text('product_lot', 'Lot of the product'),
      figure('amount', 'see unit', 'How much'),
      text('unit', 'kg, g, L, mL or ppm of a product; percent, cm or m3 of the water'),
      text('responsible', 'Who answers for the treatment'),
      count('withdrawal_days', 'Whole days without a harvest; empty: nobody knows', 'days'),
      text('source', 'Where the water came from'),
    ],
  },
  {
    name: 'feed_stock',
    table: 'feed_stock',
    below: 'farm',
    column: 'farm_id',
    order: 'happened_at',
    meaning: 'Deliveries and counts of feed',
    isSheet: true,
    columns: [
      id,
      ofFarm,
      at('happened_at', 'When it was'),
      text('kind', 'DELIVERY or COUNT'),
      text('product', 'The feed'),
      text('lot', 'Its lot'),
      figure('quantity_kg', 'kg', 'What came, or was counted'),
      figure('bags', 'bags', 'In bags'),
      figure('bag_kg', 'kg', 'Of one bag'),
      figure('protein_percent', '%', 'Crude protein'),
      figure('pellet_mm', 'mm', 'Size of a pellet'),
      money('price_per_kg', PER_KG, 'What it cost'),
      text('supplier', 'Who sold it'),
      { name: 'expires_on', is: 'day', meaning: 'Last day of use' },
      notes,
    ],
  },
  {
    name: 'alerts',
    table: 'alerts',
    below: 'farm',
    column: 'farm_id',
    order: 'triggered_at',
    meaning: 'Alerts',
    columns: [
      id,
      ofFarm,
      ofPond('Of a pond'),
      ofPoint('Of a control point'),
      text('type', 'What it is about'),
      text('severity', 'LOW, MEDIUM or HIGH'),
      text('parameter', 'What was measured'),
      figure('value', 'of the parameter', 'What it was'),
      figure('threshold', 'of the parameter', 'Its limit'),
      text('status', 'ACTIVE or RESOLVED'),
      at('triggered_at', 'When it began'),
      at('resolved_at', 'When it ended'),
      at('acknowledged_at', 'When somebody took note'),
    ],
  },
];
