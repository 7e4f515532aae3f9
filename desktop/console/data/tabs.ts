// Tabs of one browser share its few connections to the gateway: six of them with their own streams would leave none for
// the press that answers an alarm. One tab reads the stream and passes on what comes, the others live on that. A tab
// begins with a line of its own, and gives it up when it has heard an older one beside it for a while, so that nothing
// falls between them. When the other is silent it takes a line of its own again. Whatever goes wrong between tabs, none
// is live for longer than a byte of the gateway is old.

/** Whole events as they came over a line that is in step; none: it lives. `at`: since 1970, by the computer they share. */
type Said = { from: string; at: number; text: string } | { from: string; isOver: true };

/** Two beats of the gateway: what was on its way on the own line has come by then. */
const OVERLAP_MS = 10_000;
/** A beat comes every five seconds. Not all look at once, so that one of many takes over. */
const SILENT_MS = 6_200;
const SPREAD_MS = 1_500;

type Leader = { id: string; since: number; heardAt: number; isLeading: boolean; patienceMs: number };

export type Tabs = {
  /** Passes on what came over the own line, which is in step. */
  pass(text: string): void;
  /** True while this tab lives on another one's line. */
  isLed(): boolean;
  /** This tab may not believe what it heard: it begins anew, with a line of its own. */
  forget(): void;
  leave(): void;
};

type Joined = {
  /** Whether the own line has given its snapshot. */
  isInStep: () => boolean;
  /** What another tab passed on, and when that came, `performance.now()`. */
  heard: (text: string, at: number) => void;
  /** From now on this tab lives on another one's line: its own is to end. */
  led: () => void;
  /** The other one is silent: this tab needs a line of its own. */
  alone: () => void;
};

/** Joins the tabs of that name: those of one person. */
export function joinTabs(name: string, on: Joined): Tabs {
  // of two that are in step the older one goes on
  const me = `${Date.now().toString(36).padStart(10, '0')} ${Math.random()}`;
  const channel = new BroadcastChannel(`camarao-events-1 ${name}`);
  let leader: Leader | null = null;
  let isLeft = false;

  const say = (said: Said) => {
    if (!isLeft) channel.postMessage(said);
  };
  const lose = (afterMs: number) => {
    const wasLed = leader?.isLeading === true;
    leader = null;
    // whoever is first passes its snapshot on, and the others need no line
    if (wasLed) setTimeout(() => leader === null && on.alone(), afterMs);
  };
  const watch = setInterval(() => {
    if (leader !== null && performance.now() - leader.heardAt > leader.patienceMs) lose(0);
  }, 500);

  function choose({ from, text }: { from: string; text: string }): void {
    if (leader?.id === from) return;
    const now = performance.now();
    const patienceMs = SILENT_MS + Math.random() * SPREAD_MS;
    const found = { id: from, since: now, heardAt: now, isLeading: false, patienceMs };
    if (on.isInStep()) {
      if (from < me && (leader === null || from < leader.id)) leader = found;
    } else if (leader === null && /^event: snapshot$/m.test(text)) {
      // its snapshot is as good a beginning as one of our own
      leader = { ...found, isLeading: true };
      on.led();
    }
  }

  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if ('isOver' in data) {
      if (leader?.id === data.from) lose(Math.random() * SPREAD_MS);
      return;
    }
    choose(data);
    if (leader?.id !== data.from) return;
    const now = performance.now();
    // what a frozen tab finds waiting is as old as it is
    leader.heardAt = now - Math.max(0, Date.now() - data.at);
    on.heard(data.text, leader.heardAt);
    if (leader.isLeading || now - leader.since < OVERLAP_MS) return;
    leader.isLeading = true;
    // those that lived on this line look for another
    say({ from: me, isOver: true });
    on.led();
  };

  const leave = () => {
    say({ from: me, isOver: true });
    isLeft = true;
    leader = null;
    clearInterval(watch);
    removeEventListener('pagehide', leave);
    channel.close();
  };
  addEventListener('pagehide', leave);
  return {
    pass: (text) => say({ from: me, at: Date.now(), text }),
    isLed: () => leader?.isLeading === true,
    forget: () => {
      leader = null;
    },
    leave,
  };
}
