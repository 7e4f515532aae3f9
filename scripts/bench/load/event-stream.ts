/** Opens GET /events and hands over every event; resolves when the first one, the snapshot, has come. */
export async function openEventStream(
  base: string,
  token: string,
  hear: (name: string, data: unknown) => void,
): Promise<() => void> {
  const stop = new AbortController();
  const response = await fetch(`${base}/api/v1/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  if (response.body === null || response.status !== 200) {
    throw new Error(`the event stream answered ${response.status}`);
  }
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const reading = readEvents(response.body, (name, data) => {
    begin();
    hear(name, data);
  });
  reading.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  await begun;
  return () => stop.abort();
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  hear: (name: string, data: unknown) => void,
): Promise<void> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const name = /^event: (.+)$/m.exec(block)?.[1];
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (name !== undefined && data !== undefined) hear(name, JSON.parse(data));
    }
  }
}
