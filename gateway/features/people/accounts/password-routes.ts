import {
  forgotPasswordAnswer,
  forgotPasswordInput,
  messageAnswer,
  resetPasswordInput,
} from '#contract/resources/users.ts';
import { type Route, route } from '#core/route.ts';
import { askForReset, type ForgottenPasswordDeps, resetPassword } from './forgotten-password.ts';

// Whoever forgot a password has no token: the address and then the code of the letter are all there is.
const open = { tag: 'Auth', access: { who: 'anyone' } } as const;

export function forgottenPasswordRoutes(deps: ForgottenPasswordDeps): Route[] {
  return [
    route({
      ...open,
      method: 'GET',
      path: '/auth/forgot-password',
      summary: 'How somebody who forgot a password gets a new one here',
      answers: { 200: { schema: forgotPasswordAnswer } },
      async handle() {
        const hosted_url = (await deps.hosted?.url()) ?? null;
        return { answer: { status: 200, body: { by_mail: deps.letterSeal !== null, hosted_url } } };
      },
    }),
    route({
      ...open,
      method: 'POST',
      path: '/auth/forgot-password',
      summary:
        'Have a code for a new password sent to this address; the answer is the same whether it has an account or not',
      body: forgotPasswordInput,
      answers: { 202: { schema: messageAnswer } },
      async handle({ body, source, language }) {
        const decided = await askForReset(deps, body.email, { source, language });
        const message = 'If there is an account with this address, a letter with a code is on its way';
        return { ...decided, answer: { status: 202, body: { message } } };
      },
    }),
    route({
      ...open,
      method: 'POST',
      path: '/auth/reset-password',
      summary: 'Choose a new password with the code of the letter; all sessions end, access tokens stay',
      body: resetPasswordInput,
      answers: { 200: { schema: messageAnswer } },
      async handle({ body, source }) {
        const decided = await resetPassword(deps, body, { source });
        const message = 'The password is set and all sessions have ended; you can log in now';
        return { ...decided, answer: { status: 200, body: { message } } };
      },
    }),
  ];
}
