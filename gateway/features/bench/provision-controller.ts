import type { BenchJobInput } from '#contract/resources/bench.ts';
import { inBoth } from '#core/both-languages.ts';
import type { ControlView } from '#core/control-view.ts';
import { isoOf } from '#core/kernel.ts';
import type { HeartbeatWatch } from './heartbeat-watch.ts';
import {
  type BoardResult,
  type JobContext,
  JobFault,
  type RunBoardJob,
  step,
  type Whereabouts,
} from './ports.ts';

export type ProvisionDeps = {
  run: RunBoardJob;
  /** A new key of a control point, pending until its first use. Throws 404 when that is gone. */
  issueKey: (
    controlPointId: string,
    userId: string,
  ) => Promise<{ keyId: string; key: string; view: ControlView }>;
  firstHeartbeat: HeartbeatWatch['first'];
  monotonic: () => number;
  whereabouts: () => Whereabouts;
  /** The claim code on the label of a device. */
  claimOf: (deviceId: string) => string;
  /** Controllers whose motor is locked out now. */
  lockedOut: () => string[];
};

export type ProvisionInput = Extract<BenchJobInput, { kind: 'provision' }>;

const WAIT_S = 90;

/**
 * Makes the board at a port the controller of a control point: a new key, written with the identity over the cable; the
 * Wi-Fi; then the proof that counts, its own first report under that key; and the relay, where that is asked for.
 */
export async function provisionController(
  deps: ProvisionDeps,
  asked: { input: ProvisionInput; port: string; userId: string },
  context: JobContext,
): Promise<BoardResult> {
  const { input, port, userId } = asked;
  const found = deps.whereabouts();
  const place = { ...found, gw_host: input.gateway_host ?? found.gw_host };
  const sinceMs = deps.monotonic();
  const { keyId, key, view } = await deps.issueKey(input.control_point_id, userId);
  const identity = identityOf(view, { key, claim: deps.claimOf(view.row.device_id) }, place);
  const board = await deps.run({ kind: 'provision', port, wifi: input.wifi ?? null, identity }, context);
  const waitS = input.wait_s ?? WAIT_S;
  const { device_id } = view.row;
  context.tell(
    step(
      'heartbeat',
      inBoth(
        `esperando até ${waitS} s o primeiro relato de ${device_id}`,
        `waiting up to ${waitS} s for the first report of ${device_id}`,
      ),
    ),
  );
  const proof = await deps.firstHeartbeat(
    { controlPointId: view.row.id, keyId, sinceMs, waitMs: waitS * 1000 },
    context.signal,
  );
  if (proof === null) throw noHeartbeat(place.gw_host, waitS);
  context.tell(
    step(
      'heartbeat',
      inBoth(`${device_id} relatou com a chave nova`, `${device_id} reported under its new key`),
    ),
  );
  const proved = { ...board, first_heartbeat_at: isoOf(proof.atMs) };
  if (input.self_test === undefined) return proved;
  const tested = await deps.run(
    { kind: 'self_test', port, ...input.self_test, off_limits: deps.lockedOut() },
    context,
  );
  return { ...proved, ...tested };
}

function identityOf(
  { row, mqttId }: ControlView,
  secrets: { key: string; claim: string },
  place: Whereabouts,
) {
  return {
    device_id: row.device_id,
    mqtt_id: mqttId,
    ...secrets,
    ...place,
    cp: row.cod,
    fail_safe: row.fail_safe,
  };
}

function noHeartbeat(host: string, waitS: number): JobFault {
  return new JobFault({
    code: 'NO_HEARTBEAT',
    message: inBoth(
      `a placa tem a identidade e não relatou em ${waitS} segundos`,
      `the board has its identity and did not report within ${waitS} seconds`,
    ),
    next: inBoth(
      `veja se o Wi-Fi dela leva a este gateway (${host}), aperte reset na placa e olhe o registro dela (monitor); depois provisione-a de novo`,
      `see that its Wi-Fi leads to this gateway (${host}), press reset on the board and watch its log (monitor); then provision it again`,
    ),
  });
}
