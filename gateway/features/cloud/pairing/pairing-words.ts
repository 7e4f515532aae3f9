import { atTheBox } from '#contract/commands.ts';
import type { Language, News } from '#core/notifying.ts';
import type { Gateway } from './ports.ts';

// What owners are told of their gateways. Names are what somebody typed: they are cut.

const short = (name: string): string => {
  const line = name.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
};

type Named = Pick<Gateway, 'id' | 'name' | 'hardware'>;

const news = (
  gateway: Named,
  cause: string,
  words: Record<Language, { title: string; message: string }>,
): News => ({
  type: 'SYSTEM',
  title: (language) => words[language].title,
  message: (language) => words[language].message,
  data: { gateway_id: gateway.id, gateway_name: gateway.name },
  cause,
  farmId: null,
});

export function pairedNews(gateway: Named, at: string): News {
  const name = short(gateway.name);
  return news(gateway, `gateway:${gateway.id}:paired:${at}`, {
    en: {
      title: 'A gateway was paired',
      message: `The gateway ${name} (${short(gateway.hardware)}) belongs to your account now; its farms appear as it syncs. If that was not you, unpair it and change your password.`,
    },
    'pt-BR': {
      title: 'Um gateway foi pareado',
      message: `O gateway ${name} (${short(gateway.hardware)}) agora pertence à sua conta; as fazendas dele aparecem com a sincronização. Se não foi você, desfaça o pareamento e troque a senha.`,
    },
    es: {
      title: 'Se vinculó un gateway',
      message: `El gateway ${name} (${short(gateway.hardware)}) ahora pertenece a su cuenta; sus camaroneras aparecen con la sincronización. Si no fue usted, deshaga el vínculo y cambie la contraseña.`,
    },
  });
}

export function revokedNews(gateway: Named, at: string): News {
  const name = short(gateway.name);
  return news(gateway, `gateway:${gateway.id}:revoked:${at}`, {
    en: {
      title: 'A gateway was unpaired',
      message: `The gateway ${name} syncs no longer. The farm goes on by itself; what is done there from now on stays there.`,
    },
    'pt-BR': {
      title: 'Um gateway foi despareado',
      message: `O gateway ${name} não sincroniza mais. A fazenda continua sozinha; o que for feito lá daqui em diante fica lá.`,
    },
    es: {
      title: 'Se desvinculó un gateway',
      message: `El gateway ${name} ya no sincroniza. La camaronera continúa sola; lo que se haga allá de aquí en adelante se queda allá.`,
    },
  });
}

export function copiedCardNews(gateway: Named, nowMs: number): News {
  const name = short(gateway.name);
  return {
    ...news(gateway, `gateway:${gateway.id}:copied:${Math.floor(nowMs / 3_600_000)}`, {
      en: {
        title: 'Two gateways with one key',
        message: `Two boxes sign in as the gateway ${name}: its card was copied, or a backup of the whole box runs beside it. Neither is let in. Switch one off, then pair the other one again (there: ${atTheBox('pair')}); aeration goes on meanwhile.`,
      },
      'pt-BR': {
        title: 'Dois gateways com a mesma chave',
        message: `Dois aparelhos se identificam como o gateway ${name}: o cartão foi copiado ou uma cópia completa roda ao lado dele. Nenhum dos dois entra. Desligue um e pareie o outro de novo (nele: ${atTheBox('pair')}); a aeração continua enquanto isso.`,
      },
      es: {
        title: 'Dos gateways con la misma clave',
        message: `Dos equipos se identifican como el gateway ${name}: se copió la tarjeta o una copia completa corre junto a él. Ninguno de los dos entra. Apague uno y vincule el otro de nuevo (en él: ${atTheBox('pair')}); la aireación continúa mientras tanto.`,
      },
    }),
    severity: 'HIGH',
  };
}
