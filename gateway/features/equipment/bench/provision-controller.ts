import { macInput } from '#contract/resources/adoption.ts';
import type { BenchJobInput } from '#contract/resources/bench.ts';
import { inEach } from '#core/each-language.ts';
import { isoOf } from '#core/kernel.ts';
import type { ControlView } from '#features/control/control-view.ts';
import type { HeartbeatWatch } from './job-desk.ts';
import {
  type BoardLabel,
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
  now: () => number;
  monotonic: () => number;
  whereabouts: () => Whereabouts;
  /** Random, for one board. */
  newClaim: () => string;
  /** What is known of the boards that control points have. */
  keptLabels: (controlPointIds: readonly string[]) => Promise<BoardLabel[]>;
  /** Notes the label of the board that a control point has now; null: that board keeps no code. */
  keepLabel: (controlPointId: string, label: BoardLabel | null, userId: string) => Promise<void>;
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
  const claim = deps.newClaim();
  const identity = identityOf(view, { key, claim }, place);
  const [kept] = await deps.keptLabels([view.row.id]);
  const labelled_mac = kept?.device_id === view.row.device_id ? kept.mac : null;
  const board = await deps.run(
    { kind: 'provision', port, wifi: input.wifi ?? null, identity, labelled_mac },
    context,
  );
  if (board['claim_kept'] !== true)
    await deps.keepLabel(view.row.id, labelOf(deps, view, { board, claim }), userId);
  const waitS = input.wait_s ?? WAIT_S;
  const { device_id } = view.row;
  context.tell(
    step(
      'heartbeat',
      inEach(
        `esperando até ${waitS} s o primeiro relato de ${device_id}`,
        `waiting up to ${waitS} s for the first report of ${device_id}`,
        `esperando hasta ${waitS} s el primer informe de ${device_id}`,
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
      inEach(
        `${device_id} relatou com a chave nova`,
        `${device_id} reported under its new key`,
        `${device_id} informó con la clave nueva`,
      ),
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

/** Null: its firmware keeps no code, or it does not say which board it is. */
function labelOf(
  deps: ProvisionDeps,
  { row }: ControlView,
  { board, claim }: { board: BoardResult; claim: string },
): BoardLabel | null {
  const mac = macInput.safeParse(board['mac']).data;
  if (board['has_claim'] !== true || mac === undefined) return null;
  return { id: row.id, mac, device_id: row.device_id, claim, made_at: isoOf(deps.now()) };
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
    message: inEach(
      `a placa tem a identidade e não relatou em ${waitS} segundos`,
      `the board has its identity and did not report within ${waitS} seconds`,
      `la placa tiene la identidad y no informó en ${waitS} segundos`,
    ),
    next: inEach(
      `veja se o Wi-Fi dela leva a este gateway (${host}), aperte reset na placa e olhe o registro dela (monitor); depois provisione-a de novo`,
      `see that its Wi-Fi leads to this gateway (${host}), press reset on the board and watch its log (monitor); then provision it again`,
      `vea si su Wi-Fi llega a este gateway (${host}), presione reset en la placa y mire su registro (monitor); después aprovisiónela de nuevo`,
    ),
  });
}
