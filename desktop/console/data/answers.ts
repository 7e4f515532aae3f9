// What each address of the interface answers, written from the route table by test/console/answers.test.ts: to write it
// again, run that test with -u. {} stands for a parameter.

import type * as z from 'zod';
import type { eventTicket } from '#contract/events/stream.ts';
import type { warnings } from '#contract/fields.ts';
import type {
  deviceConfig,
  deviceSchedule,
  heartbeatAnswer,
  unprovedAnswer,
} from '#contract/mqtt/messages.ts';
import type { accessTokenAnswer, accessTokenMade } from '#contract/resources/access-tokens.ts';
import type { accountExport } from '#contract/resources/account-data.ts';
import type { addressAnswer } from '#contract/resources/addresses.ts';
import type { adoptAnswer, queueEntry, rotationAnswer, windowAnswer } from '#contract/resources/adoption.ts';
import type { aeratorAnswer, aeratorControlAnswer } from '#contract/resources/aerators.ts';
import type { alertAnswer } from '#contract/resources/alerts.ts';
import type {
  batchAnswer,
  batchDetail,
  batchFinished,
  batchStatsAnswer,
  growthAnalysisAnswer,
  growthChartAnswer,
  growthCurveAnswer,
  harvestAnswer,
} from '#contract/resources/batches.ts';
import type {
  benchFirmware,
  benchJobAnswer,
  benchJobDetail,
  benchLabel,
  benchPort,
} from '#contract/resources/bench.ts';
import type { biometryAnswer, biometryJournal, biometrySummary } from '#contract/resources/biometries.ts';
import type { boxRightAnswer } from '#contract/resources/box-rights.ts';
import type {
  commandEntry,
  controlPointAnswer,
  controlPointDetail,
  controlPointSettings,
  deviceKeyAnswer,
  deviceKeyEntry,
  farmTimelineSegment,
  lockOutAnswer,
  orderAnswer,
  orderEntry,
  timelineSegment,
} from '#contract/resources/control-points.ts';
import type {
  batchComparison,
  biomassTrend,
  dashboardOverview,
  dashboardPonds,
  feedEfficiency,
  growthRates,
  survivalRates,
} from '#contract/resources/dashboard.ts';
import type { deviceStatus, seenDevice } from '#contract/resources/devices.ts';
import type {
  archiveFile,
  batchSummary,
  csvFile,
  htmlPage,
  workbookFile,
} from '#contract/resources/exports.ts';
import type { farmConsoleAnswer } from '#contract/resources/farm-console.ts';
import type { productAnswer, recordAnswer, withdrawalOnDay } from '#contract/resources/farm-records.ts';
import type {
  deletedFarmAnswer,
  farmAnswer,
  farmContact,
  farmDetail,
  invitedAnswer,
  memberAnswer,
} from '#contract/resources/farms.ts';
import type { feedStockAnswer, stockEntryAnswer } from '#contract/resources/feed-stock.ts';
import type {
  feedingAnswer,
  feedingJournal,
  feedingRecommendation,
  feedingSummary,
} from '#contract/resources/feeding.ts';
import type {
  costPerKgAnswer,
  energyAnswer,
  expenseAnswer,
  optimalHarvestAnswer,
  profitabilityAnswer,
} from '#contract/resources/finance.ts';
import type {
  controllerFirmware,
  firmwareAnswer,
  rolloutAnswer,
  rolloutDetail,
} from '#contract/resources/firmware.ts';
import type {
  adoptedAnswer,
  boundFarm,
  claimPreview,
  gatewayAnswer,
  localUserAnswer,
  lostPersonAnswer,
  pairingAnswer,
  takenBackAnswer,
} from '#contract/resources/gateways.ts';
import type { lotAnswer } from '#contract/resources/harvest-lots.ts';
import type { homeAssistantAnswer } from '#contract/resources/home-assistant.ts';
import type { importRecordAnswer } from '#contract/resources/import-records.ts';
import type { importLook, importReport } from '#contract/resources/imports.ts';
import type {
  invitationAccepted,
  invitationAnswer,
  invitationMade,
  invitationOffer,
} from '#contract/resources/invitations.ts';
import type { logAnswer, recordLogAnswer } from '#contract/resources/logs.ts';
import type { lossAnswer, mortalityAnswer, survivalAdjusted } from '#contract/resources/losses.ts';
import type { lotTrace, recallAnswer } from '#contract/resources/lot-trace.ts';
import type { meterUseAnswer } from '#contract/resources/meter-readings.ts';
import type { modemAnswer } from '#contract/resources/modem.ts';
import type {
  channelAnswer,
  deliveryAnswer,
  pushActionAnswer,
  vapidKey,
} from '#contract/resources/notification-channels.ts';
import type {
  announcementAnswer,
  notificationPage,
  notificationRead,
  notificationsMarked,
  unreadCount,
} from '#contract/resources/notifications.ts';
import type { oxygenForecastAnswer } from '#contract/resources/oxygen-forecast.ts';
import type {
  passkeyAnswer,
  passkeyCreationOptions,
  passkeyMade,
  passkeyRequestOptions,
  passkeysAnswer,
} from '#contract/resources/passkeys.ts';
import type {
  cancelledSubscription,
  checkoutSession,
  eventReceived,
  portalSession,
} from '#contract/resources/payments.ts';
import type { listedPhoto, photoAnswer } from '#contract/resources/photos.ts';
import type { pondCard, pondCards } from '#contract/resources/pond-cards.ts';
import type { pondAnswer } from '#contract/resources/ponds.ts';
import type {
  busReadAnswer,
  busScanAnswer,
  probeAnswer,
  probeBusAnswer,
  probeProfileAnswer,
  probeSample,
} from '#contract/resources/probes.ts';
import type { discoveredRelay, relayAdopted, relayAnswer, relayOfPoint } from '#contract/resources/relays.ts';
import type { savedScheduleAnswer, scheduleAnswer } from '#contract/resources/schedules.ts';
import type { scienceSettings } from '#contract/resources/science.ts';
import type {
  secondFactorAnswer,
  secondFactorBegun,
  secondFactorConfirmed,
} from '#contract/resources/second-factor.ts';
import type { sessionAnswer, sessionsEnded } from '#contract/resources/sessions.ts';
import type { shadowAnswer } from '#contract/resources/shadow.ts';
import type { simulatorAnswer } from '#contract/resources/simulator.ts';
import type { sirenAnswer } from '#contract/resources/sirens.ts';
import type { limitsAnswer, planListing, subscriptionAnswer } from '#contract/resources/subscriptions.ts';
import type {
  parkedRetryAnswer,
  parkedRowAnswer,
  syncConflictAnswer,
  syncNowAnswer,
  syncStatusAnswer,
} from '#contract/resources/sync-status.ts';
import type {
  systemAuthorityAnswer,
  systemClockAnswer,
  systemIdentityAnswer,
  systemUpdateAnswer,
} from '#contract/resources/system.ts';
import type {
  systemBackupAnswer,
  systemBackupKeyAnswer,
  systemBackupUploadAnswer,
  systemRestoreAnswer,
} from '#contract/resources/system-backup.ts';
import type { doctorAnswer } from '#contract/resources/system-doctor.ts';
import type { dueAnswer, taskAnswer, taskMarkAnswer, taskPerson } from '#contract/resources/tasks.ts';
import type {
  transferAnswer,
  transferDetail,
  transferHistory,
  transferPage,
} from '#contract/resources/transfers.ts';
import type {
  addressStateAnswer,
  forgotPasswordAnswer,
  messageAnswer,
  tokenAnswer,
  unverifiedAnswer,
  userAnswer,
} from '#contract/resources/users.ts';
import type {
  ammoniaAs,
  latestWater,
  measurementAnswer,
  measurementCreated,
  measurementJournal,
  waterAlerts,
  waterTrend,
} from '#contract/resources/water-quality.ts';

export type Answers = {
  DELETE: {
    '/access-tokens/{}': null;
    '/addresses/{}': null;
    '/adoption/queue/{}/ignore': null;
    '/adoption/window': null;
    '/aerators/{}': null;
    '/alerts/{}/acknowledge': null;
    '/alerts/{}/shelve': null;
    '/alerts/{}/silence': null;
    '/auth/passkeys/{}': null;
    '/auth/second-factor': null;
    '/auth/sessions': z.infer<typeof sessionsEnded>;
    '/auth/sessions/{}': null;
    '/batches/{}': null;
    '/batches/{}/harvests/{}': null;
    '/batches/{}/losses/{}': null;
    '/bench/jobs/{}': z.infer<typeof benchJobAnswer>;
    '/biometries/{}': null;
    '/control-points/{}': null;
    '/control-points/{}/device-key': null;
    '/control-points/{}/lock-out': null;
    '/control-points/{}/relay': null;
    '/farms/{}': null;
    '/farms/{}/invitations/{}': null;
    '/farms/{}/members/{}': null;
    '/feed-stock/{}': null;
    '/feeding/{}': null;
    '/financial/expenses/{}': null;
    '/firmware/{}': null;
    '/harvest-lots/{}': null;
    '/notification-channels/{}': null;
    '/photos/{}': null;
    '/ponds/{}': null;
    '/probe-buses/{}': null;
    '/probe-buses/{}/scan': null;
    '/probe-profiles/{}': null;
    '/probes/{}': null;
    '/records/{}': null;
    '/relays/discovered/{}': null;
    '/schedules/{}': null;
    '/simulator/controllers': null;
    '/sync/gateways/{}': null;
    '/sync/gateways/{}/farms/{}': null;
    '/sync/lost-people/{}': null;
    '/sync/pairing': null;
    '/system/authority/rotation': z.infer<typeof systemAuthorityAnswer>;
    '/system/backup/upload/{}': null;
    '/system/backup/uploaded/{}': null;
    '/system/restore': null;
    '/system/rights/{}': null;
    '/tasks/{}': null;
    '/tasks/{}/marks/{}': null;
    '/transfers/{}': null;
    '/users/me': null;
    '/water-quality/{}': null;
  };
  GET: {
    '/access-tokens': z.infer<typeof accessTokenAnswer>[];
    '/access-tokens/{}': z.infer<typeof accessTokenAnswer>;
    '/addresses/': z.infer<typeof addressAnswer>[];
    '/addresses/{}': z.infer<typeof addressAnswer>;
    '/adoption/queue': z.infer<typeof queueEntry>[];
    '/adoption/window': z.infer<typeof windowAnswer>;
    '/aerators/': z.infer<typeof aeratorAnswer>[];
    '/aerators/{}': z.infer<typeof aeratorAnswer>;
    '/alerts/': z.infer<typeof alertAnswer>[];
    '/auth/forgot-password': z.infer<typeof forgotPasswordAnswer>;
    '/auth/passkeys': z.infer<typeof passkeysAnswer>;
    '/auth/second-factor': z.infer<typeof secondFactorAnswer>;
    '/auth/sessions': z.infer<typeof sessionAnswer>[];
    '/batch-transfers/': z.infer<typeof transferPage>;
    '/batch-transfers/batch/{}': z.infer<typeof transferPage>;
    '/batch-transfers/{}': z.infer<typeof transferDetail>;
    '/batches/': z.infer<typeof batchAnswer>[];
    '/batches/{}': z.infer<typeof batchDetail>;
    '/batches/{}/growth-analysis': z.infer<typeof growthAnalysisAnswer>;
    '/batches/{}/growth-chart': z.infer<typeof growthChartAnswer>;
    '/batches/{}/growth-curve': z.infer<typeof growthCurveAnswer>;
    '/batches/{}/harvest-lots': z.infer<typeof lotAnswer>[];
    '/batches/{}/harvests': z.infer<typeof harvestAnswer>[];
    '/batches/{}/losses': z.infer<typeof lossAnswer>[];
    '/batches/{}/losses/{}': z.infer<typeof lossAnswer>;
    '/batches/{}/losses/{}/photos': z.infer<typeof listedPhoto>[];
    '/batches/{}/mortality': z.infer<typeof mortalityAnswer>;
    '/batches/{}/photos': z.infer<typeof listedPhoto>[];
    '/batches/{}/records': z.infer<typeof recordAnswer>[];
    '/batches/{}/stats': z.infer<typeof batchStatsAnswer>;
    '/batches/{}/withdrawal': z.infer<typeof withdrawalOnDay>;
    '/bench/firmware': z.infer<typeof benchFirmware>[];
    '/bench/jobs': z.infer<typeof benchJobAnswer>[];
    '/bench/jobs/{}': z.infer<typeof benchJobDetail>;
    '/bench/label-sheet': string;
    '/bench/labels': z.infer<typeof benchLabel>[];
    '/bench/ports': z.infer<typeof benchPort>[];
    '/biometries/batch/{}': z.infer<typeof biometryJournal>;
    '/biometries/batch/{}/summary': z.infer<typeof biometrySummary>;
    '/biometries/{}': z.infer<typeof biometryAnswer>;
    '/control-points/': z.infer<typeof controlPointAnswer>[];
    '/control-points/{}': z.infer<typeof controlPointDetail>;
    '/control-points/{}/commands': z.infer<typeof commandEntry>[];
    '/control-points/{}/device-key': z.infer<typeof deviceKeyEntry>[];
    '/control-points/{}/orders': z.infer<typeof orderEntry>[];
    '/control-points/{}/photos': z.infer<typeof listedPhoto>[];
    '/control-points/{}/records': z.infer<typeof recordAnswer>[];
    '/control-points/{}/relay': z.infer<typeof relayOfPoint>;
    '/control-points/{}/rotate-key': z.infer<typeof rotationAnswer>;
    '/control-points/{}/schedules': z.infer<typeof scheduleAnswer>[];
    '/control-points/{}/settings': z.infer<typeof controlPointSettings>;
    '/control-points/{}/shadow': z.infer<typeof shadowAnswer>;
    '/control-points/{}/timeline': z.infer<typeof timelineSegment>[];
    '/dashboard/batch-comparison': z.infer<typeof batchComparison>;
    '/dashboard/biomass-trend': z.infer<typeof biomassTrend>;
    '/dashboard/feed-efficiency': z.infer<typeof feedEfficiency>;
    '/dashboard/growth-rates': z.infer<typeof growthRates>;
    '/dashboard/overview': z.infer<typeof dashboardOverview>;
    '/dashboard/ponds': z.infer<typeof dashboardPonds>;
    '/dashboard/survival-rates': z.infer<typeof survivalRates>;
    '/devices/config/{}': z.infer<typeof deviceConfig>;
    '/devices/firmware/{}': string;
    '/devices/schedule/{}': z.infer<typeof deviceSchedule>;
    '/devices/seen': z.infer<typeof seenDevice>[];
    '/devices/status/{}': z.infer<typeof deviceStatus>;
    '/exports/batch-report/{}': z.infer<typeof csvFile>;
    '/exports/batch/{}/report': z.infer<typeof htmlPage>;
    '/exports/batch/{}/report/csv': z.infer<typeof csvFile>;
    '/exports/batch/{}/summary': z.infer<typeof batchSummary>;
    '/exports/biometries': z.infer<typeof csvFile>;
    '/exports/biometries/csv': z.infer<typeof csvFile>;
    '/exports/biometries/xlsx': z.infer<typeof workbookFile>;
    '/exports/farm/{}/archive': z.infer<typeof archiveFile>;
    '/exports/farm/{}/xlsx': z.infer<typeof workbookFile>;
    '/exports/feed-stock/csv': z.infer<typeof csvFile>;
    '/exports/feed-stock/xlsx': z.infer<typeof workbookFile>;
    '/exports/feeding': z.infer<typeof csvFile>;
    '/exports/feeding/csv': z.infer<typeof csvFile>;
    '/exports/feeding/xlsx': z.infer<typeof workbookFile>;
    '/exports/harvest-lot/{}/trace/csv': z.infer<typeof csvFile>;
    '/exports/harvest-lots/csv': z.infer<typeof csvFile>;
    '/exports/harvest-lots/xlsx': z.infer<typeof workbookFile>;
    '/exports/losses/csv': z.infer<typeof csvFile>;
    '/exports/losses/xlsx': z.infer<typeof workbookFile>;
    '/exports/records/csv': z.infer<typeof csvFile>;
    '/exports/records/xlsx': z.infer<typeof workbookFile>;
    '/exports/water-quality': z.infer<typeof csvFile>;
    '/exports/water-quality/csv': z.infer<typeof csvFile>;
    '/exports/water-quality/xlsx': z.infer<typeof workbookFile>;
    '/farms/': z.infer<typeof farmAnswer>[];
    '/farms/deleted': z.infer<typeof deletedFarmAnswer>[];
    '/farms/{}': z.infer<typeof farmDetail>;
    '/farms/{}/console': z.infer<typeof farmConsoleAnswer>;
    '/farms/{}/contacts': z.infer<typeof farmContact>[];
    '/farms/{}/energy': z.infer<typeof energyAnswer>;
    '/farms/{}/energy/meters': z.infer<typeof meterUseAnswer>;
    '/farms/{}/feed-stock': z.infer<typeof feedStockAnswer>;
    '/farms/{}/feed-stock/entries': z.infer<typeof stockEntryAnswer>[];
    '/farms/{}/invitations': z.infer<typeof invitationAnswer>[];
    '/farms/{}/members': z.infer<typeof memberAnswer>[];
    '/farms/{}/products': z.infer<typeof productAnswer>[];
    '/farms/{}/records': z.infer<typeof recordAnswer>[];
    '/farms/{}/science': z.infer<typeof scienceSettings>;
    '/farms/{}/siren': z.infer<typeof sirenAnswer>;
    '/farms/{}/task-marks': z.infer<typeof taskMarkAnswer>[];
    '/farms/{}/tasks': z.infer<typeof taskAnswer>[];
    '/farms/{}/tasks/due': z.infer<typeof dueAnswer>;
    '/farms/{}/tasks/people': z.infer<typeof taskPerson>[];
    '/farms/{}/timeline': z.infer<typeof farmTimelineSegment>[];
    '/farms/{}/trace': z.infer<typeof recallAnswer>;
    '/feed-stock/{}': z.infer<typeof stockEntryAnswer>;
    '/feeding/batch/{}': z.infer<typeof feedingJournal>;
    '/feeding/batch/{}/recommendation': z.infer<typeof feedingRecommendation>;
    '/feeding/batch/{}/summary': z.infer<typeof feedingSummary>;
    '/feeding/{}': z.infer<typeof feedingAnswer>;
    '/financial/cost-per-kg/{}': z.infer<typeof costPerKgAnswer>;
    '/financial/expenses': z.infer<typeof expenseAnswer>[];
    '/financial/expenses/{}': z.infer<typeof expenseAnswer>;
    '/financial/optimal-harvest/{}': z.infer<typeof optimalHarvestAnswer>;
    '/financial/profitability/{}': z.infer<typeof profitabilityAnswer>;
    '/firmware/': z.infer<typeof firmwareAnswer>[];
    '/firmware/controllers': z.infer<typeof controllerFirmware>[];
    '/firmware/rollouts': z.infer<typeof rolloutAnswer>[];
    '/firmware/rollouts/{}': z.infer<typeof rolloutDetail>;
    '/firmware/{}': z.infer<typeof firmwareAnswer>;
    '/harvest-lots/{}': z.infer<typeof lotAnswer>;
    '/harvest-lots/{}/trace': z.infer<typeof lotTrace>;
    '/imports/': z.infer<typeof importRecordAnswer>[];
    '/imports/batches/template.csv': z.infer<typeof csvFile>;
    '/imports/biometries/template.csv': z.infer<typeof csvFile>;
    '/imports/feeding/template.csv': z.infer<typeof csvFile>;
    '/imports/measurements/template.csv': z.infer<typeof csvFile>;
    '/imports/meters/template.csv': z.infer<typeof csvFile>;
    '/imports/{}': z.infer<typeof importRecordAnswer>;
    '/invitations': z.infer<typeof invitationOffer>[];
    '/iot/shadow/{}': z.infer<typeof deviceStatus>;
    '/logs/control-points/{}': z.infer<typeof logAnswer>[];
    '/logs/farm/{}/control-points': z.infer<typeof logAnswer>[];
    '/logs/farms/{}': z.infer<typeof recordLogAnswer>[];
    '/logs/measurements/{}': z.infer<typeof recordLogAnswer>[];
    '/logs/ponds/{}': z.infer<typeof recordLogAnswer>[];
    '/notification-channels/': z.infer<typeof channelAnswer>[];
    '/notification-channels/vapid-key': z.infer<typeof vapidKey>;
    '/notification-channels/{}': z.infer<typeof channelAnswer>;
    '/notification-channels/{}/deliveries': z.infer<typeof deliveryAnswer>[];
    '/notifications/': z.infer<typeof notificationPage>;
    '/notifications/unread/count': z.infer<typeof unreadCount>;
    '/photos/{}': z.infer<typeof photoAnswer>;
    '/photos/{}/image': string;
    '/ponds/': z.infer<typeof pondAnswer>[];
    '/ponds/summary-cards': z.infer<typeof pondCards>;
    '/ponds/{}': z.infer<typeof pondAnswer>;
    '/ponds/{}/oxygen-forecast': z.infer<typeof oxygenForecastAnswer>;
    '/ponds/{}/photos': z.infer<typeof listedPhoto>[];
    '/ponds/{}/records': z.infer<typeof recordAnswer>[];
    '/ponds/{}/summary-card': z.infer<typeof pondCard>;
    '/probe-buses/': z.infer<typeof probeBusAnswer>[];
    '/probe-buses/{}': z.infer<typeof probeBusAnswer>;
    '/probe-buses/{}/scan': z.infer<typeof busScanAnswer>;
    '/probe-profiles/': z.infer<typeof probeProfileAnswer>[];
    '/probes/': z.infer<typeof probeAnswer>[];
    '/probes/{}': z.infer<typeof probeAnswer>;
    '/probes/{}/samples': z.infer<typeof probeSample>[];
    '/records/{}': z.infer<typeof recordAnswer>;
    '/relays/': z.infer<typeof relayAnswer>[];
    '/relays/discovered': z.infer<typeof discoveredRelay>[];
    '/schedules/': z.infer<typeof scheduleAnswer>[];
    '/simulator': z.infer<typeof simulatorAnswer>;
    '/subscriptions/me': z.infer<typeof subscriptionAnswer>;
    '/subscriptions/me/limits': z.infer<typeof limitsAnswer>;
    '/subscriptions/plans': z.infer<typeof planListing>;
    '/subscriptions/{}/limits': z.infer<typeof limitsAnswer>;
    '/sync/claims': z.infer<typeof claimPreview>;
    '/sync/conflicts': z.infer<typeof syncConflictAnswer>[];
    '/sync/gateways': z.infer<typeof gatewayAnswer>[];
    '/sync/gateways/{}': z.infer<typeof gatewayAnswer>;
    '/sync/local-users': z.infer<typeof localUserAnswer>[];
    '/sync/lost-people': z.infer<typeof lostPersonAnswer>[];
    '/sync/pairing': z.infer<typeof pairingAnswer>;
    '/sync/parked': z.infer<typeof parkedRowAnswer>[];
    '/sync/status': z.infer<typeof syncStatusAnswer>;
    '/system/authority': z.infer<typeof systemAuthorityAnswer>;
    '/system/backup': z.infer<typeof systemBackupAnswer>;
    '/system/clock': z.infer<typeof systemClockAnswer>;
    '/system/doctor': z.infer<typeof doctorAnswer>;
    '/system/home-assistant': z.infer<typeof homeAssistantAnswer>;
    '/system/identity': z.infer<typeof systemIdentityAnswer>;
    '/system/identity/qr': string;
    '/system/modem': z.infer<typeof modemAnswer>;
    '/system/restore': z.infer<typeof systemRestoreAnswer>;
    '/system/rights': z.infer<typeof boxRightAnswer>[];
    '/system/support-bundle': string;
    '/system/update': z.infer<typeof systemUpdateAnswer>;
    '/tasks/{}': z.infer<typeof taskAnswer>;
    '/transfers/': z.infer<typeof transferPage>;
    '/transfers/batch/{}': z.infer<typeof transferPage>;
    '/transfers/batch/{}/history': z.infer<typeof transferHistory>;
    '/transfers/{}': z.infer<typeof transferDetail>;
    '/users/all': z.infer<typeof userAnswer>[];
    '/users/me': z.infer<typeof userAnswer>;
    '/users/me/email': z.infer<typeof addressStateAnswer>;
    '/users/me/export': z.infer<typeof accountExport>;
    '/users/me/farms': z.infer<typeof farmAnswer>[];
    '/users/unverified': z.infer<typeof unverifiedAnswer>[];
    '/water-quality/alerts': z.infer<typeof waterAlerts> | z.infer<typeof waterAlerts>[];
    '/water-quality/latest': z.infer<typeof latestWater> | z.infer<typeof latestWater>[];
    '/water-quality/pond/{}': z.infer<typeof measurementJournal>;
    '/water-quality/pond/{}/alerts': z.infer<typeof waterAlerts>;
    '/water-quality/pond/{}/latest': z.infer<typeof latestWater>;
    '/water-quality/trend/{}/{}': z.infer<typeof waterTrend>;
    '/water-quality/{}': z.infer<typeof measurementAnswer>;
  };
  PATCH: {
    '/access-tokens/{}': z.infer<typeof accessTokenAnswer>;
    '/notification-channels/{}': z.infer<typeof channelAnswer>;
    '/notifications/{}/read': z.infer<typeof notificationRead>;
    '/schedules/{}': z.infer<typeof savedScheduleAnswer>;
    '/sync/gateways/{}': z.infer<typeof gatewayAnswer>;
  };
  POST: {
    '/access-tokens': z.infer<typeof accessTokenMade>;
    '/addresses/': z.infer<typeof addressAnswer>;
    '/adoption/create': z.infer<typeof adoptAnswer>;
    '/adoption/queue/{}/ignore': null;
    '/adoption/window': z.infer<typeof windowAnswer>;
    '/aerators/': z.infer<typeof aeratorAnswer>;
    '/aerators/{}/control': z.infer<typeof aeratorControlAnswer>;
    '/alerts/{}/acknowledge': z.infer<typeof alertAnswer>;
    '/alerts/{}/alerts': z.infer<typeof alertAnswer>;
    '/alerts/{}/shelve': z.infer<typeof alertAnswer>;
    '/alerts/{}/silence': z.infer<typeof alertAnswer>;
    '/announcements/': z.infer<typeof announcementAnswer>;
    '/auth/first-password': z.infer<typeof messageAnswer>;
    '/auth/forgot-password': z.infer<typeof messageAnswer>;
    '/auth/login': z.infer<typeof tokenAnswer>;
    '/auth/logout': z.infer<typeof messageAnswer>;
    '/auth/passkey': z.infer<typeof tokenAnswer>;
    '/auth/passkey/options': z.infer<typeof passkeyRequestOptions>;
    '/auth/passkeys': z.infer<typeof passkeyMade>;
    '/auth/passkeys/begin': z.infer<typeof passkeyCreationOptions>;
    '/auth/passkeys/challenge': z.infer<typeof passkeyRequestOptions>;
    '/auth/register': z.infer<typeof userAnswer>;
    '/auth/renew': z.infer<typeof tokenAnswer>;
    '/auth/reset-password': z.infer<typeof messageAnswer>;
    '/auth/second-factor': z.infer<typeof secondFactorBegun>;
    '/auth/second-factor/confirm': z.infer<typeof secondFactorConfirmed>;
    '/batches/': z.infer<typeof batchAnswer>;
    '/batches/{}/abort': z.infer<typeof batchAnswer>;
    '/batches/{}/adjust-survival': z.infer<typeof survivalAdjusted>;
    '/batches/{}/finish': z.infer<typeof batchFinished>;
    '/batches/{}/harvest-lots': z.infer<typeof lotAnswer>;
    '/batches/{}/harvests': z.infer<typeof harvestAnswer>;
    '/batches/{}/losses/{}/photos': z.infer<typeof photoAnswer>;
    '/batches/{}/photos': z.infer<typeof photoAnswer>;
    '/batches/{}/records': z.infer<typeof recordAnswer>;
    '/bench/jobs': z.infer<typeof benchJobAnswer>;
    '/biometries/': z.infer<typeof biometryAnswer>;
    '/control-points/': z.infer<typeof controlPointAnswer>;
    '/control-points/{}/adopt': z.infer<typeof adoptAnswer>;
    '/control-points/{}/device-key': z.infer<typeof deviceKeyAnswer>;
    '/control-points/{}/lock-out': z.infer<typeof lockOutAnswer>;
    '/control-points/{}/photos': z.infer<typeof photoAnswer>;
    '/control-points/{}/records': z.infer<typeof recordAnswer>;
    '/control-points/{}/replace': z.infer<typeof adoptAnswer>;
    '/control-points/{}/rotate-key': z.infer<typeof rotationAnswer>;
    '/control-points/{}/schedules': z.infer<typeof savedScheduleAnswer>;
    '/control-points/{}/turn-off': z.infer<typeof orderAnswer>;
    '/control-points/{}/turn-on': z.infer<typeof orderAnswer>;
    '/devices/heartbeat': z.infer<typeof heartbeatAnswer> | z.infer<typeof unprovedAnswer>;
    '/events/ticket': z.infer<typeof eventTicket>;
    '/farms/': z.infer<typeof farmAnswer>;
    '/farms/{}': z.infer<typeof farmAnswer>;
    '/farms/{}/feed-stock/entries': z.infer<typeof stockEntryAnswer>;
    '/farms/{}/invitations': z.infer<typeof invitationMade>;
    '/farms/{}/members': z.infer<typeof memberAnswer> | z.infer<typeof invitedAnswer>;
    '/farms/{}/records': z.infer<typeof recordAnswer>;
    '/farms/{}/restore': z.infer<typeof farmAnswer>;
    '/farms/{}/siren/hush': z.infer<typeof sirenAnswer>;
    '/farms/{}/siren/test': z.infer<typeof sirenAnswer>;
    '/farms/{}/tasks': z.infer<typeof taskAnswer>;
    '/feeding/': z.infer<typeof feedingAnswer>;
    '/financial/expenses': z.infer<typeof expenseAnswer>;
    '/firmware/': z.infer<typeof firmwareAnswer>;
    '/firmware/rollouts': z.infer<typeof rolloutDetail>;
    '/firmware/rollouts/{}/roll-back': z.infer<typeof rolloutDetail>;
    '/imports/batches': z.infer<typeof importReport> | z.infer<typeof importRecordAnswer>;
    '/imports/biometries': z.infer<typeof importReport> | z.infer<typeof importRecordAnswer>;
    '/imports/feeding': z.infer<typeof importReport> | z.infer<typeof importRecordAnswer>;
    '/imports/look': z.infer<typeof importLook>;
    '/imports/measurements': z.infer<typeof importReport> | z.infer<typeof importRecordAnswer>;
    '/imports/meters': z.infer<typeof importReport> | z.infer<typeof importRecordAnswer>;
    '/imports/{}/cancel': z.infer<typeof importRecordAnswer>;
    '/imports/{}/undo': z.infer<typeof importRecordAnswer>;
    '/invitations/accept': z.infer<typeof invitationAccepted>;
    '/invitations/decline': null;
    '/iot/heartbeat': z.infer<typeof heartbeatAnswer> | z.infer<typeof unprovedAnswer>;
    '/notification-channels/': z.infer<typeof channelAnswer>;
    '/notification-channels/{}/confirm': z.infer<typeof channelAnswer>;
    '/notification-channels/{}/rotate-secret': z.infer<typeof channelAnswer>;
    '/notification-channels/{}/send-code': z.infer<typeof deliveryAnswer>;
    '/notification-channels/{}/test': z.infer<typeof deliveryAnswer>;
    '/notifications/mark-all-read': z.infer<typeof notificationsMarked>;
    '/payment/cancel-subscription': z.infer<typeof cancelledSubscription>;
    '/payment/create-billing-portal': z.infer<typeof portalSession>;
    '/payment/create-checkout-session': z.infer<typeof checkoutSession>;
    '/payment/create-portal-session': z.infer<typeof portalSession>;
    '/payment/webhook': z.infer<typeof eventReceived>;
    '/ponds/': z.infer<typeof pondAnswer>;
    '/ponds/{}/photos': z.infer<typeof photoAnswer>;
    '/ponds/{}/records': z.infer<typeof recordAnswer>;
    '/probe-buses/': z.infer<typeof probeBusAnswer>;
    '/probe-buses/{}/read': z.infer<typeof busReadAnswer>;
    '/probe-buses/{}/scan': z.infer<typeof busScanAnswer>;
    '/probe-profiles/': z.infer<typeof probeProfileAnswer>;
    '/probes/': z.infer<typeof probeAnswer>;
    '/probes/{}/calibrations': z.infer<typeof probeAnswer>;
    '/push-actions': z.infer<typeof pushActionAnswer>;
    '/simulator/controllers': z.infer<typeof simulatorAnswer>;
    '/simulator/start': z.infer<typeof simulatorAnswer>;
    '/simulator/stop': z.infer<typeof simulatorAnswer>;
    '/sync/claims': z.infer<typeof gatewayAnswer>;
    '/sync/conflicts/{}/confirm': z.infer<typeof syncConflictAnswer>;
    '/sync/conflicts/{}/restore': z.infer<typeof syncConflictAnswer>;
    '/sync/gateways/{}/farms': z.infer<typeof boundFarm>;
    '/sync/local-users/{}/adopt': z.infer<typeof adoptedAnswer>;
    '/sync/lost-people/{}/take-back': z.infer<typeof takenBackAnswer>;
    '/sync/now': z.infer<typeof syncNowAnswer>;
    '/sync/pairing': z.infer<typeof pairingAnswer>;
    '/sync/parked/{}/retry': z.infer<typeof parkedRetryAnswer>;
    '/system/backup/key': z.infer<typeof systemBackupKeyAnswer>;
    '/system/backup/proof': z.infer<typeof systemBackupAnswer>;
    '/system/backup/run': z.infer<typeof systemBackupAnswer>;
    '/system/backup/upload': z.infer<typeof systemBackupUploadAnswer>;
    '/system/clock': z.infer<typeof systemClockAnswer>;
    '/system/restore/apply': z.infer<typeof systemRestoreAnswer>;
    '/system/restore/check': z.infer<typeof systemBackupAnswer>;
    '/system/rights': z.infer<typeof boxRightAnswer>;
    '/system/update': z.infer<typeof systemUpdateAnswer>;
    '/tasks/{}/marks': z.infer<typeof taskMarkAnswer>;
    '/transfers/': z.infer<typeof transferAnswer>;
    '/users/me/email/code': z.infer<typeof messageAnswer>;
    '/users/me/email/confirm': z.infer<typeof messageAnswer>;
    '/users/{}/confirm-email': z.infer<typeof unverifiedAnswer>;
    '/water-quality/': z.infer<typeof measurementCreated>;
  };
  PUT: {
    '/addresses/{}': z.infer<typeof addressAnswer>;
    '/aerators/{}': z.infer<typeof aeratorAnswer>;
    '/alerts/{}/resolve': z.infer<typeof alertAnswer>;
    '/auth/passkeys/{}': z.infer<typeof passkeyAnswer>;
    '/batches/{}': z.infer<typeof batchAnswer>;
    '/batches/{}/harvests/{}': z.infer<typeof harvestAnswer>;
    '/batches/{}/losses/{}': z.infer<typeof lossAnswer>;
    '/bench/labels/{}': z.infer<typeof benchLabel>;
    '/biometries/{}': z.infer<typeof biometryAnswer>;
    '/control-points/{}': z.infer<typeof controlPointAnswer>;
    '/control-points/{}/relay': z.infer<typeof relayAdopted>;
    '/control-points/{}/settings': z.infer<typeof controlPointSettings>;
    '/farms/{}': z.infer<typeof farmAnswer>;
    '/farms/{}/console': z.infer<typeof farmConsoleAnswer>;
    '/farms/{}/science': z.infer<typeof scienceSettings>;
    '/farms/{}/siren/settings': z.infer<typeof sirenAnswer>;
    '/feed-stock/{}': z.infer<typeof stockEntryAnswer>;
    '/feeding/{}': z.infer<typeof feedingAnswer>;
    '/financial/expenses/{}': z.infer<typeof expenseAnswer>;
    '/firmware/rollouts/{}/state': z.infer<typeof rolloutDetail>;
    '/harvest-lots/{}': z.infer<typeof lotAnswer>;
    '/iot/shadow/{}': z.infer<typeof deviceStatus>;
    '/photos/{}': z.infer<typeof photoAnswer>;
    '/photos/{}/image': z.infer<typeof listedPhoto>;
    '/ponds/{}': z.infer<typeof pondAnswer>;
    '/probe-buses/{}': z.infer<typeof probeBusAnswer>;
    '/probe-profiles/{}': z.infer<typeof probeProfileAnswer>;
    '/probes/{}': z.infer<typeof probeAnswer>;
    '/records/{}': z.infer<typeof recordAnswer>;
    '/simulator/conditions': z.infer<typeof simulatorAnswer>;
    '/subscriptions/{}': z.infer<typeof subscriptionAnswer>;
    '/system/authority/rotation': z.infer<typeof systemAuthorityAnswer>;
    '/system/backup/upload/{}': z.infer<typeof systemBackupUploadAnswer>;
    '/tasks/{}': z.infer<typeof taskAnswer>;
    '/transfers/{}': z.infer<typeof transferAnswer>;
    '/users/me': z.infer<typeof userAnswer>;
    '/water-quality/{}': {
      id: string;
      pond_id: string;
      measurement_date: string;
      temperature: number | null;
      dissolved_oxygen: number | null;
      ph: number | null;
      salinity: number | null;
      alkalinity: number | null;
      ammonia: number | null;
      nitrite: number | null;
      nitrate: number | null;
      transparency: number | null;
      notes: string | null;
      source: 'manual' | 'probe' | 'import';
      created_by: string | null;
      clock_quality: 'trusted' | 'estimated';
      created_at: string;
      updated_at: string | null;
      ammonia_as: z.infer<typeof ammoniaAs> | null;
      oxygen_saturation_percent: number | null;
      warnings?: z.infer<typeof warnings>;
    };
  };
};
