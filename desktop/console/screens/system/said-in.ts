import { ApiError } from '../../data/api.ts';

/** A refusal that only one screen meets, in the words of that screen; every other error as it is. */
export function saidIn(error: unknown, words: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof ApiError)) return error;
  const said = words[error.code];
  // without its code it is told by its sentence
  return said === undefined ? error : new ApiError(error.status, { detail: said });
}
