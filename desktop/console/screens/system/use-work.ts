import { useState } from 'preact/hooks';
import { faultText } from '../../components/answer.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError } from '../../data/api.ts';

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

/** A refusal that only one screen meets, of all or of a field, in the words of that screen; every other error as it is. */
export function saidIn(error: unknown, words: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof ApiError)) return error;
  const codes = [error.code, ...error.fields.map(({ code }) => code ?? '')];
  const said = codes.map((code) => words[code]).find((word) => word !== undefined);
  // without its code it is told by its sentence
  return said === undefined ? error : new ApiError(error.status, { detail: said });
}
