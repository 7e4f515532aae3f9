import * as z from 'zod';
import { MOST_HOLD_S } from '../resources/control-points.ts';
import { isStorable } from '../stored-text.ts';

// What a gateway and its hosted instance say to each other: JSON over HTTPS under /sync/v1, gzip or zstd on request, and
// frames on the live socket. Additive only: an unknown field is passed over, an unknown word is refused with a reason.

/**
 * Counts changes of what is synchronised: a table, a field, a word or a change more is one more, noted where it is defined
 * (`since`, `later`, `widened`) and in test/sync/schemas.json. A change says with `sv` what must be known to take all of it; below that it is
 * kept aside until the upgrade. 1 is the first that synchronised; programs up to 6 say 1, too, whatever they know.
 */
export const SYNC_SCHEMA = 12;

/** What a program says that says nothing of it, and what one of them is sure to know. */
export const FIRST_SCHEMA = 1;
const schema = z.int().min(1).max(100_000);

export const LANES = ['core', 'history'] as const;
export type SyncLane = (typeof LANES)[number];

/** Of an envelope: who sends what no database takes is refused; of rows each is looked at by itself. */
const text = z.string().refine(isStorable, 'must be text without U+0000 or half a character');
const HLC = z.string().regex(/^[0-9a-f]{12}\.[0-9a-f]{4}\.[0-9a-f]{8}!?$/);
/** First 16 bytes of SHA-256(chain before, canonical change), hex; '' before the first. */
const chain = z.string().regex(/^([0-9a-f]{32})?$/);
const seq = z.int().min(0);
const epoch = z.int().min(1);
const id = z.string().regex(/^[\x21-\x7e]{1,64}$/);
/** ms since 1970, as far as a date goes: nobody on the other side may make one of it that does not exist. */
const instantMs = z.int().min(0).max(8_640_000_000_000_000);
const lifeS = z.int().min(0).max(31_536_000);

/** How far a log goes: the last number and the chain of hashes there. */
export const logPoint = z.object({ seq, chain });
export type LogPoint = z.infer<typeof logPoint>;

export const lanePoints = z.object({ core: logPoint, history: logPoint });
export type LanePoints = z.infer<typeof lanePoints>;

export const OPS = { put: 1, delete: 2, restore: 3, fact: 4 } as const;

/** Half a character has no canonical text, and no database takes it. */
function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, one]) => name.isWellFormed() && isWhole(one));
}

/**
 * One change of one row, as the change log holds it.
 * - put without `base`: the whole row as it was made (or as it stands, then `over` has the stamps of its groups)
 * - put with `base`: `body` is { group: { field: value } }, `base` the stamp each group had before
 * - delete: no body, `base` is what was seen of the row ('' its making); restore: the whole row as it stands, with
 *   `over`; fact: the whole row, inserted once
 * `over` names by `*` the stamp of the last delete or restore. With `over`, `hlc` is of the row's making.
 */
export const wireChange = z.object({
  seq,
  tx: z.int().min(0),
  entity: z.int().min(1).max(1_000),
  id,
  op: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]),
  /** Causal length: odd alive, even deleted. */
  cl: z.int().min(1).max(1_000_000),
  hlc: HLC,
  /** '' for a group that nobody of its owner's side has stamped yet. */
  over: z.record(z.string(), z.union([HLC, z.literal('')])).nullable(),
  base: z.record(z.string(), z.string()).nullable(),
  body: z.record(z.string(), z.unknown()).nullable(),
  actor: id.nullable(),
  /** The schema that knows everything this change says. */
  sv: schema,
  chain,
});
export type WireChange = z.infer<typeof wireChange>;
/** One that is sent: its chain is made over its canonical text. */
const sentChange = wireChange.refine(isWhole);

/** A row of a snapshot or a repair: as it stands, deleted ones too, with its register. */
export const wireRow = z.object({
  entity: z.int().min(1).max(1_000),
  id,
  cl: z.int().min(1).max(1_000_000),
  /** '' for a row whose making nobody stamped. */
  hlc: z.union([HLC, z.literal('')]),
  over: z.record(z.string(), z.union([HLC, z.literal('')])).refine(isWhole),
  body: z.record(z.string(), z.unknown()).refine(isWhole),
});
export type WireRow = z.infer<typeof wireRow>;

/** A stamp that was too far in the future, set anew once by the hosted instance. */
export const restamp = z.object({ epoch, lane: z.enum(LANES), seq, chain, from: HLC, to: HLC });
export type Restamp = z.infer<typeof restamp>;

/**
 * Stamps that a clock in the future had set, brought back: those between `limit_ms` and `newest_ms` lie right behind
 * `returned_ms` now, in their order. Earliest first.
 */
export const timeReturn = z.object({ limit_ms: z.int(), newest_ms: z.int(), returned_ms: z.int() });
export type TimeReturn = z.infer<typeof timeReturn>;
/** Told at once; the oldest ones concern nobody any more. */
export const MOST_RETURNS = 100;

/** In every answer: the hosted instance's time, and the life of its database (another one: it may have lost commits). */
const hostedFacts = {
  server_now_ms: instantMs,
  timeline: text.max(64),
  /** What the process that answers knows; absent: FIRST_SCHEMA. During an upgrade they may differ from answer to answer. */
  schema: schema.optional(),
};

/** Kept aside at a time that are told of one by one. */
export const MOST_KEPT_ASIDE = 1_000;
/** Numbers of the gateway's log that the hosted instance keeps aside now, up to `in`; absent: it does not say. */
const keptAside = z
  .object({ core: z.array(seq).max(MOST_KEPT_ASIDE), history: z.array(seq).max(MOST_KEPT_ASIDE) })
  .optional();
export type KeptAside = z.infer<typeof keptAside>;

/** Stamps set anew that one answer carries. */
export const MOST_RESTAMPS = 10_000;
export const MAX_ROWS = { core: 500, history: 2_000 } as const;
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Deeper, or of more values, is no message: the farm's own texts are below 32, and the longest list has 10,000 weights. */
export const MOST_SHAPE = { depth: 48, values: 250_000 } as const;

export const helloRequest = z.object({
  epoch,
  timeline: text.max(64),
  schema,
  software: text.max(100),
  head: lanePoints,
  acked: lanePoints,
  /** What the gateway applied of the hosted instance's feed. */
  cursor: logPoint,
  clock: z.object({ trust: z.enum(['trusted', 'untrusted']), now_ms: instantMs }),
});
export type HelloRequest = z.infer<typeof helloRequest>;

export const DIRECTIVES = ['go', 'resync', 'upgrade', 'slow'] as const;

export const helloAnswer = z.object({
  ...hostedFacts,
  epoch,
  /** What the hosted instance applied of the gateway's log. */
  in: lanePoints,
  /** The feed's last number and the smallest that is still kept. */
  head: seq,
  floor: seq,
  restamps: z.array(restamp).max(MOST_RESTAMPS),
  directive: z.enum(DIRECTIVES),
  /** Why, for `resync` and `upgrade`; milliseconds to wait for `slow`. */
  reason: text.nullable(),
  wait_ms: z.int().min(0).nullable(),
  kept_aside: keptAside,
});
export type HelloAnswer = z.infer<typeof helloAnswer>;

export const pushRequest = z.object({
  epoch,
  lane: z.enum(LANES),
  /** First number minus one, and the chain there. */
  after: logPoint,
  /** What the gateway applied of the feed, so that the hosted instance may forget it. */
  cursor: logPoint,
  /** History rows may rest on core rows: those up to here must have been applied. */
  needs_core: seq,
  rows: z.array(sentChange).max(MAX_ROWS.history),
});
export type PushRequest = z.infer<typeof pushRequest>;

export const pushAnswer = z.object({
  ...hostedFacts,
  in: logPoint,
  restamps: z.array(restamp),
  /** Numbers of this push that could not be applied and are kept aside. */
  parked: z.array(seq),
});
export type PushAnswer = z.infer<typeof pushAnswer>;

export const pullRequest = z.object({
  epoch,
  cursor: logPoint,
  /** What the gateway believes was applied of its own log. */
  acked: lanePoints,
  limit: z.int().min(1).max(MAX_ROWS.core),
});
export type PullRequest = z.infer<typeof pullRequest>;

/** A farm that was taken off the gateway, and when. */
const movedFarm = z.object({ farm_id: z.uuid(), at: text.max(40) });
export type MovedFarm = z.infer<typeof movedFarm>;

export const pullAnswer = z.object({
  ...hostedFacts,
  rows: z.array(sentChange),
  head: seq,
  more: z.boolean(),
  in: lanePoints,
  restamps: z.array(restamp),
  /** Farms that the gateway ran once and shall run no longer, all of them; a program before it says nothing of it. */
  moved: z.array(movedFarm).max(10_000).optional(),
  kept_aside: keptAside,
});
export type PullAnswer = z.infer<typeof pullAnswer>;

/** Refusals of hello, push, pull and snapshot: problem answers (status, code) with these codes. */
export const SYNC_REFUSALS = {
  /** 409: the push does not follow on what was applied; `in` tells where to go on. */
  gap: 'SYNC_GAP',
  /** 409: both sides hold different histories under one number: resync. */
  fork: 'SYNC_FORK',
  /** 409: another life of this gateway took over, or a resync is due. */
  staleEpoch: 'SYNC_STALE_EPOCH',
  /** 425: core rows that this history rests on have not come yet. */
  needsCore: 'SYNC_NEEDS_CORE',
  /** 410: the feed was forgotten below the cursor: resync. */
  floor: 'SYNC_BELOW_FLOOR',
  /** 403: the gateway was unpaired. */
  revoked: 'SYNC_REVOKED',
  /** 401: no valid gateway token. */
  token: 'SYNC_TOKEN',
  /** 426: the hosted instance is older than what the gateway sends. */
  schema: 'SYNC_SCHEMA',
} as const;

/** Refusals of the box itself, before anything was asked of the hosted instance. */
export const REFUSED_HERE = { notPaired: 'SYNC_NOT_PAIRED', keyMissing: 'SYNC_KEY_MISSING' } as const;

/** Extra members of a refusal's body. */
export const refusalBody = z.object({
  code: text,
  detail: text,
  in: logPoint.optional(),
  epoch: epoch.optional(),
});

export const snapshotRequest = z.object({
  /** null begins: the hosted instance raises the epoch and fixes the feed's head. */
  resync: z.object({ epoch, head: logPoint }).nullable(),
  /** The gateway's epoch before; another one has taken over when it is not the stream's. */
  epoch,
  after: z.object({ entity: z.int(), id: text.max(64) }).nullable(),
  limit: z.int().min(1).max(MAX_ROWS.history),
  /** Only rows of history younger than this; null: all of them. */
  history_from: text.nullable(),
});
export type SnapshotRequest = z.infer<typeof snapshotRequest>;

export const snapshotAnswer = z.object({
  ...hostedFacts,
  resync: z.object({ epoch, head: logPoint }),
  rows: z.array(wireRow),
  /** null: that was all. */
  next: z.object({ entity: z.int(), id: text }).nullable(),
  /** Of the epoch before, on the first page. */
  restamps: z.array(restamp),
  /** On the first page. Absent: an older instance, or there never was one. */
  returns: z.array(timeReturn).max(MOST_RETURNS).optional(),
  /** Are people asked about what a gateway knows later of an account? Where nothing was lost, nobody is. Absent: perhaps. */
  asks_of_accounts: z.boolean().optional(),
});
export type SnapshotAnswer = z.infer<typeof snapshotAnswer>;

/** Which rows of history are compared, by the moment in them: all of the others are. */
const historyWindow = { history_from: text.max(40), history_to: text.max(40) };

/** Sums over the rows of a table, modulo 2^64, hex; taken when nothing is under way in either direction. */
export const digestRequest = z.object({
  epoch,
  cursor: logPoint,
  head: lanePoints,
  ...historyWindow,
  /** The sums are of what this schema knows: the lesser of both sides'. Absent: of one up to 6, nobody knows which. */
  schema: schema.optional(),
  /** Per table: 64 sums by the row's bucket. */
  sums: z.record(text.max(64), z.array(z.string().regex(/^[0-9a-f]{1,16}$/)).length(64)),
});
export type DigestRequest = z.infer<typeof digestRequest>;

export const digestAnswer = z.object({
  ...hostedFacts,
  /** False: something is under way, ask again later. */
  is_calm: z.boolean(),
  /** Buckets that differ, by table. */
  differing: z.record(text, z.array(z.int().min(0).max(63))),
});
export type DigestAnswer = z.infer<typeof digestAnswer>;

/** Rows of a differing bucket, both ways: the gateway's own, answered by those on which both do not agree. */
export const repairRequest = z.object({
  epoch,
  table: text.max(64),
  bucket: z.int().min(0).max(63),
  /** The rows lie behind this id, and up to that one; null: from the first, to the last. */
  after: text.max(64).nullable(),
  to: text.max(64).nullable(),
  ...historyWindow,
  /** What the gateway knows: rows that say more are not answered. Absent: FIRST_SCHEMA. */
  schema: schema.optional(),
  rows: z.array(wireRow).max(MAX_ROWS.core),
});
export type RepairRequest = z.infer<typeof repairRequest>;

export const repairAnswer = z.object({
  ...hostedFacts,
  rows: z.array(wireRow),
  /** Rows of the hosted instance that are otherwise now. */
  repaired: z.int(),
  /** Rows of the gateway that it may not take. */
  refused: z.int(),
});
export type RepairAnswer = z.infer<typeof repairAnswer>;

// The live socket ---------------------------------------------------------------------------------------------------

/** An order for the gateway. `age_ms` is how old it was when it was sent: no clock of the gateway is needed. */
export const commandFrame = z.object({
  is: z.literal('command'),
  id: z.uuid(),
  control_point_id: z.uuid(),
  target_status: z.enum(['ON', 'OFF']),
  issued_by: z.uuid().nullable(),
  reason: text.max(500).nullable(),
  hold_s: z.int().min(1).max(MOST_HOLD_S).nullable(),
  basis: z.object({ version: z.int(), epoch: text }),
  is_forced: z.boolean(),
  age_ms: z.int().min(0),
  ttl_ms: z.int().min(1).max(900_000),
  /** True: `ask_still` is answered, and an order is carried out on that answer alone. Absent: an older instance. */
  answers_still: z.boolean().optional(),
});
export type CommandFrame = z.infer<typeof commandFrame>;

/** Hosted instance to gateway. */
export const hostedFrame = z.discriminatedUnion('is', [
  commandFrame,
  /** There is something to pull, up to `head`. */
  z.object({ is: z.literal('poke'), head: z.int() }),
  /** Do not push for so long. */
  z.object({ is: z.literal('pause'), ms: z.int().min(0).max(600_000) }),
  z.object({ is: z.literal('revoked') }),
  /** Answers `ask_still`: for how long the order still counts; null: it is void. */
  z.object({
    is: z.literal('still'),
    id: z.uuid(),
    ask: text.max(64),
    left_ms: z.int().min(1).max(900_000).nullable(),
  }),
]);
export type HostedFrame = z.infer<typeof hostedFrame>;

/** How a control point stands now: what presence tells, outside the change log. */
export const liveState = z.object({
  id: z.uuid(),
  is_online: z.boolean(),
  /** ms since 1970 by the gateway's clock, null: never heard. */
  heard_at_ms: instantMs.nullable(),
  consumption: z.number().nullable(),
  current_status: z.enum(['ON', 'OFF']).nullable(),
  target_status: z.enum(['ON', 'OFF']),
  /** Of the target: right after a long silence the rows that tell it are still on their way. */
  version: z.int().optional(),
  epoch: text.max(64).optional(),
  power_ok: z.boolean().nullable().optional(),
  motor_current_ma: z.number().nullable().optional(),
  /** Whether its last report came with a key. */
  is_proved: z.boolean().nullable().optional(),
});
export type LiveState = z.infer<typeof liveState>;

/** Gateway to hosted instance. */
export const gatewayFrame = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('command_state'),
    id: z.uuid(),
    state: z.enum(['accepted', 'done', 'rejected', 'expired', 'superseded']),
    result: text.max(500).nullable(),
  }),
  /** Asked once the order was read, `ask` anew each time: a frame may have been held back on its way for any time. */
  z.object({ is: z.literal('ask_still'), id: z.uuid(), ask: text.max(64) }),
  /** The whole map after connecting (`is_all`), then only what changed. */
  z.object({ is: z.literal('live'), is_all: z.boolean(), points: z.array(liveState).max(5_000) }),
  /** Once a minute at most: how far the log goes, so that lag is known even when nothing is pushed. */
  z.object({
    is: z.literal('report'),
    head: z.object({ core: z.int(), history: z.int() }),
    oldest_unacked_ms: z.int().nullable(),
    clock: z.enum(['trusted', 'untrusted']),
    parked: z.int(),
    disk: text.max(20),
  }),
  /** Silence until then is meant. */
  z.object({ is: z.literal('outage'), until_ms: instantMs, reason: text.max(200) }),
]);
export type GatewayFrame = z.infer<typeof gatewayFrame>;

// Pairing and keys --------------------------------------------------------------------------------------------------

/** POST /sync/v1/pair/start, without a token. The shape of RFC 8628. */
export const pairStartRequest = z.object({
  gateway_id: z.uuid(),
  /** Ed25519, raw, base64url. */
  public_key: text.length(43),
  name: text.min(1).max(100),
  software: text.max(100),
  schema,
  hardware: text.max(200),
  /** Signature of `pair:<gateway_id>` by that key: nobody pairs a key that is not his. */
  proof: text.max(100),
});
export const pairStartAnswer = z.object({
  device_code: text,
  /** Eight letters that a person types or scans. */
  user_code: text,
  verification_uri: text,
  expires_in_s: lifeS,
  interval_s: lifeS,
});

/** POST /sync/v1/pair/poll */
export const pairPollRequest = z.object({ device_code: text.max(100) });
export const pairPollAnswer = z.object({
  state: z.enum(['waiting', 'claimed', 'refused', 'expired']),
  /** With `claimed`. */
  stream: z
    .object({
      epoch: z.int(),
      owner_id: z.uuid(),
      owner_name: text,
      instance_name: text,
      /** Ed25519 of the hosted instance, raw, base64url: it signs the time. */
      hosted_key: text,
    })
    .nullable(),
});

/** POST /sync/v1/session/nonce, then /sync/v1/session: a token of 15 minutes for a signature, no clock needed. */
export const nonceRequest = z.object({ gateway_id: z.uuid() });
export const nonceAnswer = z.object({ nonce: text, server_now_ms: instantMs });
export const sessionRequest = z.object({
  gateway_id: z.uuid(),
  nonce: text.max(200),
  /** Ed25519 over `session:<nonce>`. */
  signature: text.max(100),
  /**
   * Made anew by every start of the gateway and never stored: a run that comes back after another one began shows that
   * two gateways live with one key.
   */
  run: text.min(8).max(64),
  software: text.max(100),
  schema,
  hardware: text.max(200),
});
export const sessionAnswer = z.object({ token: text, expires_in_s: lifeS, server_now_ms: instantMs });

/** POST /sync/v1/keys, with a token: a new key, valid at once; the one before it for a week more. */
export const keysRequest = z.object({
  public_key: text.length(43),
  /** Both keys sign `keys:<gateway_id>:<public_key>`, the old one and the new one. */
  proof_old: text.max(100),
  proof_new: text.max(100),
});
export const keysAnswer = z.object({ old_key_until: text });

/**
 * Extra members of the 403 that answers POST /sync/v1/session for a gateway that is not let in. Signed by the hosted
 * instance's key over `<state>:<gateway_id>:<nonce>`: on its word the gateway gives up what people of that instance
 * could log in with, and no proxy may say it.
 */
export const notLetIn = z.object({ state: z.enum(['revoked', 'fenced']), signature: text.max(100) });

/**
 * POST /sync/v1/sign-in, with a token: somebody of the gateway's farms signs in there, for the first time or after a new
 * password, and the gateway makes a verifier of its own of what was typed. 401 for everybody else.
 */
export const signInRequest = z.object({
  email: text.max(1_000),
  password: text.max(1_000),
  /** Of an account that has a second factor on the hosted instance: 401 SECOND_FACTOR without it. */
  second_factor: text.max(100).optional(),
  /** The gateway asks for a second factor of its own, so that this instance does not. */
  asks_second_factor: z.boolean().optional(),
});
export type SignInRequest = z.infer<typeof signInRequest>;
export const signInAnswer = z.object({ user_id: z.uuid(), password_version: z.int() });

/** GET /sync/v1/time?nonce=…: signed, for a gateway whose clock does not let it check certificates. */
export const timeAnswer = z.object({
  server_now_ms: instantMs,
  nonce: text,
  /** Ed25519 over `time:<nonce>:<server_now_ms>` by the hosted instance's key, told at pairing. */
  signature: text,
});
