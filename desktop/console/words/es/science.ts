import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/science.ts';

export const scienceWords = translation<typeof source.scienceWords>({
  title: 'Cálculos de la finca',
  open: 'Cálculos',
  openText:
    'Límites del agua, alimento, crecimiento, aireación y energía: cada número que la finca puede ajustar, y qué cambia.',
  back: 'Finca y piscinas',
  sections: {
    growth: 'Crecimiento',
    feeding: 'Alimentación',
    survival: 'Supervivencia',
    uniformity: 'Uniformidad',
    growthTrend: 'Tendencia del crecimiento',
    water: 'Agua',
    trends: 'Tendencias del agua',
    aeration: 'Aireación y oxígeno',
    economics: 'Cosecha y precio',
    energy: 'Energía',
  },
  changes: {
    growth:
      'Cambia la curva de peso esperado, el aviso de lote atrasado, la fecha prevista de cosecha y cuándo pesar de nuevo.',
    feeding:
      'Cambia el alimento propuesto por día y por ración, y cuánto baja con frío, poco oxígeno, amonio o sobrantes.',
    survival: 'Cambia la población estimada entre conteos: de ella salen biomasa, alimento y conversión.',
    uniformity: 'Cambia la nota de uniformidad de la biometría y cuántos camarones pesar.',
    growthTrend: 'Cambia cuándo el crecimiento se dice más rápido o más lento.',
    water:
      'Cambia los límites que disparan alarmas, el rango bueno en gráficos y colores del agua, y lo que se acepta como lectura posible.',
    trends: 'Cambia cuándo un parámetro se dice subiendo, bajando o inestable.',
    aeration: 'Cambia los puntos propuestos de oxígeno, el pronóstico al amanecer y los kg por HP.',
    economics: 'Cambia el consejo de cosecha y el precio por tamaño.',
    energy: 'Cambia el costo de la energía en los reportes y la comparación por tonelada.',
  },
  filter: 'Buscar número',
  onlyOwn: 'Solo los cambiados por la finca',
  standard: (value: string) => `estándar ${value}`,
  range: (from: string, to: string) => `de ${from} a ${to}`,
  own: 'de la finca',
  edit: (name: string) => `Cambiar ${name}`,
  reset: 'Volver al estándar',
  saved: 'Guardado: los cálculos ya usan el nuevo valor.',
  list: 'tabla',
  bad: (from: string, to: string) => `Entre ${from} y ${to}.`,
  none: 'Nada con ese nombre.',
});
