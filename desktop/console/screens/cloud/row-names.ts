import { syncWords } from '#words/cloud.ts';

/** What a table is called on a farm; one without such a name keeps its own. */
export function tableName(table: string): string {
  const known: Readonly<Record<string, string>> = syncWords().tables;
  return known[table] ?? table;
}

export function fieldName(field: string): string {
  const known: Readonly<Record<string, string>> = syncWords().fields;
  return known[field] ?? field;
}
