import type { Database } from '#adapters/sql/database.ts';
import { takenQueries } from '#adapters/sql/queries/control/commands.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { createGatewayCommands } from '#features/control/commands/gateway-commands.ts';
import type { Config } from '#runtime/config.ts';
import type { GatewayLiveParts } from '../../sync/ports.ts';
import type { Control } from './control.ts';

/** A gateway's part: orders from afar, and what it tells of its control points. */
export async function wireGatewayCommands(deps: {
  config: Pick<Config, 'onlineAfterS'>;
  kernel: Kernel;
  monotonic: () => number;
  database: Pick<Database, 'read' | 'onRows'>;
  control: Control;
}) {
  const { config, kernel, monotonic, database, control } = deps;
  const commands = createGatewayCommands({
    ...kernel,
    monotonic,
    queries: takenQueries(database.read),
    memory: control.registry,
    giveOrder: control.giveOrder,
    emergencyOf: control.orderDeps.emergencyOf,
    localHold: control.localHold,
    allViews: control.registry.all,
    onlineAfterMs: config.onlineAfterS * 1000,
  });
  database.onRows(commands.follow);
  database.onRows(
    onTables([controlPoint], (committed) => {
      for (const { id } of rowsOf(committed, controlPoint)) commands.changed(id);
    }),
  );
  control.onPresence(commands.changed);
  await commands.resume();
  const parts: GatewayLiveParts = commands;
  return { parts };
}
