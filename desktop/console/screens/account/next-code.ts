/** The next code in the row: CP-08 is followed by CP-09. */
export function nextCode(codes: readonly string[]): string {
  const last = codes.at(-1);
  const parts = /^(.*?)(\d+)$/.exec(last ?? '');
  if (parts === null) return last === undefined ? 'CP-01' : '';
  const [, before = '', figure = ''] = parts;
  return `${before}${String(Number(figure) + 1).padStart(figure.length, '0')}`;
}
