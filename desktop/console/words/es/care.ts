import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/care.ts';

export const careWords = translation<typeof source.careWords>({
  update: 'Programa del gateway',
  version: 'Versión en marcha',
  steps: {
    rest: 'nada en curso',
    fetching: 'buscando el paquete',
    staging: 'preparando',
    staged: 'listo; entra en el próximo arranque',
    trial: 'la nueva versión corre a prueba',
  },
  toVersion: (version: string) => `versión ${version}`,
  results: {
    updated: 'actualizado',
    rolled_back: 'volvió a la anterior',
    refused: 'rechazado',
    interrupted: 'interrumpido',
    damaged: 'paquete dañado',
  },
  last: 'Última actualización',
  notManaged: 'Esta instalación no se actualiza sola: actualícela con el sistema de la máquina.',
  aside: (file: string) => `Lo registrado después del cambio está en ${file}.`,
  from: 'De dónde',
  fromHosted: 'De la nube',
  fromOther: 'De una memoria USB o una dirección',
  place: 'Archivo, carpeta o dirección https',
  placeHint: 'Solo se aceptan paquetes firmados.',
  older: 'Aceptar una versión más antigua',
  run: 'Actualizar el programa',
  ask: '¿Actualizar el programa del gateway?',
  askText:
    'El panel desaparece uno o dos minutos. Los controladores siguen su última programación. Si la nueva versión no se prueba, la anterior vuelve sola.',
  begun: 'La actualización comenzó',
  support: 'Paquete para soporte',
  supportText: 'Estado, versiones y registros del gateway en un archivo, sin contraseñas ni claves.',
  supportGet: 'Descargar paquete',
  qr: 'QR del gateway',
  qrText:
    'Dirección y código de confianza, para la etiqueta de la caja. Programas en la PC y controladores lo leen.',
  qrLabel: 'QR con dirección y código del gateway',
  qrGet: 'Descargar para imprimir (SVG)',
});
