import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/faults.ts';

export const faults = translation<typeof source.faults>({
  FORBIDDEN: 'Your access to this farm does not allow this.',
  SUBSCRIPTION_LIMIT_REACHED:
    'The plan of the farm’s owner is used up. A larger one allows more; what exists goes on working.',
  SUBSCRIPTION_REQUIRED:
    'The subscription lapsed: nothing more can be created until it is paid. What exists goes on working.',
  SUBSCRIPTION_CANCELED:
    'The subscription was cancelled: nothing more can be created. What exists goes on working.',
  PAYMENT_REQUIRED:
    'A payment has been missing for more than 14 days: nothing more can be created until it is made. What exists goes on working.',
  FEATURE_NOT_AVAILABLE: 'The plan does not include this. Backup and raw data are never locked.',
  BATCH_NOT_ACTIVE: 'This batch has ended already.',
  NO_ANIMALS_IN_POND: 'The batch has no shrimp in this pond at that time.',
  WRITE_LIMIT_EXCEEDED: 'This account has stored all it may today. Aeration and alarms go on.',
  RATE_LIMIT_EXCEEDED: 'The plan allows no more requests this hour. Aeration and alarms go on.',
  TOO_MANY_ATTEMPTS: 'Too many attempts. Wait some minutes and try again.',
  INCORRECT_CREDENTIALS: 'E-mail or password is not right.',
  ALREADY_EXISTS: 'Something with this value exists already; choose another.',
  NOT_FOUND: 'It does not exist any more, or is not of this farm.',
  PRECONDITION_FAILED: 'Somebody else changed this just now. Open it again and look.',
  STORAGE_UNAVAILABLE: 'The gateway could not save now. What runs goes on; try again in a moment.',
  BUSY: 'The gateway is busy. Try again in a moment.',
  BOX_RIGHT_REQUIRED: 'This is for those who look after the box: ask its owner.',
  LOCKED_OUT: 'This motor is locked out for maintenance.',
  IS_SIREN: 'It is a siren: only critical alarms switch it on.',
  SIMULATED: 'Of the simulator: a real controller does not take its place. Make a new control point.',
  INVITATION_EXPIRED: 'This invitation has expired; ask for another one.',
  INVITATION_REVOKED: 'This invitation does not hold any more; ask for another one.',
  OWNER_STAYS: 'This person owns the farm.',
  TOO_MANY_TOKENS: 'There are too many access tokens; revoke one you no longer use.',
  TOO_MANY_CHANNELS: 'There are too many channels; remove one first.',
  TOO_MANY_INVITATIONS: 'There are too many open invitations; revoke some first.',
  CHANNEL_OFF: 'This channel is switched off.',
  CHANNEL_UNCONFIRMED: 'Confirm this channel first, with the code that was sent.',
  HOSTED_ONLY: 'This is done in the cloud that this gateway belongs to, signed in there.',
  SETUP_CODE_REQUIRED: 'Type the set-up code of the box: it stands on its label and in its log.',
  FARM_REQUIRED: 'SMS go to people of a farm; join one first.',
  SETUP_CODE_WRONG: 'This is not the set-up code of this box.',
  BY_INVITATION: 'Accounts here are made by the owner: ask for yours.',
  WRONG_HOST: 'This box does not answer by that name; use its address.',
  SECOND_FACTOR: 'The code of the second factor is missing.',
  SECOND_FACTOR_WRONG:
    'This code does not count now. Look at what the app shows, and use each code once only.',
  SECOND_FACTOR_REQUIRED:
    'You signed in without the second factor: that is enough to run the farm, not for this. Sign in again with a recovery code, or when the clock is right.',
  SECOND_FACTOR_SET_UP: 'People with your role need a second factor here: set one up first.',
  SECOND_FACTOR_SPENT:
    'There were too many wrong codes for this account today. Use a recovery code or a passkey, or choose a new password.',
  PASSKEY_NOT_GIVEN: 'No passkey was given. Try again, or sign in another way.',
  PASSKEY_REFUSED: 'This passkey opens nothing here, or it took too long. Try again.',
  PASSKEY_COPIED: 'This passkey looks like a copy and was refused. Sign in another way and remove it.',
  PASSKEY_KNOWN: 'This device has a passkey of this place already.',
  PASSKEY_INVALID: 'The passkey was not made for this page just now. Begin again.',
  PASSKEYS_NOT_HERE: 'There are no passkeys under this address: they need https and a name.',
  WRONG_PASSWORD: 'The password is not right.',
  PASSWORD_COMMON: 'This password is among those that are guessed first; choose another one.',
  PASSWORD_NAMES_IT:
    'This password is the e-mail, or a name of the person, the farm or the product; choose another one.',
  RESET_CODE_INVALID: 'This code is not valid, or not any more. Ask for another one.',
  NO_MAIL: 'No e-mail is sent from here; speak to the administrator.',
  EMAIL_CODE_INVALID: 'This code is not valid, or not any more. Ask for another one.',
  EMAIL_NOT_CONFIRMED: 'Confirm your e-mail first, under System, Preferences.',
  RECENT_LOGIN_REQUIRED: 'Type the present password to do this.',
  ALREADY_SUBSCRIBED: 'You have this plan already.',
  ALERT_RESOLVED: 'This alarm is over already.',
});
