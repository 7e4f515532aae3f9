// A station that sees nothing is heard: one falling tone a minute, as in the console.

const EVERY_MS = 60_000;

/** Answers what to call with how it stands now; the first blind tone comes at once. */
export function startBlindTone(): (state: 'blind' | 'silent') => void {
  let context: AudioContext | null = null;
  let state: 'blind' | 'silent' = 'silent';
  const play = () => {
    if (state === 'silent') return;
    // a machine without sound still shows the page
    try {
      context ??= new AudioContext();
      fall(context);
    } catch {
      context = null;
    }
  };
  setInterval(play, EVERY_MS);
  return (next) => {
    if (next === state) return;
    state = next;
    play();
  };
}

function fall(context: AudioContext): void {
  const tone = context.createOscillator();
  const volume = context.createGain();
  const at = context.currentTime;
  tone.type = 'square';
  tone.frequency.setValueAtTime(900, at);
  tone.frequency.exponentialRampToValueAtTime(500, at + 0.9);
  volume.gain.setValueAtTime(0.3, at);
  volume.gain.linearRampToValueAtTime(0, at + 1);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + 1);
}
