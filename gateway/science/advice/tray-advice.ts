import { figure, type Language, percent } from './language.ts';

/** What the trays of the last meal say about the next one; null when it changes nothing. */
export function trayNote(
  tray: { leftoverPercent: number; factor: number; time: string; quantityKg: number },
  language: Language,
): string | null {
  const left = percent(tray.leftoverPercent, language);
  const kg = figure(tray.quantityKg, tray.quantityKg < 1 ? 3 : 2, language);
  if (tray.factor === 1) return null;
  if (tray.factor <= 0) {
    return language === 'pt-BR'
      ? `Sobrou ${left} da ração nas bandejas: não dê a refeição das ${tray.time} e confira as bandejas de novo.`
      : `${left} of the feed was left on the trays: skip the ${tray.time} meal and look at the trays again.`;
  }
  const change = percent((tray.factor - 1) * 100, language);
  const sign = tray.factor < 1 ? '−' : '+';
  return language === 'pt-BR'
    ? `Sobrou ${left} da ração nas bandejas: dê ${kg} kg às ${tray.time} (${sign}${change}).`
    : `${left} of the feed was left on the trays: give ${kg} kg at ${tray.time} (${sign}${change}).`;
}
