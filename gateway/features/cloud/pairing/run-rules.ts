import * as z from 'zod';

// A run is one start of a gateway's program; its name is made anew each time and never stored. Whoever signs with the
// gateway's key under a run that was followed by another one, and asked for the nonce after that other one had come in,
// was alive all the while: two programs hold the key, a copied card among the likeliest reasons. A token counts for the last
// run alone, so that whoever is alive beside it comes for the next one at once.

const runsSchema = z.array(z.object({ run: z.string(), since: z.number() }));
export type Runs = z.infer<typeof runsSchema>;

const KEPT = 8;

/** The runs with this one noted; `isCopied` when it shows that two live at once. `since`: ms. */
export function noteRun(
  json: string,
  run: string,
  { nowMs, nonceIssuedAt }: { nowMs: number; nonceIssuedAt: number },
): { runs: Runs; isCopied: boolean } {
  const known = readRuns(json);
  const last = known.at(-1);
  if (last?.run === run) return { runs: known, isCopied: false };
  const runs = [...known, { run, since: nowMs }].slice(-KEPT);
  const wasHere = known.some((one) => one.run === run);
  return { runs, isCopied: wasHere && last !== undefined && nonceIssuedAt > last.since };
}

/** Whether another start of the gateway signed in after the one that holds this token. */
export function isOvertaken(json: string, run: string | undefined): boolean {
  const last = readRuns(json).at(-1);
  return run !== undefined && last !== undefined && last.run !== run;
}

function readRuns(json: string): Runs {
  const parsed = runsSchema.safeParse(JSON.parse(json));
  return parsed.success ? parsed.data : [];
}
