// Runs before anything is drawn, so that nothing is drawn in the other theme first: the console itself comes later. It
// kept how this station is looked at, and where that is the farm's sun, when in the day (ms, UTC) that sets and rises.
{
  const [look = 'auto', ...hours] = (localStorage.getItem('first-look') ?? 'auto').split(' ');
  const [dusk = 0, dawn = 0] = hours.map(Number);
  const at = Date.now() % 86_400_000;
  const isNight = dusk < dawn ? at >= dusk && at < dawn : at >= dusk || at < dawn;
  const isDark =
    { light: false, dark: true, sun: isNight }[look] ?? matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}
