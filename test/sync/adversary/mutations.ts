import fc from 'fast-check';

// Messages as somebody sends them who read the protocol: a valid one, changed in a few places. Noise alone is refused at
// the first field.

type Place = { holder: Record<string, unknown> | unknown[]; key: string | number };
type Mutation = { at: number; other: number; how: How; value: unknown };
const HOWS = ['replace', 'replace', 'replace', 'remove', 'swap', 'repeat', 'wrap', 'add'] as const;
type How = (typeof HOWS)[number];

const MOST_PLACES = 3_000;

export function nested(deep: number): unknown {
  let value: unknown = [];
  for (let at = 0; at < deep; at += 1) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

const TEXTS = [
  '',
  ' ',
  '*',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  'x'.repeat(70_000),
  'ffffffffffff.ffff.ffffffff',
  '000000000000.0000.c0000000',
  '00000000-0000-0000-0000-000000000000',
  '9999-12-31T23:59:59.999Z',
  '-271821-04-20T00:00:00.000Z',
  'Mars/Olympus',
  "'; drop table orders; --",
];
const NUMBERS = [
  0,
  -0,
  -1,
  1,
  2,
  0.5,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e308,
  -1e308,
];
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...TEXTS),
  fc.constantFrom<unknown>(...NUMBERS),
  fc.constantFrom<unknown>(null, true, false, [], {}, [null], nested(20), nested(200)),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.uuid({ version: 4 }),
);

export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 5,
    arbitrary: fc.array(
      fc.record({ at: fc.nat(), other: fc.nat(), how: fc.constantFrom(...HOWS), value: hostileValue }),
      { minLength: 1, maxLength: 3 },
    ),
  },
);

/** The message with those changes; it is not touched itself. */
export function mutated(message: unknown, changes: readonly Mutation[]): unknown {
  if (changes.length === 0) return message;
  const root = { message: structuredClone(message) };
  for (const { at, other, how, value: drawn } of changes) {
    // one that is put in twice would hold itself
    const value = structuredClone(drawn);
    const places = placesIn(root);
    const place = places[at % places.length];
    const second = places[other % places.length];
    if (place !== undefined && second !== undefined) change(place, second, how, value);
  }
  return root.message;
}

function change(place: Place, second: Place, how: How, value: unknown): void {
  const here = valueAt(place);
  switch (how) {
    case 'replace':
      return put(place, value);
    case 'remove':
      if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 1);
      else delete place.holder[place.key];
      return;
    case 'swap': {
      const there = structuredClone(valueAt(second));
      put(second, structuredClone(here));
      return put(place, there);
    }
    case 'repeat':
      if (Array.isArray(here) && here.length < 200) here.push(...structuredClone(here));
      return;
    case 'wrap':
      return put(place, [here]);
    case 'add':
      if (typeof here === 'object' && here !== null && !Array.isArray(here))
        put(
          { holder: here as Record<string, unknown>, key: typeof value === 'string' ? value : 'more' },
          value,
        );
      return;
  }
}

/** As JSON.parse does it: a name of the prototype is a name as any other. */
function put({ holder, key }: Place, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

const valueAt = ({ holder, key }: Place): unknown => (holder as Record<string | number, unknown>)[key];

function placesIn(root: Record<string, unknown>): Place[] {
  const found: Place[] = [];
  const waiting: (Record<string, unknown> | unknown[])[] = [root];
  for (let holder = waiting.pop(); holder !== undefined && found.length < MOST_PLACES; holder = waiting.pop())
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      const place = { holder, key };
      found.push(place);
      const value = valueAt(place);
      if (typeof value === 'object' && value !== null)
        waiting.push(value as Record<string, unknown> | unknown[]);
    }
  return found;
}

/** So many messages that megabytes, which take as long as a hundred others, are drawn less often. */
export const isCampaign = process.env['ADVERSARY_MESSAGES'] !== undefined;

/** How a body leaves: mostly as it is. */
export type Packaging = 'whole' | 'cut' | 'noise' | 'deep' | 'wide' | 'not UTF-8' | 'empty';
export const packaging: fc.Arbitrary<Packaging> = fc.oneof(
  { weight: isCampaign ? 300 : 40, arbitrary: fc.constant('whole' as const) },
  {
    weight: isCampaign ? 15 : 2,
    arbitrary: fc.constantFrom('cut' as const, 'noise' as const, 'empty' as const),
  },
  {
    weight: isCampaign ? 2 : 1,
    arbitrary: fc.constantFrom('deep' as const, 'wide' as const, 'not UTF-8' as const),
  },
);

/** The bytes of a message. Large ones have `most` bytes. */
export function packaged(message: unknown, how: Packaging, most: number): Buffer {
  const text = JSON.stringify(message) ?? 'null';
  switch (how) {
    case 'whole':
      return Buffer.from(text);
    case 'cut':
      return Buffer.from(text.slice(0, Math.floor(text.length / 2)));
    case 'noise':
      return Buffer.from('<html>proxy</html>');
    case 'empty':
      return Buffer.alloc(0);
    case 'deep':
      return Buffer.from(`${'['.repeat(most / 2 - 1)}${']'.repeat(most / 2 - 1)}`);
    case 'wide':
      return Buffer.from(`[${'0,'.repeat(most / 2 - 2)}0]`);
    case 'not UTF-8':
      return Buffer.from([0x22, 0xff, 0xfe, 0x22]);
  }
}
