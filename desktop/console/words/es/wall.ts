import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/wall.ts';

export const panelWords = translation<typeof source.panelWords>({
  title: (farm: string) => `Panel de ${farm}`,
  alarms: 'Alarmas',
  calm: 'Ninguna alarma',
  unseen: 'Sin contacto: no se sabe si hay alarmas',
  more: (n: number) => `+${n} más`,
  ponds: 'Piscinas',
  noPonds: 'Esta camaronera todavía no tiene piscinas.',
  empty: 'Vacía',
  oxygen: 'OD',
  last: (value: string, at: string) => `último: ${value}, ${at}`,
  signIn: 'Entre para que este panel muestre la camaronera.',
  noPoint: 'sin controlador',
  unanswered: 'sin respuesta',
  acknowledged: 'reconocida',
  acknowledgedBy: (who: string) => `reconocida por ${who}`,
  returned: 'terminó, sin respuesta',
  silenced: 'silenciada',
  shelved: 'pospuesta',
  ends: (day: string) =>
    `La sesión de este panel termina el ${day} y no se está renovando. Entre de nuevo antes de eso.`,
  fragile:
    'Este panel solo queda conectado mientras la ventana esté abierta. Entre con “Mantener conectado”.',
  signedOut: 'La sesión de este panel terminó: ya no ve la camaronera.',
  lastAlarms: (at: string, age: string) => `Alarmas de ${at} (hace ${age}) — pueden haber cambiado`,
  lastCalm: (at: string, age: string) => `A las ${at} (hace ${age}) no había alarma — puede haber cambiado`,
  leave: 'Salir del panel',
  waiting: 'Esperando al gateway…',
});

export const arrangeWords = translation<typeof source.arrangeWords>({
  title: 'Acomodar las piscinas como están en la camaronera',
  how: 'Arrastre cada piscina, o tóquela y después el lugar. Con el teclado: flechas. Vale para todas las pantallas de la camaronera.',
  at: (cod: string, column: number, row: number) => `${cod}, columna ${column}, fila ${row}`,
  free: (column: number, row: number) => `Lugar libre, columna ${column}, fila ${row}`,
  keep: 'Guardar',
  cancel: 'Cancelar',
  forget: 'Volver al orden de los códigos',
});

export const wallWords = translation<typeof source.wallWords>({
  title: 'Camaronera',
  oxygen: 'OD',
  empty: (days: number | null) =>
    days === null ? 'Vacía' : days === 0 ? 'Vacía hoy' : `Vacía hace ${days} ${days === 1 ? 'día' : 'días'}`,
  stock: 'Sembrar',
  stockIn: (cod: string) => `Sembrar ${cod}`,
  fca: 'FCA',
  day: (n: number) => `D${n}`,
  biomass: 'Biomasa',
  ponds: (active: number, all: number) => `${active} de ${all} piscinas en cultivo`,
  none: 'Todavía no hay piscinas en esta camaronera.',
  add: 'Crear piscinas',
  worstFirst: 'Peores primero',
  byCode: 'Por código',
  byPlace: 'Por posición',
  arrange: 'Acomodar',
  sort: 'Orden',
  running: 'Consumo',
  without: (n: number) => `(${n} sin señal, fuera de la suma)`,
  weighed: (ago: string | null) => (ago === null ? 'sin muestreo' : `hace ${ago}`),
  oldWeighings: (n: number) => `(muestreo antiguo en ${n})`,
  noPoint: 'sin controlador',
  neverMeasured: 'todavía sin medición',
  by: { manual: 'a mano', probe: 'sonda', import: 'archivo' },
  last: (value: string, at: string) => `último ${value}, ${at}`,
  records: (done: number, all: number) => `registros de hoy ${done}/${all}`,
});
