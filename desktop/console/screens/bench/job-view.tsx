import { useEffect, useRef } from 'preact/hooks';
import type { BenchJobAnswer, BenchLine } from '#contract/resources/bench.ts';
import { benchWords, troubleWords } from '#words/bench.ts';
import { WorkButton } from '../../components/button.tsx';
import { age, clockTime, figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import type { BenchDesk, Place } from './use-job.ts';

/** The job of this part of the page: how far it is, what it said, and what to do when it did not work. */
export function JobView({ desk, place }: { desk: BenchDesk; place: Place }) {
  const words = benchWords();
  const { shown } = desk;
  const fault = desk.fault?.place === place ? desk.fault.text : null;
  if (shown === null || shown.place !== place) return <FaultNote fault={fault} />;
  const { job, lines } = shown;
  return (
    <div class="stack" data-job={job.state}>
      {job.state === 'running' ? <Progress desk={desk} job={job} /> : null}
      {job.trouble === null ? null : <Trouble trouble={job.trouble} />}
      <p class="visually-hidden" role="status">
        {words.state[job.state]}
      </p>
      <Log lines={lines} isOpen={job.kind === 'monitor' || job.state === 'failed'} />
      <FaultNote fault={fault} />
    </div>
  );
}

function Progress({ desk, job }: { desk: BenchDesk; job: BenchJobAnswer }) {
  const words = benchWords();
  const { progress } = job;
  const steps: Readonly<Record<string, string>> = words.steps;
  const name = progress === null ? words.state.running : (steps[progress.step] ?? progress.step);
  const part = progress === null || progress.total <= 0 ? null : progress.done / progress.total;
  return (
    <div class="stack">
      <div class="row apart">
        <span>
          {name}
          {part === null ? '' : ` · ${figure(part * 100)} %`}
          {progress?.bytes_per_s == null ? '' : ` · ${words.rate(figure(progress.bytes_per_s / 1000, 1))}`}
          {progress?.eta_s == null ? '' : ` · ${words.left(age(progress.eta_s * 1000))}`}
        </span>
        <WorkButton disabled={desk.isStopping} work={desk.stop}>
          {desk.isStopping ? words.stopping : words.cancel}
        </WorkButton>
      </div>
      {part === null ? (
        <progress class="wide" aria-label={name} />
      ) : (
        <progress class="wide" aria-label={name} value={part} max={1} />
      )}
    </div>
  );
}

function Trouble({ trouble }: { trouble: NonNullable<BenchJobAnswer['trouble']> }) {
  const words = benchWords();
  return (
    <div class="note p2 stack" role="alert" data-trouble={trouble.code}>
      <p>
        <strong>{troubleWords()[trouble.code]}</strong>
      </p>
      <p>
        {words.whatNow}: {trouble.next}.
      </p>
      <p class="muted small breaks">{trouble.message}</p>
    </div>
  );
}

/** Follows its newest line while nobody scrolled away from it. */
function Log({ lines, isOpen }: { lines: readonly BenchLine[]; isOpen: boolean }) {
  const words = benchWords();
  const pane = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) pane.current?.scrollTo({ top: pane.current.scrollHeight });
  }, [lines]);
  return (
    <details open={isOpen}>
      <summary>
        {words.log} ({figure(lines.length)})
      </summary>
      <ol
        ref={pane}
        class="bench-log mono small"
        tabIndex={0}
        aria-label={words.log}
        onScroll={({ currentTarget: list }) => {
          isAtEnd.current = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
        }}
      >
        {lines.length === 0 ? <li class="muted">{words.noLines}</li> : null}
        {lines.map((line) => (
          <li key={line.n} data-level={line.level}>
            <span class="muted">{clockTime(line.at)}</span> {line.text}
          </li>
        ))}
      </ol>
    </details>
  );
}
