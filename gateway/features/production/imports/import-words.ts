import { calendarDay, figure, type Language } from '#science/advice/language.ts';
import { DOUBT_WORDS, type Said } from './doubt-words.ts';

type Words = Readonly<Record<string, (said: Said) => string>>;

const cellIn = ({ cell = '' }: Said) => `"${cell.slice(0, 40)}"`;
const day = (said: Said, language: Language) =>
  said.day === undefined ? '' : calendarDay(said.day, language);
const number = (value: number | undefined, language: Language) =>
  figure(value ?? 0, 3, language).replace(/[.,]?0+$/, '');

const PT: Words = {
  NOT_A_COMMA_NUMBER: (said) => `${cellIn(said)} não é um número com vírgula decimal, como nesta coluna`,
  NOT_A_POINT_NUMBER: (said) => `${cellIn(said)} não é um número com ponto decimal, como nesta coluna`,
  NOT_A_NUMBER: (said) => `${cellIn(said)} não é um número`,
  NOT_A_WHOLE_NUMBER: (said) => `${cellIn(said)} não é um número inteiro`,
  AMBIGUOUS_NUMBER: (said) =>
    `${cellIn(said)} pode ser dois números: diga se o decimal do arquivo é vírgula ou ponto (decimal)`,
  NOT_A_DATE: (said) => `${cellIn(said)} não é uma data como 01/03/2026 ou 2026-03-01`,
  NOT_A_TIME: (said) => `${cellIn(said)} não é uma hora como 06:30`,
  TEXT_NOT_ALLOWED: () => 'o texto tem caracteres que não podem ser guardados',
  UNIT_NOT_KNOWN: ({ other = '' }) =>
    `a unidade "${other}" não é uma em que esta coluna pode ser lida: diga a unidade da coluna (columns), ou deixe a coluna fora`,
  BASIS_NOT_SAID: ({ of = '' }) =>
    `a coluna "${of}" não diz o que conta: como nitrogênio (N) ou como o íon (NO2, NO3, NH4), e a amônia no total (TAN) ou só a não ionizada (NH3-N). Diga a unidade da coluna (columns, por exemplo mg/L N), ou deixe a coluna fora`,
  OTHER_AMMONIA: ({ of = '' }) =>
    `a coluna "${of}" e a fazenda medem a amônia em bases diferentes (total, TAN, ou não ionizada, NH3-N): mude a base da amônia em Sistema › Fazenda, ou deixe a coluna fora`,
  READ_AS_BASIS: ({ of = '', other = '' }) =>
    `a coluna "${of}" não diz o que conta e foi lida como ${other}: se for outra coisa, diga a unidade da coluna (columns)`,
  TEMPERATURE_NEEDED: () => 'só pode ser convertido com a temperatura da mesma linha',
  SALINITY_NEEDED: () =>
    'só pode ser convertido com a salinidade da mesma linha, ou com uma para todas (salinity)',
  OUT_OF_RANGE: (said) => `${cellIn(said)} está fora do que pode ser convertido`,
  REQUIRED: () => 'está vazio, e é necessário',
  POND_REQUIRED: () => 'está vazio: diga um viveiro desta fazenda',
  BATCH_REQUIRED: () => 'está vazio: diga um lote desta fazenda',
  PRICE_REQUIRED: () =>
    'falta o preço, e sem preço não é de graça: diga o preço de todas as linhas (cost_per_kg), ou ponha a coluna no arquivo',
  POND_UNKNOWN: (said) => `não há viveiro ${cellIn(said)} nesta fazenda`,
  BATCH_UNKNOWN: (said) => `não há lote ${cellIn(said)} nesta fazenda`,
  POND_AMBIGUOUS: (said) => `vários viveiros têm o código ${cellIn(said)}: diga o número ou o id`,
  BEFORE_BATCH_START: (said) => `é anterior ao começo do lote (${day(said, 'pt-BR')})`,
  IN_THE_FUTURE: () => 'está no futuro',
  STATUS_INVALID: ({ other = '' }) => `deve ser um de ${other}`,
  HARVEST_REQUIRED: ({ of = '' }) => `é necessária para um lote ${of}`,
  HARVEST_OF_ACTIVE: () => 'deve ficar vazia para um lote ACTIVE',
  WEIGHT_INVALID: () => 'deve ser um peso em kg',
  AT_MOST: ({ value }) => `deve ser no máximo ${number(value, 'pt-BR')}`,
  LESS_THAN: ({ value }) => `deve ser menor que ${number(value, 'pt-BR')}`,
  AT_LEAST: ({ value }) => `deve ser no mínimo ${number(value, 'pt-BR')}`,
  MORE_THAN: ({ value }) => `deve ser maior que ${number(value, 'pt-BR')}`,
  TOO_LONG: ({ value }) => `tem mais de ${number(value, 'pt-BR')} letras`,
  INVALID: () => 'não é aceito aqui',
  NO_PARAMETER: () => 'a linha não tem nenhum valor da água',
  DUPLICATE: (said) => `${cellIn(said)} já está na linha ${said.other ?? ''}`,
  ALREADY_EXISTS: (said) => `outro lote já tem o código ${cellIn(said)}`,
  NO_VALUE: (said) => `${cellIn(said)} foi lido como sem valor`,
  EMPTY_ROW: () => 'a linha não tem valor nenhum: ficou fora',
  TOTALS_LINE: (said) => `linha de total ou média (${cellIn(said)}): ficou fora`,
  TEMPLATE_EXAMPLE: () => 'é a linha de exemplo do modelo: ficou fora',
  CARRIED_DOWN: (said) => `célula mesclada: vale ${cellIn(said)} também nesta linha`,
  CONVERTED: ({ of = '', other = '' }) => `a coluna "${of}" foi convertida de ${other}`,
  REMARK_NOT_KNOWN: ({ of = '', other = '' }) =>
    `no título "${of}" não se conhece "${other}", e a coluna foi lida como se não estivesse ali: se for uma unidade, diga qual (columns)`,
  TWO_TIMES: (said) => `${cellIn(said)} e a hora ao lado dizem horas diferentes`,
  YEARS_FIRST: () =>
    'os anos parecem vir antes do mês (26/02/13), e com dois algarismos isso não é seguro: escreva os anos com quatro, ou diga date_order',
  DATES_MONTHLY: () =>
    'há uma data por mês, sempre no mesmo dia: talvez a planilha tenha trocado dia e mês ao abrir o arquivo. Confira as datas',
  HEADER_AGAIN: () => 'é o cabeçalho de novo: ficou fora',
  HEADER_CHANGES: () =>
    'esta linha nomeia as colunas de novo, em outra ordem: mande cada tabela em um arquivo',
  SAME_DAY_SAME_AMOUNT: () => 'já está registrado: mesmo dia, mesma quantidade. Ficou fora',
  SAME_BATCH: () => 'já está registrado: mesmo código, mesmo dia de povoamento. Ficou fora',
  SAME_TIME_SAME_VALUES: () => 'já está registrado: mesma hora, mesmos valores. Ficou fora',
  IDENTICAL_ROW: ({ other = '' }) =>
    `mesmo dia, mesma quantidade que a linha ${other}: entram as duas. Se é repetida, deixe uma fora (skip)`,
  OTHER_VALUE_THERE: () =>
    'já há um registro deste mesmo dia ou desta mesma hora com outro valor: se esta linha o corrige, apague um dos dois',
  CLOCK_GAP: (said) =>
    `${cellIn(said)} não existiu no relógio da fazenda (adiantado nessa hora): foi lida a hora seguinte`,
  CLOCK_TWICE: (said) =>
    `${cellIn(said)} existiu duas vezes no relógio da fazenda (atrasado nessa hora): foi lida a primeira`,
  OUTLIER: ({ value, other = '' }) =>
    `${number(value, 'pt-BR')} é ${other} vezes o que está no resto da coluna: confira a vírgula e a unidade`,
  READ_AS_THOUSANDS: (said) =>
    `${cellIn(said)} foi lido como ${number(said.value, 'pt-BR')}, porque outras colunas têm vírgula decimal: confira`,
  READ_AS_THOUSANDS_POINT: (said) =>
    `${cellIn(said)} foi lido como ${number(said.value, 'pt-BR')}, porque outras colunas têm ponto decimal: confira`,
  TOTAL_DIFFERS: ({ value, other = '' }) =>
    `os tratos somam ${number(value, 'pt-BR')} kg, e o total da linha diz ${other}`,
  DATES_SWAPPED: () =>
    'datas até o dia 12 são datas, e as outras são texto: a planilha trocou dia e mês ao abrir o arquivo. Mande o arquivo original (CSV), ou escreva todas as datas do mesmo jeito',
  ZONE_NAMED: ({ of = '' }) =>
    `o arquivo diz que a hora é de "${of}": foi lida no relógio da fazenda. Confira as horas`,
  OTHER_SHEET: ({ of = '' }) =>
    `a planilha "${of}" também tem linhas assim e não foi lida: importe-a à parte (sheet)`,
  NO_HEADING: ({ value }) =>
    `a coluna ${number(value, 'pt-BR')} tem valores e não tem título: não foi lida. Dê-lhe um título, ou diga o que é (columns)`,
  ROW_TOO_LONG: () =>
    'a linha tem mais células que o cabeçalho: uma vírgula sem aspas parte um valor em dois. Salve com ponto e vírgula',
  PRICE_OF_KG: ({ of = '' }) => `a coluna "${of}" foi lida como o preço de cada kg`,
  PRICE_OF_ALL: ({ of = '' }) =>
    `os preços crescem com as quantidades, como o custo de tudo o que foi dado (${of} por kg), e foram lidos como preço de cada kg: confira`,
  SHARE_NOT_PERCENT: ({ value }) =>
    `${number(value, 'pt-BR')} foi lido como ${number(value, 'pt-BR')}%: se for uma parte de 1, escreva em %`,
  DATE_ORDER: ({ of = '' }) =>
    `nenhuma data desta coluna diz se o dia vem antes do mês. Foi lido ${of === 'day_first' ? 'dia/mês' : 'mês/dia'}: confirme com date_order=day_first ou date_order=month_first`,
};

const EN: Words = {
  NOT_A_COMMA_NUMBER: (said) => `${cellIn(said)} is not a number with a decimal comma, as in this column`,
  NOT_A_POINT_NUMBER: (said) => `${cellIn(said)} is not a number with a decimal point, as in this column`,
  NOT_A_NUMBER: (said) => `${cellIn(said)} is not a number`,
  NOT_A_WHOLE_NUMBER: (said) => `${cellIn(said)} is not a whole number`,
  AMBIGUOUS_NUMBER: (said) =>
    `${cellIn(said)} may be two numbers: say whether the decimal mark of the file is a comma or a point (decimal)`,
  NOT_A_DATE: (said) => `${cellIn(said)} is not a date such as 01/03/2026 or 2026-03-01`,
  NOT_A_TIME: (said) => `${cellIn(said)} is not a time such as 06:30`,
  TEXT_NOT_ALLOWED: () => 'must be well-formed text',
  UNIT_NOT_KNOWN: ({ other = '' }) =>
    `the unit "${other}" is none that this column can be read from: say the unit of the column (columns), or leave the column out`,
  BASIS_NOT_SAID: ({ of = '' }) =>
    `the column "${of}" does not say what it counts: as nitrogen (N) or as the ion (NO2, NO3, NH4), and ammonia in all (TAN) or un-ionised only (NH3-N). Say the unit of the column (columns, such as mg/L N), or leave the column out`,
  OTHER_AMMONIA: ({ of = '' }) =>
    `the column "${of}" and the farm measure ammonia on different bases (total, TAN, or un-ionised, NH3-N): change the basis of ammonia under System › Farm, or leave the column out`,
  READ_AS_BASIS: ({ of = '', other = '' }) =>
    `the column "${of}" does not say what it counts and was read as ${other}: if it is something else, say the unit of the column (columns)`,
  TEMPERATURE_NEEDED: () => 'can be converted only with the temperature of the same row',
  SALINITY_NEEDED: () =>
    'can be converted only with the salinity of the same row, or with one for all of them (salinity)',
  OUT_OF_RANGE: (said) => `${cellIn(said)} lies outside of what can be converted`,
  REQUIRED: () => 'is empty, and needed',
  POND_REQUIRED: () => 'is empty: name a pond of this farm',
  BATCH_REQUIRED: () => 'is empty: name a batch of this farm',
  PRICE_REQUIRED: () =>
    'the price is missing, and feed without one is not free: say the price of all rows (cost_per_kg), or give the file the column',
  POND_UNKNOWN: (said) => `there is no pond ${cellIn(said)} on this farm`,
  BATCH_UNKNOWN: (said) => `there is no batch ${cellIn(said)} on this farm`,
  POND_AMBIGUOUS: (said) => `several ponds have the code ${cellIn(said)}: name it by its number or id`,
  BEFORE_BATCH_START: (said) => `lies before the start of the batch (${said.day ?? ''})`,
  IN_THE_FUTURE: () => 'lies in the future',
  STATUS_INVALID: ({ other = '' }) => `must be one of ${other}`,
  HARVEST_REQUIRED: ({ of = '' }) => `is needed for a batch that is ${of}`,
  HARVEST_OF_ACTIVE: () => 'must be empty for a batch that is ACTIVE',
  WEIGHT_INVALID: () => 'must be a weight in kg',
  AT_MOST: ({ value }) => `must be at most ${number(value, 'en')}`,
  LESS_THAN: ({ value }) => `must be less than ${number(value, 'en')}`,
  AT_LEAST: ({ value }) => `must be at least ${number(value, 'en')}`,
  MORE_THAN: ({ value }) => `must be more than ${number(value, 'en')}`,
  TOO_LONG: ({ value }) => `has more than ${number(value, 'en')} letters`,
  INVALID: () => 'is not accepted here',
  NO_PARAMETER: () => 'the row has no value of the water',
  DUPLICATE: (said) => `${cellIn(said)} stands in row ${said.other ?? ''} already`,
  ALREADY_EXISTS: (said) => `another batch already has the code ${cellIn(said)}`,
  NO_VALUE: (said) => `${cellIn(said)} was read as no value`,
  EMPTY_ROW: () => 'the row has no value at all: left out',
  TOTALS_LINE: (said) => `a line of totals or means (${cellIn(said)}): left out`,
  TEMPLATE_EXAMPLE: () => 'is the example of the template: left out',
  CARRIED_DOWN: (said) => `merged cell: ${cellIn(said)} holds for this row, too`,
  CONVERTED: ({ of = '', other = '' }) => `the column "${of}" was converted from ${other}`,
  REMARK_NOT_KNOWN: ({ of = '', other = '' }) =>
    `"${other}" in the heading "${of}" is not known, and the column was read as if it were not there: if it is a unit, say which (columns)`,
  TWO_TIMES: (said) => `${cellIn(said)} and the time beside it say different times`,
  YEARS_FIRST: () =>
    'years seem to stand before the month (26/02/13), and with two digits that is not sure: write years with four, or say date_order',
  DATES_MONTHLY: () =>
    'there is one date in each month, always on the same day: the spreadsheet may have swapped day and month when it opened the file. Check the dates',
  HEADER_AGAIN: () => 'is the header once more: left out',
  HEADER_CHANGES: () =>
    'this row names the columns anew, in another order: send each table in a file of its own',
  SAME_DAY_SAME_AMOUNT: () => 'is on record: same day, same amount. Left out',
  SAME_BATCH: () => 'is on record: same code, stocked on the same day. Left out',
  SAME_TIME_SAME_VALUES: () => 'is on record: same time, same values. Left out',
  IDENTICAL_ROW: ({ other = '' }) =>
    `same day, same amount as row ${other}: both come in. If it stands there twice, leave one out (skip)`,
  OTHER_VALUE_THERE: () =>
    'there is a record of the same day or time with another value: if this row corrects it, delete one of the two',
  CLOCK_GAP: (said) =>
    `${cellIn(said)} was on no clock of the farm (put forward in that hour): the time after it was read`,
  CLOCK_TWICE: (said) =>
    `${cellIn(said)} was on the farm's clock twice (put back in that hour): the first was read`,
  OUTLIER: ({ value, other = '' }) =>
    `${number(value, 'en')} is ${other} times what stands in the rest of the column: check decimal mark and unit`,
  READ_AS_THOUSANDS: (said) =>
    `${cellIn(said)} was read as ${number(said.value, 'en')}, because other columns have a decimal comma: check it`,
  READ_AS_THOUSANDS_POINT: (said) =>
    `${cellIn(said)} was read as ${number(said.value, 'en')}, because other columns have a decimal point: check it`,
  TOTAL_DIFFERS: ({ value, other = '' }) =>
    `the meals sum up to ${number(value, 'en')} kg, and the total of the row says ${other}`,
  DATES_SWAPPED: () =>
    'dates up to the 12th are dates, and the others are text: the spreadsheet has swapped day and month when it opened the file. Send the original file (CSV), or write all dates in one way',
  ZONE_NAMED: ({ of = '' }) =>
    `the file says its times are of "${of}": they were read on the farm's clock. Check them`,
  OTHER_SHEET: ({ of = '' }) =>
    `sheet "${of}" has such rows, too, and was not read: import it by itself (sheet)`,
  NO_HEADING: ({ value }) =>
    `column ${number(value, 'en')} has values and no heading: it was not read. Give it a heading, or say what it is (columns)`,
  ROW_TOO_LONG: () =>
    'the row has more cells than the header: a comma without quotes parts a value in two. Save it with semicolons',
  PRICE_OF_KG: ({ of = '' }) => `the column "${of}" was read as the price of each kg`,
  PRICE_OF_ALL: ({ of = '' }) =>
    `the prices grow with the amounts, as the cost of all that was given does (${of} for a kg), and were read as the price of each kg: check them`,
  SHARE_NOT_PERCENT: ({ value }) =>
    `${number(value, 'en')} was read as ${number(value, 'en')}%: if it is a part of 1, write it in %`,
  DATE_ORDER: ({ of = '' }) =>
    `no date of this column tells whether the day comes before the month. Read as ${of === 'day_first' ? 'day/month' : 'month/day'}: confirm it with date_order=day_first or date_order=month_first`,
};

const ES: Words = {
  NOT_A_COMMA_NUMBER: (said) => `${cellIn(said)} no es un número con coma decimal, como en esta columna`,
  NOT_A_POINT_NUMBER: (said) => `${cellIn(said)} no es un número con punto decimal, como en esta columna`,
  NOT_A_NUMBER: (said) => `${cellIn(said)} no es un número`,
  NOT_A_WHOLE_NUMBER: (said) => `${cellIn(said)} no es un número entero`,
  AMBIGUOUS_NUMBER: (said) =>
    `${cellIn(said)} puede ser dos números: diga si el decimal del archivo es coma o punto (decimal)`,
  NOT_A_DATE: (said) => `${cellIn(said)} no es una fecha como 01/03/2026 o 2026-03-01`,
  NOT_A_TIME: (said) => `${cellIn(said)} no es una hora como 06:30`,
  TEXT_NOT_ALLOWED: () => 'el texto tiene caracteres que no se pueden guardar',
  UNIT_NOT_KNOWN: ({ other = '' }) =>
    `la unidad "${other}" no es una en que se pueda leer esta columna: diga la unidad de la columna (columns), o deje la columna fuera`,
  BASIS_NOT_SAID: ({ of = '' }) =>
    `la columna "${of}" no dice qué cuenta: como nitrógeno (N) o como el ion (NO2, NO3, NH4), y el amoníaco en total (TAN) o solo el no ionizado (NH3-N). Diga la unidad de la columna (columns, por ejemplo mg/L N), o deje la columna fuera`,
  OTHER_AMMONIA: ({ of = '' }) =>
    `la columna "${of}" y la camaronera miden el amoníaco en bases distintas (total, TAN, o no ionizado, NH3-N): cambie la base del amoníaco en Sistema › Camaronera, o deje la columna fuera`,
  READ_AS_BASIS: ({ of = '', other = '' }) =>
    `la columna "${of}" no dice qué cuenta y se leyó como ${other}: si es otra cosa, diga la unidad de la columna (columns)`,
  TEMPERATURE_NEEDED: () => 'solo se puede convertir con la temperatura de la misma fila',
  SALINITY_NEEDED: () =>
    'solo se puede convertir con la salinidad de la misma fila, o con una para todas (salinity)',
  OUT_OF_RANGE: (said) => `${cellIn(said)} está fuera de lo que se puede convertir`,
  REQUIRED: () => 'está vacío, y es necesario',
  POND_REQUIRED: () => 'está vacío: diga una piscina de esta camaronera',
  BATCH_REQUIRED: () => 'está vacío: diga un lote de esta camaronera',
  PRICE_REQUIRED: () =>
    'falta el precio, y sin precio no es gratis: diga el precio de todas las filas (cost_per_kg), o ponga la columna en el archivo',
  POND_UNKNOWN: (said) => `no hay una piscina ${cellIn(said)} en esta camaronera`,
  BATCH_UNKNOWN: (said) => `no hay un lote ${cellIn(said)} en esta camaronera`,
  POND_AMBIGUOUS: (said) => `varias piscinas tienen el código ${cellIn(said)}: diga el número o el id`,
  BEFORE_BATCH_START: (said) => `es anterior al comienzo del lote (${day(said, 'es')})`,
  IN_THE_FUTURE: () => 'está en el futuro',
  STATUS_INVALID: ({ other = '' }) => `debe ser uno de ${other}`,
  HARVEST_REQUIRED: ({ of = '' }) => `es necesaria para un lote ${of}`,
  HARVEST_OF_ACTIVE: () => 'debe quedar vacía para un lote ACTIVE',
  WEIGHT_INVALID: () => 'debe ser un peso en kg',
  AT_MOST: ({ value }) => `debe ser como máximo ${number(value, 'es')}`,
  LESS_THAN: ({ value }) => `debe ser menor que ${number(value, 'es')}`,
  AT_LEAST: ({ value }) => `debe ser como mínimo ${number(value, 'es')}`,
  MORE_THAN: ({ value }) => `debe ser mayor que ${number(value, 'es')}`,
  TOO_LONG: ({ value }) => `tiene más de ${number(value, 'es')} letras`,
  INVALID: () => 'no se acepta aquí',
  NO_PARAMETER: () => 'la fila no tiene ningún valor del agua',
  DUPLICATE: (said) => `${cellIn(said)} ya está en la fila ${said.other ?? ''}`,
  ALREADY_EXISTS: (said) => `otro lote ya tiene el código ${cellIn(said)}`,
  NO_VALUE: (said) => `${cellIn(said)} se leyó como sin valor`,
  EMPTY_ROW: () => 'la fila no tiene ningún valor: quedó fuera',
  TOTALS_LINE: (said) => `fila de total o promedio (${cellIn(said)}): quedó fuera`,
  TEMPLATE_EXAMPLE: () => 'es la fila de ejemplo de la plantilla: quedó fuera',
  CARRIED_DOWN: (said) => `celda combinada: vale ${cellIn(said)} también en esta fila`,
  CONVERTED: ({ of = '', other = '' }) => `la columna "${of}" se convirtió de ${other}`,
  REMARK_NOT_KNOWN: ({ of = '', other = '' }) =>
    `en el título "${of}" no se conoce "${other}", y la columna se leyó como si no estuviera: si es una unidad, diga cuál (columns)`,
  TWO_TIMES: (said) => `${cellIn(said)} y la hora al lado dicen horas distintas`,
  YEARS_FIRST: () =>
    'los años parecen estar antes del mes (26/02/13), y con dos cifras eso no es seguro: escriba los años con cuatro, o diga date_order',
  DATES_MONTHLY: () =>
    'hay una fecha en cada mes, siempre el mismo día: quizá la hoja cambió día y mes al abrir el archivo. Revise las fechas',
  HEADER_AGAIN: () => 'es el encabezado otra vez: quedó fuera',
  HEADER_CHANGES: () =>
    'esta fila nombra las columnas de nuevo, en otro orden: envíe cada tabla en un archivo',
  SAME_DAY_SAME_AMOUNT: () => 'ya está registrado: mismo día, misma cantidad. Quedó fuera',
  SAME_BATCH: () => 'ya está registrado: mismo código, sembrado el mismo día. Quedó fuera',
  SAME_TIME_SAME_VALUES: () => 'ya está registrado: misma hora, mismos valores. Quedó fuera',
  IDENTICAL_ROW: ({ other = '' }) =>
    `mismo día, misma cantidad que la fila ${other}: entran las dos. Si está repetida, deje una fuera (skip)`,
  OTHER_VALUE_THERE: () =>
    'ya hay un registro de este mismo día o de esta misma hora con otro valor: si esta fila lo corrige, elimine uno de los dos',
  CLOCK_GAP: (said) =>
    `${cellIn(said)} no existió en el reloj de la camaronera (adelantado a esa hora): se leyó la hora siguiente`,
  CLOCK_TWICE: (said) =>
    `${cellIn(said)} existió dos veces en el reloj de la camaronera (atrasado a esa hora): se leyó la primera`,
  OUTLIER: ({ value, other = '' }) =>
    `${number(value, 'es')} es ${other} veces lo que está en el resto de la columna: revise la coma y la unidad`,
  READ_AS_THOUSANDS: (said) =>
    `${cellIn(said)} se leyó como ${number(said.value, 'es')}, porque otras columnas tienen coma decimal: revise`,
  READ_AS_THOUSANDS_POINT: (said) =>
    `${cellIn(said)} se leyó como ${number(said.value, 'es')}, porque otras columnas tienen punto decimal: revise`,
  TOTAL_DIFFERS: ({ value, other = '' }) =>
    `las raciones suman ${number(value, 'es')} kg, y el total de la fila dice ${other}`,
  DATES_SWAPPED: () =>
    'las fechas hasta el día 12 son fechas, y las demás son texto: la hoja de cálculo cambió día y mes al abrir el archivo. Envíe el archivo original (CSV), o escriba todas las fechas de la misma forma',
  ZONE_NAMED: ({ of = '' }) =>
    `el archivo dice que la hora es de "${of}": se leyó en el reloj de la camaronera. Revise las horas`,
  OTHER_SHEET: ({ of = '' }) =>
    `la hoja "${of}" también tiene filas así y no se leyó: impórtela aparte (sheet)`,
  NO_HEADING: ({ value }) =>
    `la columna ${number(value, 'es')} tiene valores y no tiene título: no se leyó. Póngale un título, o diga qué es (columns)`,
  ROW_TOO_LONG: () =>
    'la fila tiene más celdas que el encabezado: una coma sin comillas parte un valor en dos. Guárdelo con punto y coma',
  PRICE_OF_KG: ({ of = '' }) => `la columna "${of}" se leyó como el precio de cada kg`,
  PRICE_OF_ALL: ({ of = '' }) =>
    `los precios crecen con las cantidades, como el costo de todo lo que se dio (${of} por kg), y se leyeron como precio de cada kg: revise`,
  SHARE_NOT_PERCENT: ({ value }) =>
    `${number(value, 'es')} se leyó como ${number(value, 'es')}%: si es una parte de 1, escríbalo en %`,
  DATE_ORDER: ({ of = '' }) =>
    `ninguna fecha de esta columna dice si el día va antes que el mes. Se leyó ${of === 'day_first' ? 'día/mes' : 'mes/día'}: confirme con date_order=day_first o date_order=month_first`,
};

const WORDS: Readonly<Record<Language, Words>> = { 'pt-BR': PT, en: EN, es: ES };

/** Codes of the interface that stand for several sentences. */
const CODE_OF: Readonly<Record<string, string>> = {
  NOT_A_COMMA_NUMBER: 'NOT_A_NUMBER',
  NOT_A_POINT_NUMBER: 'NOT_A_NUMBER',
  POND_REQUIRED: 'REQUIRED',
  BATCH_REQUIRED: 'REQUIRED',
  PRICE_REQUIRED: 'REQUIRED',
  HARVEST_REQUIRED: 'REQUIRED',
  POND_UNKNOWN: 'UNKNOWN',
  BATCH_UNKNOWN: 'UNKNOWN',
  POND_AMBIGUOUS: 'AMBIGUOUS',
  STATUS_INVALID: 'INVALID',
  HARVEST_OF_ACTIVE: 'INVALID',
  WEIGHT_INVALID: 'INVALID',
  AT_MOST: 'INVALID',
  LESS_THAN: 'INVALID',
  AT_LEAST: 'INVALID',
  MORE_THAN: 'INVALID',
  TOO_LONG: 'INVALID',
  NO_PARAMETER: 'INVALID',
  READ_AS_THOUSANDS_POINT: 'READ_AS_THOUSANDS',
};

/** A note for the reader: its code, and the sentence in their language. */
export function noteOf(
  language: Language,
  sentence: string,
  { column = null, ...said }: Said & { column?: string | null } = {},
): { column: string | null; code: string; message: string } {
  const words = WORDS[language];
  const message = (words[sentence] ?? DOUBT_WORDS[sentence]?.[language] ?? words['INVALID'])?.(said) ?? '';
  return { column, code: CODE_OF[sentence] ?? sentence, message };
}
