import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/meters.ts';

export const meterWords = translation<typeof source.meterWords>({
  title: 'Medidores de energía',
  enter: 'Leer medidor de energía',
  readings: 'Lecturas de los medidores',
  none: 'Ningún medidor se leyó en este período.',
  meter: 'Medidor',
  meterHint: 'Como lo llama la camaronera',
  counter: 'Lo que marca el medidor',
  before: (shown: string, at: string) => `En la última lectura, ${at}: ${shown}`,
  lower: 'El medidor marca menos que antes. Revise la cifra, o diga qué pasó.',
  change: 'Qué pasó con el medidor',
  noChange: 'Nada: voy a revisar',
  changes: { CHANGED: 'Se cambió', ROLLED_OVER: 'Dio la vuelta' },
  factor: 'Constante del medidor',
  factorHint: 'De la etiqueta, si hay transformadores: kWh por unidad. Vacío: 1',
  who: 'Quién leyó',
  remark: 'Observación',
  counted: 'Medido',
  expected: 'Aireadores, por sus horas encendidos',
  cost: 'Costo',
  perDay: 'Medido por día',
  shifts: 'Consumo por turno',
  shift: 'Turno',
  from: 'De',
  until: 'Hasta',
  several: (shift: string, n: string) => `${shift}, ${n} turnos: falta una lectura`,
  unknown: { CHANGED: 'no se sabe: medidor cambiado', WENT_BACK: 'no se sabe: marca menos que antes' },
  missing: (which: string, n: string) => `Lecturas que faltan (${n}): ${which}`,
  beside: (counted: string, expected: string, n: string) =>
    `En los ${n} días completos: ${counted} medidos, ${expected} de aireadores por las horas que contó la caja.`,
});
