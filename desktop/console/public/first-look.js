// Runs before anything is drawn, so that nothing is drawn in the other theme or language first: the console itself comes
// later.

// The page's own policy runs no script made of text; without this zod tries one with its first schema, and the browser reports it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
{
  // The console kept how this station is looked at, and where that is the farm's sun, when in the day (ms, UTC) that sets and rises.
  const [look = 'auto', ...hours] = (localStorage.getItem('first-look') ?? 'auto').split(' ');
  const [dusk = 0, dawn = 0] = hours.map(Number);
  const at = Date.now() % 86_400_000;
  const isNight = dusk < dawn ? at >= dusk && at < dawn : at >= dusk || at < dawn;
  const isDark =
    { light: false, dark: true, sun: isNight }[look] ?? matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}
{
  // What the console starts with in each language, the first for whoever speaks none of them (scripts/build-console.mjs wrote
  // it); nothing while the console is developed, when the page starts one by itself.
  const table = document.querySelector('meta[name="starts"]')?.getAttribute('content') ?? '{}';
  const starts = /** @type {Record<string, string[]>} */ (JSON.parse(table));
  const tags = Object.keys(starts);
  const primaryOf = (/** @type {string} */ tag) => tag.toLowerCase().split(/[-_@]/)[0];
  const kept = localStorage.getItem('language');
  const spoken =
    tags.find((tag) => tag === kept) ??
    tags.find((tag) => primaryOf(tag) === primaryOf(navigator.language)) ??
    tags[0];
  if (spoken !== undefined) {
    document.documentElement.lang = spoken;
    const [start = '', ...parts] = starts[spoken] ?? [];
    for (const href of [start, ...parts]) {
      const link = Object.assign(document.createElement('link'), { rel: 'modulepreload', href });
      document.head.append(link);
    }
    // as a script of the page itself would: when the page is whole and its styles are there
    const begin = async () => {
      const late = [...document.querySelectorAll('link[rel="stylesheet"]')].filter(
        (link) => link instanceof HTMLLinkElement && link.sheet === null,
      );
      const isThere = (/** @type {Element} */ link) =>
        new Promise((done) => ['load', 'error'].map((end) => link.addEventListener(end, done)));
      await Promise.all(late.map(isThere));
      const script = Object.assign(document.createElement('script'), { type: 'module', src: start });
      document.head.append(script);
    };
    document.addEventListener('DOMContentLoaded', () => void begin());
  }
}
{
  // While the console is on its way: what takes a cheap phone long the first time, and then would hold up the first drawing.
  const { lang } = document.documentElement;
  const timeZone = localStorage.getItem('zone') ?? undefined;
  const ahead = [
    () => Object.assign(globalThis, { soundAhead: new AudioContext() }),
    () => new Intl.DateTimeFormat(lang, { timeZone, hour: '2-digit', minute: '2-digit' }).format(),
    () => new Intl.NumberFormat(lang).format(0),
    () => new Intl.Collator(undefined, { numeric: true }).compare('1', '2'),
  ];
  for (const one of ahead)
    setTimeout(() => {
      try {
        one();
      } catch {
        // the console finds out by itself, and says so
      }
    });
}
