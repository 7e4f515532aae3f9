import type { Reply } from './app.ts';

/**
 * What stands on a farm that many requests are about, made anew only after one that may have changed it. Whoever is
 * refused leaves it as it is: a refusal that changed something shows in the requests after it.
 */
export function standingFarm<Names>(make: () => Promise<Names>) {
  let names: Promise<Names> | null = null;
  return {
    names(): Promise<Names> {
      names ??= make();
      return names;
    },
    answered(method: string, { status }: Reply): void {
      if (method !== 'GET' && status < 400) names = null;
    },
  };
}
