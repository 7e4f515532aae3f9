/**
 * An id derived from a cause, moved beside those of the same time and person (UUID v8 of RFC 9562: 48 bits of time, 40 of
 * the person's id, 34 of the derived one). Tables are stored in the order of their ids: ten thousand rows that tell
 * everybody of one thing lie side by side, on a tenth of the pages that ids at random would touch.
 *
 * @param id derived from the cause, the same each time
 * @param at when the cause happened, ms: the same each time, too
 * @param personId ids of accounts grow with time, and people are told in their order
 */
export function placedId(id: string, { at, personId }: { at: number; personId: string }): string {
  const time = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0').slice(-12);
  // its first two digits change every 35 years
  const person = personId.replaceAll('-', '').slice(2, 12).padStart(10, '0');
  const own = id.slice(-8);
  return [
    time.slice(0, 8),
    time.slice(8),
    `8${person.slice(0, 3)}`,
    `${id.charAt(19)}${person.slice(3, 6)}`,
    `${person.slice(6)}${own}`,
  ].join('-');
}
