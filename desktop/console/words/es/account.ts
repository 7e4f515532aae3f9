import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/account.ts';

export const addressWords = translation<typeof source.addressWords>({
  title: 'Dirección de correo',
  confirmed: (email: string) => `${email} está confirmado.`,
  open: (email: string) =>
    `${email} todavía no está confirmado. Las invitaciones a una camaronera solo llegan a una dirección confirmada.`,
  byAdmin:
    'Desde aquí no se mandan correos: pida al administrador de esta instancia que confirme la dirección.',
  send: 'Mandar un código',
  sent: 'Código en camino. Mire también en el spam.',
  code: 'Código del correo',
  confirm: 'Confirmar',
  done: 'Dirección confirmada.',
  unverified: 'Direcciones por confirmar',
  unverifiedText:
    'Cualquiera puede crear una cuenta con cualquier dirección. Confirme solo a quien usted conoce, y por otra vía: las invitaciones de la camaronera llegan entonces a esta cuenta.',
  none: 'Todas las direcciones están confirmadas.',
  since: (day: string) => `desde ${day}`,
  question: (email: string) => `¿Confirmar ${email}?`,
  questionText: (name: string) =>
    `${name} recibe desde entonces las invitaciones a esta dirección. Queda registrado que fue usted.`,
});

export const passkeyWords = translation<typeof source.passkeyWords>({
  title: 'Llaves de acceso',
  text: 'Entre con el dedo, el rostro o el PIN del dispositivo, o con una llave USB (passkey), sin escribir la contraseña. Con una de ellas, la contraseña sola ya no basta para entrar.',
  whereBox: 'Vale en este gateway y en esta dirección; la nube tiene las suyas.',
  whereHosted: 'Vale en la nube; cada gateway tiene las suyas.',
  none: 'Ninguna todavía.',
  whyNot: {
    plain:
      'Aquí no se pueden usar llaves de acceso: esta dirección no es https, y sin https el navegador no las muestra.',
    address:
      'Aquí no se pueden usar llaves de acceso: esta dirección es un número, y ellas se hacen para un nombre.',
    name: 'Aquí no se pueden usar llaves de acceso: por este nombre el gateway o la nube no se conoce.',
    unset:
      'Aquí no se pueden usar llaves de acceso: esta instancia no sabe su dirección pública (--public-url).',
    browser: 'Este navegador no tiene llaves de acceso.',
  },
  openAt: 'Abra:',
  made: (at: string) => `Creada ${at}`,
  used: (at: string) => `usada ${at}`,
  unused: 'nunca usada',
  worksAt: (name: string) => `funciona en ${name}`,
  add: 'Crear llave de acceso',
  addTitle: 'Nueva llave de acceso',
  addText: 'Después el navegador pregunta dónde guardarla.',
  name: 'Nombre',
  nameHint: 'Para que usted sepa cuál es: el celular, la llave azul…',
  password: 'Contraseña actual',
  make: 'Continuar',
  cancel: 'Cancelar',
  added: 'Llave de acceso creada.',
  rename: 'Cambiar nombre',
  renameTitle: 'Nombre de la llave de acceso',
  save: 'Guardar',
  remove: 'Quitar',
  removeTitle: (name: string) => `¿Quitar “${name}”?`,
  removeText: 'Con ella ya nadie entra aquí. En el dispositivo sigue hasta que usted la elimine allá.',
  removeLast:
    'Es la última: después de eso la contraseña basta para entrar. Al quitarla, el navegador pide la llave una vez más.',
  removeLastPaper: 'Es la última: después de eso la contraseña basta para entrar.',
  usePaper: 'Usar un código de recuperación',
  removed: 'Llave de acceso quitada.',
});

export const preferenceWords = translation<typeof source.preferenceWords>({
  title: 'Preferencias',
  station: 'En este dispositivo',
  language: 'Idioma',
  theme: 'Tema',
  themes: {
    auto: 'como el dispositivo',
    light: 'claro',
    dark: 'oscuro',
    sun: 'según el sol de la camaronera',
  },
  sunHint: 'Oscuro desde la puesta hasta la salida del sol en la camaronera.',
  noSunHint:
    'No se sabe dónde está la camaronera: oscuro de las 18 a las 6 h de ella. La posición está en Sistema, Camaronera.',
  density: 'Tamaño',
  densities: { auto: 'automático', compact: 'compacto', touch: 'para el dedo', tv: 'para ver de lejos' },
  tvHint:
    'En oscuro brilla menos de noche; un toque o una tecla la aclara por un minuto. Con una alarma crítica o alta, o sin contacto, brilla completa.',
  currency: 'Moneda',
  currencyHint: 'Cambia solo el símbolo en este dispositivo; ningún valor se convierte.',
  keys: 'Atajos de una tecla',
  keySets: { none: 'ninguno', help: 'solo ? (ayuda)', all: 'todos (g, j, k, o, /)' },
  keysHint: 'F8, F9 y Ctrl+K valen siempre.',
  sound: 'Sonido',
  nightVolume: 'De noche, alarmas que no son críticas',
  nightVolumes: { '100': 'como de día', '60': 'más bajo', '30': 'bien bajo' },
  nightVolumeHint:
    'La crítica suena siempre al máximo. En el panel y en la pantalla para ver de lejos nada queda por debajo de “más bajo”.',
  soundText: 'Toque y oiga: tres pitidos, como en una alarma crítica.',
  test: 'Probar el sonido',
  heard: 'Sonó. Si no lo oyó, suba el volumen del dispositivo.',
  blocked: 'El navegador bloqueó el sonido. Toque la página y pruebe de nuevo.',
  lastTest: (at: string) => `Última prueba: ${at}`,
  neverTested: 'Todavía no se ha probado en este dispositivo.',
  account: 'Cuenta',
  name: 'Nombre',
  email: 'Correo',
  phone: 'Teléfono',
  password: 'Contraseña',
  oldPassword: 'Contraseña actual',
  newPassword: 'Contraseña nueva',
  again: 'Contraseña nueva, otra vez',
  short: 'Al menos 8 caracteres.',
  differ: 'Las dos no son iguales.',
  change: 'Cambiar la contraseña',
  changed: 'Contraseña cambiada. Los otros dispositivos tienen que entrar de nuevo.',
  passwordText: 'Cambiar la contraseña termina todas las sesiones, también en dispositivos perdidos.',
  tokens: 'Accesos para programas',
  tokensText:
    'Un acceso deja que un programa lea o registre en su nombre, sin su contraseña. Se muestra una vez y se puede revocar.',
  noTokens: 'Ningún acceso creado.',
  tokensLocked: 'Crear accesos es parte de los planes desde el Basic.',
  seePlans: 'Ver planes',
  newToken: 'Crear acceso',
  tokenName: 'Para qué sirve',
  scopes: 'Qué puede',
  scope: { read: 'leer', record: 'registrar y cambiar datos', control: 'encender y apagar la aireación' },
  expires: 'Vale',
  days: { '30': '30 días', '90': '90 días', '365': '1 año', never: 'hasta que se revoque' },
  tokenTitle: 'Acceso nuevo',
  tokenText: 'Se muestra solo ahora. Guárdelo en el programa antes de cerrar.',
  token: 'Acceso',
  kept: 'Ya guardé el acceso',
  revoke: 'Revocar',
  revokeTitle: (name: string) => `¿Revocar ${name}?`,
  revokeText: 'El programa que lo usa deja de funcionar al instante.',
  revoked: (at: string) => `revocado ${at}`,
  endsOn: (day: string) => `vale hasta ${day}`,
  ended: (day: string) => `venció ${day}`,
  endless: 'sin plazo',
  used: (at: string) => `usado ${at}`,
  unused: 'nunca usado',
  data: 'Mis datos',
  dataText: 'Todo lo que la cuenta tiene y posee, en un archivo JSON. Vale en cualquier plan.',
  export: 'Descargar mis datos',
  remove: 'Eliminar la cuenta',
  removeText:
    'Los accesos y las sesiones terminan al instante; su nombre y su correo salen de los registros. No hay vuelta atrás.',
  removeTitle: '¿Eliminar la cuenta?',
  withFarms: (n: number) =>
    n === 1
      ? 'Eliminar también mi camaronera y todo lo que hay en ella'
      : `Eliminar también mis ${n} camaroneras y todo lo que hay en ellas`,
  handFirst: 'Sin eso la cuenta solo se puede eliminar después de transferir las camaroneras.',
});

export const pushWords = translation<typeof source.pushWords>({
  title: 'Recibir en este dispositivo',
  text: 'Los avisos aparecen en la pantalla de este celular o PC aun con el panel cerrado. El gateway y el dispositivo necesitan internet.',
  silent:
    'Un celular en silencio se queda en silencio, también con una alarma crítica. Quien duerme lejos de la camaronera debe dejar el sonido activado y el panel permitido en el modo “no molestar”; en la camaronera, cuente con la sirena.',
  standing: {
    looking: 'revisando…',
    program: 'esta PC ya avisa por el programa',
    insecure: 'no es posible en esta dirección',
    unsupported: 'este navegador no recibe avisos',
    denied: 'bloqueado en este navegador',
    off: 'desactivado en este dispositivo',
    others: 'este dispositivo recibe los avisos de otra persona',
    paused: 'canal de este dispositivo desactivado',
    on: 'activado en este dispositivo',
  },
  why: {
    program:
      'El programa del panel muestra las alarmas en el área de notificación, aun con la ventana cerrada.',
    insecure:
      'Los navegadores solo muestran avisos de páginas abiertas por https, y esta dirección es http. El resto del panel funciona igual aquí.',
    unsupported:
      'En el iPhone y el iPad: toque Compartir, “Agregar a inicio”, y abra el panel con ese ícono. En los demás, use Chrome, Edge, Firefox o Safari actualizados.',
    denied:
      'Las notificaciones de esta dirección fueron rechazadas. Toque el candado junto a la dirección, en Permisos, permita Notificaciones y vuelva aquí.',
  },
  versions: (own: string, gateway: string | null) =>
    gateway === null ? `Programa ${own}` : `Programa ${own}, gateway ${gateway}`,
  skew: {
    outdated: 'El programa de esta PC es más viejo que el gateway. Instale el programa nuevo.',
    newer: 'El gateway es más viejo que el programa de esta PC. Actualice el gateway.',
  },
  copy: 'Abra la copia en internet por https, si la camaronera tiene una, y active allá.',
  box: 'O aquí en la camaronera: instale el certificado del gateway en este dispositivo y abra el panel por https.',
  certificate: 'Descargar el certificado',
  byHttps: 'Abrir por https',
  othersText:
    'Quien activó los avisos aquí entró con otra cuenta. Sus alarmas aparecen en esta pantalla, las de usted no. Si esa persona ya no usa este dispositivo, cámbielo ahora; a ella se le avisa que dejó de recibir aquí.',
  mineInstead: 'Recibir los míos aquí',
  stopOthers: 'Parar aquí los avisos de esa persona',
  on: 'Activar avisos en este dispositivo',
  off: 'Desactivar en este dispositivo',
  test: 'Enviar una prueba acá',
  tested: 'Prueba en camino: debe aparecer en la pantalla en unos segundos.',
  isOn: 'Activado. Envíe una prueba para revisar.',
  wishes:
    'Lo que llega aquí y las horas de silencio se cambian en el canal, en la lista de abajo. Salir de la cuenta no lo desactiva.',
  fault: {
    notAllowed:
      'El navegador no lo permitió. Permita las notificaciones de esta dirección e intente de nuevo.',
    noService:
      'El servicio de avisos del navegador no respondió. Para activar, este dispositivo necesita internet.',
  },
});

export const secondFactorWords = translation<typeof source.secondFactorWords>({
  title: 'Segundo factor: aplicación de códigos',
  why: 'Además de la contraseña, para entrar se pide un código de 6 números de su celular. Quien descubra la contraseña no entra solo con ella.',
  whereBox: 'Vale en este gateway; la nube tiene el suyo propio.',
  whereHosted:
    'Vale en la nube y en la primera entrada en un gateway; cada gateway puede tener también el suyo propio.',
  off: 'Desactivado.',
  on: (at: string) => `Activado desde ${at}.`,
  left: (n: number) =>
    n === 0
      ? 'No queda ningún código de recuperación: desactive y active de nuevo para recibir otros.'
      : n === 1
        ? 'Queda 1 código de recuperación.'
        : `Quedan ${n} códigos de recuperación.`,
  clock:
    'El reloj de aquí no es confiable: por ahora solo cuentan los códigos de recuperación, y no se puede activar.',
  begin: 'Activar el segundo factor',
  password: 'Contraseña actual',
  readable:
    'Esta conexión no está cifrada: quien está en el Wi-Fi puede leer el secreto. Prefiera la dirección https, o la propia caja.',
  scan: '1. En el celular, abra una aplicación de códigos (Google Authenticator, Aegis, Microsoft Authenticator…) y lea este cuadro.',
  qr: 'Cuadro para la aplicación de códigos',
  byHand: '¿No lo lee? Escriba este secreto en la aplicación',
  secret: 'Secreto',
  type: '2. Escriba el código que muestra la aplicación.',
  confirm: 'Confirmar y activar',
  cancel: 'Cancelar',
  papers: 'Códigos de recuperación',
  papersOnce:
    'Aparecen solo ahora. Cada uno vale una vez en lugar del celular o de la llave: imprímalos o anótelos, y guárdelos lejos de él.',
  copy: 'Copiar como texto',
  print: 'Imprimir',
  isKept: 'Guardé los diez códigos fuera de este dispositivo',
  done: 'Listo',
  end: 'Desactivar el segundo factor',
  ended: 'Segundo factor desactivado.',
  mustTitle: 'Falta su segundo factor',
  mustText:
    'Aquí las personas con su rol entran con un segundo factor. Configure una aplicación de códigos o una llave de acceso; hasta entonces no se abre nada más.',
  mustGoOn: 'Continuar',
  endTitle: '¿Desactivar el segundo factor?',
  endText: 'Después de eso, la contraseña basta para entrar, a menos que haya llaves de acceso.',
});

export const sessionWords = translation<typeof source.sessionWords>({
  title: 'Sesiones',
  text: 'Dónde está abierta su cuenta en esta dirección. Si no reconoce una, ciérrela y cambie la contraseña.',
  untilText: (at: string) =>
    `Este dispositivo queda conectado hasta ${at} y se renueva solo mientras se usa.`,
  device: (browser: string, system: string) => `${browser} en ${system}`,
  unknownDevice: 'Dispositivo desconocido',
  isThis: 'este dispositivo',
  network: { farm: 'en la camaronera', outside: 'desde fuera de la camaronera' },
  lastUse: (at: string) => `último uso ${at}`,
  since: (at: string) => `abierta ${at}`,
  notListed: 'La sesión de este dispositivo es más antigua que esta lista; aparece aquí cuando se renueve.',
  all: (n: number) => `Mostrar todas las ${n}`,
  end: 'Cerrar',
  endTitle: (device: string) => `¿Cerrar ${device}?`,
  endText: 'Ese dispositivo sale al instante y necesita la contraseña para entrar de nuevo.',
  endLabel: 'Cerrar la sesión',
  endOthers: 'Cerrar todas las otras',
  endOthersTitle: '¿Cerrar todas las otras sesiones?',
  endOthersText:
    'Solo este dispositivo continúa; las pantallas de pared también salen. Vale también para sesiones antiguas que no están en la lista. Los accesos para programas continúan.',
  ended: (n: number) => (n === 1 ? '1 sesión cerrada.' : `${n} sesiones cerradas.`),
  signOut: 'Salir de este dispositivo',
  password: 'Contraseña actual',
  refused: { WRONG_PASSWORD: 'La contraseña no coincide.' },
});

export const planWords = translation<typeof source.planWords>({
  title: 'Plan',
  neverStops:
    'El plan nunca detiene la aireación: órdenes, horarios, alarmas y registros siguen aun con el pago atrasado.',
  now: 'Su plan',
  status: {
    ACTIVE: 'al día',
    PAST_DUE: 'pago atrasado',
    CANCELED: 'cancelado',
    TRIALING: 'en prueba',
  },
  grace: (day: string) => `Hasta el ${day} todavía se pueden crear camaroneras, piscinas y lotes.`,
  renews: (day: string) => `Se renueva el ${day}.`,
  ends: (day: string) => `Termina el ${day} y no se renueva.`,
  usage: 'Uso',
  of: { farms: 'Camaroneras', ponds: 'Piscinas', active_batches: 'Lotes activos' },
  used: (current: string, max: string) => `${current} de ${max}`,
  unlimited: (current: string) => `${current}, sin límite`,
  plans: 'Planes',
  current: 'Es el suyo',
  perMonth: 'por mes',
  free: 'Gratis',
  agreement: 'A convenir',
  limit: {
    max_farms: (n: number) => (n === 1 ? '1 camaronera' : `${n} camaroneras`),
    max_ponds_per_farm: (n: number) =>
      n === 1 ? '1 piscina por camaronera' : `${n} piscinas por camaronera`,
    max_batches_per_pond: (n: number) => (n === 1 ? '1 lote por piscina' : `${n} lotes por piscina`),
  },
  noLimit: {
    max_farms: 'Camaroneras sin límite',
    max_ponds_per_farm: 'Piscinas sin límite',
    max_batches_per_pond: 'Lotes sin límite',
  },
  features: {
    advanced_analytics: 'Análisis avanzados',
    api_access: 'Acceso por API',
    export_data: 'Exportar datos',
    priority_support: 'Soporte prioritario',
    custom_reports: 'Reportes propios',
    ai_predictions: 'Pronósticos',
    white_label: 'Marca propia',
  },
  includes: 'incluye',
  lacks: 'no incluye',
  choose: (plan: string) => `Cambiar a ${plan}`,
  payHint: 'El pago se abre en una página segura, fuera de aquí, y vuelve acá.',
  portal: 'Facturas y forma de pago',
  cancel: 'Cancelar suscripción',
  cancelTitle: '¿Cancelar la suscripción?',
  cancelText:
    'El plan vale hasta el fin del período pagado. Después no se elimina nada y todo sigue funcionando; para crear algo nuevo, elija un plan (el Free es gratis).',
  cancelled: 'Suscripción cancelada.',
  currency: 'Pagar en',
  paid: 'Pago recibido. El plan cambia en cuanto el banco confirme.',
  gaveUp: 'El pago no se hizo. No cambió nada.',
});
