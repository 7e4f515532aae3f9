/** The first that fits: most browsers name others before themselves. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bElectron\//, 'Shrimp Farm'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export type DeviceName = { browser: string | null; system: string | null };

/** A short name of what somebody logged in with, as far as it says so itself; it proves nothing. */
export function deviceName(userAgent: string | null): DeviceName {
  const said = userAgent ?? '';
  const named = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(said))?.[1] ?? null;
  // a program: curl/8.5.0, python-requests/2.32
  const program = /^(?!Mozilla\/)([\w.-]{1,30})(?:\/|$)/.exec(said)?.[1] ?? null;
  return { browser: named(BROWSERS) ?? program, system: named(SYSTEMS) };
}
