import type { ControlView } from '../control-view.ts';

/** What the database knows of a control point for the registry. */
export type ControlFacts = Omit<ControlView, 'unsaved' | 'mqttId' | 'presence'> & {
  heardAtMs: number | null;
  consumption: number;
};

export type RegistryQueries = {
  allFarms: () => AsyncIterable<{ id: string; zone: string; name: string }>;
  allControlFacts: (which?: 'all' | 'without gateway') => AsyncIterable<ControlFacts>;
  controlFacts: (controlPointId: string) => Promise<ControlFacts | null>;
};
