// Columns of registers, as an archive and a workbook describe them.

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

export const id: RegisterColumn = { name: 'id', is: 'id', meaning: 'Names this row for ever' };
export const ofFarm: RegisterColumn = { name: 'farm_id', is: 'id', of: 'farm', meaning: 'The farm' };
export const ofPond = (meaning: string, name = 'pond_id', heading = 'pond'): RegisterColumn => ({
  name,
  is: 'id',
  of: 'ponds',
  meaning,
  heading,
});
export const ofBatch: RegisterColumn = {
  name: 'batch_id',
  is: 'id',
  of: 'batches',
  meaning: 'The batch',
  heading: 'batch',
};
export const ofPoint = (meaning: string): RegisterColumn => ({
  name: 'control_point_id',
  is: 'id',
  of: 'control_points',
  meaning,
  heading: 'control_point',
});
export const at = (name: string, meaning: string, heading = 'moment'): RegisterColumn => ({
  name,
  is: 'instant',
  meaning,
  heading,
});
export const text = (name: string, meaning: string): RegisterColumn => ({ name, is: 'text', meaning });
export const figure = (name: string, unit: string, meaning: string): RegisterColumn => ({
  name,
  is: 'number',
  unit,
  meaning,
});
export const count = (name: string, meaning: string, unit = 'animals'): RegisterColumn => ({
  name,
  is: 'whole number',
  unit,
  meaning,
});
export const money = (name: string, unit: string, meaning: string): RegisterColumn => ({
  ...figure(name, unit, meaning),
  isMoney: true,
});
export const notes = text('notes', 'What was written beside it');
export const MONEY = 'currency of the farm';
export const PER_KG = `${MONEY} per kg`;
