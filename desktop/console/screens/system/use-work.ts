import { useState } from 'preact/hooks';
import { faultText } from '../../components/answer.tsx';
import { toast } from '../../components/toast.tsx';
import { saidIn } from './said-in.ts';

/**
 * Runs something that may be refused: what went wrong is kept to be shown, what went right is said. `own` are the words
 * for refusals that only one screen meets, by their code.
 */
export function useWork(own: Readonly<Record<string, string>> = {}) {
  const [fault, setFault] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    try {
      await work();
      setFault(null);
      if (done !== undefined) toast(done, null, 4_000);
      return true;
    } catch (error) {
      setFault(faultText(saidIn(error, own)));
      return false;
    }
  };
  return { fault, setFault, run };
}
