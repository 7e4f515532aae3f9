import type { App, Session, WebContents } from 'electron';

/** Addresses a page may be: the paired gateway's, or one that came with the program. */
export type IsOurs = (url: string) => boolean;

export type HardenDeps = {
  isOurs: IsOurs;
  openOutside: (url: string) => void;
  /** A gateway led its page somewhere else, and was not followed. */
  refused: (url: string) => void;
};

/** Deny by default: no foreign page, no new window, no device, no permission beyond the few that the console needs. */
export function harden(app: App, session: Session, deps: HardenDeps): void {
  const mayHave = (url: string, permission: string) => ALLOWED.has(permission) && deps.isOurs(url);
  session.setPermissionRequestHandler((contents, permission, callback, details) =>
    callback(mayHave(details.requestingUrl || contents.getURL(), permission)),
  );
  session.setPermissionCheckHandler((contents, permission, origin) =>
    mayHave(origin || (contents?.getURL() ?? ''), permission),
  );
  // boards are done at the ports of the gateway: no page reaches a port, a USB device or a keyboard of this machine
  session.setDevicePermissionHandler(() => false);
  app.on('web-contents-created', (_, contents) => hardenContents(contents, deps));
}

const ALLOWED: ReadonlySet<string> = new Set([
  'notifications',
  'fullscreen',
  'clipboard-sanitized-write',
  'wakeLock',
]);

function hardenContents(contents: WebContents, { isOurs, openOutside, refused }: HardenDeps): void {
  contents.on('will-navigate', (event) => {
    if (isOurs(event.url)) return;
    event.preventDefault();
    // the page of a payment provider, which the person asked for
    if (mayOpenOutside(event.url)) openOutside(event.url);
  });
  contents.on('will-redirect', (event) => {
    if (isOurs(event.url)) return;
    event.preventDefault();
    refused(event.url);
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    // a link to the world opens in the world's browser, never in a window with our bridge
    if (!isOurs(url) && mayOpenOutside(url)) openOutside(url);
    return { action: 'deny' };
  });
}

const PRIVATE = /^(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./;

/** The web, and by plain http what stands on the farm's own network: the page of a relay. */
function mayOpenOutside(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (
    protocol === 'https:' || (protocol === 'http:' && /^[\d.]+$/.test(hostname) && PRIVATE.test(hostname))
  );
}
