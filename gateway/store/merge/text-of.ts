/** A field that holds text; '' where it holds nothing or something else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
