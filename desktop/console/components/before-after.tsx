import { dictionary } from '../i18n/language.ts';

const words = dictionary({
  'pt-BR': { caption: 'O que muda', what: 'O quê', now: 'Agora', after: 'Depois' },
  en: { caption: 'What changes', what: 'What', now: 'Now', after: 'After' },
});

/** What is, beside what will be once it is saved. */
export function BeforeAfter({ rows }: { rows: readonly { name: string; before: string; after: string }[] }) {
  const w = words();
  return (
    <table class="before-after">
      <caption class="visually-hidden">{w.caption}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">{w.what}</span>
          </th>
          <th scope="col">{w.now}</th>
          <th scope="col">{w.after}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{before}</td>
            <td>{after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
