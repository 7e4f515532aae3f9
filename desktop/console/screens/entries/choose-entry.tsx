import { Link } from 'wouter-preact';
import { entryWords } from '#words/entries.ts';
import { farm, mayAttend, mayManage, mayRecord } from '../../data/farm-store.ts';
import { pending } from '../../data/outbox.ts';

/** What is to be written down. */
export function ChooseEntry() {
  const words = entryWords();
  const kinds = [
    { href: '/tarefas', name: words.tasks, hint: words.tasksHint, isShown: true },
    { href: '/lancar/agua', name: words.water, hint: words.waterHint, isShown: mayRecord.value },
    { href: '/lancar/racao', name: words.feed, hint: words.feedHint, isShown: mayRecord.value },
    { href: '/lancar/racao/bandejas', name: words.trays, hint: words.traysHint, isShown: mayRecord.value },
    { href: '/lancar/biometria', name: words.biometry, hint: words.biometryHint, isShown: mayRecord.value },
    {
      href: '/lancar/mortalidade',
      name: words.mortality,
      hint: words.mortalityHint,
      isShown: mayRecord.value,
    },
    {
      href: '/lancar/tratamento',
      name: words.treatment,
      hint: words.treatmentHint,
      isShown: mayRecord.value,
    },
    { href: '/lancar/troca', name: words.exchange, hint: words.exchangeHint, isShown: mayRecord.value },
    {
      href: '/lancar/anotacao',
      name: words.note,
      hint: words.noteHint,
      isShown: mayRecord.value || mayAttend.value,
    },
    {
      href: '/lancar/sanidade/sinais',
      name: words.disease,
      hint: words.diseaseHint,
      isShown: mayRecord.value,
    },
    { href: '/lancar/sanidade/exame', name: words.lab, hint: words.labHint, isShown: mayRecord.value },
    {
      href: '/lancar/sanidade/preparo',
      name: words.preparation,
      hint: words.preparationHint,
      isShown: mayRecord.value,
    },
    { href: '/lancar/medidor', name: words.meter, hint: words.meterHint, isShown: mayRecord.value },
    { href: '/lancar/estoque', name: words.stock, hint: words.stockHint, isShown: true },
    { href: '/lancar/despesa', name: words.expense, hint: words.expenseHint, isShown: mayManage.value },
    {
      href: '/lancar/fila',
      name: pending.value.length === 0 ? words.queue : `${words.queue} (${pending.value.length})`,
      hint: words.queueHint,
      isShown: true,
    },
  ];
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <ul class="cards" data-farm={farm.value?.id}>
        {kinds
          .filter(({ isShown }) => isShown)
          .map(({ href, name, hint }) => (
            <li key={href}>
              <Link href={href} class="card choice">
                <strong>{name}</strong>
                <span class="muted small">{hint}</span>
              </Link>
            </li>
          ))}
      </ul>
    </div>
  );
}
