import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/faults.ts';

export const faults = translation<typeof source.faults>({
  FORBIDDEN: 'Su acceso en esta camaronera no permite esto.',
  SUBSCRIPTION_LIMIT_REACHED:
    'El plan del dueño de la camaronera está en el límite. Un plan mayor permite más; lo que existe sigue funcionando.',
  SUBSCRIPTION_REQUIRED:
    'La suscripción venció: no se puede crear más hasta pagar. Lo que existe sigue funcionando.',
  SUBSCRIPTION_CANCELED:
    'La suscripción fue cancelada: no se puede crear más. Lo que existe sigue funcionando.',
  PAYMENT_REQUIRED:
    'Falta un pago desde hace más de 14 días: no se puede crear más hasta pagar. Lo que existe sigue funcionando.',
  FEATURE_NOT_AVAILABLE: 'El plan no incluye esto. El respaldo y los datos en bruto nunca se bloquean.',
  BATCH_NOT_ACTIVE: 'Este lote ya fue cerrado.',
  NO_ANIMALS_IN_POND: 'El lote no tiene camarones en esta piscina a esa hora.',
  WRITE_LIMIT_EXCEEDED: 'Esta cuenta ya guardó hoy todo lo que puede. La aireación y las alarmas siguen.',
  RATE_LIMIT_EXCEEDED: 'El plan no permite más solicitudes en esta hora. La aireación y las alarmas siguen.',
  TOO_MANY_ATTEMPTS: 'Demasiados intentos. Espere unos minutos e intente de nuevo.',
  INCORRECT_CREDENTIALS: 'El correo o la contraseña no coinciden.',
  ALREADY_EXISTS: 'Ya existe un registro con este valor; elija otro.',
  NOT_FOUND: 'Ya no existe, o no es de esta camaronera.',
  PRECONDITION_FAILED: 'Otra persona cambió esto hace un momento. Ábralo de nuevo y revise.',
  STORAGE_UNAVAILABLE:
    'El gateway no pudo guardar ahora. Lo que está encendido sigue; intente de nuevo en unos instantes.',
  BUSY: 'El gateway está ocupado. Intente de nuevo en unos instantes.',
  BOX_RIGHT_REQUIRED: 'Esto es de quien cuida la caja: pídaselo a su dueño.',
  LOCKED_OUT: 'Este motor está bloqueado por mantenimiento.',
  IS_SIREN: 'Es una sirena: solo las alarmas críticas la encienden.',
  SIMULATED: 'Es del simulador: un controlador de verdad no toma su lugar. Cree un punto de control nuevo.',
  INVITATION_EXPIRED: 'Esta invitación venció; pida otra.',
  INVITATION_REVOKED: 'Esta invitación ya no vale; pida otra.',
  OWNER_STAYS: 'Esta persona es la dueña de la camaronera.',
  TOO_MANY_TOKENS: 'Hay demasiados accesos; revoque uno que ya no use.',
  TOO_MANY_CHANNELS: 'Hay demasiados canales; quite uno antes.',
  TOO_MANY_INVITATIONS: 'Hay demasiadas invitaciones abiertas; cancele algunas antes.',
  CHANNEL_OFF: 'Este canal está desactivado.',
  CHANNEL_UNCONFIRMED: 'Confirme antes este canal, con el código enviado.',
  HOSTED_ONLY: 'Esto se hace en la nube a la que pertenece este gateway, con su cuenta de allá.',
  SETUP_CODE_REQUIRED: 'Escriba el código de la caja: está en la etiqueta y en el registro de inicio.',
  FARM_REQUIRED: 'El SMS va a quien es de una camaronera; entre en una antes.',
  SETUP_CODE_WRONG: 'Este no es el código de esta caja.',
  BY_INVITATION: 'Aquí solo entra quien el dueño invita: pídale que cree su cuenta.',
  WRONG_HOST: 'Esta caja no atiende por ese nombre; use su dirección.',
  SECOND_FACTOR: 'Falta el código del segundo factor.',
  SECOND_FACTOR_WRONG:
    'Este código no vale ahora. Vea lo que muestra la aplicación, y use cada código una sola vez.',
  SECOND_FACTOR_REQUIRED:
    'Usted entró sin el segundo factor: basta para manejar la camaronera, no para esto. Entre con un código de recuperación, o cuando el reloj esté correcto.',
  SECOND_FACTOR_SET_UP: 'Aquí las personas con su rol necesitan un segundo factor: configure uno primero.',
  SECOND_FACTOR_SPENT:
    'Demasiados códigos incorrectos hoy en esta cuenta. Use un código de recuperación o una llave de acceso, o cambie la contraseña.',
  PASSKEY_NOT_GIVEN: 'No se dio ninguna llave de acceso. Intente de nuevo, o entre de otra forma.',
  PASSKEY_REFUSED: 'Esta llave de acceso no abre nada aquí, o tardó demasiado. Intente de nuevo.',
  PASSKEY_COPIED: 'Esta llave de acceso parece una copia y fue rechazada. Entre de otra forma y quítela.',
  PASSKEY_KNOWN: 'Este dispositivo ya tiene una llave de acceso de aquí.',
  PASSKEY_INVALID: 'La llave no se creó ahora para esta página. Comience de nuevo.',
  PASSKEYS_NOT_HERE: 'En esta dirección no hay llaves de acceso: se necesita https y un nombre.',
  WRONG_PASSWORD: 'La contraseña no coincide.',
  PASSWORD_COMMON: 'Esta contraseña está entre las que se adivinan primero; elija otra.',
  PASSWORD_NAMES_IT:
    'Esta contraseña es el correo, o el nombre de la persona, de la camaronera o del producto; elija otra.',
  RESET_CODE_INVALID: 'Este código no vale, o ya no vale. Pida otro.',
  NO_MAIL: 'Desde aquí no se mandan correos; hable con el administrador.',
  EMAIL_CODE_INVALID: 'Este código no vale, o ya no vale. Pida otro.',
  EMAIL_NOT_CONFIRMED: 'Confirme antes su correo, en Sistema, Preferencias.',
  RECENT_LOGIN_REQUIRED: 'Escriba la contraseña actual para hacer esto.',
  ALREADY_SUBSCRIBED: 'Usted ya tiene este plan.',
  ALERT_RESOLVED: 'Esta alarma ya terminó.',
});
