import { useEffect, useRef, useState } from 'preact/hooks';
import type * as z from 'zod';
import type { ChangedEvent } from '#contract/events/stream.ts';
import type { BenchJobAnswer, BenchJobInput, BenchLine, benchJobDetail } from '#contract/resources/bench.ts';
import { benchWords, refusalWords, troubleWords } from '#words/bench.ts';
import { faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { ApiError, del, get, post } from '../../data/api.ts';
import { onEvent } from '../../data/farm-store.ts';
import { refresh } from '../../data/query.ts';
import { age, clockTime, figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';

/** Why nothing can be done with a board now; null: it can. */
export function whyNotNow(desk: BenchDesk, port: string | null): string | null {
  const words = benchWords();
  return port === null ? words.choosePort : desk.isBusy ? words.waitForJob : null;
}

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

/** The part of the page that a job belongs to: there it is shown. */
type Place = 'port' | 'firmware' | 'wifi' | 'proof' | 'tools';

type Shown = { place: Place; job: BenchJobAnswer; lines: readonly BenchLine[] };
export type BenchDesk = {
  shown: Shown | null;
  fault: { place: Place; text: string } | null;
  isBusy: boolean;
  isStopping: boolean;
  start: (place: Place, input: BenchJobInput) => Promise<void>;
  stop: () => Promise<void>;
};

/** The gateway started anew and knows the job no more, or this person may not see it any more. */
const GONE: readonly number[] = [403, 404];
const FAILED_AGAIN_MS = 2_000;
/** A board that talks without end does not fill the page. */
const LINES_SHOWN = 500;

const PLACES: Readonly<Record<BenchJobAnswer['kind'], Place>> = {
  detect: 'port',
  flash: 'firmware',
  erase: 'tools',
  provision: 'proof',
  self_test: 'proof',
  wifi_scan: 'wifi',
  monitor: 'tools',
};

/** The one job this page watches; one that still runs from before is taken up again. `ended` hears of each end once. */
export function useJob(ended: (job: BenchJobAnswer) => void): BenchDesk {
  const [shown, setShown] = useState<Shown | null>(null);
  const [fault, setFault] = useState<BenchDesk['fault']>(null);
  const [isStopping, setStopping] = useState(false);
  const running = shown?.job.state === 'running' ? shown.job.id : null;

  useEffect(() => {
    let isGone = false;
    void (async () => {
      const jobs = await get('/bench/jobs').catch(() => []);
      const open = jobs.find(({ state }) => state === 'running');
      if (!isGone && open !== undefined) {
        setShown((now) => now ?? { place: PLACES[open.kind], job: open, lines: [] });
      }
    })();
    return () => {
      isGone = true;
    };
  }, []);

  /** Nobody asks for it any more; what it said so far stays on the page. */
  const lose = (id: string) => {
    setShown((now) =>
      now === null || now.job.id !== id ? now : { ...now, job: { ...now.job, state: 'failed' } },
    );
    setFault({ place: shown?.place ?? 'tools', text: benchWords().jobGone });
    refresh('bench');
  };

  useEffect(() => {
    if (running === null) return undefined;
    const turn = { isAsking: false, isAgain: false, isOver: false };
    let after = 0;
    let again: ReturnType<typeof setTimeout> | undefined;
    const take = ({ lines, ...job }: z.infer<typeof benchJobDetail>) => {
      after = job.last_line;
      setShown((now) =>
        now === null || now.job.id !== job.id
          ? now
          : { ...now, job, lines: [...now.lines, ...lines].slice(-LINES_SHOWN) },
      );
      if (job.state === 'running') return;
      turn.isOver = true;
      refresh('bench');
      ended(job);
    };
    const look = async () => {
      if (turn.isAsking) turn.isAgain = true;
      if (turn.isAsking || turn.isOver) return;
      Object.assign(turn, { isAsking: true, isAgain: false });
      try {
        const detail = await get(`/bench/jobs/${running}`, { after });
        if (!turn.isOver) take(detail);
      } catch (error) {
        if (turn.isOver) return;
        // the line to the gateway is told of elsewhere; the job goes on there
        turn.isOver = error instanceof ApiError && GONE.includes(error.status);
        if (turn.isOver) lose(running);
        else again = setTimeout(() => void look(), FAILED_AGAIN_MS);
      } finally {
        turn.isAsking = false;
      }
      if (turn.isAgain) void look();
    };
    void look();
    // a snapshot: what was told meanwhile went past
    const stop = onEvent(({ name, data }) => {
      if (name === 'snapshot' || (name === 'changed' && (data as ChangedEvent).kinds.includes('bench')))
        void look();
    });
    return () => {
      turn.isOver = true;
      clearTimeout(again);
      stop();
    };
  }, [running]);

  return {
    shown,
    fault,
    isBusy: running !== null,
    isStopping,
    async start(place, input) {
      setFault(null);
      setStopping(false);
      try {
        const job = await post('/bench/jobs', input);
        setShown({ place, job, lines: [] });
      } catch (error) {
        setFault({ place, text: refusalText(error) });
      }
    },
    async stop() {
      if (running === null) return;
      setStopping(true);
      await del(`/bench/jobs/${running}`).catch((error: unknown) =>
        setFault({ place: shown?.place ?? 'tools', text: refusalText(error) }),
      );
    },
  };
}

/** What a job could not begin for, in the person's language: by the words of the bench where it is one of its causes. */
function refusalText(error: unknown): string {
  const words: Readonly<Record<string, string>> = { ...troubleWords(), ...refusalWords() };
  return (error instanceof ApiError ? words[error.code] : undefined) ?? faultText(error);
}
