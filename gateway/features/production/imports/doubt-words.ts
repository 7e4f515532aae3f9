import type { Language } from '#science/advice/language.ts';

/** What a sentence names: the cell as it stands in the file, or what is known beside it. */
export type Said = { cell?: string; of?: string; other?: string; value?: number; day?: string };

type Sentence = (said: Said) => string;
type InEach = { readonly [language in Language]: Sentence };

const cell = ({ cell: text = '' }: Said) => `"${text.slice(0, 40)}"`;

/** What a file may mean otherwise than it was read: told of rows and columns that come in as they stand, or are asked about. */
export const DOUBT_WORDS: Readonly<Record<string, InEach>> = {
  DITTO: {
    'pt-BR': (said) => `${cell(said)} repete a linha de cima? Escreva o que é por extenso`,
    en: (said) => `${cell(said)} repeats the line above? Write out what it is`,
    es: (said) => `¿${cell(said)} repite la línea de arriba? Escriba lo que es`,
  },
  TOTAL_ALONE: {
    'pt-BR': (said) =>
      `o total da linha diz ${cell(said)}, e nenhum trato tem valor: ponha a quantidade nos tratos, ou deixe a linha fora (skip)`,
    en: (said) =>
      `the total of the row says ${cell(said)}, and no meal has a value: put the amount into the meals, or leave the row out (skip)`,
    es: (said) =>
      `el total de la fila dice ${cell(said)}, y ninguna ración tiene valor: ponga la cantidad en las raciones, o deje la fila fuera (skip)`,
  },
  MAY_BE_TOTAL: {
    'pt-BR': (said) =>
      `${cell(said)} parece uma linha de total, e foi lida como as outras: se for, deixe-a fora (skip)`,
    en: (said) =>
      `${cell(said)} looks like a line of totals, and was read as the others: if it is one, leave it out (skip)`,
    es: (said) =>
      `${cell(said)} parece una fila de total, y se leyó como las demás: si lo es, déjela fuera (skip)`,
  },
  SUM_OF_ROWS: {
    'pt-BR': ({ other = '' }) =>
      `é a soma das linhas de cima, desde a linha ${other}: se for um total, deixe-a fora (skip)`,
    en: ({ other = '' }) =>
      `is the sum of the rows above, from row ${other} on: if it is a total, leave it out (skip)`,
    es: ({ other = '' }) =>
      `es la suma de las filas de arriba, desde la fila ${other}: si es un total, déjela fuera (skip)`,
  },
  SAME_TIME_IN_FILE: {
    'pt-BR': ({ other = '' }) =>
      `mesmo viveiro e mesma hora que a linha ${other}, com outros valores: se foram de horas diferentes, dê ao arquivo uma coluna com a hora`,
    en: ({ other = '' }) =>
      `same pond and same time as row ${other}, with other values: if they were of different hours, give the file a column of times`,
    es: ({ other = '' }) =>
      `misma piscina y misma hora que la fila ${other}, con otros valores: si fueron de horas distintas, dé al archivo una columna con la hora`,
  },
  NIGHT_ROWS: {
    'pt-BR': () =>
      'vem depois da noite do mesmo dia, como numa ronda que passa da meia-noite, e foi lida na madrugada antes dela: se for a do dia seguinte, escreva a data desse dia',
    en: () =>
      'stands behind the evening of the same day, as in a round past midnight, and was read in the early hours before it: if it is of the next day, write the date of that day',
    es: () =>
      'viene después de la noche del mismo día, como en una ronda que pasa de medianoche, y se leyó en la madrugada anterior: si es la del día siguiente, escriba la fecha de ese día',
  },
  NIGHT_HOURS: {
    'pt-BR': ({ of = '' }) =>
      `a coluna "${of}" vem depois da noite, como numa ronda que passa da meia-noite, e foi lida na madrugada do mesmo dia: se for a do dia seguinte, mande essas horas com a data desse dia`,
    en: ({ of = '' }) =>
      `the column "${of}" stands behind the evening, as in a round past midnight, and was read in the early hours of the same day: if it is of the next day, send these hours with the date of that day`,
    es: ({ of = '' }) =>
      `la columna "${of}" viene después de la noche, como en una ronda que pasa de medianoche, y se leyó en la madrugada del mismo día: si es la del día siguiente, envíe esas horas con la fecha de ese día`,
  },
  METER_WENT_BACK: {
    'pt-BR': ({ other = '' }) =>
      `o medidor marcava ${other} na leitura anterior: confira o número, ou diga na coluna de troca se o medidor foi trocado (CHANGED) ou deu a volta (ROLLED_OVER)`,
    en: ({ other = '' }) =>
      `the meter showed ${other} at the reading before: check the figure, or say in the column of changes whether the meter was changed (CHANGED) or rolled over (ROLLED_OVER)`,
    es: ({ other = '' }) =>
      `el medidor marcaba ${other} en la lectura anterior: revise la cifra, o diga en la columna de cambios si el medidor se cambió (CHANGED) o dio la vuelta (ROLLED_OVER)`,
  },
  METER_CHANGE_INVALID: {
    'pt-BR': (said) =>
      `${cell(said)} não diz o que houve com o medidor: escreva trocado ou deu a volta, ou deixe vazio`,
    en: (said) =>
      `${cell(said)} does not say what became of the meter: write changed or rolled over, or leave it empty`,
    es: (said) =>
      `${cell(said)} no dice qué pasó con el medidor: escriba cambiado o dio la vuelta, o déjelo vacío`,
  },
  HALF_NOT_SAID: {
    'pt-BR': () =>
      'as horas voltam atrás no mesmo dia, e nenhuma passa do meio-dia: se algumas forem da tarde, escreva-as como 15:00',
    en: () =>
      'the times run back within one day, and none is of the afternoon: if some are, write them as 15:00',
    es: () =>
      'las horas vuelven atrás en el mismo día, y ninguna pasa del mediodía: si algunas son de la tarde, escríbalas como 15:00',
  },
  UNIT_ABOVE: {
    'pt-BR': ({ of = '', other = '' }) =>
      `acima do cabeçalho está "${of}", e a coluna "${other}" foi lida na unidade de costume: se for outra, diga a unidade da coluna (columns)`,
    en: ({ of = '', other = '' }) =>
      `above the header stands "${of}", and the column "${other}" was read in the usual unit: if it is another, say the unit of the column (columns)`,
    es: ({ of = '', other = '' }) =>
      `encima del encabezado está "${of}", y la columna "${other}" se leyó en la unidad de costumbre: si es otra, diga la unidad de la columna (columns)`,
  },
  CLOCK_ABOVE: {
    'pt-BR': ({ of = '' }) =>
      `acima do cabeçalho está "${of}", e as horas foram lidas no fuso da fazenda: se forem de outro, escreva-o no título da coluna, como "Hora UTC"`,
    en: ({ of = '' }) =>
      `above the header stands "${of}", and the times were read by the clock of the farm: if they are of another, write it into the heading, as "Time UTC"`,
    es: ({ of = '' }) =>
      `encima del encabezado está "${of}", y las horas se leyeron en la hora de la finca: si son de otra, escríbala en el título de la columna, como "Hora UTC"`,
  },
  COLUMN_NOT_READ: {
    'pt-BR': ({ of = '' }) =>
      `a coluna "${of}" não foi lida: se os valores dela fizerem falta, diga o que é (columns)`,
    en: ({ of = '' }) =>
      `the column "${of}" was not read: if its values are wanted, say what it is (columns)`,
    es: ({ of = '' }) => `la columna "${of}" no se leyó: si sus valores hacen falta, diga qué es (columns)`,
  },
  HIDDEN_ROWS: {
    'pt-BR': ({ other = '' }) =>
      `linhas ocultas na planilha foram lidas como as outras: ${other}. Se não valerem, deixe-as fora (skip)`,
    en: ({ other = '' }) =>
      `rows that are hidden in the sheet were read as the others: ${other}. If they do not count, leave them out (skip)`,
    es: ({ other = '' }) =>
      `filas ocultas en la hoja se leyeron como las demás: ${other}. Si no valen, déjelas fuera (skip)`,
  },
  HIDDEN_COLUMN: {
    'pt-BR': ({ of = '' }) =>
      `a coluna "${of}" está oculta na planilha e foi lida: se não valer, deixe-a fora (columns)`,
    en: ({ of = '' }) =>
      `the column "${of}" is hidden in the sheet and was read: if it does not count, leave it out (columns)`,
    es: ({ of = '' }) =>
      `la columna "${of}" está oculta en la hoja y se leyó: si no vale, déjela fuera (columns)`,
  },
  OTHER_POND_NAMED: {
    'pt-BR': ({ of = '', other = '' }) =>
      `o arquivo fala do viveiro ${other}, e foi lido como do ${of}: confira`,
    en: ({ of = '', other = '' }) => `the file speaks of pond ${other}, and was read as of ${of}: check it`,
    es: ({ of = '', other = '' }) =>
      `el archivo habla de la piscina ${other}, y se leyó como de ${of}: revise`,
  },
  AVERAGE_DIFFERS: {
    'pt-BR': ({ other = '' }) =>
      `o peso total pela amostra dá ${other} g, e o peso médio ao lado diz outro: foi lido o total. Confira a unidade`,
    en: ({ other = '' }) =>
      `the total weight by the sample gives ${other} g, and the average beside it says another: the total was read. Check the unit`,
    es: ({ other = '' }) =>
      `el peso total por la muestra da ${other} g, y el peso promedio al lado dice otro: se leyó el total. Revise la unidad`,
  },
  DENSITY_DIFFERS: {
    'pt-BR': ({ other = '' }) =>
      `a população pela área do viveiro dá ${other} por m²: confira a unidade da densidade`,
    en: ({ other = '' }) =>
      `the count by the area of the pond gives ${other} per m²: check the unit of the density`,
    es: ({ other = '' }) =>
      `la población por el área de la piscina da ${other} por m²: revise la unidad de la densidad`,
  },
  LEFTOVER_SCORES: {
    'pt-BR': ({ other = '' }) =>
      `${other} foi lido como ${other}%: se forem notas de sobra (0 a 4), deixe a coluna fora, ou escreva em %`,
    en: ({ other = '' }) =>
      `${other} was read as ${other}%: if these are scores of what is left (0 to 4), leave the column out, or write it in %`,
    es: ({ other = '' }) =>
      `${other} se leyó como ${other}%: si son notas de sobrante (0 a 4), deje la columna fuera, o escriba en %`,
  },
  UNIT_DOUBTFUL: {
    'pt-BR': ({ of = '', other = '' }) =>
      `a coluna inteira é pequena para ${of}, em que foi lida: se for ${other}, diga a unidade da coluna (columns)`,
    en: ({ of = '', other = '' }) =>
      `the whole column is small for ${of}, in which it was read: if it is ${other}, say the unit of the column (columns)`,
    es: ({ of = '', other = '' }) =>
      `toda la columna es pequeña para ${of}, en que se leyó: si es ${other}, diga la unidad de la columna (columns)`,
  },
};
