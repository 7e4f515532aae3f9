const PRIVATE_V4 = [/^127\./, /^10\./, /^192\.168\./, /^172\.(1[6-9]|2\d|3[01])\./, /^169\.254\./];
const PRIVATE_V6 = /^(::1|f[cd][\da-f:]+|fe[89ab][\da-f:]+)$/;

/**
 * True for an address of a farm's own network and for a name that can only be on it. What a name leads to is checked
 * again when it is called.
 */
export function isFarmHost(host: string): boolean {
  if (/^\d+(\.\d+){3}$/.test(host)) {
    const isAddress = host.split('.').every((part) => Number(part) <= 255);
    return isAddress && PRIVATE_V4.some((range) => range.test(host));
  }
  if (host.includes(':')) return PRIVATE_V6.test(host);
  return /^[a-z\d]([a-z\d-]{0,62})(\.local)?$/.test(host) && !/^\d+$/.test(host);
}
