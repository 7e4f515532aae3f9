import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/rarer-faults.ts';

// The interface speaks English: its own sentences say the same, with the names and figures of the case.

export const rarerFaults = translation<typeof source.rarerFaults>({});

export const fieldFaults = translation<typeof source.fieldFaults>({
  sentence: (field: string, fault: string) => `Check ${field}: ${fault}.`,
  field: (name: string) => `“${name}”`,
  notAccepted: 'it was not accepted',
  checks: {},
  fields: {},
});
