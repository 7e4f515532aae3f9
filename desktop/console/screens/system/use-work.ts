import { useState } from 'preact/hooks';
import { faultText } from '../../components/answer.tsx';
import { toast } from '../../components/toast.tsx';

/** Runs something that may be refused: what went wrong is kept to be shown, what went right is said. */
export function useWork() {
  const [fault, setFault] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    try {
      await work();
      setFault(null);
      if (done !== undefined) toast(done, null, 4_000);
      return true;
    } catch (error) {
      setFault(faultText(error));
      return false;
    }
  };
  return { fault, setFault, run };
}
