import { ApiError } from '../data/api.ts';
import { faultText } from './answer.tsx';
import { controlWords } from './control-words.ts';

/** Without an answer nobody knows whether an order was taken: that is said, and never that nothing happened. */
export function orderFault(cod: string, error: unknown): string {
  const words = controlWords();
  return error instanceof ApiError ? `${words.refused}: ${faultText(error)}` : words.unsure(cod);
}
