// Animals of one pond shared out among others. Pure.

/** Equal shares of what there is; the first ones take what cannot be halved. */
export function equalShares(available: number, among: number): number[] {
  if (among <= 0) return [];
  const share = Math.floor(available / among);
  const over = available - share * among;
  return Array.from({ length: among }, (_, index) => share + (index < over ? 1 : 0));
}

/** What one destination gets when it takes all that the others leave. */
export const rest = (available: number, others: readonly (number | null)[]): number =>
  Math.max(0, available - others.reduce<number>((sum, count) => sum + (count ?? 0), 0));
