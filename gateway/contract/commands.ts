// How a person at the box calls the program. An installed box has its command (packaging/command) and no npm; from the
// source it is npm. Whoever tells people what to type takes it from here.

/** Command and service of an installed box. */
export const COMMAND = 'shrimp-farm-gateway';
/** Its settings, each an option by its environment variable. */
export const SETTINGS_FILE = `/etc/${COMMAND}/gateway.env`;

/** At an installed box: `backup --to /mnt/stick` → `sudo shrimp-farm-gateway backup --to /mnt/stick`. */
export const atTheBox = (call: string): string => `sudo ${COMMAND} ${call}`;

/** The same from the source: `npm run backup -- --to /mnt/stick`. */
export function fromSource(call: string): string {
  const [verb = '', ...rest] = call.split(' ');
  return rest.length === 0 ? `npm run ${verb}` : `npm run ${verb} -- ${rest.join(' ')}`;
}

/** Both, where a sentence does not know who reads it. */
export const called = (call: string): string => `${atTheBox(call)} (from the source: ${fromSource(call)})`;

/** First line of a help text. */
export const usage = (call: string, when = ''): string =>
  `${atTheBox(call)}${when === '' ? '' : `   ${when}`}\nFrom the source: ${fromSource(call)}`;
