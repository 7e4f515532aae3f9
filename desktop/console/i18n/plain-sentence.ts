// The interface answers programs and people alike. In a few sentences it names, in brackets, the field that a program sends.

/** No other word in brackets is left out: it may be the name of a pond. */
const FOR_PROGRAMS = [
  'api_access',
  'apply_now',
  'cost_per_kg',
  'current_password',
  'second_factor',
  'setup_code',
];
const BRACKETS = new RegExp(` \\((?:${FOR_PROGRAMS.join('|')})\\)`, 'g');
/** `quantity_kg: …`, `rows[3].feed_date: …` */
const PLACE = /^(?:[a-z_]+(?:\[\d+\])?\.)*([a-z]+(?:_[a-z0-9]+)*): /;
const UNIT = /_(?:kg|g|m2|m|mgl|kw|s|ms|id)$/;

/** A sentence of the interface as people read it. */
export const plainSentence = (text: string): string =>
  text.replaceAll(BRACKETS, '').replace(PLACE, (_whole, field: string) => {
    const name = field.replace(UNIT, '').replaceAll('_', ' ');
    return `${name.charAt(0).toUpperCase()}${name.slice(1)}: `;
  });
