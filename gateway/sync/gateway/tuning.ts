// Every number of the gateway's side of the sync, with the reason for it.

export const TUNING = {
  /** A request that takes longer is given up and the next one is half as large. */
  requestTimeoutMs: 30_000,
  /** Nobody waits longer for the line itself; a half-open one is found by this. */
  connectTimeoutMs: 5_000,

  /** An edit is on its way at once; those made in one breath share a request. */
  coreDebounceMs: 150,
  /** Measurements can wait: a radio that wakes for each of them costs data and power. */
  historyEveryMs: [30_000, 60_000],
  /** An alarm goes to the phones that were subscribed in the cloud; the rows it rests on are through by then. */
  newsAfterMs: [1_000, 1_000],
  /** So many waiting rows go at once. */
  historyRows: 500,
  /** Without the live socket nobody tells of news, so the gateway asks. */
  pullEveryMs: [50_000, 70_000],
  /** With it pokes tell of news, and one that was lost is said again within minutes; this is for what nobody thought of. */
  pullWithSocketMs: [1_700_000, 2_000_000],

  /** Full jitter: after a regional outage ten thousand gateways must not come back in step. */
  backOffFromMs: 1_000,
  backOffToMs: 300_000,
  /** A hosted instance may ask for peace, not for ever; and a timer of more than 24 days would be due at once. */
  slowToMs: 3_600_000,
  /** Nobody answered at all: asking again costs the other side nothing, and orders wait for the link to come back. */
  unreachableToMs: 4_000,
  /** Upgrades and a second gateway with this key are settled by people. */
  askAgainMs: [600_000, 900_000],

  /** Link up, something to do and nothing done for so long: whatever hangs is torn down and begun anew. */
  noProgressMs: 180_000,
  watchEveryMs: [30_000, 30_000],

  /** A request between these is about right: small enough to be repeated, large enough to fill a slow line. */
  quickMs: 2_000,
  slowMs: 5_000,

  /** Rows merged in one unit of work: control never waits longer than these take. */
  rowsPerUnit: 200,
  pullRows: 500,
  snapshotRows: 1_000,
  /** History that a fresh box gets back. */
  historyDays: 90,
} as const;

/** Rows and bytes of one push, by lane: where it begins and what it may become. */
export const BATCH = {
  core: {
    rows: { from: 200, least: 1, most: 500, step: 100 },
    bytes: { from: 262_144, least: 16_384, most: 262_144 },
  },
  history: {
    rows: { from: 200, least: 1, most: 2_000, step: 400 },
    bytes: { from: 524_288, least: 16_384, most: 1_048_576 },
  },
} as const;

/** The comparison of both sides that should never find anything. */
export const COMPARE = {
  everyMs: 86_400_000,
  /** So long without a word, and everything is looked at. */
  silenceMs: 3_600_000,
  /** Something was under way, or the hosted instance is busy. */
  againMs: 300_000,
  /** What makes many gateways compare at once is spread over this time. */
  spreadMs: 600_000,
  /** A repair is confirmed by looking again. */
  afterRepairMs: 300_000,
  repairsInARow: 3,
  /** Of history; older rows were compared while they were younger. */
  historyMs: 7 * 86_400_000,
  mostHistoryMs: 90 * 86_400_000,
  overlapMs: 3_600_000,
  /** What is newer is on its way. */
  freshMs: 60_000,
  /** Rows of one repair; some of them carry pages of text. */
  rowsAtOnce: 100,
  /** A third of what a message has in bytes. */
  charactersAtOnce: 600_000,
} as const;
