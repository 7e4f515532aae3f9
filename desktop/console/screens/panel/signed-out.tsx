import { useEffect } from 'preact/hooks';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { now } from '../../data/clock.ts';
import { age, clockTime, dayAndTime } from '../../i18n/format.ts';
import { isWatchOver } from '../../shell/sound.ts';
import { SoundLamp } from '../../shell/sound-lamp.tsx';
import { SignInForm } from '../sign-in/sign-in.tsx';
import { lastSeen } from './last-seen.ts';
import { panelWords } from './words.ts';

/** A panel whose session is over says so, and what it saw last; the form beside it is for whoever comes by. */
export function SignedOut() {
  const words = panelWords();
  const seen = lastSeen();
  const hasWatched = seen !== null;
  useEffect(() => {
    isWatchOver.value = hasWatched;
    return () => {
      isWatchOver.value = false;
    };
  }, [hasWatched]);
  return (
    <main class="panel panel-out" data-link="lost">
      <section class="stack">
        <div class="panel-head">
          <h1>{seen === null ? words.alarms : words.title(seen.farm)}</h1>
          {hasWatched ? <SoundLamp /> : null}
          <span class="grow" />
          <span class="panel-clock">{clockTime(now.value)}</span>
        </div>
        {seen === null ? (
          <p>{words.signIn}</p>
        ) : (
          <>
            <p class="blind-banner" role="alert">
              {words.signedOut}
            </p>
            <h2>
              {(seen.alarms.length === 0 ? words.lastCalm : words.lastAlarms)(
                now.value - seen.at > 12 * 3_600_000 ? dayAndTime(seen.at) : clockTime(seen.at),
                age(now.value - seen.at),
              )}
            </h2>
            <ul class="panel-alarms">
              {seen.alarms.map(({ key, priority, place, text }) => (
                <li key={key} class={`panel-alarm p${priority}`}>
                  <PriorityMark priority={priority} />
                  <div>
                    <strong>{place}</strong> {text}
                  </div>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      <SignInForm />
    </main>
  );
}
