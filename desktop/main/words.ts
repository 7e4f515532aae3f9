/** Words of the tray, in the language of the system. */
export function wordsFor(locale: string): { open: string; quit: string; calm: string } {
  return locale.toLowerCase().startsWith('pt')
    ? { open: 'Abrir o painel', quit: 'Encerrar', calm: 'Camarão: sem alarmes' }
    : { open: 'Open the console', quit: 'Quit', calm: 'Camarão: no alarms' };
}
