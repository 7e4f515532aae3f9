import { ApiError } from '../../data/api.ts';

/** A refusal that only one screen meets, of all or of a field, in the words of that screen; every other error as it is. */
export function saidIn(error: unknown, words: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof ApiError)) return error;
  const codes = [error.code, ...error.fields.map(({ code }) => code ?? '')];
  const said = codes.map((code) => words[code]).find((word) => word !== undefined);
  // without its code it is told by its sentence
  return said === undefined ? error : new ApiError(error.status, { detail: said });
}
