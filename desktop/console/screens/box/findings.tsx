import type { DoctorReport, Finding } from '#contract/resources/system-doctor.ts';
import { figure } from '../../i18n/format.ts';
import { language } from '../../i18n/language.ts';
import { healthWords } from './health-words.ts';

const LOOK = { bad: 'p1', warn: 'p2', note: '' } as const;

/** What the doctor of the gateway found, each with what a hand does next; what is well is folded away. */
export function Findings({ report }: { report: DoctorReport }) {
  const words = healthWords();
  const well = report.findings.filter(({ severity }) => severity === 'ok');
  const rest = report.findings.filter(({ severity }) => severity !== 'ok');
  return (
    <section class="stack">
      <h2>{words.attention}</h2>
      {rest.length === 0 ? (
        <p class="note">{words.allWell}</p>
      ) : (
        <ul class="stack">
          {rest.map((found, index) => (
            <li key={`${found.id} ${index}`}>
              <FindingNote found={found} />
            </li>
          ))}
        </ul>
      )}
      <details class="card">
        <summary>{words.inOrder(figure(well.length))}</summary>
        <ul class="lines">
          {well.map(({ id, sentence }, index) => (
            <li key={`${id} ${index}`}>✓ {sentence[language.value]}</li>
          ))}
        </ul>
      </details>
    </section>
  );
}

function FindingNote({ found: { id, severity, sentence, next_step } }: { found: Finding }) {
  const words = healthWords();
  if (severity === 'ok') return null;
  return (
    <div class={`note ${LOOK[severity]}`} data-finding={id}>
      <div class="breaks">
        <p>
          <strong>
            {severity === 'note' ? '' : '▲ '}
            {words.severity[severity]}:
          </strong>{' '}
          {sentence[language.value]}
        </p>
        {next_step === null ? null : (
          <p class="muted">
            {words.toDo}: {next_step[language.value]}
          </p>
        )}
      </div>
    </div>
  );
}
