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
