/** Over plain http from another machine, whoever is on the same Wi-Fi may listen. */
export const isReadable = (): boolean =>
  location.protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
