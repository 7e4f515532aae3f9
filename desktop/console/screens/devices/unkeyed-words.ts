import { dictionary } from '../../i18n/language.ts';

export const unkeyedWords = dictionary({
  'pt-BR': {
    title: 'Chamadas sem chave',
    text: 'Um controlador antigo fala por HTTP sem chave. De início isso vale para quem nunca teve chave, e não vale para o que foi criado depois do primeiro uso de uma chave na fazenda. Quem já usou a sua chave precisa dela sempre.',
    label: 'Ouvir este controlador sem chave',
    choices: {
      yes: 'Sim, da rede da fazenda',
      no: 'Não, só com chave',
      gateway: 'O gateway da fazenda decide: aqui não se sabe',
    },
    risk: 'Quem está na rede e sabe o nome pode dizer que este motor está ligado ou desligado. O estado aparece como não comprovado.',
    save: 'Salvar',
    saved: 'Salvo',
    fault: {
      DEVICE_KEY_IN_USE:
        'A chave deste controlador já foi usada, e ele precisa dela sempre: grave nele essa chave, ou uma nova.',
    },
  },
  en: {
    title: 'Calls without a key',
    text: 'An old controller speaks over HTTP without a key. At first that is taken from one that never had a key, and not from one made after a key was first used on the farm. One whose own key was used always needs it.',
    label: 'Hear this controller without a key',
    choices: {
      yes: 'Yes, from the farm network',
      no: 'No, with a key only',
      gateway: 'The gateway of the farm decides: it is not known here',
    },
    risk: 'Whoever is on the network and knows the name can say that this motor is on or off. Its state is shown as not proved.',
    save: 'Save',
    saved: 'Saved',
    fault: {
      DEVICE_KEY_IN_USE:
        'The key of this controller was used, and it always needs it: put that key, or a new one, into it.',
    },
  },
});
