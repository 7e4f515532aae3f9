import { dictionary } from '../../i18n/language.ts';

export const arrangeWords = dictionary({
  'pt-BR': {
    title: 'Arrumar os viveiros como ficam na fazenda',
    how: 'Arraste cada viveiro, ou toque nele e depois no lugar. Com o teclado: setas. Vale para todas as telas da fazenda.',
    at: (cod: string, column: number, row: number) => `${cod}, coluna ${column}, linha ${row}`,
    free: (column: number, row: number) => `Lugar livre, coluna ${column}, linha ${row}`,
    keep: 'Guardar',
    cancel: 'Cancelar',
    forget: 'Voltar à ordem dos códigos',
  },
  en: {
    title: 'Arrange the ponds as they lie at the farm',
    how: 'Drag each pond, or press it and then its place. By keyboard: arrow keys. It holds for all screens of the farm.',
    at: (cod: string, column: number, row: number) => `${cod}, column ${column}, row ${row}`,
    free: (column: number, row: number) => `Free place, column ${column}, row ${row}`,
    keep: 'Keep',
    cancel: 'Cancel',
    forget: 'Back to the order of codes',
  },
});
