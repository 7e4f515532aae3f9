// Finding a place by a few letters. Pure.

export type Place = { href: string; name: string; hint: string };

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_-]+/g, '');

const SHOWN = 12;

/** Places whose name begins with what was typed first, then those that contain it; `v7` finds V-07, too. */
export function found(places: readonly Place[], typed: string): readonly Place[] {
  const wanted = plain(typed);
  if (wanted === '') return places.slice(0, SHOWN);
  const rankOf = ({ name, hint }: Place): number => {
    const known = plain(name);
    // leading zeros in a code are not what people type
    const short = known.replace(/([a-z])0+(?=\d)/g, '$1');
    if (known === wanted || short === wanted) return 0;
    if (known.startsWith(wanted) || short.startsWith(wanted)) return 1;
    if (known.includes(wanted)) return 2;
    return plain(hint).includes(wanted) ? 3 : 4;
  };
  return places
    .map((place) => ({ place, rank: rankOf(place) }))
    .filter(({ rank }) => rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SHOWN)
    .map(({ place }) => place);
}
