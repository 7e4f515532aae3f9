// The program ends only when somebody who was told what ends with it says so. The system, when it goes down, asks
// nobody: then the gateway is left alone, and hears from the system itself.

export type LeavingDeps = {
  /** Whether a gateway on this machine would stop. */
  stopsGateway: () => boolean;
  ask: (what: 'gateway' | 'watch') => Promise<boolean>;
  stopGateway: () => Promise<void>;
  quit: () => void;
};

export function leaving({ stopsGateway, ask, stopGateway, quit }: LeavingDeps) {
  let isDecided = false;
  let isAsking = false;
  return {
    isDecided: () => isDecided,
    /** The session of the system ends. */
    systemEnds: () => {
      isDecided = true;
    },
    async wish(): Promise<void> {
      if (isAsking || isDecided) return;
      isAsking = true;
      const stops = stopsGateway();
      const mayEnd = await ask(stops ? 'gateway' : 'watch').finally(() => {
        isAsking = false;
      });
      // the system may have gone down meanwhile
      if (!mayEnd || isDecided) return;
      isDecided = true;
      try {
        if (stops) await stopGateway();
      } finally {
        // it was decided: nothing asks a second time
        quit();
      }
    },
  };
}
