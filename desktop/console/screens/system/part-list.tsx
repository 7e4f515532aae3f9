import { Link } from 'wouter-preact';
import { systemWords } from '#words/system.ts';
import { farm, isOwner, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';

export function PartList({ parts }: { parts: readonly Part[] }) {
  return (
    <ul class="cards">
      {parts.map(({ href, name, hint }) => (
        <li key={href}>
          <Link href={href} class="card choice">
            <strong>{name}</strong>
            <span class="muted small">{hint}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

type Part = { href: string; name: string; hint: string };
type Named = keyof ReturnType<typeof systemWords>['parts'];

const partOf = (name: Named): Part => {
  const { parts } = systemWords();
  return { href: name === 'notificacoes' ? '/notificacoes' : `/sistema/${name}`, ...parts[name] };
};

/** The parts of the system that are of any use to this person, by what they are about. */
export function partsFor(): readonly { name: 'farm' | 'account' | 'machine'; parts: readonly Part[] }[] {
  const words = systemWords();
  const hasFarm = farm.value !== null;
  const ofFarm: Part[] = [
    ...(hasFarm ? [partOf('fazenda')] : []),
    ...(mayOperate.value ? [partOf('dispositivos')] : []),
    // what hangs at the box itself is seen and set up there
    ...(hasFarm && !isHosted.value ? [partOf('sondas'), partOf('sirene')] : []),
    ...(mayOperate.value && !isHosted.value ? [partOf('firmware')] : []),
    // who works here is decided by the owner; everybody may take an invitation of their own
    partOf('usuarios'),
    ...(hasFarm && !isOwner.value ? [] : [{ href: '/bem-vindo', ...words.welcome }]),
    ...(hasFarm ? [{ href: '/painel', ...words.panel }] : []),
  ];
  return [
    { name: 'farm', parts: ofFarm },
    {
      name: 'account',
      parts: [
        partOf('preferencias'),
        partOf('notificacoes'),
        partOf('canais'),
        ...(isOwner.value || !hasFarm ? [partOf('plano')] : []),
      ],
    },
    {
      name: 'machine',
      parts: [
        ...(isHosted.value ? [partOf('gateways')] : []),
        partOf('sincronia'),
        partOf('backup'),
        partOf('diagnostico'),
        ...(mayOperate.value && !isHosted.value ? [partOf('bancada')] : []),
        partOf('sobre'),
      ],
    },
  ];
}
