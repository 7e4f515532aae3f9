import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/people.ts';

export const peopleWords = translation<typeof source.peopleWords>({
  onGatewayOnly: 'Exists on the gateway alone: signs in on the farm’s network only.',
  adoptThere: 'Give a cloud account',
  title: 'People',
  members: 'Who works on this farm',
  onlyOwner: 'Only the owner of the farm sees and changes who works on it.',
  you: 'you',
  noMembers: 'Only you, so far.',
  roleOf: (name: string) => `Role of ${name}`,
  role: {
    MANAGER: 'Manager',
    TECHNICIAN: 'Technician',
    OPERATOR: 'Operator',
    VIEWER: 'Viewer',
    NONE: 'leaves the farm',
    OWNER: 'Owner',
  },
  roleHint: {
    MANAGER: 'Records, changes ponds and batches, runs the aeration, sees the money.',
    TECHNICIAN: 'Runs aeration and controllers; sees no money.',
    OPERATOR:
      'Records water, feed, weighings and losses, switches, answers alarms; sees no money, changes no registers or schedules.',
    VIEWER: 'Sees everything, changes nothing.',
  },
  add: 'Add somebody',
  addText:
    'Who has an account here with that address sees the request and accepts it. For others, make an invitation with a code.',
  email: 'E-mail',
  as: 'Role',
  addNow: 'Add',
  added: (who: string) =>
    `${who} was asked. Whoever has that account sees it under Invitations and joins by accepting.`,
  inviteInstead: 'Invite',
  removeTitle: (name: string) => `Take ${name} off the farm?`,
  removeText: 'The access ends at once. What they recorded stays.',
  removeButton: 'Take off the farm',
  invitations: 'Invitations',
  noInvitations: 'No invitations.',
  kind: { MEMBER: 'Invitation', HANDOVER: 'Hand-over of the farm' },
  state: {
    OPEN: 'open',
    ACCEPTED: 'accepted',
    DECLINED: 'declined',
    REVOKED: 'revoked',
    EXPIRED: 'expired',
  },
  anyone: 'whoever has the code',
  until: (at: string) => `holds until ${at}`,
  cancelInvitation: 'Revoke invitation',
  made: 'Invitation made',
  madeText:
    'It is shown only now. Send the address, or let the person point a camera at it: they sign in with their account and accept. The code alone is entered at System › People.',
  link: 'Address of the invitation',
  linkQr: 'QR code of the invitation',
  emailed: 'It was sent by e-mail, too.',
  code: 'Code of the invitation',
  kept: 'I have kept the code',
  mine: 'Invitations to you',
  mineText: 'Did you get a code? Enter it to join the farm.',
  offer: (farm: string) => `${farm} is waiting for you.`,
  accept: 'Accept',
  decline: 'Decline',
  unknownCode:
    'No invitation has this code. Compare it letter by letter with whoever invited you; one that was used does not count either.',
  accepted: (farm: string) => `You are part of ${farm} now.`,
  declined: 'Invitation declined.',
  handOver: 'Hand the farm over',
  handOverText:
    'Offers the farm to somebody else. Nothing changes until they accept with the code; then they own it and their plan counts.',
  handOverTo: 'E-mail of the new owner',
  youStay: 'Afterwards you',
  stay: { MANAGER: 'stay as a manager', NONE: 'leave the farm' },
  offerIt: 'Offer the farm',
  typeName: (name: string) => `To confirm, type ${name}`,
});

export const lostPeopleWords = translation<typeof source.lostPeopleWords>({
  title: 'Lost in a restore',
  text: 'What gateways still know of people and the database of this instance lost. It is the word of a gateway alone: ask the person by another way before you accept it.',
  none: 'No gateway knows of anybody who is lost here.',
  what: {
    account: (name: string) => `${name}: there is no account here any more`,
    membership: (name: string, farm: string) => `${name}: was on the farm ${farm}`,
    password: (name: string) => `${name}: the password here is older than the one the gateway knows of`,
    email: (name: string, _farm: string, stands: string) =>
      `${name}: the gateway knows this address; here it is ${stands}`,
    name: (name: string, _farm: string, stands: string) =>
      `The gateway knows the name ${name}; here it is ${stands}`,
    role: (name: string, _farm: string, stands: string, told: string) =>
      `${name}: the gateway knows the role ${told}; here it is ${stands}`,
  },
  says: (gateway: string, owner: string, day: string) => `says ${gateway} of ${owner}, on ${day}`,
  emailTaken: 'The address has another account here: invite that account to the farm.',
  take: {
    account: 'Take back',
    membership: 'Take back',
    password: 'End the password',
    email: 'Take the address',
    name: 'Take the name',
    role: 'Take the role',
  },
  leave: 'Leave it lost',
  takeTitle: (email: string) => `Accept what the gateway says of ${email}?`,
  takeText: {
    account:
      'The account is back, with its farms. The person chooses a password with a code that is shown once.',
    membership: 'The person sees this farm again, in the role of then.',
    password:
      'The old password opens nothing any more, and sessions end. The person chooses another with a code that is shown once.',
    email:
      'The account opens with this address, and who reads its mail can choose a new password. Ask the person first.',
    name: 'The account has this name, here and at the farms.',
    role: 'The account has this role, here and at the farms.',
  },
  leaveTitle: (email: string) => `Leave ${email} as it is here?`,
  leaveText: 'Nothing changes here, and it is offered no more. At the farm it stays as the gateway has it.',
});
