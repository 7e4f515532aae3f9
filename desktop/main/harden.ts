import type { App, Session, WebContents } from 'electron';

/** Addresses a page may be: the paired gateway's, or one that came with the program. */
export type IsOurs = (url: string) => boolean;

/** Deny by default: no foreign page, no new window, no permission beyond the few that the console needs. */
export function harden(
  app: App,
  session: Session,
  deps: { isOurs: IsOurs; openOutside: (url: string) => void },
): void {
  const mayHave = (url: string, permission: string) => ALLOWED.has(permission) && deps.isOurs(url);
  session.setPermissionRequestHandler((contents, permission, callback, details) =>
    callback(mayHave(details.requestingUrl || contents.getURL(), permission)),
  );
  session.setPermissionCheckHandler((contents, permission, origin) =>
    mayHave(origin || (contents?.getURL() ?? ''), permission),
  );
  app.on('web-contents-created', (_, contents) => hardenContents(contents, deps));
}

const ALLOWED: ReadonlySet<string> = new Set([
  'notifications',
  'fullscreen',
  'clipboard-sanitized-write',
  'serial',
  'wakeLock',
]);

function hardenContents(
  contents: WebContents,
  { isOurs, openOutside }: { isOurs: IsOurs; openOutside: (url: string) => void },
): void {
  contents.on('will-navigate', (event) => {
    if (!isOurs(event.url)) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    // a link to the world opens in the world's browser, never in a window with our bridge
    if (url.startsWith('https://') && !isOurs(url)) openOutside(url);
    return { action: 'deny' };
  });
}
