import { language } from '../i18n/language.ts';

/**
 * Some browsers never ask again for code that once did not come, until the page is loaded anew: that is done as soon as
 * the gateway is there to give it. False: it is not, and the page stays as it is.
 */
export async function loadPageAnew(): Promise<boolean> {
  const isThere = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isThere) location.reload();
  return isThere;
}

/**
 * Kept on this station; the page is loaded anew in that language, with what was entered and not yet sent. False: the gateway
 * is not there to give it, so that the next start speaks it.
 */
export async function chooseLanguage(tag: string): Promise<boolean> {
  localStorage.setItem('language', tag);
  return tag === language || (await loadPageAnew());
}
