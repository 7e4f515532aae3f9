import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/farms.ts';

export const removalWords = translation<typeof source.removalWords>({
  first: (folder: string) =>
    `Primero se hace un respaldo, se lee de vuelta y se revisa; solo después se elimina la camaronera. Queda 30 días en ${folder}.`,
  opens: (key: string) => `Se abre con la clave de papel n.º ${key}.`,
  none: {
    hosted:
      'Aquí en la nube no se hace respaldo desde la pantalla. Descargue antes los datos que quiera guardar, en Reportes.',
    notYours: 'El respaldo es de quien opera todas las camaroneras de este gateway. Pida uno antes.',
    notSet:
      'No hay respaldo: falta la carpeta, la memoria USB o la clave de recuperación. Arréglelo antes en Sistema › Respaldo.',
    unknown: 'No se pudo ver cómo están los respaldos.',
    failed:
      'El respaldo de hace poco no salió bien. Intente de nuevo, o arréglelo antes en Sistema › Respaldo.',
  },
  notDeleted: (why: string) => `El respaldo no salió bien, y la camaronera no se eliminó. ${why}`,
  goBackup: 'Abrir Sistema › Respaldo',
  without: 'Eliminar aun sin un respaldo nuevo',
  password: 'Su contraseña',
  working: 'Cerrar esta pregunta ahora deja la camaronera como está.',
  gone: (name: string) => `Se eliminó ${name}.`,
  kept: (file: string, folder: string) => `El respaldo de antes: ${file}, en ${folder}, por 30 días.`,
  noBackup: 'No se hizo un respaldo nuevo antes.',
  controllers:
    'Los controladores siguen solos con la última programación que recibieron, y ya no llega ninguna alarma de ellos. Lo que deba parar, párelo a mano.',
  wayBack:
    'Para traerla de vuelta en los próximos 30 días: Sistema › Camaronera y piscinas › Camaroneras eliminadas. Solo vuelve ella, con todo lo que tenía.',
  byBackup: (key: string) =>
    `Si eso no funciona: Sistema › Respaldo › Restaurar, con la clave n.º ${key}. Entonces el gateway entero vuelve a esa hora, y lo que se registre después queda fuera.`,
  done: 'Entendido',
  trash: 'Camaroneras eliminadas',
  until: (deleted: string, end: string) => `eliminada el ${deleted}, puede volver hasta el ${end}`,
  bringBack: 'Traer de vuelta',
  bringBackTitle: (name: string) => `¿Traer ${name} de vuelta?`,
  bringBackText:
    'Piscinas, lotes, mediciones y puntos de control vuelven como estaban. Los motores vuelven a seguir las órdenes y los horarios de ese día: revise la aireación enseguida.',
  isBack: (name: string) => `${name} está de vuelta. Revise la aireación.`,
  refused: {
    ALREADY_EXISTS:
      'Un controlador, código o lote de ella tiene hoy el nombre de otro. Elimine o cambie el nombre del otro, e intente de nuevo.',
    NOT_FOUND: 'Ya volvió, o los 30 días terminaron.',
  },
});

export const farmWords = translation<typeof source.farmWords>({
  title: 'Camaronera y piscinas',
  blindFeeding: 'Balanceado de los primeros 30 días',
  blindHint: 'Hasta el primer muestreo, las postlarvas de vannamei se alimentan según una de estas tablas.',
  blindCharts: {
    BY_WEIGHT: 'Por el peso esperado',
    ROCHA_MAIA_1998: 'Práctica brasileña',
    VINH_PHAT_LOC: 'Intensivo',
  },
  farm: 'Camaronera',
  noFarm: 'Todavía no hay camaronera en esta cuenta.',
  createFarm: 'Crear camaronera',
  name: 'Nombre de la camaronera',
  description: 'Descripción',
  zone: 'Zona horaria',
  zoneHint: 'Los horarios de aireación, los días y las tareas siguen esta hora.',
  lat: 'Latitud',
  lng: 'Longitud',
  position: 'Grados decimales, por ejemplo -2,1894. Sirve para la salida y la puesta del sol.',
  badPosition: 'No entendí este número.',
  ponds: 'Piscinas',
  add: 'Crear piscinas',
  none: 'Todavía no hay piscinas en esta camaronera.',
  code: 'Código',
  type: 'Uso',
  types: { NURSERY: 'Precría', FATTENING: 'Engorde' },
  noType: 'no indicado',
  size: 'Área',
  depth: 'Profundidad',
  point: 'Punto de control',
  pointShort: 'Punto',
  noPoint: 'ninguno',
  patternTitle: 'Crear piscinas',
  from: 'Del código',
  to: 'al código',
  patternHint: 'De P-01 a P-24 crea 24 piscinas de una vez. Para una sola, repita el código.',
  planHolds: (plan: string, most: number, left: number) =>
    `El plan ${plan} llega hasta ${most} piscinas por camaronera; ${left === 0 ? 'no cabe ninguna más' : `${left === 1 ? 'cabe' : 'caben'} ${left} más`}.`,
  toPlan: 'Ver los planes',
  patternFault: {
    unreadable: 'Los códigos tienen que terminar con un número, como P-01.',
    different: 'Los dos códigos tienen que comenzar igual.',
    backwards: 'El segundo código viene antes que el primero.',
    'too-many': 'Máximo 200 piscinas de una vez.',
  },
  badFigure: 'No entendí este número.',
  creates: (n: number, first: string, last: string) =>
    n === 1 ? `Crea 1 piscina: ${first}` : `Crea ${n} piscinas: ${first} … ${last}`,
  skips: (n: number) =>
    n === 1 ? '1 código ya existe y queda como está.' : `${n} códigos ya existen y quedan como están.`,
  doing: (done: number, all: number) => `${done} de ${all} creadas…`,
  done: (n: number) => (n === 1 ? '1 piscina creada.' : `${n} piscinas creadas.`),
  editPond: (cod: string) => `Piscina ${cod}`,
  removePond: 'Eliminar piscina',
  removePondTitle: (cod: string) => `¿Eliminar la piscina ${cod}?`,
  removePondText: 'Los lotes, las mediciones y las alertas de esta piscina desaparecen de la lista.',
  typeName: (name: string) => `Para confirmar, escriba ${name}`,
  danger: 'Eliminar la camaronera',
  dangerText:
    'Piscinas, lotes, mediciones, puntos de control y horarios desaparecen de la lista. Los controladores siguen solos con la última programación que recibieron.',
  removeFarm: 'Eliminar camaronera',
  removeFarmTitle: (name: string) => `¿Eliminar la camaronera ${name}?`,
  removed: (name: string) => `Se eliminó ${name}.`,
  lostPonds: (all: string, active: string) => `Piscinas: ${all}, en cultivo ${active}`,
  lostShrimp: (kg: string) => `${kg} de camarón`,
  lostPoints: (n: string) => `Puntos de control con su programación: ${n}`,
});
