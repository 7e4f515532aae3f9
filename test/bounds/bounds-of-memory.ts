// What bounds each collection of the program that outlives the call which made it, so that nothing from outside fills
// the memory. One that is not named here fails a test. A `NewestMap` says its bound where it is made, and is not listed.

export type MemoryBound =
  /** Entries of rows that live, each removed with its row; which table, and so its bound, stands in `bounds-of-tables.ts`. */
  | { by: 'rows'; of: string }
  /** So many at most, and what goes or is refused then stands beside the constant, in the same file or the named one. */
  | { by: 'number'; most: string; file?: string }
  /** What is open now: the number of those is bounded where they are let in. */
  | { by: 'open'; what: keyof typeof ADMISSIONS }
  /** Words, places or parts that the program itself has. */
  | { by: 'program'; what: string }
  /** It ends with one piece of work, which reads a bounded amount. */
  | { by: 'work'; what: string }
  /** It is emptied every so often, and what comes in between is bounded. */
  | { by: 'time'; what: string };

/** Where those that are open are let in: the file, and the constant that says how many. */
export const ADMISSIONS = {
  'requests of HTTP': ['gateway/adapters/http/fair-turns.ts', 'mostPerSource'],
  'event streams': ['gateway/adapters/http/event-hub.ts', 'MAX_STREAMS'],
  'MQTT connections': ['gateway/adapters/mqtt/bounds.ts', 'maxClients'],
  'TLS connections': ['gateway/adapters/tls/tls-server.ts', 'MAX_CONNECTIONS'],
  'requests of gateways': ['gateway/adapters/sync/hosted-http.ts', 'OPEN_AT_ONCE'],
  'commits that wait': ['gateway/adapters/sql/write-queue.ts', 'MAX_QUEUED_UNITS'],
} as const satisfies Record<string, readonly [file: string, constant: string]>;

const rows = (of: string): MemoryBound => ({ by: 'rows', of });
const number = (most: string, file?: string): MemoryBound =>
  file === undefined ? { by: 'number', most } : { by: 'number', most, file };
const open = (what: keyof typeof ADMISSIONS): MemoryBound => ({ by: 'open', what });
const program = (what: string): MemoryBound => ({ by: 'program', what });
const work = (what: string): MemoryBound => ({ by: 'work', what });
const time = (what: string): MemoryBound => ({ by: 'time', what });

const LISTENERS = program('parts that listen, named where the program is put together');
const ONE_SHEET = work('one file of at most so many rows and cells');
const POINTS = rows('control_points');
const ALERTS = rows('alerts');
const PONDS = rows('ponds');
const FARMS = rows('farms');
const ONE_CALL = work('one call and the callbacks it waits for');

/** The file below `gateway/`, the names that it gives them, and what bounds each of those. */
export const BOUNDS_OF_MEMORY: readonly (readonly [file: string, names: string, bound: MemoryBound])[] = [
  [
    'adapters/backup/uploaded-backups.ts',
    'seenAt',
    work('one upload at a time; files that an administrator sent, gone with the file'),
  ],
  [
    'adapters/delivery/send-thread/send-thread.ts',
    'underWay',
    number('MOST_AT_ONCE', 'gateway/features/alarms/delivery/delivery-worker.ts'),
  ],
  ['adapters/delivery/send-thread/send-thread.ts', 'fallsByMessage', number('MOST_SUSPECTS')],
  ['adapters/delivery/send-thread/worker.ts', 'done', time('sent to the main thread in the same turn')],
  ['adapters/discovery/name-service.ts', 'voices', program('addresses of the machine itself')],
  ['adapters/http/body-on-disk.ts', 'senders', number('MOST_AT_ONCE')],
  ['adapters/http/event-hub.ts', 'gone versions generations', work('the rows of one commit')],
  ['adapters/http/event-hub.ts', 'streams farmless', open('event streams')],
  [
    'adapters/http/event-hub.ts',
    'itemsByFarm',
    time('told and emptied every second; of farms, and of control points in each'),
  ],
  ['adapters/http/fair-turns.ts', 'lines ring', open('requests of HTTP')],
  [
    'adapters/http/row-events.ts',
    'resting',
    time('gone a second after the last word of a farm, or of a person'),
  ],
  ['adapters/http/console.ts', 'kept', program('files of the console')],
  ['adapters/http/platform.ts', 'asks', program('checks by name')],
  ['adapters/http/metrics.ts', 'labelsByStatus', program('status codes')],
  ['adapters/http/request-limits.ts', 'openByUser held leaving', open('requests of HTTP')],
  ['adapters/http/read-json-body.ts', 'chunks', number('MIB')],
  ['adapters/http/request-frame.ts', 'headers', program('headers of every answer')],
  ['adapters/http/route-finder.ts', 'fixed names', program('routes')],
  [
    'adapters/http/tell-gateways.ts',
    'told inSnapshots',
    time('what nobody watches is forgotten every two seconds'),
  ],
  ['adapters/http/viewer-stream.ts', 'state', number('MAX_BEHIND_BYTES')],
  ['adapters/log/json-log.ts', 'lines', number('LINES')],
  ['adapters/log/refusals.ts', 'told', number('MAX_REASONS')],
  ['adapters/log/refusals.ts', 'bySource', number('MAX_SOURCES')],
  ['adapters/log/json-log.ts', 'saidBySentence', number('MAX_SENTENCES')],
  ['adapters/modbus/open-bus.ts', 'owedByUnit', program('addresses of units on a bus, 1 to 247')],
  ['adapters/modem/start-modem.ts', 'answer', number('MOST_LINES')],
  ['adapters/mqtt/device-link.ts', 'peersByMqttId', open('MQTT connections')],
  ['adapters/mqtt/device-link.ts', 'takeoversByMqttId contestedSinceByMqttId', POINTS],
  ['adapters/mqtt/create-broker.ts', 'peers', open('MQTT connections')],
  [
    'adapters/mqtt/guests.ts',
    'peersByMac',
    number('MOST_HERE', 'gateway/features/equipment/adoption/boot-desk.ts'),
  ],
  ['adapters/mqtt/device-link.ts', 'retainedByTopic', POINTS],
  ['adapters/mqtt/listeners.ts', 'servers detach', program('ports')],
  ['adapters/mqtt/listeners.ts', 'filters', number('MAX_FILTERS', 'gateway/adapters/mqtt/bounds.ts')],
  ['adapters/mqtt/supervise-broker.ts', 'ports webSockets', program('ports')],
  ['adapters/passwords/argon2-passwords.ts', 'waitingBySource', number('waitingPerSource')],
  ['adapters/payments/stripe-provider.ts', 'plans', program('plans that are sold')],
  ['adapters/serial/esp-transport.ts', 'frames', number('MAX_FRAMES')],
  ['adapters/sql/database.ts', 'listeners', LISTENERS],
  ['adapters/sql/queries/access.ts', 'byKind', program('kinds of things that lie on a farm')],
  ['adapters/sql/reader-thread/reader-thread.ts', 'queue', open('requests of HTTP')],
  ['adapters/sql/reader-thread/worker.ts', 'statementsBySql', number('STATEMENTS_KEPT')],
  ['adapters/sql/write-queue.ts', 'waiting inBackground unsynced onDrained', number('MAX_QUEUED_UNITS')],
  ['adapters/sql/sweep-below-deleted.ts', 'answers', work('one page of the sweep')],
  ['adapters/sql/unsaved-rows.ts', 'kept untoldByEpisode', number('MOST_ROWS')],
  ['adapters/sync/gateway-store.ts', 'waiting', open('requests of gateways')],
  ['adapters/sync/follow-others.ts', 'listeners gapListeners', LISTENERS],
  ['adapters/sync/hosted-http.ts', 'open', number('OPEN_AT_ONCE')],
  ['adapters/sync/live-sockets.ts', 'byStream', rows('sync_stream')],
  ['adapters/sync/live-sockets.ts', 'streamByGateway', rows('sync_stream')],
  ['adapters/sync/bus-payloads.ts', 'listeners', LISTENERS],
  ['adapters/sync/postgres-bus.ts', 'state', LISTENERS],
  ['adapters/sync/hosted-http.ts', 'queues', open('requests of gateways')],
  [
    'adapters/sync/hosted-store.ts',
    'toldBy',
    time('forgotten once its allowance is whole again; gateways that told something'),
  ],
  ['adapters/system/disciplined-clock.ts', 'stretches', number('STRETCHES_KEPT')],
  ['adapters/system/process-pauses.ts', 'pauses', number('MOST_KEPT')],
  ['adapters/system/process-pauses.ts', 'listeners', LISTENERS],
  ['adapters/time/sntp-server.ts', 'perMinute countByAddress', number('MOST_ADDRESSES')],
  ['adapters/timers/ticks.ts', 'running', program('scheduled tasks')],
  ['adapters/tls/handshake-gate.ts', 'sources underWay', number('GATE_BOUNDS')],
  ['adapters/tls/tls-server.ts', 'unsecured', open('TLS connections')],
  ['operations/delivery/deliveries.ts', 'outcomes', program('kinds of channels and outcomes')],
  ['operations/sync/hosted-sync.ts', 'counts', program('what is counted')],
  ['core/signals.ts', 'listeners', LISTENERS],
  ['core/one-a-turn.ts', 'waiting', open('requests of HTTP')],
  ['store/merge/accept-stamps.ts', 'toByFrom', work('the restamps of one answer')],
  ['operations/trust/certificates.ts', 'open servers', program('ports')],
  ['app/production/production.ts', 'answers', ONE_SHEET],
  ['features/production/imports/bring-rows.ts', 'perRow', number('COMMITS_LOOKED_AT')],
  ['features/production/imports/import-file.ts', 'count back', ONE_SHEET],
  ['features/production/imports/read-rows.ts', 'done waits', ONE_SHEET],
  ['features/production/imports/record-book.ts', 'own consumed rowByKey', ONE_SHEET],
  [
    'features/production/imports/unlikely-rows.ts',
    'middles largestPercent priced weighings weighingsBy',
    ONE_SHEET,
  ],
  ['workers/jobs/sheet-process.ts', 'sheets', ONE_SHEET],
  ['workers/jobs/pack-process.ts', 'waiting', number('MOST_WAITING', 'gateway/workers/jobs/pack-process.ts')],
  [
    'adapters/sheets/write-workbook.ts',
    'names',
    work('one workbook: its registers and what goes on of them'),
  ],
  ['features/production/exports/pack-tables.ts', 'files', program('the registers of a farm')],
  [
    'bench/batch-run.ts',
    'macByDevice',
    work('one batch at the technician’s bench; boards are plugged in by hand'),
  ],
  ['bench/provision-console.ts', 'unasked', number('MOST_UNASKED')],
  ['bench/provision-console.ts', 'line', number('LONGEST_LINE')],
  ['core/csv-text.ts', 'cells', program('columns of a table')],
  ['core/unproved-connections.ts', 'sourceOf bySource sourcesByCount', number('mostPerSource')],
  ['core/use-case.ts', 'own', open('requests of HTTP')],
  ['core/write-budget.ts', 'days', time('forgotten a day after its first byte; accounts that wrote')],
  ['core/zone-clock.ts', 'stretches', number('MAX_STRETCHES')],
  ['features/alarms/alerts/escalate-alerts.ts', 'watchedByEpisode', ALERTS],
  ['features/alarms/alerts/finish-episodes.ts', 'endedByEpisode', ALERTS],
  ['features/alarms/alerts/heartbeat-log.ts', 'toldById', POINTS],
  ['features/alarms/alerts/notify-recurring.ts', 'deferredByEpisode', ALERTS],
  ['features/alarms/alerts/alerting.ts', 'openByKey endedWhileLoading', ALERTS],
  ['features/alarms/alerts/power-failure-rules.ts', 'fed', POINTS],
  ['features/alarms/alerts/routes.ts', 'names asked', ONE_CALL],
  [
    'features/alarms/alerts/watch-held-off.ts',
    'knownById',
    time('forgotten an hour after an alert asked for the pond'),
  ],
  ['features/alarms/alerts/watch-devices.ts', 'memories toldCauses saidByPoint seen', POINTS],
  ['features/alarms/alerts/watch-instance.ts', 'troubles', program('troubles of the instance itself')],
  ['features/alarms/alerts/watch-instance.ts', 'toldFarms', FARMS],
  ['features/alarms/alerts/watch-power.ts', 'powerByFarm', FARMS],
  [
    'features/alarms/alerts/watch-power.ts',
    'returningByFarm',
    time('forgotten when another farm comes back after its grace'),
  ],
  ['features/alarms/delivery/delivery-worker.ts', 'waiting busy', number('MOST_TAKEN')],
  [
    'features/alarms/delivery/delivery-worker.ts',
    'heldUntil',
    time('forgotten when the hold is over; one entry for each attempt'),
  ],
  ['features/alarms/delivery/settle-delivery.ts', 'unreachable', number('STRIKES')],
  [
    'features/alarms/delivery/send-gate.ts',
    'waiting insideByPlace',
    number('MOST_TAKEN', 'gateway/features/alarms/delivery/delivery-worker.ts'),
  ],
  ['features/alarms/siren/sound-sirens.ts', 'newestByEpisode', ALERTS],
  ['features/alarms/siren/sound-sirens.ts', 'settingsByFarm', rows('siren_settings')],
  ['features/alarms/siren/sound-sirens.ts', 'toldByFarm', FARMS],
  ['features/cloud/moved-farms.ts', 'farms', rows('sync_farms')],
  ['features/cloud/pairing/gateway-session.ts', 'changes', ONE_CALL],
  ['features/control/aeration/aired-ponds.ts', 'placesByFarm knownByFarm', FARMS],
  ['features/control/aeration/load-pond.ts', 'rows', ONE_CALL],
  ['features/control/aeration/oxygen-loop.ts', 'readingsByPond followersByPond byPond undone', PONDS],
  ['features/control/aeration/oxygen-loop.ts', 'constantsByFarm', FARMS],
  ['features/control/aeration/oxygen-loop.ts', 'askedByPoint points', POINTS],
  ['features/control/aeration/oxygen-loop.ts', 'byAerators', rows('aerators')],
  ['features/control/aeration/watch-dawn.ts', 'due', PONDS],
  [
    'features/control/aeration/watch-dawn.ts',
    'lookedAt',
    time('forgotten after a night; ponds that were measured'),
  ],
  ['features/control/aeration/watch-dawn.ts', 'openByAlert', ALERTS],
  ['features/control/commands/gateway-links.ts', 'streamsByFarm farmsByStream', rows('sync_farms')],
  ['features/control/commands/gateway-commands.ts', 'stateListeners liveListeners', LISTENERS],
  ['features/control/commands/gateway-commands.ts', 'underWay', rows('commands_taken')],
  [
    'features/control/commands/gateway-links.ts',
    'heardHere',
    time('told and emptied every few seconds; control points that reported'),
  ],
  ['features/control/commands/hosted-commands.ts', 'sendAgain', rows('sync_stream')],
  ['features/control/devices/conversation.ts', 'ring', number('MOST_KEPT')],
  ['features/control/devices/fold-reports.ts', 'foldedById', POINTS],
  ['features/control/devices/device-keys.ts', 'points firstByFarm', rows('first_key_uses')],
  ['features/control/devices/order-ends.ts', 'countedById', rows('orders')],
  ['features/control/devices/publish-levels.ts', 'publishedById', POINTS],
  ['features/control/devices/view-index.ts', 'viewsById idsByDeviceId idsByMqttId idsByFarm', POINTS],
  ['features/control/devices/view-index.ts', 'idsByPart', rows('schedules')],
  ['features/control/devices/registry.ts', 'farmsById', FARMS],
  ['features/control/devices/registry.ts', 'readings loads', ONE_CALL],
  ['features/control/devices/registry.ts', 'before', work('the rows of one commit')],
  ['features/control/schedules/executor.ts', 'plansById saveTriedAt', POINTS],
  [
    'features/control/schedules/executor.ts',
    'lastStartByGroup',
    time('forgotten after one step between starts'),
  ],
  ['features/control/schedules/executor.ts', 'lastStartAtByGroup', ONE_CALL],
  ['features/control/schedules/follow-clock-step.ts', 'owed', number('MOST_OWED')],
  ['features/control/schedules/follow-clock-step.ts', 'moved', ONE_CALL],
  [
    'features/control/schedules/follow-merged.ts',
    'settling heldSince',
    work('batches of the sync that arrive'),
  ],
  ['features/control/schedules/follow-merged.ts', 'leftAlone', POINTS],
  ['features/control/schedules/merged-marks.ts', 'edited', work('one batch of the sync')],
  ['features/control/schedules/schedule-rules.ts', 'shownById storedById announcedById', POINTS],
  ['features/control/schedules/save-schedule.ts', 'over', ONE_CALL],
  ['features/control/schedules/schedule-windows.ts', 'known', rows('schedules')],
  ['features/control/schedules/told-events.ts', 'toldUpTo refusedById', POINTS],
  ['features/equipment/adoption/boot-desk.ts', 'boardsByMac offersByMac', number('MOST_REMEMBERED')],
  [
    'features/equipment/bench/job-desk.ts',
    'waitingByPoint',
    number('MOST_RUNNING', 'gateway/features/equipment/bench/job-desk.ts'),
  ],
  ['features/equipment/bench/job-desk.ts', 'jobsById', number('JOBS_KEPT')],
  ['features/equipment/bench/job-desk.ts', 'entry', number('LINES_KEPT')],
  ['features/equipment/firmware/rollout-book.ts', 'imagesById', rows('firmware_images')],
  ['features/equipment/firmware/rollout-book.ts', 'rolloutsById', rows('firmware_rollouts')],
  [
    'features/equipment/firmware/rollout-book.ts',
    'targetsByRollout openByControlPoint heardByTarget standsSinceMs stoodBeforeMs',
    rows('firmware_targets'),
  ],
  ['features/equipment/firmware/rollouts.ts', 'waits', rows('firmware_rollouts')],
  ['features/equipment/home-assistant/bridge.ts', 'told', POINTS],
  ['features/equipment/home-assistant/bridge.ts', 'shown', number('MOST_KNOWN')],
  ['features/equipment/probes/poll-bus.ts', 'memory', program('fields of water')],
  ['features/equipment/probes/pond-water.ts', 'window latest', rows('probes')],
  ['features/equipment/probes/scan-bus.ts', 'byBus running', rows('probe_buses')],
  ['features/equipment/probes/tell-probes.ts', 'badSince told', rows('probes')],
  ['features/equipment/probes/watch-probes.ts', 'buses', rows('probe_buses')],
  ['features/equipment/probes/watch-probes.ts', 'probes silent', rows('probes')],
  ['features/equipment/probes/watch-probes.ts', 'ponds', PONDS],
  ['features/equipment/relays/relay-book.ts', 'relaysById channelsByCarrier unsavedMeters', rows('relays')],
  ['features/equipment/relays/relay-book.ts', 'metersById', rows('relay_meters')],
  ['features/equipment/relays/relay-session.ts', 'sessionsByMqttId channels', rows('relays')],
  ['features/equipment/simulator/simulator-desk.ts', 'runningByFarm running', number('MOST_FARMS')],
  ['features/equipment/simulator/simulator-desk.ts', 'conditionsByPoint', POINTS],
  ['features/people/payments/own-desk.ts', 'answers', ONE_CALL],
  ['features/production/exports/batch-report.ts', 'ages', ONE_CALL],
  ['features/production/feeding/next-meal.ts', 'byPond', ONE_CALL],
  ['features/production/batch-in-pond.ts', 'known', ONE_CALL],
  ['features/production/feed-stock.ts', 'books lots counts takes', ONE_CALL],
  ['features/production/imports/import-file.ts', 'seen rowsByCode', work('one file, whose rows are bounded')],
  ['features/production/water-quality/alerts-after-correction.ts', 'all changed seen', ONE_CALL],
  ['science/advice/language.ts', 'formats', program('languages and decimals')],
  ['store/commit.ts', 'base body', ONE_CALL],
  [
    'store/merge/time-return.ts',
    'stamps',
    work('one return of stamps, of the rows that a wrong clock wrote'),
  ],
  ['store/merge/working-set.ts', 'works standing erased', work('one batch of the sync')],
  ['sync/gateway/sync-client.ts', 'answer', work('one batch of the sync')],
  ['sync/gateway/live-talk.ts', 'open', time('settled after ten seconds; orders that were taken')],
  ['sync/gateway/live-talk.ts', 'changed', POINTS],
  ['sync/gateway/sync-client.ts', 'timers underWay', program('what the sync does, each once at a time')],
  [
    'workers/hash/hash-process.ts',
    'waiting',
    number('waitingPerSource', 'gateway/adapters/passwords/argon2-passwords.ts'),
  ],
];
