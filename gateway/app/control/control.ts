import { takenQueries } from '#adapters/sql/queries/control/commands.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { forecastQueries } from '#adapters/sql/queries/production/oxygen.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import { aerationRoutes } from '#features/control/aeration/routes.ts';
import { createDawnWatch } from '#features/control/aeration/watch-dawn.ts';
import { createGatewayCommands } from '#features/control/commands/gateway-commands.ts';
import { scienceOfFarms } from '#features/farm/science-settings/ports.ts';
import { createRemoteFarms } from '#operations/hosted/run-farms.ts';
import { keepTime, keepTimeAndPresence, type TimesDeps } from '#operations/upkeep/upkeep.ts';
import type { GatewayLiveParts } from '../../sync/ports.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { Platform } from '../kernel.ts';
import { type Control, type ControllerNeeds, wireControllers } from './controllers.ts';
import { readRollouts } from './memory.ts';

type ControlNeeds = Pick<ControllerNeeds, 'memory' | 'people'> & {
  alarms: Pick<Alarms, 'alerts'>;
};

export type ControlArea = Awaited<ReturnType<typeof wireControl>>;

/** Everything between a wish and a relay, here and from afar, and what the oxygen will be. */
export async function wireControl(platform: Platform, needs: ControlNeeds) {
  const { config, kernel, clock, database, monotonic, signals } = platform;
  const { memory, alarms } = needs;
  const { bindings, registry } = memory;
  const isGateway = config.role === 'gateway';
  const remote =
    bindings === null
      ? null
      : await createRemoteFarms({
          ...platform,
          bindings,
          registry,
          presenceChanged: (id) => signals.tell('presence', id),
        });
  if (remote !== null) signals.on('farmBound', remote.bindingChanged);
  const gateways = remote?.gateways ?? memory.ownFarms;
  const rollouts = isGateway ? await readRollouts(platform, memory) : null;
  const control = await wireControllers(platform, { ...needs, rollouts, remote, gateways });
  const commands = isGateway ? await wireGatewayCommands(platform, control) : null;
  const scienceOf = scienceOfFarms(scienceSettingQueries(database.read));
  const dawnQueries = forecastQueries(database.read);
  const { alerting } = alarms.alerts;
  const dawn = createDawnWatch({
    ...kernel,
    monotonic,
    queries: dawnQueries,
    alerting: remote === null ? alerting : remote.onlyOwnFarms(alerting),
    scienceOf,
  });
  database.onRows(dawn.follow);
  const times = { clock, control, kernel };
  const oxygen: Tick = { name: 'oxygen readings', everyS: 60, run: control.oxygen.look };
  return {
    control,
    /** Gateway: the firmware that is brought to controllers. */
    rollouts,
    remote,
    gateways,
    commands,
    forecast: { watch: dawn },
    routes: [...control.routes, ...aerationRoutes({ ...kernel, queries: dawnQueries, scienceOf })],
    ticks: [
      ...(isGateway
        ? [
            controlTick(times),
            { name: 'oxygen at dawn', everyS: 60, run: dawn.look },
            oxygen,
            { name: 'rules from afar', everyS: 60, run: control.merged.catchUp },
            { name: 'sirens as viewers see them', everyS: 1, run: control.tellSirens },
            { name: 'levels', everyS: 300, run: control.refreshLevels },
            { name: 'names of devices', everyS: 60, run: control.giveNamesBack },
            { name: 'ends of levels', everyS: 5, run: control.refreshEnds },
          ]
        : [oxygen]),
      { name: 'keep time and presence', everyS: 30, run: () => keepTimeAndPresence(times) },
    ],
    /** From the first second on a restart knows since when it missed what was due. */
    start: () =>
      keepTime(times).catch((error: unknown) => kernel.log.warn({ err: error }, 'the time was not kept')),
    stop: {
      last: () =>
        keepTimeAndPresence(times, 'all').catch((error: unknown) =>
          kernel.log.warn({ err: error }, 'the last heartbeats were not saved'),
        ),
    },
  };
}

/** The tick that everything else of a gateway is for. */
function controlTick(times: TimesDeps): Tick {
  const { clock, control, kernel } = times;
  const known = { trust: clock.state().trust, steps: clock.steps() };
  return {
    name: 'control',
    everyS: 1,
    async run() {
      clock.look();
      const hasSwitched = await control.executor.tick();
      const { trust } = clock.state();
      const isSet = trust !== known.trust || clock.steps() !== known.steps;
      Object.assign(known, { trust, steps: clock.steps() });
      // what was wrong until now must not be what the next start goes by, and HOLD goes by what the rules switched
      if (!isSet && !hasSwitched) return;
      await keepTime(times).catch((error: unknown) =>
        kernel.log.warn({ err: error }, 'the time was not kept; it is tried again within 30 s'),
      );
    },
  };
}

/** A gateway's part of orders from afar, and what it tells of its control points. */
async function wireGatewayCommands(platform: Platform, control: Control) {
  const { config, kernel, noticingSleep, database, signals } = platform;
  const commands = createGatewayCommands({
    ...kernel,
    monotonic: noticingSleep,
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
  signals.on('presence', commands.changed);
  await commands.resume();
  const parts: GatewayLiveParts = commands;
  return { parts };
}
