import { inBoth } from '#core/both-languages.ts';
import { type BenchJobInput, type JobContext, type JobResult, sentence } from './job.ts';
import type { Gateway, Point } from './provision-gateway.ts';
import { BenchTrouble } from './trouble.ts';

export type PointWork = {
  gateway: Pick<Gateway, 'issue' | 'isUsed' | 'keepLabel'>;
  run: (job: BenchJobInput, context: JobContext) => Promise<JobResult>;
  /** Waits; rejects when the signal is set off. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  monotonic: () => number;
};

export type PointWish = {
  port: string;
  wifi: { ssid: string; password: string } | null;
  /** Where the board finds the gateway; undefined: as the gateway says itself. */
  host?: string | undefined;
  waitS: number;
  /** null: the relay is left alone. */
  selfTest: { min_current_ma: number | null } | null;
};

const LOOK_EVERY_MS = 1_000;

/**
 * Makes the board at a port the controller of a control point: key and identity, Wi-Fi, its first report as the proof,
 * and the click of its relay. Throws BenchTrouble.
 */
export async function provisionPoint(
  work: PointWork,
  point: Point,
  wish: PointWish,
  context: JobContext,
): Promise<JobResult> {
  if (point.locked_out && wish.selfTest !== null) throw lockedOut(point);
  const { keyId, identity, labelledMac } = await work.gateway.issue(point, wish.host);
  const { port, wifi } = wish;
  const board = await work.run(
    { kind: 'provision', port, wifi, identity, labelled_mac: labelledMac },
    context,
  );
  const { mac, has_claim: hasClaim, claim_kept: isKept } = board;
  if (identity.claim !== null && hasClaim === true && isKept !== true && typeof mac === 'string')
    await work.gateway.keepLabel(point, { mac, claim: identity.claim });
  context.tell(
    sentence(
      'heartbeat',
      inBoth(
        `esperando até ${wish.waitS} s o primeiro relato de ${point.device_id}`,
        `waiting up to ${wish.waitS} s for the first report of ${point.device_id}`,
      ),
    ),
  );
  const until = work.monotonic() + wish.waitS * 1_000;
  while (!(await work.gateway.isUsed(point, keyId))) {
    if (work.monotonic() >= until) throw noHeartbeat(identity.gw_host, wish.waitS);
    await work.pause(LOOK_EVERY_MS, context.signal);
  }
  context.tell(
    sentence(
      'heartbeat',
      inBoth(`${point.device_id} relatou com a chave nova`, `${point.device_id} reported under its new key`),
    ),
  );
  if (wish.selfTest === null) return board;
  const tested = await work.run({ kind: 'self_test', port, ...wish.selfTest }, context);
  return { ...board, ...tested };
}

function noHeartbeat(host: string, waitS: number): BenchTrouble {
  return new BenchTrouble('NO_HEARTBEAT', {
    message: inBoth(
      `a placa tem a identidade e não relatou em ${waitS} segundos`,
      `the board has its identity and did not report within ${waitS} seconds`,
    ),
    next: inBoth(
      `veja se o Wi-Fi dela leva ao gateway (${host}), aperte reset na placa e olhe o registro dela (bench-tool monitor); depois provisione-a de novo`,
      `see that its Wi-Fi leads to the gateway (${host}), press reset on the board and watch its log (bench-tool monitor); then provision it again`,
    ),
  });
}

function lockedOut({ cod }: Point): BenchTrouble {
  return new BenchTrouble('SELF_TEST_FAILED', {
    message: inBoth(
      `${cod} está bloqueado: o motor dele não é ligado para um teste`,
      `${cod} is locked out: its motor is not started for a test`,
    ),
    next: inBoth(
      'pergunte quem o bloqueou, ou provisione sem --self-test',
      'ask who locked it out, or provision it without --self-test',
    ),
  });
}
