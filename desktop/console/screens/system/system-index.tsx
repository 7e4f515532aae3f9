import { systemWords } from '#words/system.ts';
import { PartList, partsFor } from './part-list.tsx';

/** Everything that is not the daily work. */
export function SystemIndex() {
  const words = systemWords();
  return (
    <div class="page">
      <h1>{words.title}</h1>
      {partsFor().map(({ name, parts }) => (
        <section class="stack" key={name}>
          <h2>{words.groups[name]}</h2>
          <PartList parts={parts} />
        </section>
      ))}
    </div>
  );
}
