/** What both databases hold: PostgreSQL refuses U+0000, and half a surrogate pair is no character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
