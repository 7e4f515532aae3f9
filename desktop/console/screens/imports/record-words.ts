import { dictionary } from '../../i18n/language.ts';

export const recordWords = dictionary({
  'pt-BR': {
    title: 'Planilhas trazidas nos últimos dias',
    none: 'Nenhuma planilha trazida nos últimos 7 dias.',
    checking: (rows: string) => `Conferindo: ${rows} linhas vistas`,
    importing: (done: string, all: string) => `Importando: ${done} de ${all} linhas`,
    undoing: (done: string, all: string) => `Desfazendo: ${done} de ${all} linhas`,
    goesOn: 'Segue mesmo que você feche esta tela.',
    cancel: 'Cancelar',
    undo: 'Desfazer a importação',
    until: (at: string) => `até ${at}`,
    undoTitle: 'Desfazer esta importação?',
    undoText: (n: number, count: string) =>
      `${n === 1 ? 'A linha que entrou sai' : `As ${count} linhas que entraram saem`}. O que alguém mudou depois fica, e lotes com outros registros também.`,
    came: (n: number, count: string) =>
      n === 0 ? 'Nada entrou.' : n === 1 ? '1 linha entrou.' : `${count} linhas entraram.`,
    failed: (why: string) => `Não deu certo: ${why}`,
    cancelled: 'Cancelada.',
    interrupted: 'Parou no meio: o gateway parou ou perdeu energia. A mesma planilha traz o resto.',
    undone: (n: number, count: string) =>
      n === 1 ? 'Desfeita: 1 linha saiu.' : `Desfeita: ${count} linhas saíram.`,
    kept: (n: number, count: string) =>
      n === 1
        ? '1 ficou, porque alguém a mudou depois ou depende dela.'
        : `${count} ficaram, porque alguém as mudou depois ou depende delas.`,
    reasons: { IMPORT_STOPPED: 'o gateway parou no meio. A mesma planilha traz o resto.' },
  },
  en: {
    title: 'Spreadsheets of the last days',
    none: 'No spreadsheet was brought in the last 7 days.',
    checking: (rows: string) => `Checking: ${rows} rows looked at`,
    importing: (done: string, all: string) => `Importing: ${done} of ${all} rows`,
    undoing: (done: string, all: string) => `Undoing: ${done} of ${all} rows`,
    goesOn: 'It goes on though you close this screen.',
    cancel: 'Cancel',
    undo: 'Undo the import',
    until: (at: string) => `until ${at}`,
    undoTitle: 'Undo this import?',
    undoText: (n: number, count: string) =>
      `${n === 1 ? 'The row that came in goes' : `The ${count} rows that came in go`}. What somebody changed since stays, and so do batches with other records.`,
    came: (n: number, count: string) =>
      n === 0 ? 'Nothing came in.' : n === 1 ? '1 row came in.' : `${count} rows came in.`,
    failed: (why: string) => `It did not work: ${why}`,
    cancelled: 'Cancelled.',
    interrupted:
      'It stopped halfway: the gateway stopped or lost power. The same spreadsheet brings the rest.',
    undone: (n: number, count: string) =>
      n === 1 ? 'Undone: 1 row is gone.' : `Undone: ${count} rows are gone.`,
    kept: (n: number, count: string) =>
      n === 1
        ? '1 stayed, because somebody changed it since or relies on it.'
        : `${count} stayed, because somebody changed them since or relies on them.`,
    reasons: { IMPORT_STOPPED: 'the gateway stopped halfway. The same spreadsheet brings the rest.' },
  },
});
