/** An answer of a payment provider has some kilobytes; a hundred subscriptions of one customer are less than this. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * `fetch` for Stripe's library, which believes whoever answers: a body that does not end would fill the memory, one longer than a
 * text may be or JSON that is no object (`7`) would end the process, in a promise of the library that nobody hears. An answer that
 * goes on in another protocol, or elsewhere, is none.
 */
export const boundedFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, { ...init, redirect: 'error' });
  const text = await textOf(response);
  // broken JSON the library refuses itself
  if (!/^\s*\{/.test(text)) throw new Error('an answer that is no object');
  const { status, statusText, headers } = response;
  return new Response(text, { status, statusText, headers });
};

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    // leaving the loop ends the connection, too
    if (size > MOST_BYTES) throw new Error(`an answer of more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
