/** `camarao://viveiros/V-07` → `/viveiros/V-07`; null when it is none of ours. */
export function pathOfDeepLink(link: string): string | null {
  let url: URL;
  try {
    url = new URL(link);
  } catch {
    return null;
  }
  if (url.protocol !== 'camarao:') return null;
  const path = `/${url.host}${url.pathname}`.replace(/\/+$/, '') || '/';
  return /^[\w\-./%]{1,200}$/.test(path) && !path.includes('..')
    ? path + (/^[\w\-=&%]*$/.test(url.search.slice(1)) ? url.search : '')
    : null;
}

/** The link among the words of a command line, as systems hand it to a second start. */
export const linkIn = (words: readonly string[]): string | null =>
  words.find((word) => word.startsWith('camarao://')) ?? null;
